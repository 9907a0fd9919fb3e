// Depthwise convolutions by sliding windows: any number of segments and parts, some of them empty.
//
// Labels: emulated on newest targets
// Cases not sanitized: Windows.FiveByFiveStride2 Windows.SevenBySeven Windows.ManyPixels
// Cases not sanitized: Windows.ThreePlanes Windows.FourPixels Windows.FiveByFive
// Cases not sanitized: Windows.ThreePlanesStride2 Windows.Bytes
// Cases not sanitized: Windows.ThreeByThreeStride2
#include "convolution/backward_weight/weight.hpp"
#include "convolution/lattice/window_shapes.hpp"
#include "tables/dl.hpp"

namespace ck::test {
namespace {

using enum arch::Matrix;

constexpr GemmTuning window_tuning(Window window, arch::Matrix instruction)
{
    return tables::sliding_window(ck::Direction::backward_weight, instruction, window, 1);
}

/// The shape in `rank` dimensions.
ConvParam window_problem(const Window& w, const WindowShape& s, index_t rank)
{
    using Lengths = std::vector<long_index_t>;
    if(rank == 3)
        return ConvParam(3,
                         s.groups,
                         s.images,
                         1,
                         1,
                         Lengths{w.z, w.y, w.x},
                         Lengths{window_planes, s.input[0], s.input[1]},
                         Lengths{1, w.stride, w.stride},
                         Lengths{1, 1, 1},
                         Lengths{w.z / 2, s.pad_low[0], s.pad_low[1]},
                         Lengths{0, s.pad_high[0], s.pad_high[1]});
    if(rank == 1) // one line with all pixels of the shape
        return ConvParam(1,
                         s.groups,
                         s.images,
                         1,
                         1,
                         Lengths{w.y},
                         Lengths{s.input[0] * s.input[1]},
                         Lengths{w.stride},
                         Lengths{1},
                         Lengths{s.pad_low[0]},
                         Lengths{s.pad_high[0]});
    const auto as_ranked = [&](const WindowShape::Pair& pair) {
        return Lengths(pair.begin(), pair.begin() + rank);
    };
    return ConvParam(rank,
                     s.groups,
                     s.images,
                     1,
                     1,
                     as_ranked({w.y, w.x}),
                     as_ranked(s.input),
                     as_ranked({w.stride, w.stride}),
                     as_ranked({1, 1}),
                     as_ranked(s.pad_low),
                     as_ranked(s.pad_high));
}

template <class C>
void check_windows(const Window& window)
{
    for(const Order order : {channels_last, groups_first})
        for(const WindowShape& shape : window_shapes(window))
        {
            const ConvParam p = window_problem(window, shape, C::rank);
            const bool apart =
                order.image == groups_first.image && p.N_ * p.output_spatial_lengths_[0] > 1;
            if(window.vector > 1 && apart) // neighbouring groups
                for(const index_t split : part_counts)
                    EXPECT_NE(why_refused<C>(p, order, split).find("G"), std::string::npos) << p;
            else
                check_by_parts<C>(p, order, Needs::nothing);
        }
}

template <class T, class Weight, Window window, arch::Matrix instruction>
void check_image_windows()
{
    check_windows<Case<2, T, Weight, window_tuning(window, instruction)>>(window);
}

TEST(Windows, ThreeByThree)
{
    check_image_windows<half_t, half_t, Window{3, 3, 1, 4, 2, 3}, dot_f32_8x4x2_f16>();
}
TEST(Windows, ThreeByThreeStride2)
{
    check_image_windows<half_t, float, Window{3, 3, 2, 2, 2}, dot_f32_8x4x2_f16>();
}
TEST(Windows, FiveByFive)
{
    check_image_windows<bhalf_t, bhalf_t, Window{5, 5, 1, 4, 2, 5}, dot_f32_8x4x2_bf16>();
}
TEST(Windows, FiveByFiveStride2)
{
    check_image_windows<half_t, half_t, Window{5, 5, 2, 4, 1}, dot_f32_8x4x2_f16>();
}
TEST(Windows, SevenBySeven)
{
    check_image_windows<float, float, Window{7, 7, 1, 2, 4, 1}, dot_f32_8x4x1_f32>();
}
TEST(Windows, ThreePlanes)
{
    constexpr Window window{3, 3, 1, 4, 2, 2, 3};
    check_windows<Case<3, half_t, half_t, window_tuning(window, dot_f32_8x4x2_f16)>>(window);
}
TEST(Windows, ThreePlanesStride2)
{
    constexpr Window window{3, 3, 2, 2, 2, 2, 3};
    check_windows<Case<3, half_t, half_t, window_tuning(window, dot_f32_8x4x2_f16)>>(window);
}
TEST(Windows, Bytes)
{
    check_image_windows<std::int8_t, std::int8_t, Window{3, 3, 1, 4, 2, 3}, dot_i32_8x4x4_i8>();
    check_image_windows<std::int8_t, std::int8_t, Window{5, 5, 2, 2, 2, 3}, dot_i32_8x4x4_i8>();
}
TEST(Windows, FourPixels)
{
    constexpr Window window{4, 1, 1, 1, 8, 4};
    check_windows<Case<1, half_t, half_t, window_tuning(window, dot_f32_8x4x2_f16)>>(window);
}
TEST(Windows, ManyPixels)
{
    constexpr Window window{31, 1, 1, 1, 2, 8};
    check_windows<Case<1, half_t, half_t, window_tuning(window, dot_f32_8x4x2_f16)>>(window);
}

} // namespace
} // namespace ck::test
