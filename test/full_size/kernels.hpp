#pragma once
// The f16 operations of all directions: one tuning for each engine, called through one function
// type.
#include "ck/convolution/direction.hpp"
#include "ck/convolution/problem.hpp"
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ck::test {

struct Kernel
{
    std::string engine;
    Direction direction;
    arch::Requirement requirement;
    /// For packed, channel-last tensors on the device, of which the direction's result is written.
    /// Why the operation does not support the problem, or nothing.
    std::function<std::string(const ConvProblem&, half_t* x, half_t* w, half_t* y)> run;
};

void add_forward(std::vector<Kernel>&);
void add_backward_data(std::vector<Kernel>&);
void add_backward_weight(std::vector<Kernel>&);

inline std::vector<Kernel> all_kernels()
{
    std::vector<Kernel> all;
    add_forward(all);
    add_backward_data(all);
    add_backward_weight(all);
    return all;
}

/// a, b: elements of a load of A and B where the engine is DL.
constexpr GemmTuning full_size_tuning(arch::Matrix id, index_t a, index_t b)
{
    const bool dl  = arch::describe(id).requirement == arch::Requirement::none;
    const bool mma = arch::describe(id).requirement == arch::Requirement::mma_sync;
    return {.block_tile  = {64, 64, 32},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = id,
            .a_vector    = dl ? a : 8,
            .b_vector    = dl ? b : 8,
            .c_vector    = dl ? 4 : 8,
            .pipeline    = mma ? Pipeline::async_copies : Pipeline::single_buffer};
}

/// Run<tuning>::run for every engine. dl_a, dl_b: elements of DL's loads.
template <template <GemmTuning> class Run>
void add_engines(std::vector<Kernel>& all, Direction direction)
{
    using enum arch::Matrix;
    constexpr index_t dl_a = Run<GemmTuning{}>::dl_a, dl_b = Run<GemmTuning{}>::dl_b;
    const auto add = [&]<arch::Matrix id>(const char* engine) {
        using R = Run<full_size_tuning(id, dl_a, dl_b)>;
        all.push_back({engine, direction, arch::describe(id).requirement, R::run});
    };
    add.template operator()<mfma_f32_32x32x8_f16>("XDL");
    add.template operator()<dot_f32_8x4x2_f16>("DL");
    if constexpr(!arch::emulated) // the host has seen these elsewhere, and takes seconds to compile
    {
        add.template operator()<wmma_gfx11_f32_16x16x16_f16>("WMMA of gfx11");
        add.template operator()<wmma_gfx12_f32_16x16x16_f16>("WMMA of gfx12");
        add.template operator()<mma_f32_16x8x16_f16>("mma.sync");
    }
}

/// Lengths or strides as the interfaces without 64-bit numbers take them.
template <std::size_t n>
std::array<index_t, n> narrow(const std::array<long_index_t, n>& values)
{
    std::array<index_t, n> r{};
    for(std::size_t i = 0; i < n; ++i)
        r[i] = static_cast<index_t>(values[i]);
    return r;
}

} // namespace ck::test
