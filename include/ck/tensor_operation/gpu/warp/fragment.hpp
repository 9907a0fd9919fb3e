#pragma once
// A lane's part of an operand of a matrix instruction, derived from the instruction's lane
// map.
//
// The order of the reduction is free as long as A and B agree. So each lane reads `pack`
// consecutive elements of a row from LDS in one wide load and uses them in pack / k_values
// instructions. Lane l reads row row(l), and the group(l)-th of the `groups` packs in one step
// of groups * pack reduction elements.
#include "ck/arch/lane_map.hpp"
#include "ck/utility/integer.hpp"

namespace ck::warp {

/// Here the map's `columns` are the reduction: the map is (lane, value) -> (row, k).
struct FragmentLayout
{
    static constexpr index_t max_values = 32;

    index_t values   = 0;         ///< elements a lane holds for one instruction
    index_t rows     = 0;         ///< rows among them: 1, or 2 (mma.sync A)
    index_t k_values = 0;         ///< elements of each of these rows
    index_t groups   = 0;         ///< number of lanes with different k for the same row
    index_t k_step   = 0;         ///< first k of a lane = group * k_step
    index_t row_step = 0;         ///< distance between a lane's rows
    index_t row_of[max_values]{}; ///< value -> which of the lane's rows
    index_t k_of[max_values]{};   ///< value -> which of the row's elements, by ascending k
};

constexpr FragmentLayout
fragment_layout(const arch::LaneMap& map, index_t lanes, index_t values, index_t k)
{
    FragmentLayout f;
    f.values          = values;
    const auto origin = map(0, 0);
    for(index_t v = 0; v < values; ++v)
    {
        const auto at = map(0, v);
        if(at.row != origin.row && (f.row_step == 0 || at.row - origin.row < f.row_step))
            f.row_step = at.row - origin.row;
    }
    for(index_t v = 0; v < values; ++v)
    {
        const auto at = map(0, v);
        f.row_of[v]   = f.row_step == 0 ? 0 : (at.row - origin.row) / f.row_step;
        f.rows        = math::max(f.rows, f.row_of[v] + 1);
        for(index_t other = 0; other < values; ++other) // rank among the values of the same row
        {
            const auto there = map(0, other);
            f.k_of[v] += there.row == at.row && there.column < at.column;
        }
    }
    f.k_values = values / f.rows;
    f.groups   = k / f.k_values;
    for(index_t l = 0; l < lanes; ++l)
    {
        const index_t first = map(l, 0).column;
        if(first != 0 && (f.k_step == 0 || first < f.k_step))
            f.k_step = first;
    }
    return f;
}

/// The 16 bytes of LDS that a lane addresses in a read, relative to the start of a step.
struct LaneRole
{
    index_t row, plane;
};

/// The role of a lane that reads its own packs. By value, because device code must not name
/// constants in memory.
CK_HOST_DEVICE CK_INLINE constexpr LaneRole
pack_role(index_t k_step, index_t packs, arch::LaneMap map, index_t lane)
{
    const auto at = map(lane, 0);
    return {at.row, k_step == 0 ? 0 : at.column / k_step * packs};
}

/// The role of a lane whose wave reads packs along the reduction from lines along the rows
/// (arch::read_transposed): of 16 lanes, with 16 rows, four read each line. Here `row` is the line,
/// and `plane` counts packs of rows, of which a lane reads half.
CK_HOST_DEVICE CK_INLINE constexpr LaneRole
transposed_role(index_t pack, arch::LaneMap map, index_t lane)
{
    const auto first = map(lane / 16 * 16, 0);
    return {first.column + lane % 16 / 4, first.row / pack + lane % 4 / 2};
}

/// The role of a lane whose wave reads 8 x 16-byte matrices (arch::load_matrices). Operand a of
/// mma.sync is 2 x 2 matrices, rows first; two adjacent tiles of operand b are, too, reduction
/// first. If packs lie along the rows, a matrix's rows are reduction elements and planes are
/// rows.
CK_HOST_DEVICE CK_INLINE constexpr LaneRole
matrix_role(bool rows_first, bool packed_rows, index_t lane)
{
    const index_t row = lane % 8, low = lane / 8 % 2, high = lane / 16 % 2;
    return rows_first != packed_rows ? LaneRole{row + 8 * low, high}
                                     : LaneRole{row + 8 * high, low};
}

/// The role of a lane whose wave reads 32 reduction elements of packs of 16 rows
/// (arch::load_bytes_transposed). Matrix rows are addressed so that the two elements that a lane
/// gets from one matrix and the two from the next are four adjacent elements.
CK_HOST_DEVICE CK_INLINE constexpr LaneRole paired_role(index_t lane)
{
    const index_t matrix = lane / 8, row = lane % 8;
    return {matrix / 2 * 16 + row / 2 * 4 + matrix % 2 * 2 + row % 2, 0};
}

} // namespace ck::warp
