#pragma once
// Operations that have one name in Composable Kernel, but a different instruction, and so a
// different kernel, for each generation of GPUs.
#include "ck/tensor_operation/gpu/conv/operation/conv_operation.hpp"

namespace ck::tensor_operation::device {

/// The tuning with the other generation's instruction for the same product: gfx12 for gfx11; for
/// int8 gfx942 for gfx90a; for 8-bit floats gfx90a for gfx942 (bf16 represents them exactly).
/// Returns the tuning itself if one instruction serves all generations.
constexpr GemmTuning on_other_generation(GemmTuning t)
{
    using enum arch::Matrix;
    constexpr arch::Matrix pairs[][2] = {
        {wmma_gfx11_f32_16x16x16_f16, wmma_gfx12_f32_16x16x16_f16},
        {wmma_gfx11_f32_16x16x16_bf16, wmma_gfx12_f32_16x16x16_bf16},
        {wmma_gfx11_i32_16x16x16_iu8, wmma_gfx12_i32_16x16x16_iu8},
        {mfma_i32_32x32x8_i8, mfma_i32_32x32x16_i8},
        {mfma_i32_16x16x16_i8, mfma_i32_16x16x32_i8},
        {mfma_f32_32x32x16_fp8_fp8, mfma_f32_32x32x8_bf16_1k},
        {mfma_f32_32x32x16_fp8_bf8, mfma_f32_32x32x8_bf16_1k},
        {mfma_f32_32x32x16_bf8_fp8, mfma_f32_32x32x8_bf16_1k},
        {mfma_f32_32x32x16_bf8_bf8, mfma_f32_32x32x8_bf16_1k},
        {mfma_f32_16x16x32_fp8_fp8, mfma_f32_16x16x16_bf16_1k},
        {mfma_f32_16x16x32_fp8_bf8, mfma_f32_16x16x16_bf16_1k},
        {mfma_f32_16x16x32_bf8_fp8, mfma_f32_16x16x16_bf16_1k},
        {mfma_f32_16x16x32_bf8_bf8, mfma_f32_16x16x16_bf16_1k}};
    for(const auto& pair : pairs)
        if(pair[0] == t.instruction)
        {
            const index_t widest = 16 / arch::input_bytes(pair[1]); // elements
            t.instruction        = pair[1];
            t.a_vector           = math::min(t.a_vector, widest);
            t.b_vector           = math::min(t.b_vector, widest);
            break;
        }
    return t;
}

/// A ConvOperation that also runs on the other generation.
template <class Direction, class Types, GemmTuning tuning>
struct GenerationsOperation : public ConvOperation<Direction, Types, tuning>
{
    using First = ConvOperation<Direction, Types, tuning>;
    using Other = ConvOperation<Direction, Types, on_other_generation(tuning)>;
    using typename First::Argument;
    using typename First::Plan;
    static_assert(std::is_same_v<Plan, typename Other::Plan>);

    static Support supports(const Argument& a)
    {
        return is_other() ? Other::supports(a) : First::supports(a);
    }
    static Support supports(const Argument& a, bool has_workspace)
    {
        return is_other() ? Other::supports(a, has_workspace) : First::supports(a, has_workspace);
    }
    static float run(const Argument& a, const StreamConfig& config, void* workspace = nullptr)
    {
        return is_other() ? Other::run(a, config, workspace) : First::run(a, config, workspace);
    }
    static Support plan(Plan& to, const Argument& a)
    {
        return is_other() ? Other::plan(to, a) : First::plan(to, a);
    }
    static Plan plan(const Argument& a) { return is_other() ? Other::plan(a) : First::plan(a); }
    static void add(LaunchList& list, Plan& plan, void* workspace)
    {
        return is_other() ? Other::add(list, plan, workspace) : First::add(list, plan, workspace);
    }

private:
    static bool is_other()
    {
        return !arch::meets(current_target(), First::Kernel::requirement) &&
               arch::meets(current_target(), Other::Kernel::requirement);
    }
};

} // namespace ck::tensor_operation::device
