// The number of partial sums in which the kernels of small groups compute backward weight: the one
// with the shortest predicted time. Other numbers are right, too, but slow.
//
// Labels: not sanitized, not emulated
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "tables/dl.hpp"
#include <algorithm>
#include <sstream>
#include <string>

namespace ck::tensor_operation::device {
namespace {

using enum arch::Matrix;
using element_wise::PassThrough;

/// Square images and filters, on a device with `units` compute units.
struct Launch
{
    long_index_t groups, images, size, filter, channels;
    index_t units;

    ConvProblem problem() const
    {
        return make_packed_problem<2>(groups,
                                      images,
                                      channels,
                                      channels,
                                      {filter, filter},
                                      {size, size},
                                      {1, 1},
                                      {1, 1},
                                      {filter / 2, filter / 2},
                                      {filter / 2, filter / 2},
                                      PackedOrder::group_inside);
    }
    std::string text() const
    {
        std::ostringstream s;
        s << "G " << groups << " N " << images << " C " << channels << ", " << size << " square, "
          << filter << " taps, " << units << " units";
        return s.str();
    }
};

template <GemmTuning tuning>
struct Parts
{
    using Operation = BackwardWeightOperation<
        ConvTypes<float, float, float, PassThrough, PassThrough, PassThrough>,
        tuning>;

    /// Clock cycles in `split_k` parts; automatic_split_k: in the chosen ones, and their number.
    static double cycles(const Launch& l, index_t split_k, index_t* parts = nullptr)
    {
        const AssumedComputeUnits units(l.units);
        typename Operation::Argument a{};
        a.problem = l.problem();
        a.split_k = split_k;
        Operation::make_plan(a);
        EXPECT_EQ(Operation::supports(a, true).reason, "") << l.text();
        if(parts != nullptr)
            *parts = a.plan.split.partial_sums;
        return Operation::predict(a);
    }
    static double least(const Launch& l, index_t most)
    {
        double r = cycles(l, 1);
        for(index_t n = 2; n <= most; ++n)
            r = std::min(r, cycles(l, n));
        return r;
    }
};

// What one partial sum spares, that of storing it and adding it up, is a part of its time.
TEST(WeightParts, OfSmallGroupsTakeNoLongerThanOne)
{
    using Several = Parts<tables::small_groups_weight(dot_f32_8x4x1_f32, false, 8, 3, 2)>;
    int whole = 0, cut = 0;
    const auto check = [&](const Launch& l) {
        index_t parts;
        EXPECT_LE(Several::cycles(l, automatic_split_k, &parts), Several::cycles(l, 1)) << l.text();
        (parts == 1 ? whole : cut) += 1;
    };
    // Nearly as fast in several parts:
    check({144, 5, 4, 4, 24, 70});
    check({125, 5, 9, 5, 8, 81});
    check({295, 4, 4, 4, 24, 148});
    check({202, 3, 4, 3, 32, 100});
    check({254, 3, 9, 2, 24, 136});
    for(const long_index_t groups : {16, 100, 300})
        for(const long_index_t size : {4, 14, 56})
            for(const index_t units : {4, 132})
                check({groups, 4, size, 3, 8, units});
    EXPECT_GT(whole, 5);
    EXPECT_GT(cut, 5);
}

TEST(WeightParts, OfWindowsEndNearlyFirst)
{
    using Windows  = Parts<tables::sliding_window(
        ck::Direction::backward_weight, dot_f32_8x4x1_f32, Window{3, 3, 1, 4, 2, 3}, 1)>;
    index_t fewest = 1000, most = 0;
    for(const long_index_t groups : {16, 80, 256, 512, 2048})
        for(const long_index_t size : {3, 7, 23, 56})
            for(const index_t units : {4, 20, 132})
            {
                const Launch l{groups, 2, size, 3, 1, units};
                index_t parts;
                const double chosen = Windows::cycles(l, automatic_split_k, &parts);
                EXPECT_LE(chosen, 1.05 * Windows::least(l, 40)) << l.text() << ", " << parts;
                fewest = std::min(fewest, parts);
                most   = std::max(most, parts);
            }
    EXPECT_EQ(fewest, 1);
    EXPECT_GT(most, 20);
}

} // namespace
} // namespace ck::tensor_operation::device
