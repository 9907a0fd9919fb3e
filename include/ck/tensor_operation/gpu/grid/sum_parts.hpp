#pragma once
// The second stage of a split reduction: adds the parts of C in a fixed order and stores the result
// through an element-wise operation, which may read D tensors. Deterministic.
#include "ck/arch/index.hpp"
#include "ck/arch/target.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/d_tensors.hpp"
#include "ck/tensor_operation/gpu/grid/parts.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// One thread an element of C [row, (tap, channel)]. The parts may be those of `merged` groups
/// computed as one, of merged times as many rows and channels: then only the blocks on the
/// diagonal, where row and channel are of the same group, belong to C.
///
/// D tensors: C's lengths, their own strides. C may be one of them. Part: the parts' type.
template <class Transform, class Out, class Operation, class Elements = Tuple<>, class Part = float>
struct SumParts
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_unit   = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    using Ds = DTensors<Elements>;

    struct Params
    {
        Parts parts;
        index_t part_count;
        Out* c;
        Operation operation;
        Transform transform;  // of C as it lies in memory
        long_index_t c_group; // elements of C between groups
        Divisor blocks_of_group, columns, channels;
        Divisor merged;       // groups
        DTensor d[Ds::slots]; // strides of C's dimensions: k, z, y, x, c
    };
    struct SharedStorage
    {};

    static constexpr long_index_t blocks_of_group(long_index_t elements)
    {
        return (elements + block_size - 1) / block_size;
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        const index_t block = arch::block_index();
        const index_t group = quotient(block, p.blocks_of_group);
        const index_t at =
            (block - group * p.blocks_of_group.value) * block_size + arch::thread_index();
        const index_t row = quotient(at, p.columns), column = at - row * p.columns.value;
        const auto c     = p.transform.make_class(0, 1).c;
        const auto place = combine(c.template part<0>(row), c.template part<1>(column));
        if(!c.inside(place))
            return;

        const index_t tap = quotient(column, p.channels), channels = p.channels.value;
        const index_t merged_group = quotient(group, p.merged),
                      number       = // of the group in it
                      group - merged_group * p.merged.value;
        const long_index_t first =
            merged_group * p.parts.group +
            long_index_t{number * c.template extent<0>() + row} * p.parts.row_length +
            (tap * p.merged.value + number) * channels + column - tap * channels;
        const Part* const part = reinterpret_cast<const Part*>(p.parts.base);
        Part sum{0};
        for(index_t i = 0; i < p.part_count; ++i)
            sum += part[first + i * p.parts.part];

        Out result;
        [&]<index_t... n>(std::integer_sequence<index_t, n...>)
        {
            p.operation(result, sum, load<n>(p.d[n], group, c, row, column)...);
        }
        (std::make_integer_sequence<index_t, Ds::count>{});
        p.c[group * p.c_group + place.offset] = result;
    }

private:
    template <index_t i, class View>
    CK_DEVICE CK_INLINE static auto
    load(const DTensor& d, index_t group, const View& c, index_t row, index_t column)
    {
        const auto of_row = c.template indices<0>(row), of_column = c.template indices<1>(column);
        long_index_t offset = group * d.group;
        unrolled<0, 5>([&](auto dim) {
            offset += long_index_t{of_row[dim] + of_column[dim]} * d.stride[dim];
        });
        return static_cast<const typename Ds::template Element<i>*>(d.base)[offset];
    }
};

} // namespace ck::grid
