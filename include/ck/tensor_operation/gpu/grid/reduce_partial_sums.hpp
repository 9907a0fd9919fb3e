#pragma once
// The second stage of a split reduction: adds C's partial sums in a fixed order (deterministic) and
// stores the result through an element-wise operation, which may read D tensors.
#include "ck/tensor_operation/gpu/grid/epilogue/channel_epilogue.hpp"
#include "ck/tensor_operation/gpu/grid/stored_sum.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/number.hpp"

#include <tuple>

namespace ck::grid {

/// Adds up partial sums: `sharers` threads, each with other partial sums, add up a run of
/// PartialSums::vector adjacent elements in a row of C [row, (tap, channel)]. With `merged` groups,
/// the partial sums have `merged` times as many rows and channels. Only the diagonal blocks, where
/// row and channel are in the same group, belong to C.
///
/// If a transform does not split its reductions itself, the partial sums are those of C's last
/// rows, and phases take the place of groups.
///
/// Partial: type of the partial sums. Total: type of the sum, see TotalOf. has_epilogue: whether a
/// ChannelEpilogue is applied to the sums of C's only group.
template <class Transform,
          class Out,
          class Operation,
          class Elements    = Tuple<>,
          class Partial     = float,
          class Total       = Partial,
          bool has_epilogue = false>
struct ReducePartialSums
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct NoEpilogue
    {
        static auto addresses() { return std::tie(); }
    };
    struct Params : StoredSum<Out, Operation, Elements>
    {
        PartialSums partial_sums;
        index_t partial_count;
        Transform transform;   // places of C in memory
        index_t images    = 1; // images of C
        index_t first_row = 0; // first row that has partial sums
        Divisor blocks_of_group, runs_of_row, channels;
        Divisor merged;  // groups
        Divisor runs;    // runs of a block
        index_t sharers; // threads that share a run; runs * sharers is block_size
        [[no_unique_address]] std::conditional_t<has_epilogue, ChannelEpilogue, NoEpilogue>
            epilogue;

        auto addresses() const
        {
            return std::tuple_cat(StoredSum<Out, Operation, Elements>::addresses(),
                                  std::tie(partial_sums, epilogue));
        }
    };
    static constexpr index_t vector = PartialSums::vector;
    /// What takes the place of groups in the partial sums.
    static constexpr bool of_phases = !splits_sums<Transform>;

    static constexpr bool starts_early(const Params&) { return true; }

    struct SharedStorage
    {
        Vector<Total, vector> sum[block_size];
    };

    static constexpr index_t runs_of_row(index_t columns)
    {
        return math::integer_divide_ceil(columns, vector);
    }
    static constexpr long_index_t
    blocks_of_group(long_index_t rows, index_t columns, index_t sharers)
    {
        return math::integer_divide_ceil(rows * runs_of_row(columns),
                                         long_index_t{block_size / sharers});
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        const index_t block = arch::block_index(), thread = arch::thread_index();
        const index_t group  = quotient(block, p.blocks_of_group);
        const index_t sharer = quotient(thread, p.runs),
                      at     = (block - group * p.blocks_of_group.value) * p.runs.value + thread -
                           sharer * p.runs.value;
        const index_t row   = quotient(at, p.runs_of_row),
                      run   = (at - row * p.runs_of_row.value) * vector; // its first column
        const auto of_phase = p.transform.make_phase(of_phases ? group : 0, p.images);
        const auto& c       = of_phase.c;
        bool has_sum        = true;
        if constexpr(of_phases && requires { of_phase.tap_count; })
            has_sum = of_phase.tap_count > 0; // else there need not be partial sums
        const index_t c_row = p.first_row + row;
        const bool exists   = c_row < c.template extent<0>();
        arch::wait_for_previous_kernel();
        Vector<Total, vector> sum{};
        if(exists && has_sum)
            sum = add_up(p, group, sharer, c.template extent<0>(), row, run);
        if(p.sharers > 1)
            add_shares(shared.sum, sum, p.sharers, p.runs.value);
        if(!exists || sharer != 0)
            return;
        if constexpr(has_epilogue)
            if(p.epilogue.exists)
                p.epilogue.template apply<true>(
                    sum, p.epilogue.template load<Out, vector>(0, run, p.columns), [&] {
                        return p.read(
                            c, group, c_row, run, static_cast<const Out*>(p.epilogue.residual));
                    });
        if constexpr(requires { p.transform.describe_columns(of_phase, c_row); })
            p.store(c, group, c_row, run, sum, p.transform.describe_columns(of_phase, c_row));
        else
            p.store(c, group, c_row, run, sum);
    }

private:
    CK_DEVICE CK_INLINE static Vector<Total, vector>
    add_up(const Params& p, index_t group, index_t sharer, index_t rows, index_t row, index_t run)
    {
        Vector<Total, vector> sum{};
        if(p.partial_count == 0) // and no partial sums to point at
            return sum;
        const index_t merged_group = quotient(group, p.merged),
                      number       = // of the group in it
                      group - merged_group * p.merged.value;
        const Partial* const first =
            static_cast<const Partial*>(p.partial_sums.base) +
            (merged_group * p.partial_sums.group +
             long_index_t{number * rows + row} * p.partial_sums.row_length);
        if(p.merged.value == 1) // rows have whole runs
        {
            const auto add = [&]<index_t count>(Number<count>, index_t i) {
                Vector<Partial, vector> partial[count]; // loads that wait together
                repeat<count>([&](index_t n) {
                    partial[n] = *reinterpret_cast<const Vector<Partial, vector>*>(
                        first + (i + n * p.sharers) * p.partial_sums.partial + run);
                });
                repeat<count>([&](index_t n) {
                    repeat<vector>([&](index_t e) { sum[e] += partial[n][e]; });
                });
            };
            constexpr index_t together = 4;
            index_t i                  = sharer;
            for(; i + (together - 1) * p.sharers < p.partial_count; i += together * p.sharers)
                add(Number<together>{}, i);
            for(; i < p.partial_count; i += p.sharers)
                add(Number<1>{}, i);
            return sum;
        }
        repeat<vector>([&](index_t e) {
            const index_t column = run + e, tap = quotient(column, p.channels),
                          channels = p.channels.value;
            if(column >= p.columns)
                return;
            for(index_t i = sharer; i < p.partial_count; i += p.sharers)
                sum[e] +=
                    first[i * p.partial_sums.partial + (tap * p.merged.value + number) * channels +
                          column - tap * channels];
        });
        return sum;
    }
};

} // namespace ck::grid
