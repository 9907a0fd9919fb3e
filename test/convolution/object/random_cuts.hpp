#pragma once
// Random problems, and dX cut at random into shares of several workgroups: every position computed
// once, and equal to the definition's.
#include <gtest/gtest.h>

#include "convolution/lattice/problems.hpp"
#include "convolution/object/object_problem.hpp"
#include <algorithm>
#include <cmath>

namespace ck::test {
namespace {

using namespace ConvBackpropApi;

/// Configuration by its base: nvcc's stubs cannot name a reference, so kernels take the base as
/// template argument.
template <std::int32_t base>
inline constexpr Conv3dConfig config_of{.base = base};

struct CutParameters
{
    TConv3DBackpropInputTiling tiling;
    const void *dy, *w;
    void* dx;
    const Share* shares;
    const std::uint32_t* first; // share of a workgroup; one more than there are workgroups
    std::uint32_t* counts;      // one count for each element of dX, n c d h w
    std::uint8_t enAtomic;
};

template <class T, ConvFormat gy, ConvFormat w, ConvFormat gx, std::int32_t base>
struct ObjectFor
{
    template <ConvFormat format>
    using Type = ConvType<TPosition::GM, format, T>;
    using type =
        Conv3DBpInputIntf<Conv3DBpInputCfg<Type<w>,
                                           ConvType<TPosition::GM, ConvFormat::ND, std::int32_t>,
                                           Type<gy>,
                                           Type<gx>,
                                           config_of<base>>,
                          Conv3DBpInputImpl>;
};

template <class T, ConvFormat gy, ConvFormat w, ConvFormat gx, std::int32_t base>
CONV_BACKPROP_KERNEL void shares_of_workgroups(CONV_BACKPROP_PARAMETER CutParameters p)
{
    typename ObjectFor<T, gy, w, gx, base>::type object;
    GlobalTensor<T> gradOutput, weight, gradInput;
    gradOutput.SetGlobalBuffer(const_cast<T*>(static_cast<const T*>(p.dy)));
    weight.SetGlobalBuffer(const_cast<T*>(static_cast<const T*>(p.w)));
    gradInput.SetGlobalBuffer(static_cast<T*>(p.dx));
    object.Init(&p.tiling);
    const std::uint32_t block = GetBlockIdx();
    for(std::uint32_t i = p.first[block]; i < p.first[block + 1]; ++i)
    {
        const Share s = p.shares[i];
        object.SetSingleShape(s.singleShapeM, s.singleShapeK, s.singleShapeN);
        object.SetStartPosition(s.dinStartIdx, s.curHoStartIdx);
        object.SetGradOutput(gradOutput[s.offsetA]);
        object.SetWeight(weight[s.offsetB]);
        object.ctx.isFirstIter_ = true;
        while(object.Iterate())
        {
            const auto& dim = p.tiling.transform.dimension;
            object.ForEach([&](float&, const Position& at) {
                const auto c = static_cast<long_index_t>(s.cinStartIdx) + at.c;
                const long_index_t image =
                    static_cast<long_index_t>(s.imageIdx) * p.tiling.transform.in_channels + c;
                const long_index_t plane = (image * dim[0].input + at.d) * dim[1].input + at.h;
                ++p.counts[plane * dim[2].input + at.w];
            });
            object.GetTensorC(gradInput[s.offsetC], p.enAtomic);
        }
    }
    object.End();
}

/// Cuts dX into shares at random: by rows of W, whole blocks of channels, and images.
template <class T>
std::vector<Share> random_shares(const ObjectTensors<T>& t, std::minstd_rand& random)
{
    const ObjectProblem& p = t.p;
    std::vector<Share> shares;
    const long_index_t up = (p.filter[1] - 1) * p.dilation[1] - p.low[1];
    for(long_index_t n = 0; n < p.n; ++n)
        for(long_index_t row = 0; row < p.input[0] * p.input[1];)
        {
            const long_index_t left = p.input[0] * p.input[1] - row;
            const long_index_t rows = 1 + static_cast<long_index_t>(random()) %
                                              std::min<long_index_t>(left, random() % 2 ? 3 : left);
            for(long_index_t c = 0; c < p.cin;)
            {
                const long_index_t some = std::min<long_index_t>(
                    p.cin - c, 16 * (1 + static_cast<long_index_t>(random()) % blocks16(p.cin)));
                shares.push_back({.singleShapeM = static_cast<std::uint64_t>(rows * p.input[2]),
                                  .singleShapeK = static_cast<std::uint64_t>(
                                      p.cout * p.filter[0] * p.filter[1] * p.filter[2]),
                                  .singleShapeN  = static_cast<std::uint32_t>(some),
                                  .dinStartIdx   = static_cast<std::uint32_t>(row / p.input[1]),
                                  .curHoStartIdx = static_cast<std::int32_t>(row % p.input[1] - up),
                                  .offsetA       = t.dy(n, 0, 0, 0, 0),
                                  .offsetB       = t.w(0, c, 0, 0, 0),
                                  .offsetC       = t.dx(n, c, 0, 0, 0),
                                  .imageIdx      = static_cast<std::uint32_t>(n),
                                  .cinStartIdx   = static_cast<std::uint32_t>(c)});
                c += some;
            }
            row += rows;
        }
    std::shuffle(shares.begin(), shares.end(), random);
    return shares;
}

/// Expects dX to be as defined added to `before`, which padding lanes are.
template <class T>
void expect_equal(const std::vector<T>& result,
                  const std::vector<double>& expected,
                  const Layout& dx,
                  float before,
                  const std::string& what)
{
    const Layout plain{ConvFormat::NCDHW, dx.n, dx.c, dx.s};
    std::vector<bool> seen(dx.size());
    int wrong = 0;
    for_elements(dx, [&](auto... at) {
        seen[dx(at...)]    = true;
        const float is     = type_convert<float>(result[dx(at...)]),
                    should = type_convert<float>(
                        type_convert<T>(before + static_cast<float>(expected[plain(at...)])));
        if(is != should && ++wrong < 4)
        {
            std::string where;
            ((where += std::to_string(at) + ' '), ...);
            ADD_FAILURE() << what << ": dX at n c d h w " << where << "is " << is << ", not "
                          << should;
        }
    });
    EXPECT_EQ(wrong, 0) << what;
    for(std::size_t i = 0; i < dx.size(); ++i)
        EXPECT_TRUE(seen[i] || type_convert<float>(result[i]) == before)
            << what << ": padding lane " << i;
}

/// A tensor that begins some elements after a multiple of 16 bytes, where its format may.
template <class T>
struct Placed
{
    std::size_t before;
    OnDevice<T> memory;

    Placed(const std::vector<T>& data, ConvFormat format, std::minstd_rand& random)
        : before(format == ConvFormat::NCDHW ? (random() >> 4) % 8 : 0),
          memory([&] {
              std::vector<T> all(before, type_convert<T>(std::numeric_limits<float>::quiet_NaN()));
              all.insert(all.end(), data.begin(), data.end());
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
              all.resize((all.size() + 1) / 2 * 2, all.front()); // enAtomic exchanges four bytes
#endif
              return all;
          }())
    {}
    T* get() const { return memory.get() + before; }
    /// The tensor, where nothing was written before it.
    std::vector<T> read(std::size_t count) const
    {
        std::vector<T> all = memory.read(before + count);
        for(std::size_t i = 0; i < before; ++i)
            EXPECT_TRUE(std::isnan(type_convert<float>(all[i]))) << before - i << " before dX";
        return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
    }
};

template <class T, ConvFormat gy, ConvFormat w, ConvFormat gx, std::int32_t base>
void run(const ObjectProblem& problem, const Platform& platform, std::uint32_t seed)
{
    SCOPED_TRACE(problem.text() + " for " + arch::name(platform.target));
    std::minstd_rand random(seed);
    const ObjectTensors<T> t(problem, gy, w, gx, seed);
    auto host_tiling = t.tiling(platform);
    ASSERT_TRUE(host_tiling.SetBase(base));
    CutParameters p{};
    ASSERT_EQ(host_tiling.GetTiling(p.tiling), 0) << host_tiling.GetReason();

    std::vector<Share> shares;
    const bool own_cut = random() % 4 == 0;
    if(own_cut)
        for(std::uint32_t i = 0; i < p.tiling.workgroups(); ++i)
            shares.push_back(p.tiling.share(i));
    else
        shares = random_shares(t, random);
    std::vector<std::uint32_t> first{0};
    while(first.back() < shares.size())
        first.push_back(
            std::min<std::uint32_t>(static_cast<std::uint32_t>(shares.size()),
                                    first.back() + 1 + static_cast<std::uint32_t>(random() % 3)));

    const Layout plain{ConvFormat::NCDHW, t.dx.n, t.dx.c, t.dx.s};
    // Stored over NaN, or added to ones.
    p.enAtomic         = random() % 4 == 0;
    const float before = p.enAtomic ? 1 : std::numeric_limits<float>::quiet_NaN();
    const Placed dy(t.dy_data, gy, random), weight(t.w_data, w, random);
    const Placed dx(std::vector<T>(t.dx.size(), type_convert<T>(before)), gx, random);
    const OnDevice all_shares(shares);
    const OnDevice firsts(first);
    const OnDevice counts(std::vector<std::uint32_t>(plain.size()));
    p.dy     = dy.get();
    p.w      = weight.get();
    p.dx     = dx.get();
    p.shares = all_shares.get();
    p.first  = firsts.get();
    p.counts = counts.get();
    HIP_CHECK_ERROR(arch::launch_function(shares_of_workgroups<T, gy, w, gx, base>,
                                          static_cast<index_t>(first.size() - 1),
                                          static_cast<index_t>(p.tiling.threads()),
                                          p.tiling.ldsBytes(),
                                          nullptr,
                                          p));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    expect_equal(dx.read(t.dx.size()),
                 t.expected(),
                 t.dx,
                 p.enAtomic ? before : 0,
                 own_cut ? "the tiling's cut" : "a random cut");
    int wrong = 0;
    for(const std::uint32_t n : counts.read(plain.size()))
        wrong += n != 1;
    EXPECT_EQ(wrong, 0) << "positions that are not computed exactly once";
}

ObjectProblem random_problem(std::minstd_rand& random, bool whole_vectors)
{
    const auto pick = [&](long_index_t low, long_index_t high) {
        return low + static_cast<long_index_t>(random() >> 4) % (high - low + 1);
    };
    for(;;)
    {
        ObjectProblem p{};
        p.n    = pick(1, 2);
        p.cout = whole_vectors ? 8 * pick(1, 5) : pick(1, 40);
        p.cin  = whole_vectors ? 8 * pick(1, 10) : pick(1, 80);
        for(std::size_t i = 0; i < 3; ++i)
        {
            p.filter[i]   = pick(1, 3);
            p.input[i]    = pick(1, i == 0 ? 4 : 9);
            p.stride[i]   = pick(1, 3);
            p.dilation[i] = pick(1, 2);
            p.low[i]      = pick(-1, 3);
            p.high[i]     = pick(-1, 3);
        }
        bool sound = true;
        for(std::size_t i = 0; i < 3; ++i)
            sound =
                sound && p.input[i] + p.low[i] + p.high[i] - p.dilation[i] * (p.filter[i] - 1) >= 1;
        if(sound)
            return p;
    }
}

/// Platforms of the problem of a number: all. Under sanitizers, where a run takes 15 times as long,
/// they take turns.
std::vector<Platform> platforms_of(std::uint32_t number)
{
    std::vector<Platform> all = platforms();
    if(!sanitized)
        return all;
    return {all[number % all.size()]};
}

template <class T, ConvFormat gy, ConvFormat w, ConvFormat gx, std::int32_t base>
void run_random(std::uint32_t seed, std::uint32_t problems)
{
    std::minstd_rand random(seed);
    for(std::uint32_t i = 0; i < problems; ++i)
    {
        const ObjectProblem problem = random_problem(
            random, gy == ConvFormat::NDHWC || w == ConvFormat::NDHWC || gx == ConvFormat::NDHWC);
        for(const Platform& platform : platforms_of(i + 1))
            run<T, gy, w, gx, base>(problem, platform, i + 1);
    }
}

} // namespace
} // namespace ck::test
