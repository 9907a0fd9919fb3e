// Phases side by side against the definition, product by product.
#include "ck/tensor_operation/operator_transform/phase_grid.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace ck {
namespace {

using Place = std::tuple<index_t, index_t, index_t, index_t>; // n d h w
using Tap   = std::tuple<index_t, index_t, index_t>;          // z y x

/// How often a pixel of dX, one of dY and a tap are multiplied.
using Products = std::map<std::tuple<Place, Place, Tap>, int>;

bool inside(const Spatial& at, const Spatial& lengths)
{
    for(std::size_t i = 0; i < 3; ++i)
        if(at[i] < 0 || at[i] >= lengths[i])
            return false;
    return true;
}
Place place(index_t n, const Spatial& at)
{
    return {
        n, static_cast<index_t>(at[0]), static_cast<index_t>(at[1]), static_cast<index_t>(at[2])};
}

/// The products by definition: dX at stride * o - pad + dilation * tap.
Products defined(const ConvProblem& p)
{
    Products r;
    const Spatial out = p.output();
    for(index_t n = 0; n < p.batch; ++n)
        for(index_t o = 0; o < out[0] * out[1] * out[2]; ++o)
            for(index_t t = 0; t < p.filter[0] * p.filter[1] * p.filter[2]; ++t)
            {
                const Spatial at{o / (out[1] * out[2]), o / out[2] % out[1], o % out[2]},
                    tap{t / (p.filter[1] * p.filter[2]),
                        t / p.filter[2] % p.filter[1],
                        t % p.filter[2]};
                Spatial x{};
                for(std::size_t i = 0; i < 3; ++i)
                    x[i] = p.stride[i] * at[i] - p.pad_low[i] + p.dilation[i] * tap[i];
                if(inside(x, p.input))
                    ++r[{place(n, x), place(n, at), Tap(tap[0], tap[1], tap[2])}];
            }
    return r;
}

/// The products by positions, phases and shifts. pixels: how often a position has each pixel of dX.
Products by_grid(const ConvProblem& p, index_t bits, std::map<Place, int>& pixels)
{
    Products r;
    const auto batch     = static_cast<index_t>(p.batch);
    const BackwardData b = BackwardData::make(p, batch);
    const PhaseGrid g    = PhaseGrid::make(b);
    const PixelWindows w = g.windows();
    for(index_t row = 0; row < g.positions() * batch; ++row)
        for(index_t number = 0; number < 1 << bits; ++number)
        {
            const PhaseGrid::Phase& c = g.of_phase[number];
            const auto at             = w.pixel(row);
            if(!g.exists(at, c, batch))
                continue;
            const auto pixel = g.pixel(at, c);
            const Place x{pixel[0], pixel[1], pixel[2], pixel[3]};
            ++pixels[x];
            EXPECT_EQ(g.offset(at, b.dx_n) + c.offset,
                      pixel[0] * b.dx_n + pixel[1] * b.dimension[0].dx_stride +
                          pixel[2] * b.dimension[1].dx_stride +
                          pixel[3] * b.dimension[2].dx_stride);

            for(index_t t = 0; t < w.tap_count(); ++t)
            {
                const PixelWindows::Tap shift = w.tap(t);
                index_t rest                  = t;
                bool has_tap                  = true;
                Spatial dy{}, tap{};
                for(std::size_t i = 0; i < 3; ++i)
                {
                    const PhaseGrid::Dimension& d = g.dimension[i];
                    const index_t s               = rest % d.shifts;
                    rest /= d.shifts;
                    EXPECT_GE(shift.offset[i], 0) << "the copies add no negative offsets";
                    has_tap =
                        has_tap && (s + 1 < d.shifts || (number & d.last_needs) == d.last_needs);
                    dy[2 - i]  = at.spatial[i] + shift.offset[i];
                    tap[2 - i] = c.filter[i] + c.filter_step[i] * s;
                }
                if(!has_tap)
                    continue;
                EXPECT_TRUE(inside(tap, p.filter));
                if(inside(dy, p.output()))
                    ++r[{x, place(at.image, dy), Tap(tap[0], tap[1], tap[2])}];
            }
        }
    return r;
}

TEST(PhaseGrid, every_product_once)
{
    std::mt19937 random(1);
    const auto draw = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for(int computed = 0; computed < 150;)
    {
        ConvProblem p;
        p.rank = 3, p.batch = draw(1, 2), p.in_channels = 3, p.out_channels = 2;
        index_t bits = 0;
        for(std::size_t i = 0; i < 3; ++i)
        {
            p.stride[i]   = draw(1, 2);
            p.filter[i]   = draw(static_cast<int>(p.stride[i]), 4);
            p.dilation[i] = p.stride[i] == 2 ? 2 * draw(0, 2) + 1 : draw(1, 3);
            p.input[i]    = draw(1, 7);
            p.pad_low[i]  = draw(0, 3);
            p.pad_high[i] = draw(0, 3);
            bits += p.stride[i] == 2;
        }
        if(element_count(p.output_lengths()) == 0)
            continue;
        set_packed_strides(p);
        ASSERT_EQ(PhaseGrid::why_not(p, bits), nullptr);
        std::map<Place, int> pixels;
        EXPECT_EQ(by_grid(p, bits, pixels), defined(p));
        EXPECT_EQ(static_cast<long_index_t>(pixels.size()),
                  p.batch * p.input[0] * p.input[1] * p.input[2]);
        for(const auto& [pixel, count] : pixels)
            EXPECT_EQ(count, 1);
        ++computed;
    }
}

TEST(PhaseGrid, refusals)
{
    ConvProblem p;
    p.stride = {1, 2, 2}, p.filter = {1, 3, 3};
    EXPECT_EQ(PhaseGrid::why_not(p, 2), nullptr);
    EXPECT_NE(PhaseGrid::why_not(p, 1), nullptr);
    p.dilation = {1, 1, 2};
    EXPECT_NE(PhaseGrid::why_not(p, 2), nullptr);
    p.dilation = {1, 1, 1}, p.stride = {1, 2, 3};
    EXPECT_NE(PhaseGrid::why_not(p, 2), nullptr);
    p.stride = {1, 2, 2}, p.filter = {1, 3, 1};
    EXPECT_NE(PhaseGrid::why_not(p, 2), nullptr);
}

} // namespace
} // namespace ck
