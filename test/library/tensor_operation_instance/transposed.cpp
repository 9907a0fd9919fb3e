// The three passes of transposed convolutions by every kernel of the library that takes them.
#include "ck/library/tensor_operation_instance/transposed.hpp"

#include "ck/library/reference_tensor_operation/cpu/reference_conv_transpose.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include "convolution/transposed_problems.hpp"
#include "library/tensor_operation_instance/complete.hpp"
#include <cmath>
#include <map>

namespace ck::test::transposed {
namespace {

using namespace tensor_operation::device::instance;
using namespace tensor_operation::host;

template <class T>
DeviceMem on_device(const std::vector<T>& values)
{
    DeviceMem memory(sizeof(T) * values.size());
    memory.ToDevice(values.data());
    return memory;
}

/// Runs each kernel of the pass's family on the problem; counts those that ran, by name, and why
/// others refused.
template <TransposedPass pass, class T>
void run_kernels(const ConvTranspose& p,
                 std::mt19937& random,
                 std::map<std::string, int>& ran,
                 std::map<std::string, std::string>& refusals)
{
    constexpr bool makes_y = pass == TransposedPass::forward;
    constexpr bool makes_x = pass == TransposedPass::input_gradient;
    const auto x           = random_integers<T>(span(p.input_lengths(), p.input_strides), random);
    const auto w           = random_integers<T>(span(p.filter_lengths(), p.filter_strides), random);
    const auto y           = random_integers<T>(span(p.output_lengths(), p.output_strides), random);
    const auto& lengths    = makes_y   ? p.output_lengths()
                             : makes_x ? p.input_lengths()
                                       : p.filter_lengths();
    const auto& strides = makes_y ? p.output_strides : makes_x ? p.input_strides : p.filter_strides;
    const std::vector<T> spoilt(span(lengths, strides), type_convert<T>(std::nanf("")));
    std::vector<T> expected(spoilt.size()); // integers: sums are exact, and rounded once
    if constexpr(makes_y)
        reference_conv_transpose(p, x.data(), w.data(), expected.data());
    else if constexpr(makes_x)
        reference_conv_transpose_input_gradient(p, expected.data(), w.data(), y.data());
    else
        reference_conv_transpose_filter_gradient(p, x.data(), expected.data(), y.data());

    const DeviceMem a = on_device(makes_x ? y : x), b = on_device(makes_y || makes_x ? w : y),
                    c = on_device(spoilt);
    ConvArgument argument =
        transposed_argument(p, a.GetDeviceBuffer(), b.GetDeviceBuffer(), c.GetDeviceBuffer());
    for(const ConvKernel& kernel : kernels_of(TransposedFamily<pass, T>::key()))
    {
        argument.workspace = nullptr;
        const DeviceMem workspace(kernel.workspace_size(argument));
        argument.workspace     = workspace.GetDeviceBuffer();
        const std::string name = std::string(ck::name(pass)) + kernel.name;
        if(const Support s = kernel.supports(argument); !s)
        {
            refusals[name] = s.reason;
            continue;
        }
        c.ToDevice(spoilt.data());
        kernel.run(argument, {});
        std::vector<T> result(spoilt.size());
        c.FromDevice(result.data());
        EXPECT_EQ(differences(lengths, strides, result, expected), 0u) << name << ", " << text(p);
        ++ran[name];
    }
}

template <class T>
void expect_right(unsigned seed)
{
    CK_SKIP_IF_LIBRARY_LACKS((TransposedFamily<TransposedPass::forward, T>::key()));
    CK_SKIP_IF_LIBRARY_LACKS((TransposedFamily<TransposedPass::input_gradient, T>::key()));
    CK_SKIP_IF_LIBRARY_LACKS((TransposedFamily<TransposedPass::filter_gradient, T>::key()));
    std::mt19937 random(seed);
    std::map<std::string, int> ran;
    std::map<std::string, std::string> refusals;
    const auto run = [&](const ConvTranspose& p) {
        run_kernels<TransposedPass::forward, T>(p, random, ran, refusals);
        run_kernels<TransposedPass::input_gradient, T>(p, random, ran, refusals);
        run_kernels<TransposedPass::filter_gradient, T>(p, random, ran, refusals);
    };
    for(index_t rank = 1; rank <= 3; ++rank)
        for(int i = 0; i < 8; ++i)
        {
            ConvTranspose p = random_transposed(rank, random);
            run(p); // any strides
            // Vectors along channels.
            p.in_channels *= 8;
            p.out_channels *= 8;
            set_packed_strides(p,
                               i % 2 == 0 ? PackedOrder::group_first : PackedOrder::group_inside);
            run(p);
            set_contiguous_strides(p);
            run(p);
        }
    for(const auto pass :
        {TransposedPass::forward, TransposedPass::input_gradient, TransposedPass::filter_gradient})
    {
        int kernels = 0;
        for(const auto& [kernel, times] : ran)
            kernels += kernel.starts_with(name(pass));
        EXPECT_GE(kernels, 1) << "none ran of " << name(pass);
    }
    for(const auto& [kernel, reason] : refusals)
        if(ran.count(kernel) == 0)
            std::cout << "never ran: " << kernel << ": " << reason << '\n';
}

TEST(TransposedConvolutions, OfFloatsAreRightByEveryKernel) { expect_right<float>(1); }
TEST(TransposedConvolutions, OfHalvesAreRightByEveryKernel) { expect_right<half_t>(2); }

TEST(TransposedConvolutions, OfBfloatsAreRightByEveryKernel) { expect_right<bhalf_t>(3); }

TEST(TransposedConvolutions, AreRefusedWithTheProblemsReason)
{
    ConvTranspose p;
    p.input_strides = p.filter_strides = p.output_strides = {1, 1, 1, 1, 1, 1};
    p.output_padding[2]                                   = 1;
    const char* const why = "the output padding in W of a 2D transposed convolution is 1, but must "
                            "be less than the stride, 1, or the dilation, 1";
    const ConvArgument argument = transposed_argument(p, nullptr, nullptr, nullptr);
    int asked                   = 0;
    for(const Family& family : {TransposedFamily<TransposedPass::forward, float>::key(),
                                TransposedFamily<TransposedPass::input_gradient, float>::key(),
                                TransposedFamily<TransposedPass::filter_gradient, float>::key()})
    {
        if(library_lacks(family))
            continue;
        ++asked;
        EXPECT_EQ(select_kernel(family, argument), nullptr);
        EXPECT_NE(why_none(family, argument).find(why), std::string::npos)
            << why_none(family, argument);
        for(const ConvKernel& kernel : kernels_of(family))
            EXPECT_EQ(kernel.supports(argument).reason, why);
    }
    if(asked == 0)
        GTEST_SKIP() << "the library was built without these families";
}

} // namespace
} // namespace ck::test::transposed
