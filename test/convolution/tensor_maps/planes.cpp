// Filters with all planes of an image by tensor maps: any number of planes, although the windows of
// the instruction reach over only 32.
//
// Labels: not on AMD
// Cases not sanitized: PlanesByTensorMaps.are_as_many_as_images
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::planes {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

constexpr GemmTuning f16 = map_tuning(wgmma_f32_16x8x16_f16, 64, 64, 3);

ConvProblem problem(long_index_t planes, long_index_t batch)
{
    ConvProblem p;
    p.rank         = 3;
    p.batch        = batch;
    p.out_channels = 72;
    p.in_channels  = 80;
    p.filter       = {planes, 1, 2};
    p.input        = {planes, 2, 35};
    p.pad_low      = {0, 0, 1};
    set_packed_strides(p);
    return p;
}

TEST(PlanesByTensorMaps, are_as_many_as_images)
{
    for(const long_index_t planes : {2, 33, 100})
    {
        const Support s = expect_right<ForwardDirection, half_t, f16>(problem(planes, 1));
        CK_SKIP_WITHOUT(arch::Requirement::wgmma, s.reason);
        EXPECT_TRUE(s) << planes << " planes: " << s.reason;
    }
}

TEST(PlanesByTensorMaps, of_several_images_are_few)
{
    const Support s = expect_right<ForwardDirection, half_t, f16>(problem(33, 2));
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, s.reason);
    EXPECT_NE(s.reason.find("the last pixel's distance from a tensor's end is -32"),
              std::string::npos)
        << s.reason;
}

} // namespace
} // namespace ck::test::planes
