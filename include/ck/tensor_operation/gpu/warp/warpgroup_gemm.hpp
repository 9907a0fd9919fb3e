#pragma once
// What one warp of a warpgroup multiplies: 16 rows of each 64 that its four warps compute together
// from slices in LDS, without reading them into registers.
#include "ck/arch/warpgroup.hpp"
#include "ck/tensor_operation/gpu/warp/wave_gemm.hpp"

namespace ck::warp {

/// C of one warp, 16 m_tiles x 8 n_tiles. Its tiles are those of WaveGemm, but the rows of one are
/// 64 after those of the one before: see row(). Slices lie in swizzled lines.
template <arch::Matrix id, index_t m_tiles_, index_t n_tiles_>
struct WarpgroupGemm : WaveGemm<id, m_tiles_, n_tiles_>
{
    using Base  = WaveGemm<id, m_tiles_, n_tiles_>;
    using Input = typename Base::InputM;
    using Side  = typename Base::Side;

    static constexpr index_t warps      = 4;
    static constexpr index_t tile_rows  = warps * Base::tile_m; ///< of an instruction
    static constexpr index_t group_rows = tile_rows * m_tiles_;
    static constexpr index_t line       = 128 / static_cast<index_t>(sizeof(Input)); // elements
    static constexpr index_t k_per_step = Base::instruction.k;

    /// Offset, in elements, of the first line of the warpgroup's rows.
    template <auto layout>
    CK_DEVICE CK_INLINE static index_t lane_offset(Side side, index_t wave_row, index_t)
    {
        const index_t row = side == Side::m ? wave_row / group_rows * group_rows : wave_row;
        return layout.offset(layout.packed_rows ? row / layout.pack : 0,
                             layout.packed_rows ? 0 : row);
    }

    /// The row of the block that row r of a warp's tiles is, which begin at wave_row.
    CK_DEVICE CK_INLINE static index_t row(index_t wave_row, index_t r)
    {
        if constexpr(m_tiles_ == 1)
            return wave_row + r;
        constexpr index_t of_warp = m_tiles_ * Base::tile_m;
        return wave_row / group_rows * group_rows + r / Base::tile_m * tile_rows +
               wave_row % group_rows / of_warp * Base::tile_m + r % Base::tile_m;
    }

    /// Starts c += a * b over k elements of the reduction; done when settle() says so.
    template <auto a_layout, auto b_layout, index_t k>
    CK_DEVICE CK_INLINE void start(const Input* a, const Input* b)
    {
        begin();
        unrolled<0, k / k_per_step>([&](auto step) {
            unrolled<0, m_tiles_>([&](auto i) {
                constexpr auto in_a   = a_layout;
                constexpr index_t row = i * tile_rows;
                arch::multiply_shared<id, a_layout.packed_rows, b_layout.packed_rows>(
                    operand<a_layout, step>(a + in_a.offset(in_a.packed_rows ? row / in_a.pack : 0,
                                                            in_a.packed_rows ? 0 : row)),
                    operand<b_layout, step>(b),
                    this->c[i]);
            });
        });
        arch::end_multiplication_group();
    }

    /// Before multiplications into c that the caller starts.
    CK_DEVICE CK_INLINE void begin()
    {
        unrolled<0, m_tiles_>([&](auto i) { arch::pin(this->c[i]); });
        arch::begin_multiplications();
    }

    /// All but the last `groups` groups of multiplications are done.
    template <index_t groups>
    CK_DEVICE CK_INLINE void settle()
    {
        arch::wait_multiplication_groups<groups>();
        unrolled<0, m_tiles_>([&](auto i) { arch::pin(this->c[i]); });
    }

private:
    template <auto layout, index_t step>
    CK_DEVICE CK_INLINE static arch::SharedOperand operand(const Input* slice)
    {
        constexpr index_t k = step * k_per_step, block = layout.rows * line;
        // Before swizzling, whose pattern comes from the address itself.
        constexpr index_t at         = layout.packed_rows ? k * line : k / line * block + k % line;
        constexpr index_t line_bytes = line * static_cast<index_t>(sizeof(Input));
        return arch::SharedOperand::make(
            slice + at, line_bytes, 8 * line_bytes, block * static_cast<index_t>(sizeof(Input)));
    }
};

} // namespace ck::warp
