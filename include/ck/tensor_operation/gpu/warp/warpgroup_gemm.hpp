#pragma once
// The GEMM of one warp of a warpgroup: 16 rows of each 64 that its four warps compute together by
// wgmma from slices in LDS. If tf32 lines lie along the rows, the first operand goes through
// registers.
#include "ck/arch/warpgroup.hpp"
#include "ck/tensor_operation/gpu/warp/lines_fragment.hpp"
#include "ck/tensor_operation/gpu/warp/wave_gemm.hpp"

namespace ck::warp {

/// C of one warp, 16 m_tiles x 8 n_tiles. Tiles are those of WaveGemm, except that consecutive
/// tiles are 64 rows apart: see row(). Slices are swizzled lines. swapped: 8 m_tiles x 16; the
/// instruction's rows are C's columns.
template <arch::Matrix id, index_t m_tiles_, index_t n_tiles_, bool swapped = false>
struct WarpgroupGemm : WaveGemm<id, m_tiles_, n_tiles_, swapped>
{
    using Base   = WaveGemm<id, m_tiles_, n_tiles_, swapped>;
    using InputM = typename Base::InputM;
    using InputN = typename Base::InputN;
    using Side   = typename Base::Side;
    /// Types of the instruction's operands.
    using First  = std::conditional_t<swapped, InputN, InputM>;
    using Second = std::conditional_t<swapped, InputM, InputN>;
    static_assert(!swapped || n_tiles_ == 1);

    static constexpr index_t warps      = 4;
    static constexpr index_t tiles      = swapped ? n_tiles_ : m_tiles_; ///< along its rows
    static constexpr index_t tile_rows  = warps * Base::instruction.m;   ///< rows of an instruction
    static constexpr index_t group_rows = tile_rows * tiles;
    static constexpr index_t bytes      = arch::input_bytes(id);
    static constexpr index_t line       = 128 / bytes; // elements
    static constexpr index_t k_per_step = Base::instruction.k;

    /// Whether the first operand goes through registers.
    template <auto layout>
    static constexpr bool in_registers = layout.packed_rows&& bytes == 4;
    template <auto a_layout, auto b_layout>
    static constexpr bool through_registers = in_registers<(swapped ? b_layout : a_layout)>;
    /// Number of multiplication groups that one start() makes of a slice of k elements.
    template <auto a_layout, auto b_layout, index_t k>
    static constexpr index_t groups = through_registers<a_layout, b_layout> ? k / k_per_step : 1;

    /// Offset, in elements, of the first line of the warpgroup's rows; if the operand goes through
    /// registers, of the lane's first read.
    template <auto layout>
    CK_DEVICE CK_INLINE static index_t lane_offset(Side side, index_t wave_row, index_t lane)
    {
        const bool first  = side == (swapped ? Side::n : Side::m);
        const index_t row = first ? wave_row / group_rows * group_rows : wave_row;
        if constexpr(in_registers<layout>)
        {
            const auto at = FragmentOfLines::element(lane, 0);
            return layout.element(instruction_row(wave_row, 0) + at.row, at.k);
        }
        return layout.offset(layout.packed_rows ? row / layout.pack : 0,
                             layout.packed_rows ? 0 : row);
    }

    /// The block's row for row r of a warp's tiles, which begin at wave_row.
    CK_DEVICE CK_INLINE static index_t row(index_t wave_row, index_t r)
    {
        return swapped ? wave_row + r : instruction_row(wave_row, r);
    }

    /// Starts c += a * b over k elements of the reduction; wait_mma() waits for it.
    template <auto a_layout, auto b_layout, index_t k>
    CK_DEVICE CK_INLINE void start(const InputM* a, const InputN* b)
    {
        if constexpr(swapped)
            start_with<b_layout, a_layout, k>(b, a);
        else
            start_with<a_layout, b_layout, k>(a, b);
    }

    /// Call it before the caller starts multiplications into c.
    CK_DEVICE CK_INLINE void begin()
    {
        unrolled<0, m_tiles_>([&](auto i) { arch::pin(this->c[i]); });
        arch::begin_multiplications();
    }

    /// The accumulators of `columns` columns from `first` on, in the instruction's tile i. nvcc
    /// must see the same accumulators in all multiplications; otherwise it serializes them.
    template <index_t columns>
    CK_DEVICE CK_INLINE auto& columns_from(index_t first, index_t i)
    {
        static_assert(!swapped);
        constexpr index_t n = Base::tile_n;
        return reinterpret_cast<arch::MatrixC<id>(&)[columns / n]>(this->c[i][first / n]);
    }

    /// Waits until all but the last `left` groups of multiplications are done.
    template <index_t left>
    CK_DEVICE CK_INLINE void wait_mma()
    {
        arch::wait_multiplication_groups<left>();
        unrolled<0, m_tiles_>([&](auto i) { arch::pin(this->c[i]); });
    }

private:
    /// row() along the instruction's rows.
    CK_DEVICE CK_INLINE static index_t instruction_row(index_t wave_row, index_t r)
    {
        if constexpr(tiles == 1)
            return wave_row + r;
        constexpr index_t tile = Base::instruction.m, of_warp = tiles * tile;
        return wave_row / group_rows * group_rows + r / tile * tile_rows +
               wave_row % group_rows / of_warp * tile + r % tile;
    }

    /// The accumulators of the i-th of the instruction's tiles.
    template <index_t i>
    CK_DEVICE CK_INLINE auto& accumulators()
    {
        if constexpr(swapped)
            return reinterpret_cast<arch::MatrixC<id>(&)[m_tiles_]>(this->c);
        else
            return this->c[i];
    }

    /// start() by the instruction's operands.
    template <auto first_layout, auto second_layout, index_t k>
    CK_DEVICE CK_INLINE void start_with(const First* first, const Second* second)
    {
        constexpr auto in_first = first_layout;
        constexpr index_t steps = k / k_per_step;
        const auto b            = operand<second_layout>(second);
        if constexpr(in_registers<first_layout>)
        {
            static_assert(steps % fragments == 0);
            unrolled<0, steps>([&](auto step) {
                auto& fragment = fragment_[step % fragments];
                arch::wait_multiplication_groups<fragments - 1>(); // the others do not read it
                arch::pin(fragment);
                unrolled<0, tiles>([&](auto i) {
                    fragment[i] = FragmentOfLines::load(
                        first + in_first.offset(i * tile_rows / in_first.pack, step * k_per_step));
                });
                arch::pin(fragment);
                begin();
                unrolled<0, tiles>([&](auto i) {
                    arch::multiply_registers<id, false>(__builtin_bit_cast(Words, fragment[i]),
                                                        b + bytes * at_step<second_layout>(step),
                                                        accumulators<i>());
                });
                arch::end_multiplication_group();
            });
        }
        else
        {
            const auto a = operand<first_layout>(first);
            begin();
            unrolled<0, steps>([&](auto step) {
                unrolled<0, tiles>([&](auto i) {
                    constexpr index_t row = i * tile_rows, pack = first_layout.pack;
                    constexpr index_t packed = first_layout.packed_rows ? row / pack : 0,
                                      other  = first_layout.packed_rows ? 0 : row;
                    arch::multiply_shared<id, first_layout.packed_rows, second_layout.packed_rows>(
                        a + bytes * (in_first.offset(packed, other) + at_step<first_layout>(step)),
                        b + bytes * at_step<second_layout>(step),
                        accumulators<i>());
                });
            });
            arch::end_multiplication_group();
        }
    }

    /// The operand of a slice's first step.
    template <auto layout, class Input>
    CK_DEVICE CK_INLINE static arch::SharedOperand operand(const Input* slice)
    {
        constexpr index_t line_bytes   = line * bytes,
                          accumulators = m_tiles_ * n_tiles_ * Base::instruction.c_values;
        const auto operand             = arch::SharedOperand::make(
            slice, line_bytes, 8 * line_bytes, layout.rows * line * bytes);
        if constexpr(accumulators > 128) // nvcc 13 spills two registers
            return operand;
        else
            return operand.of_first_lane();
    }
    /// Elements from the first step's operand to another step's, before swizzling. The swizzle
    /// pattern comes from the address itself.
    template <auto layout>
    CK_DEVICE CK_INLINE static constexpr index_t at_step(index_t step)
    {
        const index_t k = step * k_per_step;
        return layout.packed_rows ? k * line : k / line * layout.rows * line + k % line;
    }

    using Words = Vector<std::uint32_t, 4>;

    /// Steps whose operands are in registers at once: more if a step's multiplications take long
    /// and few warpgroups share the registers.
    static constexpr index_t fragments = tiles == 1 && m_tiles_ * n_tiles_ >= 24 ? 4 : 2;
    arch::MatrixA<id> fragment_[fragments][tiles];
};

} // namespace ck::warp
