#pragma once
// WMMA, whose register layouts differ between gfx11 and gfx12. Not measured on a device yet, in any
// direction.
#include "tables/first_layer.hpp"
#include "tables/pointwise.hpp"
#include "tables/rows.hpp"

namespace ck::tables {

struct Wmma
{
    Matrix id;
    index_t k; ///< reduction elements in 64 bytes

    constexpr index_t widest() const { return k / 4; }
};
inline constexpr Wmma wmma_gfx11_f16{wmma_gfx11_f32_16x16x16_f16, 32};
inline constexpr Wmma wmma_gfx11_bf16{wmma_gfx11_f32_16x16x16_bf16, 32};
inline constexpr Wmma wmma_gfx12_f16{wmma_gfx12_f32_16x16x16_f16, 32};
inline constexpr Wmma wmma_gfx12_bf16{wmma_gfx12_f32_16x16x16_bf16, 32};
inline constexpr Wmma wmma_gfx11_i8{wmma_gfx11_i32_16x16x16_iu8, 64};
inline constexpr Wmma wmma_gfx12_i8{wmma_gfx12_i32_16x16x16_iu8, 64};

/// Eight-bit OCP floats: gfx12.
constexpr Wmma wmma_f8(bool a_is_bf8, bool b_is_bf8)
{
    return {a_is_bf8
                ? b_is_bf8 ? wmma_gfx12_f32_16x16x16_e5m2_e5m2 : wmma_gfx12_f32_16x16x16_e5m2_e4m3
            : b_is_bf8 ? wmma_gfx12_f32_16x16x16_e4m3_e5m2
                       : wmma_gfx12_f32_16x16x16_e4m3_e4m3,
            64};
}

constexpr GemmTuning wmma_128x64(Wmma i, Vectors v)
{
    return {.block_tile  = {128, 64, i.k},
            .wave_m      = 64,
            .wave_n      = 32,
            .instruction = i.id,
            .a_vector    = v.a,
            .b_vector    = v.b,
            .c_vector    = v.c};
}
constexpr GemmTuning wmma_64x64(Wmma i, Vectors v)
{
    return {.block_tile  = {64, 64, i.k},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = i.id,
            .a_vector    = v.a,
            .b_vector    = v.b,
            .c_vector    = v.c};
}

constexpr auto wmma_rows(Wmma i, Vectors v)
{
    return std::array{
        GemmTuning{.block_tile  = {128, 128, i.k},
                   .wave_m      = 64,
                   .wave_n      = 32,
                   .instruction = i.id,
                   .a_vector    = v.a,
                   .b_vector    = v.b,
                   .c_vector    = v.c},
        // fewer columns: 64
        wmma_128x64(i, v),
        // small problems: more workgroups
        wmma_64x64(i, v),
        // even channels
        wmma_128x64(i, {2, 2, 2}),
    };
}

template <Direction direction, Wmma i>
inline constexpr auto wmma = wmma_rows(i, wide_vectors(direction, i.widest()));

/// Images of 1 to 4 channels with 64 filters, on gfx12; for fewer columns, merged rows are faster,
/// whose stores pass through LDS. Predicted by the timing model for gfx1200, f16, N C K, image,
/// filter, stride, in us; "instead of" is the best row of the other tables: 8 3 64, 224x224, 7x7,
/// 2: 66 instead of 85; 1 3 64, 16x112x112, 3x3x3: 88 instead of 112; others:
/// docs/notes/first_layers.md.
template <Matrix i>
inline constexpr auto wmma_first_layers = std::array{
    first_layer(i, {256, 64, 16}, 32, 64, 4, 9, 1152, 1, 2), // 4x4 and 3x3x4
    first_layer(i, {256, 64, 32}, 32, 64, 4, 7, 1408, 1, 2), // 7x8
};

/// 1x1 with few channels in X or Y. Predicted by the timing model for gfx1100, f16, 128 images, C
/// to K, forward, in us: 64 to 24 at 56x56 74 instead of 108, 48 to 48 83 instead of 107; others:
/// docs/notes/pointwise.md.
template <Matrix i>
inline constexpr auto wmma_pointwise = std::array{
    pointwise(i, 16, 32, 32, 8),
    pointwise(i, 16, 64, 32, 4),
    pointwise(i, 32, 32, 16, 8),
    pointwise(i, 32, 64, 16, 4),
    pointwise(i, 32, 80, 16, 4),
    pointwise(i, 64, 32, 16, 4),
    pointwise(i, 64, 64, 16, 2),
    pointwise(i, 96, 32, 16, 4),
};

template <Direction direction, Wmma i>
inline constexpr auto wmma_few_channels = [] {
    constexpr auto rows = few_channels(i.id, i.widest());
    if constexpr(of_16_bits(i.id) && direction != Direction::backward_weight)
    {
        constexpr auto thin = join(rows, wmma_pointwise<i.id>);
        if constexpr(direction == Direction::forward &&
                     arch::describe(i.id).requirement == arch::Requirement::wmma_gfx12)
            return join(thin, wmma_first_layers<i.id>);
        else
            return thin;
    }
    else
        return rows;
}();

/// Elements that are loaded one by one take a register each, whatever their size: with 64 int8 in a
/// slice, 21 to 34 spill (clang 19).
template <Direction, Wmma i>
inline constexpr auto wmma_any = std::array{wmma_64x64({i.id, 32}, {1, 1, 1})};

} // namespace ck::tables
