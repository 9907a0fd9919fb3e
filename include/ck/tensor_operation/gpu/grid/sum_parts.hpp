#pragma once
// The second stage of a split reduction: adds the parts of C in a fixed order and stores the result
// through an element-wise operation. Deterministic.
#include "ck/arch/index.hpp"
#include "ck/arch/target.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// One thread an element of C. The parts are packed: [part][group][row, column], float.
template <class Transform, class Out, class Operation>
struct SumParts
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_unit   = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct Params
    {
        const float* parts;
        Out* c;
        Operation operation;
        Transform transform; // of C as it lies in memory
        index_t part_count;
        long_index_t part_distance, group_distance; // elements of the parts
        long_index_t c_group;                       // elements of C between groups
        Divisor blocks_of_group, columns;
    };
    struct SharedStorage
    {};

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
        const float* part = p.parts + group * p.group_distance + at;
        float sum         = 0.f;
        for(index_t i = 0; i < p.part_count; ++i)
            sum += part[i * p.part_distance];
        Out result;
        p.operation(result, sum);
        p.c[group * p.c_group + place.offset] = result;
    }
};

} // namespace ck::grid
