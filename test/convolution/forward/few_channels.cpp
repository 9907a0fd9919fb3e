// The library's tables for few channels: all rows of two engines, the first of the others, from
// which they differ in the instruction alone.
//
// Labels: not sanitized, not emulated
#include "convolution/lattice/few_channels.hpp"

#include "convolution/forward/instance.hpp"

namespace ck::test {
namespace {

using namespace tables;
constexpr ck::Direction direction = ck::Direction::forward;

template <const auto& table, index_t row>
void check()
{
    check_few_channels<InstanceOf, table, row>();
}

TEST(FewChannels, XdlDepthwise) { check<xdl_few_channels<direction, xdl_f16>, 0>(); }
TEST(FewChannels, XdlSmallGroups) { check<xdl_few_channels<direction, xdl_f16>, 1>(); }
TEST(FewChannels, XdlFirstLayer) { check<xdl_few_channels<direction, xdl_f16>, 2>(); }
TEST(FewChannels, XdlFourChannels) { check<xdl_few_channels<direction, xdl_f16>, 3>(); }
TEST(FewChannels, XdlEvenDepthwise) { check<xdl_few_channels<direction, xdl_f16>, 4>(); }
TEST(FewChannels, XdlAny) { check<xdl_few_channels<direction, xdl_f16>, 5>(); }

TEST(FewChannels, MmaDepthwise) { check<mma_few_channels<direction, mma_f16>, 0>(); }
TEST(FewChannels, MmaSmallGroups) { check<mma_few_channels<direction, mma_f16>, 1>(); }
TEST(FewChannels, MmaFirstLayer) { check<mma_few_channels<direction, mma_f16>, 2>(); }
TEST(FewChannels, MmaFourChannels) { check<mma_few_channels<direction, mma_f16>, 3>(); }
TEST(FewChannels, MmaEvenDepthwise) { check<mma_few_channels<direction, mma_f16>, 4>(); }
TEST(FewChannels, MmaAny) { check<mma_few_channels<direction, mma_f16>, 5>(); }

TEST(FewChannels, WmmaDepthwise) { check<wmma_few_channels<direction, wmma_gfx11_f16>, 0>(); }
TEST(FewChannels, WmmaOfGfx12Depthwise)
{
    check<wmma_few_channels<direction, wmma_gfx12_f16>, 0>();
}
TEST(Depthwise, InVectors) { check<dl_few_channels<direction, dl_f16>, 6>(); }
TEST(Depthwise, InPairs) { check<dl_few_channels<direction, dl_f16>, 7>(); }
TEST(Depthwise, OneByOne) { check<dl_few_channels<direction, dl_f16>, 8>(); }
TEST(Depthwise, OfFloats)
{
    constexpr GemmTuning tuning = dl_few_channels<direction, dl_f32>[6];
    expect_right(InstanceOf<float, tuning>("direct"), small_groups(60, 1, 1));
}
TEST(Depthwise, OfDoubles)
{
    constexpr GemmTuning tuning = dl_few_channels<direction, dl_f64>[6];
    expect_right(InstanceOf<double, tuning>("direct"), small_groups(60, 1, 1));
}
TEST(Depthwise, IsRefusedElsewhere)
{
    constexpr GemmTuning tuning = dl_few_channels<direction, dl_f16>[6];
    check_depthwise_refusals(InstanceOf<half_t, tuning>("direct"));
}

TEST(FewChannels, DlDepthwise) { check<dl_few_channels<direction, dl_f16>, 0>(); }

} // namespace
} // namespace ck::test
