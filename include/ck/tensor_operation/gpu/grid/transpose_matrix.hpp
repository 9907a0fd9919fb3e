#pragma once
// Transposes a matrix in memory before a kernel runs whose instructions read it only along its
// columns.
#include "ck/arch/index.hpp"
#include "ck/arch/matrix.hpp"
#include "ck/arch/sync.hpp"
#include "ck/arch/transpose.hpp"
#include "ck/arch/words.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ck::grid {

/// Makes elements of adjacent rows contiguous, in runs of 128 bytes. Element (row, column)
/// becomes element row % run of the run at line * line_pitch + row / run * run_pitch, where line
/// is (column % channels) * taps + column / channels. Runs are whole, with zeros after the last
/// row.
template <index_t element_bytes>
struct TransposeMatrix
{
    using T = std::conditional_t<element_bytes == 1, std::uint8_t, std::uint32_t>;
    static_assert(sizeof(T) == element_bytes);
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    using Pack                    = Vector<T, 16 / sizeof(T)>;
    static constexpr index_t pack = 16 / sizeof(T), run_length = 128 / sizeof(T);
    /// Squares of packs that a block transposes, one per thread: adjacent threads read 64 bytes of
    /// a row and write 128 bytes of a line, those of a warp next to each other.
    static constexpr index_t squares_along_rows = 32, squares_along_columns = 8;

    struct Params
    {
        const void* from;
        void* to;
        index_t rows, columns;   ///< columns: a multiple of `pack`, as are channels
        long_index_t from_pitch; ///< elements from each row to the next, a multiple of `pack`
        long_index_t line_pitch, run_pitch; ///< `to`'s, in elements, multiples of run_length
        index_t taps;
        Divisor channels;
        Divisor column_blocks; ///< blocks that have the same rows

        auto addresses() const { return std::tie(from, to); }
    };

    struct SharedStorage
    {};

    static constexpr bool starts_early(const Params&) { return true; }

    /// Completes the parameters.
    static index_t grid_size(Params& p)
    {
        const auto blocks = math::integer_divide_ceil(p.columns, pack * squares_along_columns);
        p.column_blocks   = make_divisor(blocks);
        return blocks * math::integer_divide_ceil(p.rows, pack * squares_along_rows);
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        arch::let_next_kernel_start();
        constexpr index_t lanes_along_columns = 4, lanes = 32;
        const index_t thread = arch::thread_index(), lane = thread % lanes, warp = thread / lanes;
        const index_t rows_block    = quotient(arch::block_index(), p.column_blocks),
                      columns_block = arch::block_index() - rows_block * p.column_blocks.value;
        constexpr index_t warps     = squares_along_columns / lanes_along_columns; // in a row
        const index_t column =
            pack * (columns_block * squares_along_columns + warp % warps * lanes_along_columns +
                    lane % lanes_along_columns);
        const long_index_t row =
            long_index_t{pack} *
            (rows_block * squares_along_rows + warp / warps * (lanes / lanes_along_columns) +
             lane / lanes_along_columns);
        if(column >= p.columns || row / run_length * run_length >= p.rows)
            return;
        arch::wait_for_previous_kernel();
        Pack in[pack], out[pack];
        const auto* const from = static_cast<const T*>(p.from) + (row * p.from_pitch + column);
        repeat<pack>([&](index_t i) {
            in[i] = arch::read_whole_if<Pack>(row + i < p.rows, from + i * p.from_pitch);
        });
        arch::transpose(in, out);
        const index_t tap  = quotient(column, p.channels);
        const index_t line = (column - tap * p.channels.value) * p.taps + tap;
        auto* const to     = static_cast<T*>(p.to) +
                         (line * p.line_pitch + row / run_length * p.run_pitch + row % run_length);
        repeat<pack>([&](index_t i) { arch::write_whole(to + i * p.taps * p.line_pitch, out[i]); });
    }
};

} // namespace ck::grid
