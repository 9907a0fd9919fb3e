#pragma once
// One operand's slice of a block tile: how threads share its copy from global memory, and how it
// lies in LDS.
#include "ck/tensor_operation/gpu/warp/fragment.hpp"
#include "ck/utility/integer.hpp"

namespace ck::block {

/// The dimension along which neighbouring elements of an operand are neighbours in global memory.
enum class Contiguous
{
    reduction,
    row
};

/// A slice of rows x k elements, copied by `threads` threads. LDS holds it in packs of 16 bytes
/// along the reduction.
///
/// A thread copies pieces: piece_rows rows by piece_k reduction elements, loaded in vectors along
/// the contiguous dimension and written in vectors along the reduction, so a piece of an operand
/// that is contiguous along its rows is transposed in registers.
struct OperandShape
{
    Contiguous contiguous;
    index_t rows, k;
    index_t threads;
    index_t vector;        ///< elements per global load
    index_t element_bytes; ///< of an element in LDS

    constexpr index_t pack() const { return 16 / element_bytes; }
    constexpr index_t elements_per_thread() const { return rows * k / threads; }

    constexpr index_t piece_rows() const { return contiguous == Contiguous::row ? vector : 1; }
    constexpr index_t piece_k() const
    {
        return math::min(pack(), elements_per_thread() / piece_rows());
    }
    constexpr index_t pieces() const { return elements_per_thread() / (piece_rows() * piece_k()); }
    constexpr index_t loads_per_piece() const { return piece_rows() * piece_k() / vector; }

    // The pieces form a grid of row_pieces() x k_pieces(); threads run along the contiguous
    // dimension first.
    constexpr index_t row_pieces() const { return rows / piece_rows(); }
    constexpr index_t k_pieces() const { return k / piece_k(); }
    constexpr index_t first_row(index_t thread, index_t piece) const
    {
        const index_t at = thread + piece * threads;
        return (contiguous == Contiguous::row ? at % row_pieces() : at / k_pieces()) * piece_rows();
    }
    constexpr index_t first_k(index_t thread, index_t piece) const
    {
        const index_t at = thread + piece * threads;
        return (contiguous == Contiguous::row ? at / row_pieces() : at % k_pieces()) * piece_k();
    }
};

/// Empty when the shape is sound, else what is wrong with it.
constexpr const char* why_not(const OperandShape& s)
{
    if(s.rows <= 0 || s.k <= 0 || s.threads <= 0 || s.vector <= 0)
        return "an operand's rows, k, threads and vector must be positive";
    if(s.k % s.pack() != 0)
        return "block_tile.k is not a whole number of 16-byte packs";
    if(s.vector * s.element_bytes > 16)
        return "a global load is wider than 16 bytes";
    if((s.rows * s.k) % s.threads != 0 || s.elements_per_thread() < s.vector)
        return "the threads of a block cannot share the slice of an operand in whole vectors";
    if(s.elements_per_thread() % (s.piece_rows() * s.piece_k()) != 0 || s.pack() % s.piece_k() != 0)
        return "a thread's share of an operand is not a whole number of pieces";
    if(s.contiguous == Contiguous::reduction && s.piece_k() % s.vector != 0)
        return "a 16-byte pack is not a whole number of global loads";
    if(s.rows % s.piece_rows() != 0)
        return "the rows of an operand are not a whole number of global loads";
    if(s.contiguous == Contiguous::reduction ? s.threads % s.k_pieces() != 0 && s.pieces() > 1
                                             : s.threads % s.row_pieces() != 0 && s.pieces() > 1)
        return "a thread's pieces of an operand do not share a row or a reduction index";
    return nullptr;
}

/// Where row and pack lie in LDS. Rows r, r + interleave, r + 2 interleave ... are neighbours, so
/// that threads writing one row of their pieces write neighbouring packs; the paddings (in packs)
/// spread the accesses over the banks.
struct LdsLayout
{
    index_t rows, planes, pack, interleave, row_padding, plane_padding;

    constexpr index_t group_stride() const { return rows / interleave + row_padding; }
    constexpr index_t plane_stride() const { return interleave * group_stride() + plane_padding; }
    /// In packs from the start of a plane. Linear in `row` for steps that are multiples of
    /// `interleave`.
    CK_HOST_DEVICE constexpr index_t position(index_t row) const
    {
        return row % interleave * (rows / interleave + row_padding) + row / interleave;
    }
    /// In elements.
    CK_HOST_DEVICE constexpr index_t offset(index_t plane, index_t row) const
    {
        return (plane * (interleave * (rows / interleave + row_padding) + plane_padding) +
                position(row)) *
               pack;
    }
    constexpr index_t size() const { return planes * plane_stride() * pack; }
};

namespace detail {

/// How many times the worst bank is used when `count` lanes access `bytes` each in groups that one
/// pass over the banks serves.
template <class ByteOffset>
constexpr index_t bank_passes(index_t count, index_t bytes, ByteOffset offset)
{
    const index_t in_phase = 128 / bytes;
    index_t passes         = 0;
    for(index_t first = 0; first < count; first += in_phase)
    {
        index_t use[32]{};
        index_t seen[32]{};
        index_t worst = 0;
        for(index_t l = 0; l < in_phase && first + l < count; ++l)
        {
            const index_t at = offset(first + l);
            bool repeated    = false;
            for(index_t other = 0; other < l; ++other)
                repeated = repeated || seen[other] == at;
            seen[l] = at;
            if(!repeated)
                worst = math::max(worst, ++use[at % 128 / bytes]);
        }
        passes += worst;
    }
    return passes;
}

} // namespace detail

/// The least paddings with the fewest bank conflicts for the copy's writes and the matrix
/// fragments' reads.
constexpr LdsLayout
lds_layout(const OperandShape& s, const warp::FragmentLayout& fragment, const arch::LaneMap& map)
{
    LdsLayout layout{s.rows, s.k / s.pack(), s.pack(), s.piece_rows(), 0, 0};
    const index_t planes_per_group = math::max(1, fragment.k_values / s.pack());
    const index_t write_bytes      = math::max(4, s.piece_k() * s.element_bytes);
    index_t fewest                 = 1 << 30;
    LdsLayout best                 = layout;
    for(index_t row_padding = 0; row_padding < (s.piece_rows() > 1 ? 8 : 1); ++row_padding)
        for(index_t plane_padding = 0; plane_padding < 8; ++plane_padding)
        {
            layout.row_padding   = row_padding;
            layout.plane_padding = plane_padding;
            const auto read      = [&](index_t lane) {
                const warp::LaneRole role = warp::lane_role(fragment.k_step, map, lane);
                return layout.offset(role.group * planes_per_group, role.row) * s.element_bytes;
            };
            const auto write = [&](index_t thread) {
                const index_t k = s.first_k(thread, 0);
                return (layout.offset(k / s.pack(), s.first_row(thread, 0)) + k % s.pack()) *
                       s.element_bytes;
            };
            // A fragment is read several times for each time that it is written.
            const index_t passes =
                2 * detail::bank_passes(32, 16, read) + detail::bank_passes(32, write_bytes, write);
            if(passes < fewest)
            {
                fewest = passes;
                best   = layout;
            }
        }
    return best;
}

} // namespace ck::block
