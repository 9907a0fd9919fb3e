// Epilogues that plain kernels apply to their sums: every kernel that offers one, against plain
// loops. Problems are of all classes that have kernels of their own.
#include "conv/convolution.hpp"
#include "conv/tuning_folder.hpp"
#include <algorithm>
#include <set>

namespace ck::conv_test {
namespace {

constexpr const char* fused = "^FusedEpilogue<";

struct Sizes
{
    long_index_t groups, c, k;
    Extents input, filter, strides;
    long_index_t pad;
};

/// Sizes with channels that fill whole vectors and others that do not, and tiles that end early.
const Sizes all_sizes[]{
    {1, 32, 72, {6, 5}, {3, 3}, {}, 1},     // matrices
    {1, 64, 40, {9, 9}, {1, 1}, {}, 0},     // 1x1
    {1, 24, 20, {9, 7}, {1, 1}, {}, 0},     // 1x1 of few channels
    {1, 3, 16, {12, 9}, {3, 3}, {2, 2}, 1}, // first layers
    {1, 4, 24, {3, 5, 6}, {3, 3, 3}, {}, 1},
    {1, 3, 32, {16, 12}, {4, 4}, {4, 4}, 0}, // patches
    {1, 5, 24, {7, 9}, {7, 3}, {7, 3}, 0},
    {1, 16, 3, {7, 9}, {3, 3}, {}, 1}, // last layers: results are filled up
    {24, 1, 1, {7, 6}, {3, 3}, {}, 1}, // depthwise
    {8, 1, 1, {8, 8}, {7, 7}, {}, 3},
    {8, 1, 1, {9, 9}, {5, 5}, {2, 2}, 2},
    {8, 1, 1, {50}, {31}, {}, 15},
    {3, 1, 1, {7, 6}, {2, 3}, {}, 0},
    {6, 4, 4, {7, 7}, {3, 3}, {}, 1}, // small groups
    {4, 16, 16, {9, 8}, {3, 3}, {}, 1},
    {3, 8, 5, {6, 6}, {3, 3}, {}, 1},
    {2, 64, 33, {5, 5}, {3, 3}, {}, 1},
    {1, 256, 16, {3, 3}, {3, 3}, {}, 1}, // long sums, few pixels
};

ConvSpec spec_of(const Sizes& sizes, DataType type, Layout layout)
{
    ConvSpec s;
    s.type    = type;
    s.layout  = layout;
    s.n       = 2;
    s.groups  = sizes.groups;
    s.c       = sizes.c;
    s.k       = sizes.k;
    s.input   = sizes.input;
    s.filter  = sizes.filter;
    s.strides = sizes.strides;
    for(std::size_t i = 0; i < sizes.input.size(); ++i)
        s.pads.push_back({sizes.pad, sizes.pad});
    return s;
}

/// All that kernels without an operation can do to their sums, with or without a residual.
std::vector<Epilogue> all_epilogues(bool residual)
{
    std::vector<Epilogue> all;
    for(const bool bias : {true, false})
        for(const float scale : {1.f, .5f})
            for(const Activation activation : {Activation::relu,
                                               Activation::leaky_relu,
                                               Activation::none,
                                               Activation::hard_swish,
                                               Activation::silu,
                                               Activation::hard_sigmoid,
                                               Activation::clamp,
                                               Activation::sigmoid})
            {
                Epilogue e;
                e.bias       = bias;
                e.scale      = scale;
                e.activation = activation;
                e.least      = activation == Activation::clamp ? -3 : e.least;
                e.most       = activation == Activation::clamp ? 20 : e.most;
                e.slope      = activation == Activation::leaky_relu ? .1f : e.slope;
                if(residual) // each activation after one and before one
                    e.residual = bias == (scale == 1) ? Residual::after_activation
                                                      : Residual::before_activation;
                if(!(e == Epilogue{}))
                    all.push_back(e);
            }
    return all;
}

/// Calls f(plan) with each kernel that offers a fused epilogue.
template <class F>
void for_kernels(const ConvSpec& spec, const F& f)
{
    PlanOptions options{.allow = fused};
    try
    {
        for(;;)
        {
            const ConvPlan p = plan(spec, options);
            f(p);
            options.forbid += (options.forbid.empty() ? "" : "|") + exactly(p.kernel());
        }
    }
    catch(const Refused&)
    {}
}

} // namespace

TEST(FusedEpilogue, OfEveryKernelIsRight)
{
    const std::vector<Epilogue> epilogues[]{all_epilogues(false), all_epilogues(true)};
    std::set<std::string> kernels, with_residual;
    std::size_t next = 0;
    for(const DataType type : {DataType::f16, DataType::bf16, DataType::f32})
        for(const bool tf32 : {false, true})
            for(const Layout layout : {Layout::channels_last, Layout::channels_first})
                for(const Sizes& sizes : all_sizes)
                {
                    if(tf32 && type != DataType::f32)
                        continue;
                    ConvSpec spec = spec_of(sizes, type, layout);
                    if(tf32)
                        spec.compute = DataType::tf32;
                    for(std::size_t i = 0; i < 4; ++i)
                    {
                        const bool residual = i % 2 == 1;
                        spec.epilogue =
                            epilogues[residual][next++ / 2 % epilogues[residual].size()];
                        spec.alignment = i < 2 ? 16 : element(name(type)).size;
                        if(!has_kernels(spec))
                            continue;
                        Convolution convolution(spec);
                        for_kernels(spec, [&](const ConvPlan& p) {
                            EXPECT_EQ(convolution.mistakes(p), 0u) << p.explain();
                            kernels.insert(p.kernel());
                            if(residual)
                                with_residual.insert(p.kernel());
                        });
                    }
                }
    // What there is on the host: copies and tf32 by floats, too.
    const auto any = [&](const char* prefix) {
        return std::any_of(kernels.begin(), kernels.end(), [&](const std::string& k) {
            return k.starts_with(prefix);
        });
    };
#if defined(CK_LIBRARY_IS_COMPLETE)
    for(const char* const prefix : {"FusedEpilogue<Mma<",
                                    "FusedEpilogue<Dl<",
                                    "FusedEpilogue<ChannelsLast<",
                                    "FusedEpilogue<PaddedChannelsLast<",
                                    "FusedEpilogue<FoldedWidth<",
                                    "FusedEpilogue<Im2col<",
                                    "FusedEpilogue<AsFloats<Dl<"})
        EXPECT_TRUE(any(prefix)) << prefix;
#else
    EXPECT_TRUE(kernels.empty() || any("FusedEpilogue<"));
#endif
    // All kernels add one, but sliding windows, some pointwise kernels and those on copies of the
    // result.
    const auto may_add_none = [](const std::string& kernel) {
        const auto has = [&](const char* word) { return kernel.find(word) != std::string::npos; };
        return has("ChannelsLast<") || has(", sliding_window") || has(", pointwise,");
    };
    for(const std::string& kernel : kernels)
        EXPECT_TRUE(with_residual.contains(kernel) || may_add_none(kernel)) << kernel;
}

/// The residual may be the result's own elements: a residual in place, or what is there (beta).
TEST(FusedEpilogue, TakesTheResultForItsResidual)
{
    std::size_t ran = 0;
    for(const DataType type : {DataType::f16, DataType::bf16, DataType::f32})
        for(const Sizes& sizes : all_sizes)
        {
            ConvSpec spec            = spec_of(sizes, type, Layout::channels_last);
            spec.epilogue.bias       = true;
            spec.epilogue.residual   = (&sizes - all_sizes) % 2 == 0 ? Residual::before_activation
                                                                     : Residual::after_activation;
            spec.epilogue.activation = Activation::relu;
            if(!has_kernels(spec))
                continue;
            Convolution c(spec);
            for_kernels(spec, [&](const ConvPlan& p) {
                ASSERT_EQ(c.mistakes(p), 0u) << p.explain();
                const std::vector<char> right = c.y.bytes;
                ConvTensors t                 = c.tensors(p);
                t.residual                    = t.y;
                c.y.memory.ToDevice(c.residual.bytes.data(), c.residual.bytes.size());
                p.run(t);
                c.y.read();
                EXPECT_EQ(c.y.bytes, right) << p.explain();
                ++ran;
            });
            spec.epilogue.residual = Residual::none;
            spec.beta              = 1;
            Convolution added(spec);
            for_kernels(spec, [&](const ConvPlan& p) {
                EXPECT_EQ(added.mistakes(p), 0u) << p.explain();
                ++ran;
            });
        }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(ran, 120u);
#endif
}

/// Of any strides that are the result's, before the activation and after it.
TEST(FusedEpilogue, AddsAResidualOfTheResultsStrides)
{
    ConvSpec spec  = spec_of({1, 8, 24, {5, 6}, {3, 3}, {}, 1}, DataType::bf16, Layout::strided);
    spec.x_strides = {8 * 5 * 6 * 2, 8 * 5 * 6, 1, 8 * 6, 8};
    spec.w_strides = {24 * 9 * 8, 9 * 8, 1, 3 * 8, 8};
    spec.y_strides = {2 * 5 * 6 * 40, 5 * 6 * 40, 1, 6 * 40, 40};
    spec.epilogue.bias       = true;
    spec.epilogue.activation = Activation::silu;
    for(const Residual residual : {Residual::before_activation, Residual::after_activation})
    {
        spec.epilogue.residual = residual;
        if(!has_kernels(spec))
            GTEST_SKIP() << no_kernels;
        Convolution c(spec);
        std::size_t ran = 0;
        for_kernels(spec, [&](const ConvPlan& p) {
            EXPECT_EQ(c.mistakes(p), 0u) << p.explain();
            ++ran;
        });
        EXPECT_GT(ran, 0u);
    }
}

/// One pixel's residual has as many elements as a bias, and is none.
TEST(FusedEpilogue, ResidualOfOnePixelIsNoBias)
{
    for(const long_index_t pixels : {1, 3})
    {
        ConvSpec spec =
            spec_of({1, 8, 16, {pixels}, {1}, {}, 0}, DataType::f32, Layout::channels_last);
        spec.n                 = 1;
        spec.epilogue.residual = Residual::before_activation;
        if(!has_kernels(spec))
            GTEST_SKIP() << no_kernels;
        std::size_t ran = 0;
        for_kernels(spec, [&](const ConvPlan&) { ++ran; });
        EXPECT_GT(ran, 0u);
        spec.beta = 1; // a second tensor with the result's strides
        for_kernels(spec, [&](const ConvPlan& p) { ADD_FAILURE() << pixels << p.explain(); });
    }
}

} // namespace ck::conv_test
