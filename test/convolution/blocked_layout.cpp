// Layouts with channels in blocks against their formulas.
#include "ck/convolution/blocked_layout.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ck::test {
namespace {

/// off(n, c, d, h, w) = ((((n*D + d)*C1 + c/C0)*H + h)*W + w)*C0 + c%C0
TEST(BlockedLayout, ndc1hwc0_is_the_formula)
{
    for(const long_index_t c0 : {8, 16, 32})
        for(const long_index_t C : {1, 7, 8, 16, 17, 40})
        {
            constexpr long_index_t N = 2, D = 3, H = 4, W = 5;
            const BlockedLayout t = ndc1hwc0(N, C, D, H, W, static_cast<index_t>(c0));
            const long_index_t C1 = (C + c0 - 1) / c0;
            EXPECT_EQ(t.elements(), N * D * C1 * H * W * c0);
            std::set<long_index_t> places;
            for(long_index_t n = 0; n < N; ++n)
                for(long_index_t c = 0; c < C; ++c)
                    for(long_index_t d = 0; d < D; ++d)
                        for(long_index_t h = 0; h < H; ++h)
                            for(long_index_t w = 0; w < W; ++w)
                            {
                                const long_index_t at = t.offset({n, d, h, w}, c);
                                ASSERT_EQ(at,
                                          ((((n * D + d) * C1 + c / c0) * H + h) * W + w) * c0 +
                                              c % c0);
                                places.insert(at);
                            }
            EXPECT_EQ(places.size(), static_cast<std::size_t>(N * C * D * H * W));
        }
}

/// off(n, c, kd, kh, kw) = ((((kd*C1 + c/C0)*Kh + kh)*Kw + kw)*Np + n)*C0 + c%C0
TEST(BlockedLayout, fractal_z_3d_is_the_formula)
{
    for(const long_index_t c0 : {8, 16, 32})
        for(const long_index_t C : {1, 16, 33})
            for(const long_index_t N : {1, 16, 20})
            {
                constexpr long_index_t Kd = 2, Kh = 3, Kw = 4;
                const BlockedLayout t = fractal_z_3d(N, C, Kd, Kh, Kw, static_cast<index_t>(c0));
                const long_index_t C1 = (C + c0 - 1) / c0, Np = 16 * ((N + 15) / 16);
                EXPECT_EQ(t.elements(), Kd * C1 * Kh * Kw * Np * c0);
                for(long_index_t n = 0; n < N; ++n)
                    for(long_index_t c = 0; c < C; ++c)
                        for(long_index_t kd = 0; kd < Kd; ++kd)
                            for(long_index_t kh = 0; kh < Kh; ++kh)
                                for(long_index_t kw = 0; kw < Kw; ++kw)
                                    ASSERT_EQ(
                                        t.offset({n, kd, kh, kw}, c),
                                        ((((kd * C1 + c / c0) * Kh + kh) * Kw + kw) * Np + n) * c0 +
                                            c % c0);
            }
}

TEST(BlockedLayout, says_what_is_wrong)
{
    EXPECT_TRUE(check_blocked_layout(ndc1hwc0(1, 0, 2, 3, 4, 16)));
    EXPECT_NE(check_blocked_layout(ndc1hwc0(1, 2, 2, 3, 4, 12)).reason.find("12 channels"),
              std::string::npos);
    EXPECT_NE(check_blocked_layout(ndc1hwc0(1, 2, -2, 3, 4, 16)).reason.find("a length is -2"),
              std::string::npos);
}

} // namespace
} // namespace ck::test
