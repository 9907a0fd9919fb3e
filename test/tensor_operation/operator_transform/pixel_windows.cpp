// Boxes of pixels against the definition, product by product.
#include "ck/tensor_operation/operator_transform/pixel_windows.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/operator_transform/products.hpp"
#include <vector>

namespace ck {
namespace {

/// The place of a pixel with a tap, in the order D H W; whether it is in a tensor of these lengths.
bool meets(const PixelWindows::Pixel& pixel,
           const PixelWindows::Tap& tap,
           const Spatial& lengths,
           Spatial& place)
{
    bool inside = true;
    for(std::size_t i = 0; i < 3; ++i)
    {
        const std::size_t whd = 2 - i;
        EXPECT_GE(tap.offset[whd], 0) << "the copies add no negative offsets";
        place[i] = pixel.spatial[whd] + tap.offset[whd];
        inside   = inside && place[i] >= 0 && place[i] < lengths[i];
    }
    return inside;
}

Spatial in_filter(const PixelWindows::Tap& tap)
{
    return {tap.filter[2], tap.filter[1], tap.filter[0]};
}

long_index_t pixels_of(const PixelWindows& w)
{
    return long_index_t{w.dimension[0].count.value} * w.dimension[1].count.value *
           w.dimension[2].count.value;
}

/// f(phase, row, image, place, filter) for each pixel that a row of a phase meets.
template <class Transform, class F>
void for_each_meeting(const Transform& transform,
                      const ConvProblem& p,
                      const Spatial& lengths,
                      const F& f)
{
    for(index_t number = 0; number < transform.phase_count(); ++number)
    {
        const PixelWindows w = a_windows(transform, number);
        const auto phase     = transform.make_phase(number, static_cast<index_t>(p.batch));
        EXPECT_EQ(pixels_of(w) * p.batch, phase.c.template extent<0>());
        EXPECT_EQ(w.tap_count(), phase.tap_count);
        for(index_t row = 0; row < phase.c.template extent<0>(); ++row)
            for(index_t t = 0; t < w.tap_count(); ++t)
            {
                const auto pixel = w.pixel(row);
                const auto tap   = w.tap(t);
                if(Spatial place{}; meets(pixel, tap, lengths, place))
                    f(phase, row, pixel.image, place, in_filter(tap));
            }
    }
}

void expect_forward(const ConvProblem& p, index_t batch)
{
    std::vector<Product> products;
    for_each_meeting(
        Forward::make(p, batch),
        p,
        p.input,
        [&](const auto& phase, index_t row, index_t n, const Spatial& x, const Spatial& w) {
            for(index_t c = 0; c < p.in_channels; ++c)
                for(index_t k = 0; k < p.out_channels; ++k)
                    products.push_back({offset(p.input_strides, n, c, x),
                                        phase.c(row, k).offset,
                                        offset(p.filter_strides, k, c, w)});
        });
    expect_same_products(products, p);
}

void expect_backward_data(const ConvProblem& p, index_t batch)
{
    std::vector<Product> products;
    for_each_meeting(
        BackwardData::make(p, batch),
        p,
        p.output(),
        [&](const auto& phase, index_t row, index_t n, const Spatial& y, const Spatial& w) {
            for(index_t c = 0; c < p.in_channels; ++c)
                for(index_t k = 0; k < p.out_channels; ++k)
                    products.push_back({phase.c(row, c).offset,
                                        offset(p.output_strides, n, k, y),
                                        offset(p.filter_strides, k, c, w)});
        });
    expect_same_products(products, p);
}

void expect_backward_weight(const ConvProblem& p, index_t batch)
{
    std::vector<Product> products;
    const BackwardWeight transform = BackwardWeight::make(p, batch);
    const PixelWindows y_windows   = a_windows(transform, 0),
                       x_windows   = input_windows(transform.views);
    ASSERT_EQ(pixels_of(y_windows), pixels_of(x_windows));
    ASSERT_EQ(y_windows.tap_count(), 1);
    for(long_index_t i = 0; i < pixels_of(x_windows) * p.batch; ++i)
    {
        const auto at      = static_cast<index_t>(i);
        const auto y_pixel = y_windows.pixel(at), x_pixel = x_windows.pixel(at);
        Spatial y{};
        ASSERT_TRUE(meets(y_pixel, y_windows.tap(0), p.output(), y));
        ASSERT_EQ(y_pixel.image, x_pixel.image);
        for(index_t t = 0; t < x_windows.tap_count(); ++t)
        {
            const auto tap = x_windows.tap(t);
            if(Spatial x{}; meets(x_pixel, tap, p.input, x))
                for(index_t c = 0; c < p.in_channels; ++c)
                    for(index_t k = 0; k < p.out_channels; ++k)
                        products.push_back({offset(p.input_strides, x_pixel.image, c, x),
                                            offset(p.output_strides, y_pixel.image, k, y),
                                            offset(p.filter_strides, k, c, in_filter(tap))});
        }
    }
    expect_same_products(products, p);
}

TEST(PixelWindows, Forward)
{
    expect_random_problems_equal(1, 3000, expect_forward);
    expect_random_problems_equal(2, 1000, expect_forward);
    expect_random_problems_equal(3, 1000, expect_forward);
}
TEST(PixelWindows, BackwardData)
{
    expect_random_problems_equal(1, 3000, expect_backward_data);
    expect_random_problems_equal(2, 1000, expect_backward_data);
    expect_random_problems_equal(3, 1000, expect_backward_data);
}
TEST(PixelWindows, BackwardWeight)
{
    expect_random_problems_equal(1, 3000, expect_backward_weight);
    expect_random_problems_equal(2, 1000, expect_backward_weight);
    expect_random_problems_equal(3, 1000, expect_backward_weight);
}

} // namespace
} // namespace ck
