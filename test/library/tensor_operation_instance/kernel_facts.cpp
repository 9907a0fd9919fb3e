// What the library knows of kernels without asking them, compared with what they answer.
#include "tensor_operation_instance/kernel_facts.hpp"

#include "ck/library/tensor_operation_instance/any_size.hpp"

#include <gtest/gtest.h>

#include "library/tensor_operation_instance/complete.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ck::tensor_operation::device::instance {
namespace {

using element_wise::PassThrough;

ConvArgument argument_of(const ConvProblem& p, std::uintptr_t address = 0)
{
    static const PassThrough pass;
    ConvArgument argument{};
    argument.problem     = p;
    argument.a           = {reinterpret_cast<const void*>(address)};
    argument.b           = {reinterpret_cast<const void*>(address * 3)};
    argument.c           = reinterpret_cast<void*>(address * 5);
    argument.operation_a = argument.operation_b = argument.operation_c = &pass;
    argument.workspace = reinterpret_cast<void*>(std::uintptr_t{16}); // only asks about it
    argument.split_k   = -1;
    return argument;
}

ConvProblem channels_first(ConvProblem p)
{
    constexpr std::array<std::size_t, 6> order{1, 0, 2, 3, 4, 5};
    p.input_strides  = ck::detail::packed_strides(p.input_lengths(), order);
    p.output_strides = ck::detail::packed_strides(p.output_lengths(), order);
    return p;
}

/// Arguments of many kinds: each kernel is for some of them.
std::vector<ConvArgument> arguments()
{
    std::vector<ConvProblem> problems;
    const auto image = [&](long_index_t groups,
                           long_index_t n,
                           long_index_t k,
                           long_index_t c,
                           long_index_t filter,
                           long_index_t size,
                           long_index_t stride = 1,
                           long_index_t pad    = 0) {
        problems.push_back(make_packed_problem<2>(groups,
                                                  n,
                                                  k,
                                                  c,
                                                  {filter, filter},
                                                  {size, size},
                                                  {stride, stride},
                                                  {1, 1},
                                                  {pad, pad},
                                                  {pad, pad}));
    };
    image(1, 2, 64, 64, 3, 8, 1, 1);
    image(1, 32, 256, 128, 3, 28, 2, 1);
    image(1, 64, 512, 256, 1, 14);
    image(1, 8, 40, 24, 1, 9, 2);
    image(1, 8, 64, 3, 7, 32, 2, 3);
    image(1, 4, 96, 3, 4, 32, 4);
    image(1, 3, 37, 53, 5, 11, 3, 2);
    image(1, 2, 1, 1, 3, 8);
    image(1, 0, 64, 64, 3, 8, 1, 1);
    image(1, 2, 64, 64, 3, 2); // Y is empty
    image(32, 16, 1, 1, 3, 14, 1, 1);
    image(32, 16, 1, 1, 7, 14, 2, 3);
    image(24, 4, 8, 8, 3, 14, 1, 1);
    image(4, 4, 64, 64, 3, 14, 1, 1);
    image(3, 4, 16, 32, 3, 14, 2, 1);
    image(1, 2, 16, 16, 2, 9, 5); // few of dX's pixels are reached
    problems.push_back(
        make_packed_problem<1>(16, 2, 1, 1, {4}, {100000}, {1}, {1}, {3}, {0})); // a long line
    problems.push_back(make_packed_problem<1>(1, 2, 32, 32, {7}, {5000}, {1}, {9}, {27}, {27}));
    problems.push_back(make_packed_problem<3>(
        1, 1, 32, 16, {3, 3, 3}, {5, 9, 9}, {1, 2, 1}, {1, 1, 2}, {1, 1, 2}, {1, 1, 2}));
    std::vector<ConvArgument> all;
    for(const ConvProblem& p : problems)
        for(const ConvProblem& laid : {p, channels_first(p)})
        {
            all.push_back(argument_of(laid));
            all.push_back(argument_of(laid, (std::uintptr_t{1} << 40) + 8));
        }
    all.push_back(argument_of(ConvProblem{.rank = 4}));
    return all;
}

/// Those whose operations are PassThrough.
std::vector<Family> plain_families()
{
    std::vector<Family> all = families();
    std::erase_if(all, [](const Family& f) {
        return !f.d.empty() || f.operation_a != "PassThrough" || f.operation_b != "PassThrough" ||
               f.operation_c != "PassThrough";
    });
    return all;
}

/// What select_kernel() is to return: asked are all kernels, one after the other.
const ConvKernel* first_of_the_fastest(const Family& family, const ConvArgument& argument)
{
    const ConvKernel* best = nullptr;
    double least           = 0;
    for(const ConvKernel* const kernel : kernels_for(family, argument))
        if(kernel->supports(argument))
            if(const double time = kernel->predict(argument);
               best == nullptr || (time > 0 && (least == 0 || time < least)))
            {
                best  = kernel;
                least = time;
            }
    return best;
}

TEST(KernelFacts, NoKernelIsRuledOutThatSupportsTheArgumentInLessTime)
{
    const WithoutReasons whatever_they_are;
    int supported = 0, refused = 0, slower = 0;
    for(const Family& family : plain_families())
        for(const ConvArgument& argument : arguments())
            for(const ConvKernel& kernel : kernels_of(family))
            {
                if(kernel.facts == nullptr)
                    continue;
                const AskedArgument asked(argument);
                const bool is_out = is_ruled_out(*kernel.facts, asked);
                if(!kernel.supports(argument))
                {
                    refused += is_out;
                    continue;
                }
                ++supported;
                ASSERT_FALSE(is_out) << kernel.name;
                const double time = kernel.predict(argument);
                if(time == 0)
                    continue; // it is not modelled
                asked.below = time * (1 + 1e-12);
                ASSERT_FALSE(is_ruled_out(*kernel.facts, asked)) << kernel.name << ' ' << time;
                asked.below = time / 100;
                slower += is_ruled_out(*kernel.facts, asked);
            }
    EXPECT_GT(supported, 0);
    EXPECT_GT(refused, 0);
    [[maybe_unused]] const bool some_are_modelled = slower > 0;
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_TRUE(some_are_modelled);
#endif
}

TEST(KernelFacts, KernelsOfOnePixelAreForNoOtherFilterOrStride)
{
    for(const Pipeline pipeline :
        {Pipeline::pointwise, Pipeline::pointwise_channels_first, Pipeline::intra_block_split_k})
    {
        const GemmTuning tuning{.block_tile  = {64, 64, 8},
                                .wave_m      = 64,
                                .wave_n      = 64,
                                .instruction = {},
                                .a_vector    = 1,
                                .b_vector    = 1,
                                .c_vector    = 1,
                                .pipeline    = pipeline};
        const KernelFacts facts{tuning, Direction::forward, {2, 2, 2}, 0, false};
        const auto is_out = [&](const Spatial& filter, const Spatial& stride) {
            return is_ruled_out(facts,
                                AskedArgument(argument_of(make_packed_problem<3>(
                                    1, 2, 8, 8, filter, {5, 5, 5}, stride, {1, 1, 1}, {}, {}))));
        };
        EXPECT_FALSE(is_out({1, 1, 1}, {1, 1, 1}));
        for(std::size_t i = 0; i < 3; ++i)
        {
            Spatial two{1, 1, 1};
            two[i] = 2;
            EXPECT_TRUE(is_out(two, {1, 1, 1})) << i;
            EXPECT_TRUE(is_out({1, 1, 1}, two)) << i;
        }
    }
}

TEST(KernelFacts, TheFirstOfTheFastestIsSelected)
{
    const WithoutReasons whatever_they_are;
    int selected = 0;
    for(const Family& family : plain_families())
        for(ConvArgument argument : arguments())
            for(const bool with_workspace : {true, false})
            {
                if(!with_workspace)
                    argument.workspace = nullptr;
                const ConvKernel* const best = first_of_the_fastest(family, argument);
                ASSERT_EQ(select_kernel(family, argument), best)
                    << (best == nullptr ? std::string("none") : best->name);
                selected += best != nullptr;
            }
    EXPECT_GT(selected, 0);
}

/// Kept choices are those for arguments like the ones before; each comes twice.
TEST(KernelFacts, AnySizeTakesWhatIsSelected)
{
    const WithoutReasons whatever_they_are;
    int taken = 0;
    for(const Family& family : plain_families())
    {
        const ConvKernel& any_size = large_tensor_kernel(family);
        for(int time = 0; time < 2; ++time)
            for(ConvArgument argument : arguments())
                for(const bool with_workspace : {true, false})
                {
                    if(!with_workspace)
                        argument.workspace = nullptr;
                    const ConvKernel* const selected = select_kernel(family, argument);
                    ASSERT_EQ(static_cast<bool>(any_size.supports(argument)), selected != nullptr);
                    ASSERT_EQ(any_size.predict(argument),
                              selected == nullptr ? 0 : selected->predict(argument));
                    if(with_workspace)
                    {
                        ASSERT_EQ(any_size.workspace_size(argument),
                                  selected == nullptr ? 0u : selected->workspace_size(argument));
                    }
                    taken += selected != nullptr;
                }
    }
    EXPECT_GT(taken, 0);
}

} // namespace
} // namespace ck::tensor_operation::device::instance
