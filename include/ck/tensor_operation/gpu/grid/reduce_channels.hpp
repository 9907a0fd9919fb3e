#pragma once
// Sums, maxima and similar reductions over the channels of a tensor, in a fixed order:
// deterministic.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/arch/target.hpp"
#include "ck/utility/tuple.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// R_i[row] = RsOperation_i(Reduction_i over k of QsOperation_i(E[row, k])); a row is a group, an
/// image and a pixel. Each of 32 threads reduces every 32nd channel of a row, then one of them
/// combines their results. Qs, Reductions, RsOperations, Rs: Tuples of the same length. Acc: the
/// type of the computation.
///   Qs           q(Acc& y, Acc x)
///   Reductions   op(Acc& all, Acc one), and op.template GetIdentityValue<Acc>(), of no channel
///   RsOperations r(Acc& y, Acc x)
template <class E, class Acc, class Rs, class Qs, class Reductions, class RsOperations>
struct ReduceChannels
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    static constexpr index_t count = Rs::Size();
    static_assert(Qs::Size() == count && Reductions::Size() == count &&
                      RsOperations::Size() == count,
                  "each R tensor has one operation on elements, one reduction and one operation on "
                  "its result");
    static constexpr index_t row_threads = 32, block_rows = block_size / row_threads;

    static constexpr index_t dimensions = 5; ///< dimensions of a row: g, n, d, h, w
    struct Params
    {
        const E* e;
        void* r[count];
        long_index_t length[dimensions];
        long_index_t e_stride[dimensions], r_stride[count][dimensions];
        index_t channels;
        long_index_t channel_stride; ///< E's
        Qs qs;
        RsOperations rs_operations;

        CK_HOST_DEVICE constexpr long_index_t rows() const
        {
            return length[0] * length[1] * length[2] * length[3] * length[4];
        }
    };

    struct SharedStorage
    {
        Acc part[count][block_rows][row_threads];
    };

    static constexpr bool starts_early(const Params&) { return false; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t thread = arch::thread_index(), lane = thread % row_threads,
                      of_block = thread / row_threads;
        const long_index_t row = long_index_t{arch::block_index()} * block_rows + of_block;
        const bool exists      = row < p.rows();
        long_index_t at[dimensions], rest = row;
        for(index_t d = dimensions; d-- > 0;)
        {
            at[d] = rest % p.length[d];
            rest /= p.length[d];
        }
        const auto offset = [&](const long_index_t(&stride)[dimensions]) {
            long_index_t sum = 0;
            for(index_t d = 0; d < dimensions; ++d)
                sum += at[d] * stride[d];
            return sum;
        };

        Acc part[count];
        unrolled<0, count>([&](auto i) { part[i] = identity(i); });
        if(exists)
        {
            const E* const e = p.e + offset(p.e_stride);
            for(index_t k = lane; k < p.channels; k += row_threads)
            {
                const Acc x = type_convert<Acc>(e[k * p.channel_stride]);
                unrolled<0, count>([&](auto i) {
                    Acc y{};
                    p.qs[i](y, x);
                    tuple_element_t<i, Reductions>{}(part[i], y);
                });
            }
        }
        unrolled<0, count>([&](auto i) { shared.part[i][of_block][lane] = part[i]; });
        arch::block_sync();
        if(!exists || lane != 0)
            return;
        unrolled<0, count>([&](auto i) {
            using R = tuple_element_t<i, Rs>;
            Acc all = identity(i);
            for(index_t l = 0; l < row_threads; ++l)
                tuple_element_t<i, Reductions>{}(all, shared.part[i][of_block][l]);
            Acc result{};
            p.rs_operations[i](result, all);
            static_cast<R*>(p.r[i])[offset(p.r_stride[i])] = type_convert<R>(result);
        });
    }

private:
    template <class Index>
    CK_DEVICE static Acc identity(Index)
    {
        return tuple_element_t<Index::value, Reductions>::template GetIdentityValue<Acc>();
    }
};

} // namespace ck::grid
