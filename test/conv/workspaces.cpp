// Every kernel with the workspace that it wants, with a byte less, and with none: it is refused, or
// what it computes is right and stays inside.
#include "conv/convolution.hpp"
#include "conv/prepared.hpp"
#include "conv/random_spec.hpp"
#include <map>
#include <set>

namespace ck::conv_test {
namespace {

/// Kernels of a spec, each asked for with different limits.
struct Count
{
    int kernels = 0, with_less = 0, with_none = 0;
};

void expect_right(const ConvSpec& spec, Count& count)
{
    Convolution tensors(spec, 5);
    const conv::Resolved resolved = conv::resolve(spec);
    std::map<std::string, int> kinds; // the first kernels of each
    for(const Candidate& c : conv::candidates_of(resolved, spec, {}))
    {
        if(!c.why_not.empty() ||
           ++kinds[c.kernel.substr(0, c.kernel.find_first_of("0123456789"))] > 4)
            continue;
        std::set<std::size_t> limits{c.workspace, 0};
        if(c.workspace > 0)
            limits.insert(c.workspace - 1);
        ++count.kernels;
        for(const std::size_t limit : limits)
            try
            {
                const ConvPlan p(conv::prepare_quietly(spec, {.workspace_limit = limit}, c.kernel));
                EXPECT_LE(p.workspace_size(), limit) << c.kernel;
                if(limit == c.workspace)
                    EXPECT_EQ(p.workspace_size(), limit) << c.kernel;
                else
                    ++(limit == 0 ? count.with_none : count.with_less);
                EXPECT_EQ(tensors.mistakes(p), 0u)
                    << to_string(spec) << ", " << limit << " bytes, " << c.kernel;
            }
            catch(const Refused& refused)
            {
                EXPECT_LT(limit, c.workspace) << c.kernel << ": " << refused.what();
            }
            catch(const std::runtime_error& error) // run() throws it
            {
                ADD_FAILURE() << to_string(spec) << ", " << limit << " bytes, " << c.kernel << ": "
                              << error.what();
            }
    }
}

} // namespace

TEST(Workspaces, OfPatchesWhoseRowsFillNoVectors)
{
    ConvSpec spec{.direction = Direction::backward_weight,
                  .type      = DataType::f16,
                  .n         = 2,
                  .k         = 7,
                  .c         = 1,
                  .input     = {8, 6},
                  .filter    = {2, 2},
                  .strides   = {2, 2}};
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    Count count;
    expect_right(spec, count);
    EXPECT_GE(count.kernels, 1);
    try
    {
        const ConvPlan p = plan(spec, {.workspace_limit = 0, .allow = "^FoldedWidth<Padded"});
        EXPECT_EQ(Convolution(spec).mistakes(p), 0u);
    }
    catch(const Refused& refused)
    {
        EXPECT_NE(std::string(refused.what()).find("FoldedWidth<Padded"), std::string::npos);
    }
}

/// The sums before they are quantized begin at multiples of 128 bytes.
TEST(Workspaces, OfQuantizedSums)
{
    ConvSpec spec{.type = DataType::i8, .n = 1, .c = 4, .input = {1, 1}, .filter = {1, 1}};
    spec.quantization.enabled = true;
    const auto size           = [&](long_index_t k) {
        spec.k = k;
        return plan(spec, {.allow = "Dl<"}).workspace_size();
    };
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    EXPECT_EQ(size(31), 128u);
    EXPECT_EQ(size(32), 128u);
    EXPECT_EQ(size(33), 256u);
}

TEST(Workspaces, OfEveryKindOfKernel)
{
    Random random(11);
    Count count;
    int specs = 0;
    for(int i = 0; i < 120; ++i)
    {
        ConvSpec spec      = random_spec(random);
        spec.bias_gradient = false; // has workspace of its own
        if(i % 3 == 0)              // patches
        {
            spec.strides   = spec.filter;
            spec.dilations = {};
            spec.pads      = {};
            spec.groups    = 1;
        }
        if(i % 3 == 1) // long sums, of several parts
        {
            spec.direction = Direction::backward_weight;
            spec.epilogue  = {};
            spec.n         = 4;
            for(std::size_t j = 0; j < spec.input.size(); ++j)
                spec.input[j] = spec.input.size() == 3 ? 6 : 12;
        }
        try
        {
            if(spec.x_bytes() + spec.w_bytes() + spec.y_bytes() > 100000)
                continue;
            plan(spec);
        }
        catch(const Refused&)
        {
            continue;
        }
        expect_right(spec, count);
        ++specs;
    }
    std::printf("%d specs, %d kernels, %d of them with less workspace, %d with none\n",
                specs,
                count.kernels,
                count.with_less,
                count.with_none);
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(specs, 10);
    EXPECT_GE(count.with_less, 10);
    EXPECT_GE(count.with_none, 10);
#endif
}

} // namespace ck::conv_test
