#include "ck/convolution/support.hpp"

#include "ck/convolution/direction.hpp"
#include "ck/convolution/specialization.hpp"

#include <gtest/gtest.h>

namespace ck {
namespace {

TEST(Support, no_reason_is_support)
{
    EXPECT_TRUE(Support{});
    EXPECT_FALSE(refused("K is 3"));
    EXPECT_EQ(refused("K is 3").reason, "K is 3");
}

TEST(Direction, names)
{
    EXPECT_STREQ(name(Direction::forward), "forward");
    EXPECT_STREQ(name(Direction::backward_data), "backward data");
    EXPECT_STREQ(name(Direction::backward_weight), "backward weight");
}

namespace device = tensor_operation::device;

TEST(CheckAll, stops_at_the_first_refusal)
{
    int called          = 0;
    const auto accept   = [&] { return ++called, Support{}; };
    const auto refuse   = [&] { return ++called, refused("no"); };
    const auto not_seen = [&] { return ++called, refused("never asked"); };
    EXPECT_EQ(check_all(accept, refuse, not_seen).reason, "no");
    EXPECT_EQ(called, 2);
    EXPECT_TRUE(check_all(accept, accept));
    EXPECT_TRUE(check_all());
}

TEST(Specialization, names_and_numbers_that_clients_rely_on)
{
    using Forward         = device::ConvolutionForwardSpecialization;
    using Data            = device::ConvolutionBackwardDataSpecialization;
    using Weight          = device::ConvolutionBackwardWeightSpecialization;
    const char* forward[] = {
        "Default", "Filter1x1Pad0", "Filter1x1Stride1Pad0", "OddC", "Filter3x3"};
    for(int i = 0; i < 5; ++i)
        EXPECT_EQ(device::getConvForwardSpecializationString(static_cast<Forward>(i)), forward[i]);
    const char* data[] = {"Default", "Filter1x1Stride1Pad0"};
    for(int i = 0; i < 2; ++i)
        EXPECT_EQ(device::getConvBackwardDataSpecializationString(static_cast<Data>(i)), data[i]);
    const char* weight[] = {
        "Default", "Filter1x1Stride1Pad0", "Filter1x1Pad0", "OddC", "Filter3x3"};
    for(int i = 0; i < 5; ++i)
        EXPECT_EQ(device::getConvBackwardWeightSpecializationString(static_cast<Weight>(i)),
                  weight[i]);
}

} // namespace
} // namespace ck
