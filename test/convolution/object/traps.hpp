#pragma once
// Mistakes in kernels on a GPU: each ends the kernel by a trap, and in debug builds with a
// sentence. A trap ends the process, or its use of the device: each mistake has a process of its
// own.
#include <gtest/gtest.h>

#include "convolution/object/object_problem.hpp"
#include <csignal>
#include <cstdlib>
#include <unistd.h>

namespace ck::test {
namespace {

using namespace ConvBackpropApi;

using TrapTensor = ConvType<TPosition::GM, ConvFormat::NDC1HWC0, half_t>;
using TrapObject = Conv3DBackpropInput<ConvType<TPosition::GM, ConvFormat::FRACTAL_Z_3D, half_t>,
                                       ConvType<TPosition::GM, ConvFormat::ND, std::int32_t>,
                                       TrapTensor,
                                       TrapTensor>;

enum Call : std::uint32_t
{
    init         = 1,
    shape        = 2,
    start        = 4,
    grad_output  = 8,
    weight       = 16,
    iterate      = 32,
    get_tensor_c = 64,
    all_calls    = 127,
};

/// What a kernel calls, and with what.
struct TrapParameters
{
    TConv3DBackpropInputTiling tiling;
    Share share;
    GlobalTensor<half_t> dy, w, dx;
    std::uint32_t calls   = all_calls;
    std::uint8_t enAtomic = 0;
};

CONV_BACKPROP_KERNEL void calls_as_told(CONV_BACKPROP_PARAMETER TrapParameters p)
{
    TrapObject object;
    if(p.calls & init)
        object.Init(&p.tiling);
    if(p.calls & shape)
        object.SetSingleShape(p.share.singleShapeM, p.share.singleShapeK, p.share.singleShapeN);
    if(p.calls & start)
        object.SetStartPosition(p.share.dinStartIdx, p.share.curHoStartIdx);
    if(p.calls & grad_output)
        object.SetGradOutput(p.dy[p.share.offsetA]);
    if(p.calls & weight)
        object.SetWeight(p.w[p.share.offsetB]);
    while(!(p.calls & iterate) || object.Iterate())
        if(p.calls & get_tensor_c)
            object.GetTensorC(p.dx[p.share.offsetC], p.enAtomic);
    object.End();
}

struct Mistake
{
    const char* sentence;
    void (*make)(TrapParameters&);
    bool only_in_debug_builds = false; ///< a check that costs time
};

const Mistake mistakes[] = {
    {"Iterate: call Init, SetSingleShape, SetStartPosition, SetGradOutput and SetWeight before it",
     [](TrapParameters& p) { p.calls &= ~weight; }},
    {"SetSingleShape: Init has not been called", [](TrapParameters& p) { p.calls &= ~init; }, true},
    {"Init: the tiling was made for a kernel of other types, formats or blocks",
     [](TrapParameters& p) { ++p.tiling.configuration; }},
    {"Init: the tiling was made for another device",
     [](TrapParameters& p) { p.tiling.instruction = -1; }},
    {"SetSingleShape: singleShapeM is not a number of whole rows of W of dX",
     [](TrapParameters& p) { p.share.singleShapeM -= 1; }},
    {"SetSingleShape: singleShapeN is not a number of channels of dX",
     [](TrapParameters& p) { p.share.singleShapeN = 33; }},
    {"SetStartPosition: the position is outside of dX",
     [](TrapParameters& p) { p.share.dinStartIdx = 2; }},
    {"Iterate: the share goes beyond dX", [](TrapParameters& p) { p.share.dinStartIdx = 1; }},
    {"SetGradOutput: the address is null or no multiple of 16 bytes",
     [](TrapParameters& p) { p.share.offsetA = 4; }},
    {"GlobalTensor: the offset is beyond the tensor",
     [](TrapParameters& p) { p.share.offsetC = 1 << 20; },
     true},
    {"GetTensorC: Iterate has handed out no block", [](TrapParameters& p) { p.calls &= ~iterate; }},
    {"GetTensorC: enAtomic is 0, to store, or 1, to add",
     [](TrapParameters& p) { p.enAtomic = 2; }},
};

/// A problem, a tiling of one share, and what the kernel shall make of it.
struct TrapProblem
{
    ObjectTensors<half_t> t{
        {1, 24, 20, {1, 3, 3}, {2, 5, 6}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}},
        ConvFormat::NDC1HWC0,
        ConvFormat::FRACTAL_Z_3D,
        ConvFormat::NDC1HWC0,
        1};
    OnDevice<half_t> dy{t.dy_data}, w{t.w_data}, dx{std::vector<half_t>(t.dx.size())};
    TrapParameters p{};

    TrapProblem()
    {
        auto tiling = t.tiling(Platform::current());
        tiling.SetSingleShape(60, 0); // the whole
        if(tiling.GetTiling(p.tiling) != 0)
            throw std::runtime_error(tiling.GetReason());
        p.share = p.tiling.share(0);
        p.dy.SetGlobalBuffer(dy.get(), t.dy_data.size());
        p.w.SetGlobalBuffer(w.get(), t.w_data.size());
        p.dx.SetGlobalBuffer(dx.get(), t.dx.size());
    }
    hipError_t launch() const
    {
        const hipError_t launched = Launch(p.tiling, nullptr, calls_as_told, p);
        return launched == hipSuccess ? hipDeviceSynchronize() : launched;
    }
};

/// Makes the mistake in this process, which it ends.
[[maybe_unused]] void make_mistake(const Mistake& mistake)
{
    TrapProblem problem;
    mistake.make(problem.p);
    dup2(STDERR_FILENO, STDOUT_FILENO); // what kernels print
    if(const hipError_t error = problem.launch(); error != hipSuccess)
    {
        std::fprintf(stderr, "%s\n", hipGetErrorString(error));
        std::fflush(nullptr);
        std::_Exit(1);
    }
}

/// What the emulator says of a trap; a device's runtime has words of its own.
[[maybe_unused]] std::string trap_of_the_machine()
{
    return std::getenv("EMU_ARCH") != nullptr ? "s_trap executed.*" : "";
}

/// A kernel without mistakes ends, and dX is right.
[[maybe_unused]] void expect_no_trap()
{
    const TrapProblem problem;
    ASSERT_EQ(problem.launch(), hipSuccess);
    const auto& t = problem.t;
    const Layout plain{ConvFormat::NCDHW, t.dx.n, t.dx.c, t.dx.s};
    const auto result   = problem.dx.read(t.dx.size());
    const auto expected = t.expected();
    int wrong           = 0;
    for_elements(t.dx, [&](auto... at) {
        wrong += double{float{result[t.dx(at...)]}} != expected[plain(at...)];
    });
    EXPECT_EQ(wrong, 0);
}

} // namespace
} // namespace ck::test
