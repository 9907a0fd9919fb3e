#pragma once
// D tensors: tensors with C's lengths that an element-wise operation reads with the sums, such as
// residuals and biases (with strides of 0).
#include "ck/arch/memory.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/tuple.hpp"

#include <tuple>

namespace ck::grid {

/// One D tensor in memory. Strides, in elements, of n, d, h, w and channel; 0 repeats a value.
struct DTensor
{
    const void* base;
    long_index_t group, sub_batch; ///< elements between groups, and between sub-batches
    index_t stride[5];

    auto addresses() const { return std::tie(base); }
};

/// Elements: a Tuple of their element types.
template <class Elements>
struct DTensors;

template <class... D>
struct DTensors<Tuple<D...>>
{
    static constexpr index_t count  = sizeof...(D);
    static constexpr index_t length = count == 0 ? 1 : count;

    template <index_t i>
    using Element = tuple_element_t<i, Tuple<D...>>;

    /// Row offsets of a tile, in bytes.
    template <index_t rows>
    struct Table
    {
        arch::offset_t row[length][count == 0 ? 1 : rows];
    };

    /// What the epilogue of one wave reads.
    template <index_t rows>
    struct Reader
    {
        static constexpr index_t count = DTensors::count;

        const Table<rows>& table;
        const DTensor* tensor;
        long_index_t group, sub_batch;
        index_t first_row; // the wave's first row in the tile

        /// `vector` elements from column `column` on, of row `row` of the wave.
        template <index_t i, index_t vector>
        CK_DEVICE CK_INLINE Vector<Element<i>, vector>
        load(index_t row, index_t column, bool exists) const
        {
            const DTensor& d = tensor[i];
            const arch::GlobalView<const Element<i>> view(
                static_cast<const Element<i>*>(d.base) + group * d.group + sub_batch * d.sub_batch);
            const arch::offset_t at =
                table.row[i][first_row + row] + static_cast<arch::offset_t>(column * d.stride[4]) *
                                                    static_cast<arch::offset_t>(sizeof(Element<i>));
            return view.template load<vector>(exists ? at : arch::nowhere);
        }
    };

    /// The offset of a row of C with these indices (n, d, h, w, channel).
    template <index_t i, class Indices>
    CK_DEVICE CK_INLINE static arch::offset_t row_offset(const DTensor& d, const Indices& index)
    {
        index_t offset = 0;
        repeat<4>([&](index_t dim) { offset += index[dim] * d.stride[dim]; });
        return static_cast<arch::offset_t>(offset) *
               static_cast<arch::offset_t>(sizeof(Element<i>));
    }
};

} // namespace ck::grid
