#pragma once
// WMMA on both of its generations: their registers differ, and so do the kernels, but Composable
// Kernel's names have one for both.
#include "ck/tensor_operation/gpu/device/impl/conv_operation.hpp"

namespace ck::tensor_operation::device {

/// The tuning with gfx12's instruction instead of gfx11's.
constexpr GemmTuning on_gfx12(GemmTuning t)
{
    t.instruction = t.instruction == arch::Matrix::wmma_gfx11_f32_16x16x16_f16
                        ? arch::Matrix::wmma_gfx12_f32_16x16x16_f16
                        : arch::Matrix::wmma_gfx12_f32_16x16x16_bf16;
    return t;
}

/// A ConvOperation with a tuning for gfx11, which runs on gfx12 as well.
template <class Direction, class Types, GemmTuning tuning>
struct WmmaOperation : public ConvOperation<Direction, Types, tuning>
{
    using OnGfx11 = ConvOperation<Direction, Types, tuning>;
    using OnGfx12 = ConvOperation<Direction, Types, on_gfx12(tuning)>;
    using typename OnGfx11::Argument;

    static Support supports(const Argument& a)
    {
        return is_gfx12() ? OnGfx12::supports(a) : OnGfx11::supports(a);
    }
    static float run(const Argument& a, const StreamConfig& config)
    {
        return is_gfx12() ? OnGfx12::run(a, config) : OnGfx11::run(a, config);
    }

private:
    static bool is_gfx12()
    {
        return arch::meets(current_target(), arch::Requirement::wmma_gfx12) &&
               !arch::meets(current_target(), arch::Requirement::wmma_gfx11);
    }
};

} // namespace ck::tensor_operation::device
