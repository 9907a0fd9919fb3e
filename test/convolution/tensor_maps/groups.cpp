// Several groups by tensor maps: adjacent in a pixel, as separate tensors, and with one A for all
// of them, as in channels-first images.
//
// Labels: not on AMD, not sanitized
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::groups {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

enum class Groups
{
    side_by_side, ///< groups are adjacent in each pixel of X and Y
    apart,        ///< a tensor after the other
    of_one_a      ///< all groups read the same pixels
};

/// Strides of a packed tensor g n c d h w in the order of `dimensions`, the last one fastest.
TensorStrides strides(const TensorLengths& lengths, const std::array<std::size_t, 6>& dimensions)
{
    TensorStrides to{};
    long_index_t next = 1;
    for(std::size_t i = 6; i-- > 0; next *= lengths[dimensions[i]])
        to[dimensions[i]] = next;
    return to;
}

/// A problem of several groups. pack: of which the channels of A are multiples.
template <class Direction>
ConvProblem problem(Draw& draw, index_t rank, Groups groups, long_index_t pack)
{
    constexpr bool forward = std::is_same_v<Direction, ForwardDirection>;
    ConvProblem p;
    do
    {
        p               = draw.problem(rank);
        p.groups        = draw(2, 3);
        p.batch         = 2;
        p.filter[0]     = 1;
        p.pad_low[0]    = math::max(p.pad_low[0], long_index_t{0});
        p.pad_high[0]   = math::max(p.pad_high[0], long_index_t{0});
        auto& reduction = forward ? p.in_channels : p.out_channels;
        reduction       = pack * draw(1, 160 / pack);
        if(!forward)
            p.stride = {1, 1, 1};
    } while(element_count(p.output_lengths()) == 0 || element_count(p.input_lengths()) == 0);
    const std::array<std::size_t, 6> of_groups{0, 1, 3, 4, 5, 2},
        order        = groups == Groups::side_by_side ? std::array<std::size_t, 6>{1, 3, 4, 5, 0, 2}
                                                      : of_groups;
    p.input_strides  = strides(p.input_lengths(), order);
    p.output_strides = strides(p.output_lengths(), order);
    p.filter_strides = strides(p.filter_lengths(), of_groups);
    if(groups == Groups::of_one_a)
        (forward ? p.input_strides : p.output_strides)[0] = 0;
    return p;
}

/// `count` problems of each rank. pack: see problem().
template <class Direction, class T, GemmTuning tuning>
void check(Groups groups, long_index_t pack, int count = 1)
{
    Draw draw{std::mt19937(7)};
    draw.pack = 16 / arch::input_bytes(tuning.instruction);
    for(index_t rank = 1; rank <= 3; ++rank)
        for(int i = 0; i < count; ++i)
        {
            const ConvProblem p = problem<Direction>(draw, rank, groups, pack);
            SCOPED_TRACE("G " + std::to_string(p.groups) + " " + text(p));
            const Support s = expect_right<Direction, T, tuning>(p);
            CK_SKIP_WITHOUT(arch::Requirement::wgmma, s.reason);
            EXPECT_TRUE(s) << s.reason;
        }
}

constexpr GemmTuning f16  = map_tuning(wgmma_f32_16x8x16_f16, 64, 64, 3),
                     bf16 = map_tuning(wgmma_f32_16x8x16_bf16, 128, 96, 3),
                     deferred =
                         [] {
                             GemmTuning t = map_tuning(wgmma_f32_16x8x16_f16, 256, 128, 3);
                             t.wave_m     = 32;
                             return t;
                         }(),
                     clusters = [] {
                         GemmTuning t   = map_tuning(wgmma_f32_16x8x16_bf16, 64, 128, 3);
                         t.maps.cluster = 2;
                         return t;
                     }();

TEST(GroupsByTensorMaps, forward)
{
    check<ForwardDirection, half_t, f16>(Groups::side_by_side, 32, 3);
    check<ForwardDirection, bhalf_t, bf16>(Groups::side_by_side, 32);
    check<ForwardDirection, half_t, deferred>(Groups::side_by_side, 64);
    check<ForwardDirection, bhalf_t, clusters>(Groups::side_by_side, 32);
    check<ForwardDirection, half_t, f16>(Groups::apart, 32);
    check<ForwardDirection, half_t, f16>(Groups::of_one_a, 8);
}
TEST(GroupsByTensorMaps, backward_data)
{
    check<BackwardDataDirection, half_t, f16>(Groups::side_by_side, 32, 3);
    check<BackwardDataDirection, half_t, deferred>(Groups::side_by_side, 64);
    check<BackwardDataDirection, bhalf_t, clusters>(Groups::side_by_side, 32);
    check<BackwardDataDirection, half_t, f16>(Groups::apart, 32);
    check<BackwardDataDirection, bhalf_t, clusters>(Groups::of_one_a, 8);
}
TEST(GroupsByTensorMaps, eight_bits)
{
    constexpr GemmTuning i8 = map_tuning(wgmma_i32_16x8x32_s8, 128, 64, 3, 16);
    check<ForwardDirection, std::int8_t, i8>(Groups::side_by_side, 64);
    check<ForwardDirection, std::int8_t, i8>(Groups::of_one_a, 16);
}

/// Partial sums of the sums of several groups, the last tiles' more and shorter ones.
TEST(GroupsByTensorMaps, backward_weight)
{
    Draw draw{std::mt19937(8), true};
    int number = 0;
    for(const Groups groups : {Groups::side_by_side, Groups::apart, Groups::of_one_a})
        for(index_t rank = 1; rank <= 3; ++rank)
        {
            draw.most_taps = rank == 2 ? 1 : 2;
            ConvProblem p  = problem<BackwardDataDirection>(draw, rank, groups, 8);
            SCOPED_TRACE("G " + std::to_string(p.groups) + " " + text(p));
            for(const index_t split_k : {1, 3, -1})
            {
                const Support s = expect_right_weight<half_t, f16>(p, split_k);
                CK_SKIP_WITHOUT(arch::Requirement::wgmma, s.reason);
                EXPECT_TRUE(s) << s.reason;
            }
            const SplitPlan plans[] = {{2, 2, 3, false}, {1, 1, 2, false}, {3, 1, 2, false}};
            EXPECT_EQ((expect_right_weight<half_t, f16>(p, 1, plans[number++ % 3])).reason, "");
        }
}

TEST(GroupsByTensorMaps, are_refused)
{
    Draw draw{std::mt19937(7)};
    const auto expect_refusal =
        [](const ConvProblem& p, const auto& direction, const char* reason) {
            const Support s = expect_right<std::decay_t<decltype(direction)>, half_t, f16>(p);
            CK_SKIP_WITHOUT(arch::Requirement::wgmma, s.reason);
            EXPECT_NE(s.reason.find(reason), std::string::npos) << s.reason;
        };
    ConvProblem p = problem<ForwardDirection>(draw, 2, Groups::side_by_side, 64);
    p.in_channels = 40;
    expect_refusal(
        p, ForwardDirection{}, "a group has 40 channels of X, not a multiple of the 32 that");
    p             = problem<ForwardDirection>(draw, 3, Groups::of_one_a, 64);
    p.filter[0]   = 2;
    p.pad_high[0] = 2;
    expect_refusal(p, ForwardDirection{}, "groups have 2 planes");
    p           = problem<BackwardDataDirection>(draw, 2, Groups::side_by_side, 64);
    p.stride[2] = 2;
    expect_refusal(p, BackwardDataDirection{}, "groups and several phases");
    ConvProblem kept           = problem<ForwardDirection>(draw, 2, Groups::side_by_side, 64);
    constexpr GemmTuning keeps = [] {
        GemmTuning t            = f16;
        t.maps.resident_filters = 3;
        return t;
    }();
    const Support s = expect_right<ForwardDirection, half_t, keeps>(kept);
    EXPECT_NE(s.reason.find("tensor maps are of one group"), std::string::npos) << s.reason;
}

} // namespace
} // namespace ck::test::groups
