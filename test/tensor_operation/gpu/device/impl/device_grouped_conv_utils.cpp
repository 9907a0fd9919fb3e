// Which layouts three tensors have together: each query is true only for its own layouts.
//
// Labels: not sanitized, not emulated
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_utils.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace {

using namespace ck::tensor_operation::device;
using namespace ck::tensor_layout::convolution;

/// The questions of one set of layouts, ranks together and at last the three of any rank.
template <class In, class Wei, class Out>
constexpr std::array<bool, 12> answers()
{
    return {is_NWGC_GKXC_NWGK<In, Wei, Out>(),
            is_NHWGC_GKYXC_NHWGK<In, Wei, Out>(),
            is_NDHWGC_GKZYXC_NDHWGK<In, Wei, Out>(),
            is_GNWC_GKXC_GNWK<In, Wei, Out>(),
            is_GNHWC_GKYXC_GNHWK<In, Wei, Out>(),
            is_GNDHWC_GKZYXC_GNDHWK<In, Wei, Out>(),
            is_NGCW_GKXC_NGKW<In, Wei, Out>(),
            is_NGCHW_GKYXC_NGKHW<In, Wei, Out>(),
            is_NGCDHW_GKZYXC_NGKDHW<In, Wei, Out>(),
            is_NSpatialGC_GKSpatial_NSpatialGK<In, Wei, Out>(),
            is_GNSpatialC_GKSpatial_GNSpatialK<In, Wei, Out>(),
            is_NGCSpatial_GKSpatial_NGKSpatial<In, Wei, Out>()};
}

template <class In, class Wei, class Out>
void expect_only(std::size_t set)
{
    for(std::size_t i = 0; i < 9; ++i)
        EXPECT_EQ((answers<In, Wei, Out>()[i]), i == set) << i << " of layouts " << set;
    for(std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ((answers<In, Wei, Out>()[9 + i]), i == set / 3) << i << " of layouts " << set;
}

TEST(DeviceGroupedConvUtils, EachSetOfLayoutsIsItselfAlone)
{
    expect_only<NWGC, GKXC, NWGK>(0);
    expect_only<NHWGC, GKYXC, NHWGK>(1);
    expect_only<NDHWGC, GKZYXC, NDHWGK>(2);
    expect_only<GNWC, GKXC, GNWK>(3);
    expect_only<GNHWC, GKYXC, GNHWK>(4);
    expect_only<GNDHWC, GKZYXC, GNDHWK>(5);
    expect_only<NGCW, GKXC, NGKW>(6);
    expect_only<NGCHW, GKYXC, NGKHW>(7);
    expect_only<NGCDHW, GKZYXC, NGKDHW>(8);
}

TEST(DeviceGroupedConvUtils, OneOtherTensorIsAnotherSet)
{
    for(const bool yes : answers<NHWGC, GKYXC, GNHWK>())
        EXPECT_FALSE(yes);
    for(const bool yes : answers<NHWGC, GKXC, NHWGK>())
        EXPECT_FALSE(yes);
    for(const bool yes : answers<GNHWC, GKYXC, NHWGK>())
        EXPECT_FALSE(yes);
}

} // namespace
