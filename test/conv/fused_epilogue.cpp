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

/// Of one of the classes; channels of whole vectors and others, tiles that end early.
const Sizes all_sizes[]{
    {1, 32, 72, {6, 5}, {3, 3}, {}, 1},     // matrices
    {1, 64, 40, {9, 9}, {1, 1}, {}, 0},     // 1x1
    {1, 24, 20, {9, 7}, {1, 1}, {}, 0},     // 1x1 of few channels
    {1, 3, 16, {12, 9}, {3, 3}, {2, 2}, 1}, // first layers
    {1, 4, 24, {3, 5, 6}, {3, 3, 3}, {}, 1},
    {1, 3, 32, {16, 12}, {4, 4}, {4, 4}, 0}, // patches
    {1, 5, 24, {7, 9}, {7, 3}, {7, 3}, 0},
    {1, 16, 3, {7, 9}, {3, 3}, {}, 1}, // last layers: results are filled up
    {40, 1, 1, {7, 6}, {3, 3}, {}, 1}, // depthwise
    {16, 1, 1, {8, 8}, {7, 7}, {}, 3},
    {24, 1, 1, {9, 9}, {5, 5}, {2, 2}, 2},
    {16, 1, 1, {50}, {31}, {}, 15},
    {3, 1, 1, {7, 6}, {2, 3}, {}, 0},
    {6, 4, 4, {7, 7}, {3, 3}, {}, 1}, // small groups
    {4, 16, 16, {9, 8}, {3, 3}, {}, 1},
    {3, 8, 5, {6, 6}, {3, 3}, {}, 1},
    {2, 64, 33, {5, 5}, {3, 3}, {}, 1},
    {1, 512, 16, {3, 3}, {3, 3}, {}, 1}, // long sums, few pixels
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

/// All that kernels without an operation can do to their sums.
std::vector<Epilogue> all_epilogues()
{
    std::vector<Epilogue> all;
    for(const bool bias : {true, false})
        for(const float scale : {1.f, .5f})
            for(const Activation activation :
                {Activation::none, Activation::relu, Activation::silu, Activation::clamp})
            {
                Epilogue e;
                e.bias       = bias;
                e.scale      = scale;
                e.activation = activation;
                e.least      = activation == Activation::clamp ? -3 : e.least;
                e.most       = activation == Activation::clamp ? 20 : e.most;
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
    const std::vector<Epilogue> epilogues = all_epilogues();
    std::set<std::string> kernels;
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
                    for(std::size_t i = 0; i < 2; ++i)
                    {
                        spec.epilogue  = epilogues[next++ % epilogues.size()];
                        spec.alignment = next % 2 == 0 ? 16 : element(name(type)).size;
                        if(!has_kernels(spec))
                            continue;
                        Convolution convolution(spec);
                        for_kernels(spec, [&](const ConvPlan& p) {
                            EXPECT_EQ(convolution.mistakes(p), 0u) << p.explain();
                            kernels.insert(p.kernel());
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
}

} // namespace ck::conv_test
