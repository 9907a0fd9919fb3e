#pragma once
// One operand's slice of a block tile: how threads share its copy from global memory, and its
// layout in LDS.
#include "ck/tensor_operation/gpu/warp/fragment.hpp"
#include "ck/utility/integer.hpp"

namespace ck::block {

/// The position in its line (of `packs` positions) of a pack that was copied straight to LDS, and
/// the inverse. Lines have no padding. Lines along the reduction (4 or 8 packs) are rows; each lane
/// reads one pack, and 8 adjacent lanes, or every fourth of 16 (64 banks), read different banks.
/// Lines along the rows (8, 16 or 32 packs) are read four at a time, 64 bytes of each.
CK_HOST_DEVICE CK_INLINE constexpr index_t
swizzled_pack(bool lines_of_rows, index_t line, index_t pack, index_t packs)
{
    return pack ^ (lines_of_rows ? 4 * (packs == 8 ? line / 2 % 2 : line % 4)
                                 : line * packs / 8 % packs ^ line / 8 % 2);
}

/// The dimension along which an operand is contiguous in global memory.
enum class Contiguous
{
    reduction,
    row
};

/// A slice of rows x k elements that `threads` threads copy. LDS holds it in packs of 16 bytes
/// along the reduction or, if `packed` says so, along the rows.
///
/// A thread copies pieces of piece_rows rows by piece_k reduction elements. It loads vectors along
/// the contiguous dimension and writes vectors along the reduction, so a piece of an operand that
/// is contiguous along its rows is transposed in registers.
struct OperandShape
{
    Contiguous contiguous;
    index_t rows, k;
    index_t threads;
    index_t vector;                            ///< elements per global load
    index_t element_bytes;                     ///< of an element in LDS
    Contiguous packed = Contiguous::reduction; ///< along which a pack of 16 bytes lies
    bool swizzled     = false;                 ///< packs in lines of 128 bytes as wgmma reads them
    /// Length of contiguous runs along the contiguous dimension, for channels in blocks such as
    /// NDC1HWC0; 0: contiguous throughout.
    index_t run = 0;
    /// Copied from memory straight to LDS: the lanes of a wave of 64 write adjacent packs.
    bool direct_to_lds = false;
    /// Adjacent threads copy two adjacent pieces of each pack along the reduction before the next
    /// two rows; otherwise all rows first. For contiguous rows and one piece per thread.
    bool spread = false;
    /// In LDS packs are swizzled by warp::row_swizzle(), and there is no padding: rows of 128 bytes
    /// that threads copy. Along the reduction that is a whole line of memory.
    bool swizzled_rows = false;

    constexpr index_t pack() const { return 16 / element_bytes; }
    constexpr index_t elements_per_thread() const { return rows * k / threads; }

    constexpr index_t piece_rows() const { return contiguous == Contiguous::row ? vector : 1; }
    CK_HOST_DEVICE CK_INLINE_EVERYWHERE constexpr index_t piece_k() const
    {
        return packed == Contiguous::row ? 1
                                         : math::min(pack(), elements_per_thread() / piece_rows());
    }
    constexpr index_t pieces() const { return elements_per_thread() / (piece_rows() * piece_k()); }
    constexpr index_t loads_per_piece() const { return piece_rows() * piece_k() / vector; }

    // Pieces form a grid of row_pieces() x k_pieces(). Threads run along the contiguous dimension.
    // If rows are contiguous, they first cover the pieces of one pack, so that adjacent threads
    // write adjacent parts of LDS. With runs, they cover the other dimension before the next run:
    // adjacent threads then read adjacent memory in layouts that have runs.
    constexpr index_t row_pieces() const { return rows / piece_rows(); }
    constexpr index_t k_pieces() const { return k / piece_k(); }
    constexpr index_t pack_pieces() const
    {
        return packed == Contiguous::row ? 1 : pack() / piece_k();
    }
    /// Pieces before the threads continue in the other dimension.
    CK_INLINE_EVERYWHERE constexpr index_t run_pieces() const
    {
        if(contiguous == Contiguous::row)
            return pack_pieces() * (run == 0 ? row_pieces() : run / piece_rows());
        return run == 0 ? k_pieces() : run / piece_k();
    }
    CK_HOST_DEVICE CK_INLINE_EVERYWHERE constexpr index_t first_row(index_t thread,
                                                                    index_t piece) const
    {
        if(direct_to_lds)
            return contiguous == Contiguous::row ? direct_pack(thread, piece) * piece_rows()
                                                 : direct_line(thread, piece);
        const index_t at = thread + piece * threads, across = at / run_pieces();
        if(spread)
            return (at / (2 * k_pieces()) * 2 + at / pack_pieces() % 2) * piece_rows();
        if(contiguous == Contiguous::reduction)
            return (run == 0 ? across : across % row_pieces()) * piece_rows();
        const index_t in_run = at % run_pieces() / pack_pieces();
        return (run == 0 ? in_run
                         : across / (k_pieces() / pack_pieces()) * (run / piece_rows()) + in_run) *
               piece_rows();
    }
    CK_HOST_DEVICE CK_INLINE_EVERYWHERE constexpr index_t first_k(index_t thread,
                                                                  index_t piece) const
    {
        if(direct_to_lds)
            return contiguous == Contiguous::row ? direct_line(thread, piece)
                                                 : direct_pack(thread, piece) * piece_k();
        const index_t at = thread + piece * threads, across = at / run_pieces();
        if(spread)
            return (at / (2 * pack_pieces()) % (k_pieces() / pack_pieces()) * pack_pieces() +
                    at % pack_pieces()) *
                   piece_k();
        if(contiguous == Contiguous::reduction)
            return (run == 0 ? at % run_pieces()
                             : across / row_pieces() * run_pieces() + at % run_pieces()) *
                   piece_k();
        return ((run == 0 ? across : across % (k_pieces() / pack_pieces())) * pack_pieces() +
                at % pack_pieces()) *
               piece_k();
    }
    /// The position in LDS, in packs, of a piece that is copied `direct_to_lds`, and its
    /// line and pack: a wave's pieces are adjacent and fill lines along the contiguous
    /// dimension.
    static constexpr index_t direct_lanes = 64;
    CK_HOST_DEVICE CK_INLINE constexpr index_t direct_position(index_t thread, index_t piece) const
    {
        return (thread / direct_lanes * pieces() + piece) * direct_lanes + thread % direct_lanes;
    }
    constexpr index_t packs_in_line() const
    {
        return contiguous == Contiguous::row ? row_pieces() : k_pieces();
    }
    constexpr index_t direct_line(index_t thread, index_t piece) const
    {
        return direct_position(thread, piece) / packs_in_line();
    }
    constexpr index_t direct_pack(index_t thread, index_t piece) const
    {
        return swizzled_pack(contiguous == Contiguous::row,
                             direct_line(thread, piece),
                             direct_position(thread, piece) % packs_in_line(),
                             packs_in_line());
    }
    /// Rows between a thread's pieces, if the distance is the same for all threads and there are 2,
    /// 4 or 8 pieces; else 0. A table of rows in the order of row_number() then holds the entries
    /// of a thread's pieces next to each other.
    constexpr index_t row_step() const
    {
        const index_t count = pieces(), step = count > 1 ? first_row(0, 1) - first_row(0, 0) : 0;
        if((count != 2 && count != 4 && count != 8) || step <= 0 || rows % (step * count) != 0)
            return 0;
        for(index_t thread = 0; thread < threads; ++thread)
            for(index_t piece = 0; piece < count; ++piece)
                if(first_row(thread, 0) / step % count != 0 ||
                   first_row(thread, piece) != first_row(thread, 0) + piece * step)
                    return 0;
        return step;
    }
    /// step: row_step().
    CK_HOST_DEVICE CK_INLINE constexpr index_t row_number(index_t row, index_t step) const
    {
        const index_t count = pieces(), all = step * count;
        return step == 0 ? row : row / all * all + row % step * count + row / step % count;
    }
    /// Rows that a wave of 64 copies with one piece each; 0 if they are no whole number.
    constexpr index_t rows_of_wave_piece() const
    {
        return contiguous == Contiguous::reduction && 64 % run_pieces() == 0 ? 64 / run_pieces()
                                                                             : 0;
    }
    /// Whether all pieces of a thread are in the same rows; otherwise they share their reduction
    /// elements, except when copied straight to LDS.
    constexpr bool same_rows() const
    {
        if(run == 0 && !direct_to_lds)
            return pieces() == 1 || contiguous == Contiguous::row;
        return same(&OperandShape::first_row);
    }
    /// Whether first_row, or first_k, is the same for all pieces of each thread.
    constexpr bool same(index_t (OperandShape::*first)(index_t, index_t) const) const
    {
        for(index_t thread = 0; thread < threads; ++thread)
            for(index_t piece = 1; piece < pieces(); ++piece)
                if((this->*first)(thread, piece) != (this->*first)(thread, 0))
                    return false;
        return true;
    }
};

/// Whether packs of a valid shape can be swizzled by rows (`warp::row_swizzle`) instead of padded.
constexpr bool can_swizzle_rows(const OperandShape& s)
{
    return s.packed == Contiguous::reduction && s.element_bytes == 2 &&
           s.k * s.element_bytes == 128 && s.run == 0 && !s.swizzled && !s.direct_to_lds &&
           s.piece_k() == s.pack() && (s.piece_rows() == 1 || s.piece_rows() == 4);
}

/// Whether the threads of a valid shape may be `spread`.
constexpr bool can_spread(const OperandShape& s)
{
    return s.contiguous == Contiguous::row && s.packed == Contiguous::reduction && s.run == 0 &&
           s.row_pieces() * s.k_pieces() == s.threads && s.row_pieces() % 2 == 0;
}

/// Empty if the shape is valid, otherwise what is wrong with it.
constexpr const char* why_not(const OperandShape& s)
{
    if(s.rows <= 0 || s.k <= 0 || s.threads <= 0 || s.vector <= 0)
        return "an operand's rows, k, threads and vector must be positive";
    if(s.k % s.pack() != 0)
        return "block_tile.k is not a whole number of 16-byte packs";
    if(s.packed == Contiguous::row && s.contiguous != Contiguous::row)
        return "packs along the rows are for operands that are contiguous along their rows";
    if(s.packed == Contiguous::row && (s.vector != s.pack() || s.rows % s.pack() != 0))
        return "packs along the rows must be whole global loads";
    if(s.swizzled && s.vector != s.pack())
        return "wgmma's operands are copied in loads of 16 bytes";
    if(s.swizzled && (s.packed == Contiguous::row ? s.rows * s.element_bytes % 64
                                                  : s.k * s.element_bytes % 128) != 0)
        return "wgmma's operands are lines of 128 bytes along what is contiguous";
    if(s.swizzled && s.packed != s.contiguous &&
       (s.rows * s.element_bytes % 128 != 0 || s.k * s.element_bytes != 128))
        return "operands are transposed in LDS in squares of lines of 128 bytes";
    if(s.direct_to_lds)
    {
        const bool rows       = s.contiguous == Contiguous::row;
        const index_t in_line = s.packs_in_line();
        if(s.vector != s.pack() || s.run != 0)
            return "straight to LDS come loads of 16 bytes of what is contiguous";
        if(rows && s.element_bytes != 2)
            return "operands that lie along their rows come straight to LDS in elements of two "
                   "bytes";
        if(rows ? in_line != 8 && in_line != 16 && in_line != 32 : in_line != 4 && in_line != 8)
            return "straight to LDS come lines of 64 or 128 bytes along the reduction, or of 128, "
                   "256 "
                   "or 512 along the rows";
        if(s.threads % OperandShape::direct_lanes != 0 || s.rows * s.k / s.pack() % s.threads != 0)
            return "waves of 64 cannot share what comes straight to LDS in whole loads";
    }
    if(s.swizzled_rows && !can_swizzle_rows(s))
        return "packs are swizzled in rows of 128 bytes of two-byte elements, which threads copy "
               "in "
               "pieces of 1 or 4 rows";
    if(s.spread && !can_spread(s))
        return "threads spread over the reduction where rows are contiguous and each copies a "
               "piece";
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
    if(s.run > 0)
    {
        const bool by_row   = s.contiguous == Contiguous::row;
        const index_t piece = by_row ? s.piece_rows() : s.piece_k();
        if(s.run % piece != 0 || (by_row ? s.rows : s.k) % s.run != 0)
            return "a slice of an operand is not a whole number of runs, or a run of pieces";
        if(!s.same(&OperandShape::first_row) && !s.same(&OperandShape::first_k))
            return "a thread's pieces of an operand do not share a row or a reduction index";
        return nullptr;
    }
    const index_t period = s.contiguous == Contiguous::reduction
                               ? s.k_pieces()                      // of the reduction index
                               : s.pack_pieces() * s.row_pieces(); // of the row
    if(s.pieces() > 1 && s.threads % period != 0 && !s.direct_to_lds)
        return "a thread's pieces of an operand do not share a row or a reduction index";
    return nullptr;
}

} // namespace ck::block
