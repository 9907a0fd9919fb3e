// Explanations of what is wrong with a tuning for planes of pixels.
#include "ck/tensor_operation/gpu/conv/kernels/pointwise_channels_first/kernel.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ck::grid {
namespace {

constexpr GemmTuning sound_tuning{.block_tile     = {256, 64, 32},
                                  .wave_m         = 64,
                                  .wave_n         = 64,
                                  .instruction    = arch::Matrix::mma_f32_16x8x16_f16,
                                  .a_vector       = 1,
                                  .b_vector       = 1,
                                  .c_vector       = 1,
                                  .pipeline       = Pipeline::pointwise_channels_first,
                                  .channels_first = {.vector = 8}};
static_assert(why_no_pointwise_channels_first(sound_tuning) == nullptr);
static_assert(block_size(sound_tuning) == 128);

template <class Change>
void expect_tuning_refusal(Change change, const char* part)
{
    GemmTuning t = sound_tuning;
    change(t);
    const char* const reason = why_no_pointwise_channels_first(t);
    ASSERT_NE(reason, nullptr) << "accepted, though " << part;
    EXPECT_NE(std::string(reason).find(part), std::string::npos) << reason;
}

TEST(PointwiseChannelsFirstTuning, SaysWhatIsWrong)
{
    expect_tuning_refusal([](GemmTuning& t) { t.instruction = arch::Matrix::mma_f32_16x8x8_tf32; },
                          "elements of two bytes");
    expect_tuning_refusal(
        [](GemmTuning& t) { t.instruction = arch::Matrix::wgmma_f32_16x8x16_f16; },
        "matrix instructions of a wave");
    expect_tuning_refusal([](GemmTuning& t) { t.reduction = Reduction::merged; }, "one tap");
    expect_tuning_refusal([](GemmTuning& t) { t.a_vector = 8; }, "vectors of pixels");
    expect_tuning_refusal([](GemmTuning& t) { t.c_vector = 8; }, "vectors of pixels");
    expect_tuning_refusal([](GemmTuning& t) { t.channels_first.vector = 16; }, "2, 4 or 8");
    expect_tuning_refusal([](GemmTuning& t) { t.channels_first.vector = 4; },
                          "a vector of pixels for each column");
    expect_tuning_refusal([](GemmTuning& t) { t.wave_n = 32; }, "all columns of a block");
    expect_tuning_refusal([](GemmTuning& t) { t.block_tile.k = 24; },
                          "whole number of instructions");
    expect_tuning_refusal([](GemmTuning& t) { t.pipeline = Pipeline::pointwise; },
                          "only Pipeline::pointwise_channels_first");
}

} // namespace
} // namespace ck::grid
