#include "ck/library/tensor_operation_instance/layouts.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device::instance::layouts {

namespace {
using namespace tensor_layout::convolution;
} // namespace

TEST(Layouts, FactsAreInTheName)
{
    EXPECT_EQ(layout_facts("NDHWGC"), (LayoutFacts{LayoutFacts::input, 3, true, true}));
    EXPECT_EQ(layout_facts("G_NHW_C"), (LayoutFacts{LayoutFacts::input, 2, true, true}));
    EXPECT_EQ(layout_facts("NGKW"), (LayoutFacts{LayoutFacts::output, 1, true, false}));
    EXPECT_EQ(layout_facts("KYXC"), (LayoutFacts{LayoutFacts::filter, 2, false, true}));
    EXPECT_EQ(layout_facts("G_K").tensor, LayoutFacts::none);
}

TEST(Layouts, GroupedOnesGoTogetherByRank)
{
    EXPECT_TRUE((serves_grouped<2, NHWGC, GKYXC, NHWGK>()));
    EXPECT_TRUE((serves_grouped<2, GNHWC, KYXGC, NGKHW>()));
    EXPECT_TRUE((serves_grouped<3, G_NDHW_C, G_K_ZYX_C, G_NDHW_K>()));
    EXPECT_TRUE((serves_grouped<1, GNWC, GKXC, GNWK>()));
    EXPECT_FALSE((serves_grouped<2, NHWC, KYXC, NHWK>()));
    EXPECT_FALSE((serves_grouped<3, NHWGC, GKYXC, NHWGK>()));
    EXPECT_FALSE((serves_grouped<2, NHWGK, GKYXC, NHWGC>()));
    EXPECT_FALSE((serves_grouped<2, NHWGC, GKZYXC, NHWGK>()));
}

TEST(Layouts, PackedOnesAreChannelLast)
{
    EXPECT_TRUE((serves_packed<1, NWC, KXC, NWK>()));
    EXPECT_TRUE((serves_packed<2, NHWC, KYXC, NHWK>()));
    EXPECT_TRUE((serves_packed<3, NDHWC, KZYXC, NDHWK>()));
    EXPECT_FALSE((serves_packed<2, NCHW, KYXC, NHWK>()));
    EXPECT_FALSE((serves_packed<2, NHWC, KCYX, NHWK>()));
    EXPECT_FALSE((serves_packed<2, NHWGC, GKYXC, NHWGK>()));
    EXPECT_FALSE((serves_packed<1, NHWC, KYXC, NHWK>()));
}

} // namespace ck::tensor_operation::device::instance::layouts
