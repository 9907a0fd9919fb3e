#pragma once
// Depthwise convolution: each group has one channel of A and one of C, so there is no matrix
// product. A thread computes a vector of groups in some rows of C, tap by tap; adjacent threads
// share loads through the cache. The block's filters are in LDS. Needs no matrix instruction.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/thread_part.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/thread/operand_copy.hpp"
#include "ck/tensor_operation/gpu/thread/place_entry.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseDepthwiseConv; empty if it is valid.
constexpr const char* why_no_depthwise(const GemmTuning& t)
{
    if(const char* reason = why_no_tiles(t))
        return reason;
    if(t.reduction != Reduction::merged || instruction_of(t).requirement != arch::Requirement::none)
        return "depthwise kernels see groups as one, and have no matrix instruction";
    if(t.a_vector != t.c_vector || t.b_vector != 1)
        return "a thread of a depthwise kernel loads as many channels as it stores, and filters "
               "one by one";
    if(t.block_tile.n % t.a_vector != 0 ||
       t.wave_m * t.wave_n % (t.a_vector * instruction_of(t).lanes) != 0)
        return "the threads of a depthwise kernel share its tile in whole vectors";
    if(t.block_tile.k > block_size(t))
        return "a depthwise kernel has a thread for each filter tap";
    return nullptr;
}

/// Transform: MergedForward or MergedBackwardData with as many groups as columns. block_tile: rows
/// of C, the most groups, and the most filter taps; with fewer groups a block has more rows.
/// Operands are single tensors, converted and added as in ThreadPart; no D tensors.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseDepthwiseConv
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> && Types::Ds::Size() == 0 &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands and results of depthwise kernels are single tensors");

    using Params      = ConvParams<Transform, Types>;
    using A           = typename Types::A;
    using C           = typename Types::C;
    using ViewA       = typename Transform::Phase::A;
    using Accumulator = ThreadPart<A>;

    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr bool has_epilogue = has_channel_epilogue<Transform, Types>(requirement);

    static constexpr index_t vector    = tuning.a_vector;
    static constexpr index_t most_taps = tuning.block_tile.k;
    static constexpr index_t rows      = ///< rows that a thread computes
        tuning.block_tile.m * tuning.block_tile.n / (vector * block_size);

    /// Rows of C that a block of `groups` groups computes.
    CK_HOST_DEVICE static constexpr index_t tile_rows(index_t groups)
    {
        return block_size / (groups / vector) * rows;
    }

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    struct SharedStorage
    {
        Vector<Accumulator, vector>
            filter[most_taps * tuning.block_tile.n / vector]; ///< [tap][group]
        thread::PlaceEntry<ViewA> taps[most_taps];
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const TileMap::Tile tile = p.tiles(arch::block_index());
        const auto views         = p.views(tile);
        const index_t groups = views.c.template extent<1>(), vectors = groups / vector,
                      taps        = views.a.template extent<1>() / groups,
                      first_row   = tile.row_tile * tile_rows(groups),
                      row_threads = block_size / vectors;
        if(first_row >= views.c.template extent<0>())
            return; // this phase has fewer rows than the largest one
        const auto moved = [&](auto base, const Distance& d) {
            return base + tile.group * d.group + tile.sub_batch * d.sub_batch;
        };
        const index_t thread = arch::thread_index(), row_thread = thread / vectors,
                      number = thread - row_thread * vectors; // index of the vector
        if(thread < taps)
            shared.taps[thread] = thread::place_entry<ViewA>(
                views.a.template part<1>(thread * groups), static_cast<index_t>(sizeof(A)));
        if(row_thread < row_threads)
        {
            const auto* const filters = moved(p.b, p.b_distance);
            for(index_t t = row_thread; t < taps; t += row_threads)
                repeat<vector>([&](index_t e) {
                    const index_t group = number * vector + e;
                    const auto at       = combine(views.b.template part<0>(group),
                                            views.b.template part<1>(t * groups + group));
                    shared.filter[t * vectors + number][e] =
                        views.b.inside(at) ? type_convert<Accumulator>(filters[at.offset])
                                           : Accumulator{0};
                });
        }
        arch::block_sync();
        if(row_thread >= row_threads)
            return;

        // Every tap's element of a group is as far from group 0's as the first tap's.
        const index_t from = (views.a.template part<1>(number * vector).offset -
                              views.a.template part<1>(0).offset) *
                             static_cast<index_t>(sizeof(A));
        const auto row_of = [&](index_t r) { return first_row + row_thread + r * row_threads; };
        thread::PlaceEntry<ViewA> row[rows];
        repeat<rows>([&](index_t r) {
            row[r] = thread::place_entry<ViewA>(views.a.template part<0>(row_of(r)),
                                                static_cast<index_t>(sizeof(A)));
            row[r].word[0] += from;
        });

        const arch::GlobalView<const A> memory(moved(p.a, p.a_distance));
        Vector<Accumulator, vector> sum[rows]{};
        for(index_t t = 0; t < taps; ++t)
        {
            const auto tap    = thread::read_entry(shared.taps + t);
            const auto filter = shared.filter[t * vectors + number];
            Vector<A, vector> x[rows];
            repeat<rows>([&](index_t r) {
                x[r] = memory.template load<vector>(thread::place_of(views.a, row[r], tap));
            });
            repeat<rows>([&](index_t r) {
                repeat<vector>([&](index_t e) {
                    sum[r][e] += type_convert<Accumulator>(x[r][e]) * filter[e];
                });
            });
        }

        const arch::GlobalView<C> out(moved(p.c, p.c_distance));
        // Read again here: otherwise clang 19 spills 2 to 30 scalar registers.
        const auto view  = arch::constant_uniform(&p)->views(tile).c;
        const index_t to = view.template part<1>(number * vector).offset;
        const auto place = [&](index_t r) {
            const auto at = view.template part<0>(row_of(r));
            return at.valid ? static_cast<arch::offset_t>(at.offset + to) *
                                  static_cast<arch::offset_t>(sizeof(C))
                            : arch::nowhere;
        };
        if constexpr(has_epilogue)
        {
            const auto biases =
                p.epilogue.template load<C, vector>(tile.group, number * vector, groups);
            const auto residuals = p.epilogue.residuals(p.c, moved(p.c, p.c_distance));
            p.epilogue.apply(
                sum, biases, [&](index_t r) { return residuals.template load<vector>(place(r)); });
        }
        repeat<rows>([&](index_t r) {
            Vector<C, vector> result;
            repeat<vector>([&](index_t e) { p.operation_c(result[e], sum[r][e]); });
            out.template store<vector>(result, place(r));
        });
    }
};

} // namespace ck::grid
