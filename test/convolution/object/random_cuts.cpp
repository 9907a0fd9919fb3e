// Random cuts of problems whose operands are packed or in blocks.
//
// Labels: emulated on one target, not sanitized
#include "convolution/object/random_cuts.hpp"

namespace ck::test {
namespace {

TEST(ObjectRandomCuts, Packed)
{
    run_random<half_t, ConvFormat::NDHWC, ConvFormat::NDHWC, ConvFormat::NDHWC, 64>(1, 6);
}

TEST(ObjectRandomCuts, Blocked)
{
    run_random<half_t, ConvFormat::NDC1HWC0, ConvFormat::FRACTAL_Z_3D, ConvFormat::NDC1HWC0, 64>(
        2, 16);
}

TEST(ObjectRandomCuts, BlockedToNcdhwBf16)
{
    run_random<bhalf_t, ConvFormat::NDC1HWC0, ConvFormat::FRACTAL_Z_3D, ConvFormat::NCDHW, 128>(3,
                                                                                                10);
}

} // namespace
} // namespace ck::test
