#pragma once
// Where the rows and packs of an operand's slice lie in LDS.
#include "ck/tensor_operation/gpu/block/operand.hpp"
#include "ck/tensor_operation/gpu/warp/banks.hpp"

namespace ck::block {

/// Where row and pack lie in LDS. Rows r, r + interleave, r + 2 interleave ... are neighbours, so
/// that threads writing one row of their pieces write neighbouring packs; the paddings (in packs)
/// spread the accesses over the banks. In runs: `run` rows of `interleave` are neighbours first.
///
/// Where packs lie along the rows instead (packed_rows), the parts change places: `rows` counts
/// reduction elements, and planes count packs of rows.
///
/// `swizzled` is what wgmma reads: eight packs of a row are one line of 128 bytes, in an order that
/// changes with the row. `direct_to_lds` is what waves copy straight to LDS: rows one after the
/// other, whose packs are turned() with the row.
struct LdsLayout
{
    index_t rows, planes, pack, interleave, row_padding, plane_padding;
    bool packed_rows   = false;
    bool swizzled      = false;
    index_t run        = 1;
    bool direct_to_lds = false;

    CK_HOST_DEVICE CK_INLINE constexpr index_t group_stride() const
    {
        return rows / interleave * run + row_padding;
    }
    CK_HOST_DEVICE CK_INLINE constexpr index_t plane_stride() const
    {
        return interleave / run * group_stride() + plane_padding;
    }
    /// The position of a row, in packs from the start of a plane. Linear in `row` for steps that
    /// are multiples of `interleave`.
    CK_HOST_DEVICE CK_INLINE constexpr index_t position(index_t row) const
    {
        return row % interleave / run * group_stride() + row / interleave * run + row % run;
    }
    /// The offset of a pack, in elements.
    CK_HOST_DEVICE CK_INLINE constexpr index_t offset(index_t plane, index_t row) const
    {
        if(swizzled)
            return ((plane / 8 * rows + row) * 8 + (plane % 8 ^ row % 8)) * pack;
        if(direct_to_lds)
            return (row * planes + turned(packed_rows, row, plane, planes)) * pack;
        return (plane * plane_stride() + position(row)) * pack;
    }
    /// The offset of an element of the operand, in elements.
    CK_HOST_DEVICE CK_INLINE constexpr index_t element(index_t row, index_t k) const
    {
        return packed_rows ? offset(row / pack, k) + row % pack : offset(k / pack, row) + k % pack;
    }
    constexpr index_t size() const
    {
        const index_t whole = swizzled ? math::integer_least_multiple(planes, 8) : planes;
        return whole * plane_stride() * pack;
    }
};

/// The least paddings with the fewest bank conflicts for the copy's writes and the waves' reads.
/// read_role(lane): the row and plane of the 16 bytes that a lane names when it reads.
template <class ReadRole>
constexpr LdsLayout lds_layout(const OperandShape& s, ReadRole read_role, bool mfma = false)
{
    const bool packed_rows = s.packed == Contiguous::row;
    LdsLayout layout       = packed_rows
                                 ? LdsLayout{s.k, s.rows / s.pack(), s.pack(), 1, 0, 0, true}
                                 : LdsLayout{s.rows, s.k / s.pack(), s.pack(), s.piece_rows(), 0, 0};
    if(s.swizzled)
    {
        layout.interleave = 1;
        layout.swizzled   = true;
        return layout;
    }
    if(s.direct_to_lds)
    {
        layout.direct_to_lds = true;
        return layout;
    }
    constexpr index_t lanes   = 32;
    const index_t write_bytes = packed_rows ? 16 : math::max(4, s.piece_k() * s.element_bytes);
    warp::LaneRole read_from[lanes]{};
    index_t written_row[lanes]{}, written_k[lanes]{};
    for(index_t lane = 0; lane < lanes; ++lane)
    {
        read_from[lane]   = read_role(mfma ? warp::mfma_lane_served(lane) : lane);
        written_row[lane] = s.first_row(lane, 0);
        written_k[lane]   = s.first_k(lane, 0);
    }
    const auto read = [&](index_t number) {
        return layout.offset(read_from[number].plane, read_from[number].row) * s.element_bytes;
    };
    const auto write = [&](index_t lane) {
        return layout.element(written_row[lane], written_k[lane]) * s.element_bytes;
    };
    const index_t least = 2 * (lanes * 16 / 128) + lanes * write_bytes / 128; // without conflicts
    index_t fewest      = 1 << 30;
    LdsLayout best      = layout;
    for(index_t run = 1; run <= (s.spread ? layout.interleave / 2 : 1); run *= 2)
        for(index_t row_padding = 0; row_padding < (layout.interleave > 1 ? 8 : 1); ++row_padding)
            for(index_t plane_padding = 0; plane_padding < 8 && fewest > least; ++plane_padding)
            {
                layout.run           = run;
                layout.row_padding   = row_padding;
                layout.plane_padding = plane_padding;
                // A fragment is read several times for each time that it is written.
                const index_t passes = 2 * warp::bank_passes(lanes, 16, read) +
                                       warp::bank_passes(lanes, write_bytes, write);
                if(passes < fewest)
                {
                    fewest = passes;
                    best   = layout;
                }
            }
    return best;
}

} // namespace ck::block
