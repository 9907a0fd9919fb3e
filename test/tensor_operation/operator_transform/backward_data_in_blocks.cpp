// Views of blocked channels against the layouts' formulas, and how many rows of a phase lie before
// a position.
#include "ck/tensor_operation/operator_transform/backward_data_in_blocks.hpp"

#include <gtest/gtest.h>

namespace ck {
namespace {

/// NDC1HWC0 and FRACTAL_Z_3D, one image.
BackwardDataInBlocks blocked(ConvProblem& p)
{
    const auto c1   = math::integer_divide_ceil(p.in_channels, 16),
               k1   = math::integer_divide_ceil(p.out_channels, 16);
    const Spatial o = p.output(), &i = p.input, &f = p.filter;
    p.input_strides  = {0, 0, 1, i[1] * i[2] * c1 * 16, i[2] * 16, 16};
    p.output_strides = {0, 0, 1, o[1] * o[2] * k1 * 16, o[2] * 16, 16};
    p.filter_strides = {0, 16, 1, c1 * f[1] * f[2] * k1 * 256, f[2] * k1 * 256, k1 * 256};
    return BackwardDataInBlocks::make(p,
                                      {static_cast<index_t>(i[1] * i[2] * 16),
                                       static_cast<index_t>(f[1] * f[2] * k1 * 256),
                                       static_cast<index_t>(o[1] * o[2] * 16)});
}

TEST(BackwardDataInBlocks, SumsAreTheDefinition)
{
    ConvProblem p = make_packed_problem<3>(
        1, 1, 19, 21, {2, 3, 2}, {3, 6, 5}, {1, 2, 3}, {1, 1, 2}, {1, 2, 1}, {0, 1, 1});
    const BackwardDataInBlocks t = blocked(p);
    const auto& [D, H, W]        = t.dimension;
    index_t positions            = 0;
    for(index_t number = 0; number < t.phase_count(); ++number)
    {
        const auto r    = t.residues(number);
        const auto view = t.make_phase(r);
        positions += view.c.extent<0>();
        for(index_t row = 0; row < view.c.extent<0>(); ++row)
        {
            const auto x = view.c.indices<0>(row); // n, d, h, w, c1, c0
            EXPECT_EQ(view.c(row, 18).offset,
                      x[1] * D.dx_stride + H.dx_stride * x[2] + W.dx_stride * x[3] + t.outer.dx_c +
                          2);
            index_t taps = 0;
            for(index_t z = 0; z < 2; ++z)
                for(index_t y = 0; y < 3; ++y)
                    for(index_t q = 0; q < 2; ++q)
                    {
                        const long_index_t d = x[1] + 1 - z, h = x[2] + 2 - y, w = x[3] + 1 - 2 * q;
                        taps += h % 2 == 0 && w % 3 == 0 && d >= 0 && h >= 0 && w >= 0 &&
                                d < p.output()[0] && h / 2 < p.output()[1] && w / 3 < p.output()[2];
                    }
            for(index_t tap = 0; tap < view.tap_count; ++tap)
                taps -= view.a(row, tap, 17).valid;
            EXPECT_EQ(taps, 0);
        }
    }
    EXPECT_EQ(positions, 3 * 6 * 5);
}

TEST(BackwardDataInBlocks, RowsBeforeAPosition)
{
    ConvProblem p = make_packed_problem<3>(
        1, 1, 16, 16, {3, 3, 3}, {5, 7, 4}, {2, 3, 2}, {1, 1, 1}, {1, 0, 1}, {1, 1, 1});
    const BackwardDataInBlocks t = blocked(p);
    for(index_t number = 0; number < t.phase_count(); ++number)
    {
        const auto r    = t.residues(number);
        const auto view = t.make_phase(r);
        for(index_t d = 0; d <= 5; ++d)
            for(index_t h = 0; h < (d == 5 ? 1 : 7); ++h)
            {
                index_t before = 0;
                for(index_t row = 0; row < view.c.extent<0>(); ++row)
                {
                    const auto x = view.c.indices<0>(row);
                    before += x[1] < d || (x[1] == d && x[2] < h);
                }
                EXPECT_EQ(t.rows_before(r, d, h), before) << number << ' ' << d << ' ' << h;
            }
    }
}

} // namespace
} // namespace ck
