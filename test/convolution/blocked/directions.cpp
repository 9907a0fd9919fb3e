// The three directions on blocked tensors, by engines, types, ranks and sizes of blocks.
//
// Labels: emulated on one target
// Cases not sanitized: Blocked.AllOfF32ByDl Blocked.AllOfF32 Blocked.AllOfInt8WithInt32Results
// Cases not sanitized: Blocked.ImagesOfBf16WithPackedFilters
// Cases not sanitized: Blocked.FiltersOfF16WithImagesOfNCDHW
// Cases not sanitized: Blocked.FiltersOfF16WithPackedImages Blocked.XOfF16WithTheRestPacked
// Cases not sanitized: Blocked.AllOfF16InTwoDimensionsWithBlocksOf8And32
// Cases not sanitized: Blocked.YOfF16WithTheRestPacked Blocked.AllOfF16ByAsynchronousCopies
#include "convolution/blocked/blocked.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;
constexpr GemmTuning tuning_of(arch::Matrix instruction, index_t k, index_t vector, Pipeline p)
{
    return {.block_tile  = {64, 64, k},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = instruction,
            .a_vector    = vector,
            .b_vector    = vector,
            .c_vector    = vector,
            .pipeline    = p};
}
constexpr GemmTuning f16_8   = tuning_of(mfma_f32_32x32x8_f16, 32, 8, Pipeline::double_buffer);
constexpr GemmTuning f16_1   = tuning_of(mfma_f32_32x32x8_f16, 32, 1, Pipeline::single_buffer);
constexpr GemmTuning bf16_8  = tuning_of(mfma_f32_16x16x16_bf16_1k, 32, 8, Pipeline::single_buffer);
constexpr GemmTuning f32_4   = tuning_of(mfma_f32_32x32x2_f32, 16, 4, Pipeline::double_buffer);
constexpr GemmTuning i8_16   = tuning_of(mfma_i32_32x32x8_i8, 64, 16, Pipeline::double_buffer);
constexpr GemmTuning async_8 = tuning_of(mma_f32_16x8x16_f16, 32, 8, Pipeline::async_copies);
constexpr GemmTuning dot_4   = tuning_of(dot_f32_8x4x1_f32, 16, 4, Pipeline::single_buffer);

template <class Case>
void expect_directions(unsigned seed, int count, long_index_t channels = 1, bool last = true)
{
    using F = typename Case::Forward;
    CK_SKIP_WITHOUT(F::Kernel::requirement, (Case::template why_not<F, out>()));
    Case::template expect_random<F, out>(seed, count, channels, last);
    Case::template expect_random<typename Case::BackwardData, in>(seed + 1, count, channels, last);
    Case::template expect_random<typename Case::BackwardWeight, filter>(
        seed + 2, count, channels, last);
}

TEST(Blocked, AllOfF16InThreeDimensions)
{
    expect_directions<
        BlockedCase<3, half_t, half_t, c::NDC1HWC0<>, c::FRACTAL_Z_3D<>, c::NDC1HWC0<>, f16_8>>(1,
                                                                                                20);
}
TEST(Blocked, AllOfF16InTwoDimensionsWithBlocksOf8And32)
{
    expect_directions<
        BlockedCase<2, half_t, half_t, c::NC1HWC0<8>, c::FRACTAL_Z<32>, c::NC1HWC0<16>, f16_8>>(11,
                                                                                                20);
}
TEST(Blocked, ImagesOfBf16WithPackedFilters)
{
    expect_directions<
        BlockedCase<2, bhalf_t, bhalf_t, c::NC1HWC0<>, c::KYXC, c::NC1HWC0<32>, bf16_8>>(21, 20, 8);
}
TEST(Blocked, FiltersOfF16WithPackedImages)
{
    expect_directions<BlockedCase<3, half_t, half_t, c::NDHWC, c::FRACTAL_Z_3D<>, c::NDHWK, f16_8>>(
        31, 20, 8);
}
TEST(Blocked, FiltersOfF16WithImagesOfNCDHW)
{
    expect_directions<BlockedCase<3, half_t, half_t, c::NCDHW, c::FRACTAL_Z_3D<>, c::NKDHW, f16_1>>(
        41, 12, 1, false);
}
TEST(Blocked, XOfF16WithTheRestPacked)
{
    expect_directions<BlockedCase<2, half_t, half_t, c::NC1HWC0<>, c::KYXC, c::NHWK, f16_8>>(
        51, 20, 8);
}
TEST(Blocked, YOfF16WithTheRestPacked)
{
    expect_directions<BlockedCase<2, half_t, half_t, c::NHWC, c::KYXC, c::NC1HWC0<>, f16_8>>(
        61, 20, 8);
}
TEST(Blocked, AllOfF32)
{
    expect_directions<
        BlockedCase<2, float, float, c::NC1HWC0<>, c::FRACTAL_Z<>, c::NC1HWC0<16>, f32_4>>(71, 20);
}
TEST(Blocked, AllOfF32ByDl)
{
    expect_directions<
        BlockedCase<3, float, float, c::NDC1HWC0<>, c::FRACTAL_Z_3D<16>, c::NDC1HWC0<>, dot_4>>(81,
                                                                                                20);
}
TEST(Blocked, AllOfF16ByAsynchronousCopies)
{
    expect_directions<
        BlockedCase<2, half_t, half_t, c::NC1HWC0<>, c::FRACTAL_Z<>, c::NC1HWC0<>, async_8>>(
        101, 20, 8);
}
TEST(Blocked, AllOfInt8WithInt32Results)
{
    using Case =
        BlockedCase<2, int8_t, int32_t, c::NC1HWC0<32>, c::FRACTAL_Z<32>, c::NC1HWC0<32>, i8_16>;
    expect_directions<Case>(91, 20);
}

/// Backward weight with its sums in partial sums, of problems whose reduction has several slices.
template <class Case>
void expect_partial_sums(unsigned seed, long_index_t channels_of = 1)
{
    using Op = typename Case::BackwardWeight;
    CK_SKIP_WITHOUT(Op::Kernel::requirement, (Case::template why_not<Op, filter>()));
    Random random{std::mt19937(seed)};
    int in_partial_sums = 0;
    for(const index_t split_k : {0, 2, 3, 5, 64, -1})
        for(const bool has_workspace : {true, false})
        {
            ConvProblem p = random_blocked_problem(2, channels_of, random);
            p.batch       = 3;
            p.input[1] += 9;
            p.input[2] += 9;
            SCOPED_TRACE("split_k " + std::to_string(split_k));
            ASSERT_NO_FATAL_FAILURE(
                (Case::template expect_right<Op, filter>(p, random, true, split_k, has_workspace)));
            in_partial_sums += Case::workspace_bytes > 0;
        }
    EXPECT_GE(in_partial_sums, 6);
}

TEST(Blocked, SumsOfF16InPartials)
{
    expect_partial_sums<
        BlockedCase<2, half_t, half_t, c::NC1HWC0<>, c::FRACTAL_Z<>, c::NC1HWC0<>, f16_8>>(111);
}
TEST(Blocked, SumsInPartialsOfFiltersThatArePacked)
{
    expect_partial_sums<BlockedCase<2, half_t, half_t, c::NC1HWC0<>, c::KYXC, c::NC1HWC0<>, f16_8>>(
        121, 8);
}
TEST(Blocked, SumsInPartialsWithBlocksOf8And32)
{
    expect_partial_sums<
        BlockedCase<2, half_t, half_t, c::NC1HWC0<32>, c::FRACTAL_Z<8>, c::NC1HWC0<8>, f16_8>>(131);
}

} // namespace
} // namespace ck::test
