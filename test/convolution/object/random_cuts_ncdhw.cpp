// Random cuts of problems whose operands have their channels first.
//
// Labels: emulated on one target, not sanitized
#include "convolution/object/random_cuts.hpp"

namespace ck::test {
namespace {

TEST(ObjectRandomCuts, Ncdhw)
{
    run_random<half_t, ConvFormat::NCDHW, ConvFormat::NCDHW, ConvFormat::NCDHW, 64>(4, 16);
}

TEST(ObjectRandomCuts, NcdhwGradOutput)
{
    run_random<bhalf_t, ConvFormat::NCDHW, ConvFormat::FRACTAL_Z_3D, ConvFormat::NDC1HWC0, 128>(5,
                                                                                                8);
}

TEST(ObjectRandomCuts, NcdhwWeight)
{
    run_random<half_t, ConvFormat::NDC1HWC0, ConvFormat::NCDHW, ConvFormat::NDC1HWC0, 128>(6, 8);
}

} // namespace
} // namespace ck::test
