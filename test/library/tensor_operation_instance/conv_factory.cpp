// why_none<DeviceOp>(): an empty list of instances with a reason.
#include "ck/library/tensor_operation_instance/conv_factory.hpp"

#include "ck/library/tensor_operation_instance/gpu/convolution_forward.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace ck::tensor_operation::device::instance::conv_factory {

namespace {

using PT = PassThrough;

template <class In, class Wei, class Out, class InLayout = NHWC>
using Forward = DeviceConvFwd<2, InLayout, KYXC, NHWK, In, Wei, Out, PT, PT, PT>;

/// Returns why_none<Op>(), and expects a reason just where GetInstances() is empty.
template <class Op>
std::string reason()
{
    const std::string text = why_none<Op>();
    EXPECT_EQ(DeviceOperationInstanceFactory<Op>::GetInstances().empty(), !text.empty()) << text;
    return text;
}

template <class Op>
auto argument_of(Op& op, const std::vector<index_t>& dilations)
{
    const std::vector<index_t> image{8, 8}, filter{3, 3}, one{1, 1};
    return op.MakeArgumentPointer(nullptr,
                                  nullptr,
                                  nullptr,
                                  1,
                                  64,
                                  64,
                                  image,
                                  filter,
                                  image,
                                  one,
                                  dilations,
                                  one,
                                  one,
                                  PT{},
                                  PT{},
                                  PT{});
}

} // namespace

TEST(WhyNone, IsEmptyWhereThereAreInstances)
{
    EXPECT_EQ((reason<Forward<half_t, half_t, half_t>>()), "");
}

TEST(WhyNone, NamesTheFamilyAndTheNearestThatThereAre)
{
    const std::string text = reason<Forward<half_t, float, half_t>>();
    EXPECT_NE(text.find("no kernels of the family forward, A f16, B f32, C f16"), text.npos)
        << text;
    EXPECT_NE(text.find("nearest that it has:\n  forward, A f16, B f16, C f16"), text.npos) << text;
    EXPECT_EQ(text.find("backward"), text.npos) << text;
}

TEST(WhyNone, SaysThatLayoutsDoNotGoTogether)
{
    const std::string text = reason<Forward<half_t, half_t, half_t, NHWGC>>();
    EXPECT_NE(text.find("layouts of this operation"), text.npos) << text;
}

TEST(WhyNone, OfAnArgumentIsEachKernelsReason)
{
    using Op             = Forward<half_t, half_t, half_t>;
    const auto instances = DeviceOperationInstanceFactory<Op>::GetInstances();
    ASSERT_FALSE(instances.empty());
    const auto good = argument_of(*instances.front(), {1, 1});
    EXPECT_EQ(why_none<Op>(good.get()), "");
    const auto bad         = argument_of(*instances.front(), {0, 1});
    const std::string text = why_none<Op>(bad.get());
    EXPECT_NE(text.find("dilation"), text.npos) << text;
    EXPECT_EQ(text, instances.front()->WhyNotSupported(bad.get()));
    using Other = Forward<float, float, float>;
    EXPECT_THROW(why_none<Other>(good.get()), std::invalid_argument);
    EXPECT_THROW(why_none<Op>(nullptr), std::invalid_argument);
}

} // namespace ck::tensor_operation::device::instance::conv_factory
