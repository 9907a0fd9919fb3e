#pragma once
// The positions of an operand's rows and packs in LDS.
#include "ck/tensor_operation/gpu/block/operand.hpp"
#include "ck/tensor_operation/gpu/warp/banks.hpp"

namespace ck::block {

/// Positions of rows and packs in LDS. Rows r, r + interleave, r + 2 interleave ... are adjacent,
/// so that threads that write the same row of their pieces write adjacent packs. Paddings (in
/// packs) spread the accesses over the banks. With runs, `run` rows of `interleave` are adjacent
/// first.
///
/// If packs lie along the rows (packed_rows), the roles are swapped: `rows` counts reduction
/// elements, and planes count packs of rows.
///
/// `swizzled` is wgmma's layout: eight packs of a row form a 128-byte line, in an order that
/// depends on the row. `direct_to_lds`: waves copy row by row; swizzled_pack() places the packs.
/// `swizzled_rows`: threads copy rows of 128 bytes; packs are swizzled by warp::row_swizzle().
struct LdsLayout
{
    index_t rows, planes, pack, interleave, row_padding, plane_padding;
    bool packed_rows   = false;
    bool swizzled      = false;
    index_t run        = 1;
    bool direct_to_lds = false;
    bool swizzled_rows = false;

    CK_HOST_DEVICE CK_INLINE constexpr index_t group_stride() const
    {
        return rows / interleave * run + row_padding;
    }
    CK_HOST_DEVICE CK_INLINE constexpr index_t plane_stride() const
    {
        return interleave / run * group_stride() + plane_padding;
    }
    /// The group of a row and its position there, in packs. Paddings do not change it.
    CK_HOST_DEVICE CK_INLINE_EVERYWHERE constexpr index_t group(index_t row) const
    {
        return row % interleave / run;
    }
    CK_HOST_DEVICE CK_INLINE_EVERYWHERE constexpr index_t in_group(index_t row) const
    {
        return row / interleave * run + row % run;
    }
    /// The position of a row, in packs from the start of a plane. Linear in `row` for steps that
    /// are multiples of `interleave`.
    CK_HOST_DEVICE CK_INLINE constexpr index_t position(index_t row) const
    {
        return group(row) * group_stride() + in_group(row);
    }
    /// The offset of a pack, in elements.
    CK_HOST_DEVICE CK_INLINE constexpr index_t offset(index_t plane, index_t row) const
    {
        if(swizzled)
            return ((plane / 8 * rows + row) * 8 + (plane % 8 ^ row % 8)) * pack;
        if(swizzled_rows)
            return (row * planes + (plane ^ warp::row_swizzle(row))) * pack;
        if(direct_to_lds)
            return (row * planes + swizzled_pack(packed_rows, row, plane, planes)) * pack;
        return (plane * plane_stride() + position(row)) * pack;
    }
    /// The offset of an element of the operand, in elements.
    CK_HOST_DEVICE CK_INLINE constexpr index_t element(index_t row, index_t k) const
    {
        return packed_rows ? offset(row / pack, k) + row % pack : offset(k / pack, row) + k % pack;
    }
    /// What swizzles the packs of a row, `swizzled_rows`.
    CK_HOST_DEVICE CK_INLINE static constexpr index_t row_swizzle(index_t row)
    {
        return warp::row_swizzle(row);
    }
    constexpr index_t size() const
    {
        const index_t whole = swizzled ? math::integer_least_multiple(planes, 8) : planes;
        return whole * plane_stride() * pack;
    }
};

/// The accesses of a wave's lanes to a slice whose paddings are not chosen yet. Like
/// warp::bank_passes, but fast enough to evaluate for each block's layouts.
class PaddedAccesses
{
    struct Access
    {
        index_t plane, group, pack, byte; ///< the pack's place in LDS
        bool operator==(const Access&) const = default;
    };
    index_t bytes_; ///< bytes of an access
    index_t count_ = 0;
    Access access_[32]{};
    index_t pass_[32]{};

public:
    constexpr explicit PaddedAccesses(index_t bytes) : bytes_(bytes) {}

    /// Adds a lane's access, unless another lane of the same pass accesses the same address.
    constexpr void add(index_t lane, const LdsLayout& l, index_t plane, index_t row, index_t byte)
    {
        const index_t pass = lane / warp::in_pass(bytes_);
        const Access access{plane, l.group(row), l.in_group(row), byte};
        for(index_t i = count_; i-- > 0 && pass_[i] == pass;)
            if(access_[i] == access)
                return;
        access_[count_] = access;
        pass_[count_++] = pass;
    }
    /// Number of passes over the banks.
    constexpr index_t passes(const LdsLayout& l) const
    {
        const index_t plane = l.plane_stride(), group = l.group_stride();
        index_t sum = 0, worst = 0, use[32]{}; // use: pass * 64 + how often the pass has the bank
        for(index_t i = 0; i < count_; ++i)
        {
            const Access& a     = access_[i];
            const index_t start = pass_[i] * 64,
                          at    = (a.plane * plane + a.group * group + a.pack) * 16 + a.byte;
            index_t& of_bank    = use[at % 128 / bytes_];
            if(i > 0 && pass_[i] != pass_[i - 1])
            {
                sum += worst;
                worst = 0;
            }
            of_bank = math::max(of_bank, start) + 1;
            worst   = math::max(worst, of_bank - start);
        }
        return sum + worst;
    }
};

/// The smallest paddings with the fewest bank conflicts for the copy's writes and the waves' reads.
/// read_role(lane): row and plane of the 16 bytes that a lane addresses in a read.
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
    if(s.direct_to_lds || s.swizzled_rows)
    {
        layout.interleave    = 1;
        layout.direct_to_lds = s.direct_to_lds;
        layout.swizzled_rows = s.swizzled_rows;
        return layout;
    }
    constexpr index_t lanes     = 32;
    const index_t write_bytes   = packed_rows ? 16 : math::max(4, s.piece_k() * s.element_bytes);
    const index_t least_writing = lanes * write_bytes / 128, // without conflicts
        least                   = 2 * (lanes * 16 / 128) + least_writing;
    index_t fewest              = 1 << 30;
    LdsLayout best              = layout;
    for(layout.run = 1; layout.run <= (s.spread ? layout.interleave / 2 : 1); layout.run *= 2)
    {
        PaddedAccesses read(16), write(write_bytes);
        for(index_t lane = 0; lane < lanes; ++lane)
        {
            const warp::LaneRole from = read_role(mfma ? warp::mfma_lane_served(lane) : lane);
            const index_t row = s.first_row(lane, 0), k = s.first_k(lane, 0);
            read.add(lane, layout, from.plane, from.row, 0);
            if(packed_rows)
                write.add(lane, layout, row / s.pack(), k, row % s.pack() * s.element_bytes);
            else
                write.add(lane, layout, k / s.pack(), row, k % s.pack() * s.element_bytes);
        }
        for(index_t row_padding = 0; row_padding < (layout.interleave > 1 ? 8 : 1); ++row_padding)
            for(index_t plane_padding = 0; plane_padding < 8 && fewest > least; ++plane_padding)
            {
                layout.row_padding   = row_padding;
                layout.plane_padding = plane_padding;
                // A fragment is read several times for each write.
                const index_t reading = 2 * read.passes(layout);
                if(reading + least_writing >= fewest)
                    continue;
                const index_t passes = reading + write.passes(layout);
                if(passes < fewest)
                {
                    fewest = passes;
                    best   = layout;
                }
            }
    }
    return best;
}

} // namespace ck::block
