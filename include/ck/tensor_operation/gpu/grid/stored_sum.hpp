#pragma once
// Stores a sum whose partial sums have been added up: applies an element-wise operation, which may
// read D tensors, and writes C.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/d_tensors.hpp"
#include "ck/tensor_operation/gpu/grid/partial_sums.hpp"
#include "ck/utility/vector.hpp"

#include <tuple>

namespace ck::grid {

/// Stores sums as C [group, row, (tap, channel)]. D tensors have C's lengths and their own strides;
/// one may be C.
template <class Out, class Operation, class Elements>
struct StoredSum
{
    using Ds = DTensors<Elements>;

    static constexpr index_t vector = PartialSums::vector;

    Out* c;
    Operation operation;
    long_index_t c_group; // elements of C between groups
    index_t columns;
    bool whole_runs;       // are one vector of C in memory
    DTensor d[Ds::length]; // strides of C's dimensions: k, z, y, x, c

    /// Columns that are all stored.
    struct AllColumns
    {
        CK_DEVICE CK_INLINE constexpr bool exists(index_t) const { return true; }
        CK_DEVICE CK_INLINE constexpr index_t real(index_t, index_t) const { return vector; }
    };

    /// A run of adjacent elements of a row, from column `run` on. view: a group of C. of_columns:
    /// which columns are in memory and which are padding, as in BlockedColumns; its row is 0.
    template <class View, class Partial, class Columns = AllColumns>
    CK_DEVICE CK_INLINE void store(const View& view,
                                   index_t group,
                                   index_t row,
                                   index_t run,
                                   const Vector<Partial, vector>& sum,
                                   const Columns& of_columns = {}) const
    {
        if(!whole_runs)
        {
            repeat<vector>([&](index_t e) {
                if(run + e < columns && of_columns.exists(run + e))
                {
                    if(of_columns.real(0, run + e) > 0)
                        store_element(view, group, row, run + e, sum[e]);
                    else
                        *place(view, group, row, run + e) = Out{};
                }
            });
            return;
        }
        if(!of_columns.exists(run))
            return;
        const index_t real = of_columns.real(0, run);
        Vector<Out, vector> result{};
        repeat<vector>([&](index_t e) {
            if(e < real)
                result[e] = element(view, group, row, run + e, sum[e]);
        });
        *reinterpret_cast<Vector<Out, vector>*>(place(view, group, row, run)) = result;
    }

    template <class View, class Partial>
    CK_DEVICE CK_INLINE void store_element(
        const View& view, index_t group, index_t row, index_t column, const Partial& sum) const
    {
        *place(view, group, row, column) = element(view, group, row, column, sum);
    }

    /// The elements of a tensor with C's offsets at a run; zeros in columns that are not stored.
    /// Reads the whole run before it is stored, so the tensor may be C.
    template <class View>
    CK_DEVICE CK_INLINE Vector<Out, vector>
    read(const View& view, index_t group, index_t row, index_t run, const Out* tensor) const
    {
        if(whole_runs)
            return *reinterpret_cast<const Vector<Out, vector>*>(tensor +
                                                                 offset(view, group, row, run));
        Vector<Out, vector> r{};
        repeat<vector>([&](index_t e) {
            if(run + e < columns)
                r[e] = tensor[offset(view, group, row, run + e)];
        });
        return r;
    }

    auto addresses() const { return std::tie(c, d); }

private:
    template <class View, class Partial>
    CK_DEVICE CK_INLINE Out
    element(const View& view, index_t group, index_t row, index_t column, const Partial& sum) const
    {
        Out result{};
        [&]<index_t... n>(std::integer_sequence<index_t, n...>)
        {
            operation(result, sum, load<n>(d[n], view, group, row, column)...);
        }
        (std::make_integer_sequence<index_t, Ds::count>{});
        return result;
    }

    template <class View>
    CK_DEVICE CK_INLINE long_index_t
    offset(const View& view, index_t group, index_t row, index_t column) const
    {
        return group * c_group +
               combine(view.template part<0>(row), view.template part<1>(column)).offset;
    }
    template <class View>
    CK_DEVICE CK_INLINE Out*
    place(const View& view, index_t group, index_t row, index_t column) const
    {
        return c + offset(view, group, row, column);
    }

    template <index_t i, class View>
    CK_DEVICE CK_INLINE static auto
    load(const DTensor& d, const View& view, index_t group, index_t row, index_t column)
    {
        const auto of_row    = view.template indices<0>(row),
                   of_column = view.template indices<1>(column);
        long_index_t offset  = group * d.group;
        repeat<5>([&](index_t dim) {
            offset += long_index_t{of_row[dim] + of_column[dim]} * d.stride[dim];
        });
        return static_cast<const typename Ds::template Element<i>*>(d.base)[offset];
    }
};

/// Adds up a block's sums: for each run, the sums of all sharers go to the first sharer.
template <index_t vector, class Partial>
CK_DEVICE CK_INLINE void add_shares(Vector<Partial, vector>* shared,
                                    Vector<Partial, vector>& sum,
                                    index_t sharers,
                                    index_t runs)
{
    const index_t thread = arch::thread_index();
    shared[thread]       = sum;
    arch::block_sync();
    for(index_t i = 1; i < sharers && thread < runs; ++i)
        repeat<vector>([&](index_t e) { sum[e] += shared[thread + i * runs][e]; });
}

/// Threads that share a run: enough to fill `compute_units` compute units, each with at least four
/// partial sums; adjacent threads still read 128 bytes.
constexpr index_t
most_sharers(long_index_t runs, index_t partial_count, index_t compute_units, index_t block_size)
{
    constexpr index_t threads_of_cu = 2048, least_runs = 8, least_partial_sums = 4;
    index_t sharers = 1;
    while(2 * sharers * least_runs <= block_size &&
          2 * sharers * least_partial_sums <= partial_count &&
          2 * sharers * runs <= long_index_t{threads_of_cu} * compute_units)
        sharers *= 2;
    return sharers;
}

} // namespace ck::grid
