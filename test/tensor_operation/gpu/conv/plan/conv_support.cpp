// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"

#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ck::tensor_operation::device::conv_support {
namespace {

/// Lengths of Y in the order G N K D H W: N 2, K 8, W 3, channels last.
constexpr TensorLengths lengths{1, 2, 8, 1, 1, 3};
constexpr TensorStrides packed{8, 24, 1, 24, 24, 8};

void expect_refused(const Support& s, const std::string& why)
{
    EXPECT_NE(s.reason.find(why), std::string::npos) << s.reason;
}

TEST(CheckDevice, ComparesSharedMemoryWithItsLimit)
{
    constexpr GemmTuning mma{.block_tile  = {64, 64, 32},
                             .wave_m      = 32,
                             .wave_n      = 32,
                             .instruction = arch::Matrix::mma_f32_16x8x16_f16,
                             .a_vector    = 8,
                             .b_vector    = 8,
                             .c_vector    = 8};
    EXPECT_TRUE(check_device(mma, arch::Target::sm80));
    EXPECT_TRUE(check_device(mma, arch::Target::sm80, 101376, 101376));
    expect_refused(check_device(mma, arch::Target::sm80, 101377, 101376),
                   "the kernel's blocks take 101377 bytes of LDS, but this device has 101376");
    EXPECT_EQ(check_device(mma, arch::Target::gfx90a, 1, 1).reason,
              "the device is gfx90a, but mma_f32_16x8x16_f16 needs mma.sync (sm_80 and later)");
    GemmTuning maps = mma;
    maps.pipeline   = Pipeline::tensor_maps;
    EXPECT_EQ(check_device(maps, arch::Target::sm80).reason,
              "the device is sm_80, but the copying by tensor maps needs wgmma (sm_90)");
}

TEST(CheckWritten, TakesPackedTensorsAndThoseWithGaps)
{
    EXPECT_TRUE(check_written("Y", lengths, packed));
    EXPECT_TRUE(check_written("Y", lengths, {0, 100, 1, 0, 0, 30})) << "lengths of 1 have any";
    EXPECT_TRUE(check_written("Y", lengths, {8, 1, 6, 24, 24, 2})) << "in another order";
    EXPECT_TRUE(check_written("Y", {1, 0, 8, 1, 1, 3}, {})) << "no elements";
}

TEST(CheckWritten, RefusesElementsAtOneAddress)
{
    expect_refused(check_written("Y", lengths, {8, 0, 1, 24, 24, 8}),
                   "a stride of Y, which is written, is 0, but must be above 0");
    expect_refused(check_written("Y", lengths, {8, 24, 1, 24, 24, 7}), "is 7, but must be above 7");
    expect_refused(check_written("Y", lengths, {8, 23, 1, 24, 24, 8}),
                   "is 23, but must be above 23");
}

TEST(CheckVectors, RefusesAddressesBetweenElements)
{
    const auto at = [](std::uintptr_t address, index_t vector) {
        return check_vectors(
            "X", "C", lengths, packed, 2, vector, 4, reinterpret_cast<const void*>(address));
    };
    EXPECT_TRUE(at(0, 1));
    EXPECT_TRUE(at(4, 1));
    expect_refused(at(2, 1), "not a multiple of the 4 bytes of an element");
    expect_refused(at(2, 4), "not a multiple of the 4 bytes of an element");
    expect_refused(at(4, 4), "not a multiple of 16 bytes");
    EXPECT_TRUE(at(16, 4));
}

TEST(CheckVectors, SaysWhatIsNoMultiple)
{
    const auto why = [](const TensorLengths& l, const TensorStrides& s, index_t vector) {
        return check_vectors("X", "C", l, s, 2, vector, 2, nullptr).reason;
    };
    EXPECT_EQ(why(lengths, packed, 8), "");
    EXPECT_EQ(why({1, 2, 4, 1, 1, 3}, packed, 8),
              "C is 4, not a multiple of 8, in the vectors of 8 elements in which this kernel "
              "accesses X");
    EXPECT_EQ(why(lengths, {48, 24, 3, 24, 24, 1}, 2),
              "the stride of C is 3, not 1, in the vectors of 2 elements in which this kernel "
              "accesses X");
    EXPECT_EQ(why(lengths, {8, 28, 1, 24, 24, 8}, 8),
              "a stride of X is 28, not a multiple of 8, in the vectors of 8 elements in which "
              "this kernel accesses X");
    EXPECT_EQ(why(lengths, {7, 24, 1, 7, 7, 8}, 8), "") << "of one element";
}

TEST(CheckD, IsOfOneImage)
{
    const auto why = [](const TensorLengths& of_c, const TensorStrides& strides, index_t vector) {
        return check_d("D0", of_c, {nullptr, strides}, vector, 2).reason;
    };
    EXPECT_EQ(why(lengths, packed, 8), "");
    EXPECT_EQ(why(lengths, {0, 0, 1, 0, 0, 0}, 8), "") << "a bias";
    EXPECT_EQ(why(lengths, {0, 0, 0, 0, 0, 0}, 1), "") << "one value";
    EXPECT_EQ(why(lengths, {0, 0, 0, 0, 0, 0}, 8),
              "the stride of the channels is 0, not 1, in the vectors of 8 elements in which this "
              "kernel accesses D0");
    EXPECT_EQ(why(lengths, {8, 28, 1, 24, 24, 8}, 8),
              "a stride of D0 is 28, not a multiple of 8, in the vectors of 8 elements in which "
              "this kernel accesses D0");
    // The last of 3 pixels begins at twice the stride, and has 16 bytes.
    constexpr long_index_t most = (ck::detail::index_limit - 16) / 4;
    EXPECT_EQ(why(lengths, {8, 24, 1, 24, 24, most}, 1), "");
    EXPECT_EQ(why(lengths, {8, 24, 1, 24, 24, most + 1}, 1),
              "D0 spans " + std::to_string(4 * (most + 1) + 16) +
                  " bytes in an image, but 32-bit offsets need less than 2^31");
}

TEST(MostDImages, AreThoseThatOffsetsReach)
{
    const auto most = [](long_index_t stride, long_index_t images) {
        return most_d_images(
            {1, images, 8, 1, 1, 3}, {nullptr, {8, stride, 1, 24, 24, 8}}, 2, images);
    };
    EXPECT_EQ(most(0, 100), 100);
    EXPECT_EQ(most(24, 100), 100);
    constexpr long_index_t room = ck::detail::index_limit - 48; // beside an image's 24 elements
    EXPECT_EQ(most(room / 2, 100), 2);
    EXPECT_EQ(most(room / 2 + 1, 100), 1);
    EXPECT_EQ(most(room / 6, 100), 4);
    EXPECT_EQ(most(room / 6, 3), 3);
}

/// A 1x1 or 3x3 convolution without pads, of C 1.
ConvProblem problem_of(index_t rank, long_index_t length)
{
    ConvProblem p{};
    p.rank   = rank;
    p.groups = p.batch = p.out_channels = p.in_channels = 1;
    for(std::size_t i = 0; i < 3; ++i)
    {
        const bool is_there = i + static_cast<std::size_t>(rank) >= 3;
        p.input[i]          = is_there ? 9 : 1;
        p.filter[i]         = is_there ? length : 1;
        p.stride[i] = p.dilation[i] = 1;
    }
    return p;
}

TEST(MovedBytes, AreOfPixelsInsideWindowsAloneWhereXIsRead)
{
    ConvProblem p = problem_of(1, 1); // 10 pixels, of which 5 are read, and 5 of Y
    p.input[2]    = 10;
    p.stride[2]   = 2;
    for(std::size_t i = 0; i < 6; ++i)
        p.input_strides[i] = p.filter_strides[i] = p.output_strides[i] = 1;
    EXPECT_EQ(moved_bytes<BackwardDataDirection>(p, {4, 2, 1}), 10 * 4 + 2 + 5);
    EXPECT_EQ(moved_bytes<ForwardDirection>(p, {4, 2, 1}), 5 * 4 + 2 + 5);
    EXPECT_EQ(moved_bytes<BackwardWeightDirection>(p, {4, 2, 1}), 5 * 4 + 2 + 5);
}

TEST(CheckMerge, NeedsAdjacentChannels)
{
    EXPECT_EQ(check_merge("X", {8, 24, 1, 24, 24, 8}, 8).reason, "");
    EXPECT_EQ(check_merge("X", {16, 24, 2, 24, 24, 8}, 8).reason, "");
    EXPECT_EQ(check_merge("X", {5, 24, 1, 24, 24, 8}, 1).reason, "");
    EXPECT_EQ(check_merge("X", {9, 24, 1, 24, 24, 8}, 8).reason,
              "the groups of X are 9 elements apart, not the 8 of their channels, and groups that "
              "are computed as one must be");
    EXPECT_EQ(check_merge("X", {8, 24, 2, 24, 24, 8}, 8).reason,
              "the groups of X are 8 elements apart, not the 16 of their channels, and groups that "
              "are computed as one must be");
}

TEST(CheckWorkspace, IsAtAMultipleOf16)
{
    EXPECT_TRUE(check_workspace(nullptr));
    alignas(16) const char memory[32]{};
    EXPECT_TRUE(check_workspace(memory));
    expect_refused(check_workspace(memory + 4), "not a multiple of 16 bytes");
}

// Every length, stride and pad that a specialisation speaks of is looked at, in each dimension.
TEST(CheckSpecialization, LooksAtEveryDimension)
{
    using Forward = ConvolutionForwardSpecialization;
    using Data    = ConvolutionBackwardDataSpecialization;
    for(index_t rank = 1; rank <= 3; ++rank)
    {
        const ConvProblem one = problem_of(rank, 1), three = problem_of(rank, 3);
        EXPECT_TRUE(check_specialization(Forward::Filter3x3, three));
        EXPECT_TRUE(check_specialization(Forward::Filter1x1Pad0, one));
        EXPECT_TRUE(check_specialization(Forward::Filter1x1Stride1Pad0, one));
        EXPECT_TRUE(check_specialization(Data::Filter1x1Stride1Pad0, one));
        for(std::size_t i = 3 - static_cast<std::size_t>(rank); i < 3; ++i)
        {
            const auto with = [&](ConvProblem p, Spatial ConvProblem::*field, long_index_t value) {
                (p.*field)[i] = value;
                return p;
            };
            for(const long_index_t length : {1, 2, 4})
                expect_refused(check_specialization(Forward::Filter3x3,
                                                    with(three, &ConvProblem::filter, length)),
                               "a filter length is " + std::to_string(length));
            for(const auto& [field, value] : {std::pair{&ConvProblem::filter, 2},
                                              {&ConvProblem::pad_low, 1},
                                              {&ConvProblem::pad_high, 1},
                                              {&ConvProblem::pad_high, -1}})
            {
                const ConvProblem p = with(one, field, value);
                expect_refused(check_specialization(Forward::Filter1x1Pad0, p), "Filter1x1Pad0");
                expect_refused(check_specialization(Forward::Filter1x1Stride1Pad0, p), "Stride1");
                expect_refused(check_specialization(Data::Filter1x1Stride1Pad0, p), "Stride1");
            }
            const ConvProblem strided = with(one, &ConvProblem::stride, 2);
            EXPECT_TRUE(check_specialization(Forward::Filter1x1Pad0, strided));
            expect_refused(check_specialization(Forward::Filter1x1Stride1Pad0, strided), "Stride1");
            expect_refused(check_specialization(Data::Filter1x1Stride1Pad0, strided), "Stride1");
            for(const ConvProblem& any : {strided, with(three, &ConvProblem::pad_low, 1)})
            {
                EXPECT_TRUE(check_specialization(Forward::Default, any));
                EXPECT_TRUE(check_specialization(Forward::OddC, any));
                EXPECT_TRUE(check_specialization(Data::Default, any));
            }
        }
        ConvProblem two_channels = three;
        two_channels.in_channels = 2;
        expect_refused(check_specialization(Forward::Filter3x3, two_channels), "C is 2, but");
    }
}

} // namespace
} // namespace ck::tensor_operation::device::conv_support
