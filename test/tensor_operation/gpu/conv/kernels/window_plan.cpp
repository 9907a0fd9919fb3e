// How images are cut into segments.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/window_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ck::tensor_operation::device {
namespace {

/// Segments of a line of pixels, on a device that has `places` blocks of `segment_threads` segments
/// at a time; each segment begins `before` rows early. asked: the number of costs that were
/// computed.
struct Device
{
    index_t rows, places, segment_threads, before;
    mutable int asked = 0;

    ConvProblem problem() const
    {
        return make_packed_problem<1>(1, 1, 1, 1, {1}, {rows}, {1}, {1}, {0}, {0});
    }
    double cost(const WindowSegments& s) const
    {
        ++asked;
        const double blocks = std::ceil(static_cast<double>(s.of_image()) / segment_threads);
        return std::ceil(blocks / places) * (s.length + before);
    }
    WindowSegments cheapest() const
    {
        return cheapest_segments(problem(),
                                 Role::output,
                                 4,
                                 [&](const WindowSegments& s) { return cost(s); },
                                 {1. / segment_threads / places, before});
    }
    /// Returns the cheapest of all numbers of segments.
    WindowSegments cheapest_of_all() const
    {
        WindowSegments best{1, 1, rows, 1};
        for(index_t count = 2; count <= rows; ++count)
        {
            const index_t length = math::integer_divide_ceil(rows, count);
            const WindowSegments s{1, math::integer_divide_ceil(rows, length), length, 1};
            if(cost(s) < cost(best))
                best = s;
        }
        return best;
    }
};

TEST(WindowPlan, SegmentsAreTheCheapestOfAll)
{
    for(const index_t rows : {1, 2, 3, 7, 56, 100, 1000, 4099})
        for(const index_t places : {1, 3, 132, 264})
            for(const index_t segment_threads : {1, 4, 128})
                for(const index_t before : {1, 8, 16})
                {
                    const Device d{rows, places, segment_threads, before};
                    const WindowSegments found = d.cheapest(), best = d.cheapest_of_all();
                    EXPECT_EQ(found.rows, best.rows)
                        << rows << ' ' << places << ' ' << segment_threads;
                    EXPECT_EQ(found.length, best.length)
                        << rows << ' ' << places << ' ' << segment_threads;
                }
}

TEST(WindowPlan, FewSegmentsOfALongLineAreLookedAt)
{
    const Device d{1000000, 264, 4, 8};
    const WindowSegments found = d.cheapest();
    EXPECT_LT(d.asked, 2000) << "as many lengths as there are, not as many as rows";
    EXPECT_GE(found.rows, 264 * 4 / 2) << "the device is full";
}

} // namespace
} // namespace ck::tensor_operation::device
