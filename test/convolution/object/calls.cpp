// What the calls of Conv3DBackpropInput do, compared with the plain loop: partial sums, additions
// to existing values, single blocks, work between the blocks; and how they report mistakes.
//
// Labels: optimized where sanitized, emulated on one target
// Cases not sanitized: ObjectCalls.PartialSumsAddUp ObjectCalls.AtomicsAddToWhatIsThere
#include <gtest/gtest.h>

#include "convolution/object/object_problem.hpp"
#include <algorithm>
#include <functional>

namespace ck::test {
namespace {

using namespace ConvBackpropApi;

inline constexpr Conv3dConfig small{.base = 64};

template <class T, ConvFormat format>
using TensorOf = ConvType<TPosition::GM, format, T>;
template <class T>
using ObjectOf =
    Conv3DBpInputIntf<Conv3DBpInputCfg<TensorOf<T, ConvFormat::FRACTAL_Z_3D>,
                                       ConvType<TPosition::GM, ConvFormat::ND, std::int32_t>,
                                       TensorOf<T, ConvFormat::NDC1HWC0>,
                                       TensorOf<T, ConvFormat::NDC1HWC0>,
                                       small>,
                      Conv3DBpInputImpl>;

struct Parameters
{
    TConv3DBackpropInputTiling tiling;
    void *dy, *w, *dx;
    std::uint64_t k_offset_a, k_offset_b; // elements for each 16 channels of dY
    std::uint32_t channels_of_part;       // channels of dY
    void* blocks;                         // 64 x 64 elements for each block of a workgroup
    std::uint32_t* places;                // 1 + element of dX, n c d h w, of each block's element
    std::uint32_t blocks_of_workgroup;
};

template <class T>
struct Tensors
{
    GlobalTensor<T> dy, w, dx;
    CK_DEVICE explicit Tensors(const Parameters& p)
    {
        dy.SetGlobalBuffer(static_cast<T*>(p.dy));
        w.SetGlobalBuffer(static_cast<T*>(p.w));
        dx.SetGlobalBuffer(static_cast<T*>(p.dx));
    }
};

/// Part `part` of the channels of dY.
template <class T>
CK_DEVICE void set_part(ObjectOf<T>& object,
                        const Tensors<T>& t,
                        const Parameters& p,
                        const Share& s,
                        std::uint32_t part)
{
    const auto all      = static_cast<std::uint32_t>(p.tiling.transform.out_channels.value);
    const auto first    = part * p.channels_of_part;
    const auto channels = math::min(p.channels_of_part, all - first);
    object.SetSingleShape(s.singleShapeM,
                          static_cast<std::uint64_t>(channels) *
                              static_cast<std::uint64_t>(p.tiling.taps),
                          s.singleShapeN);
    object.SetGradOutput(t.dy[s.offsetA + first / 16 * p.k_offset_a]);
    object.SetWeight(t.w[s.offsetB + first / 16 * p.k_offset_b]);
}
CK_DEVICE inline std::uint32_t parts_of(const Parameters& p)
{
    const auto all = static_cast<std::uint32_t>(p.tiling.transform.out_channels.value);
    return (all + p.channels_of_part - 1) / p.channels_of_part;
}

/// Block by block over all parts of the reduction.
template <class T>
CONV_BACKPROP_KERNEL void partial_sums(CONV_BACKPROP_PARAMETER Parameters p)
{
    const Tensors<T> t(p);
    ObjectOf<T> object;
    object.Init(&p.tiling);
    const Share s = p.tiling.share(GetBlockIdx());
    object.SetStartPosition(s.dinStartIdx, s.curHoStartIdx);
    set_part(object, t, p, s, 0);
    while(object.Iterate())
    {
        for(std::uint32_t part = 1; part < parts_of(p); ++part)
        {
            set_part(object, t, p, s, part);
            object.template Iterate<true>(true);
        }
        object.GetTensorC(t.dx[s.offsetC]);
        set_part(object, t, p, s, 0);
    }
    object.End();
}

/// Shares of one block, restarted for each part of the reduction.
template <class T>
CONV_BACKPROP_KERNEL void restarted_sums(CONV_BACKPROP_PARAMETER Parameters p)
{
    const Tensors<T> t(p);
    ObjectOf<T> object;
    object.Init(&p.tiling);
    const Share s = p.tiling.share(GetBlockIdx());
    for(std::uint32_t part = 0; part < parts_of(p); ++part)
    {
        object.SetStartPosition(s.dinStartIdx, s.curHoStartIdx);
        set_part(object, t, p, s, part);
        object.ctx.isFirstIter_ = true;
        object.Iterate(part > 0);
    }
    object.GetTensorC(t.dx[s.offsetC]);
    object.End();
}

/// Each part of the reduction adds to dX.
template <class T>
CONV_BACKPROP_KERNEL void added(CONV_BACKPROP_PARAMETER Parameters p)
{
    const Tensors<T> t(p);
    ObjectOf<T> object;
    object.Init(&p.tiling);
    const std::uint32_t block = GetBlockIdx(), parts = parts_of(p);
    const Share s = p.tiling.share(block / parts);
    object.SetStartPosition(s.dinStartIdx, s.curHoStartIdx);
    set_part(object, t, p, s, block % parts);
    while(object.Iterate())
        object.GetTensorC(t.dx[s.offsetC], 1);
    object.End();
}

/// Stores each block alone, and notes where its elements belong.
template <class T>
CONV_BACKPROP_KERNEL void sequential(CONV_BACKPROP_PARAMETER Parameters p)
{
    const Tensors<T> t(p);
    GlobalTensor<T> blocks;
    blocks.SetGlobalBuffer(static_cast<T*>(p.blocks));
    ObjectOf<T> object;
    object.Init(&p.tiling);
    const Share s = p.tiling.share(GetBlockIdx());
    object.SetSingleShape(s.singleShapeM, s.singleShapeK, s.singleShapeN);
    object.SetStartPosition(s.dinStartIdx, s.curHoStartIdx);
    object.SetGradOutput(t.dy[s.offsetA]);
    object.SetWeight(t.w[s.offsetB]);
    std::uint64_t at = static_cast<std::uint64_t>(GetBlockIdx()) * p.blocks_of_workgroup * 64 * 64;
    for(; object.Iterate(); at += 64 * 64)
    {
        object.GetTensorC(blocks[at], 0, true);
        // dX's element as a number, twice what it is: stored in the same place of the block.
        const auto& dim = p.tiling.transform.dimension;
        object.ForEach([&](float& value, const Position& x) {
            const index_t c = static_cast<index_t>(s.cinStartIdx) + x.c;
            const index_t image =
                static_cast<index_t>(s.imageIdx) * p.tiling.transform.in_channels + c;
            const index_t place =
                ((image * dim[0].input + x.d) * dim[1].input + x.h) * dim[2].input + x.w;
            value = static_cast<float>(place % 1024 + 1);
        });
        GlobalTensor<T> places;
        places.SetGlobalBuffer(reinterpret_cast<T*>(p.places));
        object.GetTensorC(places[at], 0, true);
    }
    object.End();
}

/// Work between the blocks.
template <class T>
CONV_BACKPROP_KERNEL void clamped(CONV_BACKPROP_PARAMETER Parameters p)
{
    const Tensors<T> t(p);
    ObjectOf<T> object;
    object.Init(&p.tiling);
    const Share s = p.tiling.share(GetBlockIdx());
    object.SetSingleShape(s.singleShapeM, s.singleShapeK, s.singleShapeN);
    object.SetStartPosition(s.dinStartIdx, s.curHoStartIdx);
    object.SetGradOutput(t.dy[s.offsetA]);
    object.SetWeight(t.w[s.offsetB]);
    while(object.Iterate())
    {
        object.ForEach([&](float& value, const Position& x) {
            value = 2 * value + static_cast<float>(static_cast<index_t>(s.cinStartIdx) + x.c) +
                    static_cast<float>(x.d - x.h + x.w);
            value = value < -30.f ? -30.f : value;
        });
        object.GetTensorC(t.dx[s.offsetC]);
    }
    object.End();
}

const ObjectProblem strided{
    2, 41, 37, {2, 3, 3}, {3, 7, 9}, {1, 2, 2}, {1, 1, 2}, {0, 1, 2}, {1, 1, 1}};
const ObjectProblem unit{
    1, 40, 70, {1, 3, 3}, {2, 5, 20}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}};

template <class T>
struct KernelRun
{
    ObjectTensors<T> t;
    OnDevice<T> dy, w, dx;
    Parameters p{};

    KernelRun(const ObjectProblem& problem, const Platform& platform, float fill)
        : t(problem, ConvFormat::NDC1HWC0, ConvFormat::FRACTAL_Z_3D, ConvFormat::NDC1HWC0, 7),
          dy(t.dy_data),
          w(t.w_data),
          dx(std::vector<T>(t.dx.size(), type_convert<T>(fill)))
    {
        auto tiling = t.tiling(platform);
        tiling.SetBase(64);
        if(problem.stride[1] == 1) // shares of one block: three rows of 20
            tiling.SetSingleShape(3 * problem.input[2], 64);
        if(tiling.GetTiling(p.tiling) != 0)
            throw std::runtime_error(tiling.GetReason());
        p.dy               = dy.get();
        p.w                = w.get();
        p.dx               = dx.get();
        p.k_offset_a       = t.dy(0, 16, 0, 0, 0);
        p.k_offset_b       = t.w(16, 0, 0, 0, 0);
        p.channels_of_part = 16;
    }
    void launch(void (*kernel)(Parameters), std::uint32_t workgroups)
    {
        HIP_CHECK_ERROR(arch::launch_function(kernel,
                                              static_cast<index_t>(workgroups),
                                              static_cast<index_t>(p.tiling.threads()),
                                              p.tiling.ldsBytes(),
                                              nullptr,
                                              p));
        HIP_CHECK_ERROR(hipDeviceSynchronize());
    }
    void expect(const std::vector<double>& expected, bool with_lanes = true) const
    {
        const Layout plain{ConvFormat::NCDHW, t.dx.n, t.dx.c, t.dx.s};
        const std::vector<T> result = dx.read(t.dx.size());
        std::vector<bool> seen(result.size());
        std::size_t wrong = 0;
        for_elements(t.dx, [&](auto... at) {
            seen[t.dx(at...)] = true;
            wrong +=
                type_convert<float>(result[t.dx(at...)]) !=
                type_convert<float>(type_convert<T>(static_cast<float>(expected[plain(at...)])));
        });
        EXPECT_EQ(wrong, 0u) << t.p.text();
        for(std::size_t i = 0; with_lanes && i < result.size(); ++i)
            EXPECT_TRUE(seen[i] || type_convert<float>(result[i]) == 0.f) << "lane " << i;
    }
};
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(ObjectCalls, PartialSumsAddUp)
{
    for(const Platform& platform : platforms())
    {
        SCOPED_TRACE(arch::name(platform.target));
        for(const ObjectProblem& problem : {strided, unit})
        {
            KernelRun<half_t> run(problem, platform, nan);
            run.launch(partial_sums<half_t>, run.p.tiling.workgroups());
            run.expect(run.t.expected());
        }
        KernelRun<bhalf_t> one_block(unit, platform, nan);
        one_block.launch(restarted_sums<bhalf_t>, one_block.p.tiling.workgroups());
        one_block.expect(one_block.t.expected());
    }
}

TEST(ObjectCalls, AtomicsAddToWhatIsThere)
{
    for(const Platform& platform : platforms())
    {
        SCOPED_TRACE(arch::name(platform.target));
        KernelRun<half_t> run(strided, platform, 3.f);
        run.launch(added<half_t>, 3 * run.p.tiling.workgroups());
        std::vector<double> expected = run.t.expected();
        for(double& x : expected)
            x += 3;
        run.expect(expected, false);
    }
}

TEST(ObjectCalls, SequentialBlocksLieAlone)
{
    for(const Platform& platform : platforms())
    {
        SCOPED_TRACE(arch::name(platform.target));
        KernelRun<half_t> run(strided, platform, nan);
        run.p.blocks_of_workgroup = 64;
        const std::size_t size    = std::size_t{run.p.tiling.workgroups()} * 64 * 64 * 64;
        const OnDevice<half_t> blocks(std::vector<half_t>(size, half_t(0.f)));
        const OnDevice<half_t> places(std::vector<half_t>(size, half_t(0.f)));
        run.p.blocks = blocks.get();
        run.p.places = reinterpret_cast<std::uint32_t*>(places.get());
        run.launch(sequential<half_t>, run.p.tiling.workgroups());
        // Elements whose numbers leave the same rest have the same sums, in some order.
        const std::vector<double> expected = run.t.expected();
        std::vector<std::vector<float>> found(1024), wanted(1024);
        const auto values = blocks.read(size), where = places.read(size);
        for(std::size_t i = 0; i < size; ++i)
            if(const auto place = static_cast<std::size_t>(float(where[i])); place > 0)
                found[place - 1].push_back(float(values[i]));
        for(std::size_t i = 0; i < expected.size(); ++i)
            wanted[i % 1024].push_back(static_cast<float>(expected[i]));
        for(std::size_t i = 0; i < 1024; ++i)
        {
            std::sort(found[i].begin(), found[i].end());
            std::sort(wanted[i].begin(), wanted[i].end());
            ASSERT_EQ(found[i], wanted[i]) << i;
        }
    }
}

TEST(ObjectCalls, WorkBetweenBlocks)
{
    for(const Platform& platform : platforms())
    {
        SCOPED_TRACE(arch::name(platform.target));
        KernelRun<bhalf_t> run(strided, platform, nan);
        run.launch(clamped<bhalf_t>, run.p.tiling.workgroups());
        std::vector<double> expected = run.t.expected();
        const Layout plain{ConvFormat::NCDHW, run.t.dx.n, run.t.dx.c, run.t.dx.s};
        for_elements(plain, [&](auto n, auto c, auto d, auto h, auto w) {
            double& x = expected[plain(n, c, d, h, w)];
            x = std::max(2 * x + static_cast<double>(c) + static_cast<double>(d - h + w), -30.);
        });
        run.expect(expected);
    }
}

} // namespace
} // namespace ck::test
