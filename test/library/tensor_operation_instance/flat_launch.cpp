// How many neighbours a flat kernel moves at a time: exactly as many as both tensors' strides,
// lengths and addresses allow. A smaller width would give right results, but slowly.
#include "rewrites/flat_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ck::tensor_operation::device::instance::flat_launch {
namespace {

constexpr TensorLengths lengths{2, 3, 8, 1, 5, 4};
constexpr TensorStrides last{8, 320, 1, 320, 64, 16}, first{160, 320, 20, 20, 4, 1};

struct Taken
{
    index_t vector;
    FlatIndex<6, 2> index;
};
Taken taken(const TensorLengths& l, const FlatTensor& a, const FlatTensor& b)
{
    Taken r{};
    static_cast<void>(with_vectors<4>(l, {a, b}, [&]<index_t v>(Number<v>, const auto& index) {
        r = {v, index};
        return 0.f;
    }));
    return r;
}
/// Returns the width for floats at these addresses.
index_t width(const TensorStrides& a,
              const TensorStrides& b,
              std::uintptr_t at_a    = 64,
              std::uintptr_t at_b    = 128,
              const TensorLengths& l = lengths)
{
    return taken(l,
                 {reinterpret_cast<const void*>(at_a), a, 4},
                 {reinterpret_cast<const void*>(at_b), b, 4})
        .vector;
}
TensorStrides changed(TensorStrides s, std::size_t dim, long_index_t stride)
{
    s[dim] = stride;
    return s;
}

TEST(FlatLaunch, TakesNeighboursOfBothTensors)
{
    EXPECT_EQ(width(last, last), 4);
    EXPECT_EQ(width(first, first), 4);
    EXPECT_EQ(width(last, first), 1) << "neighbours in one are apart in the other";
    EXPECT_EQ(width(last, changed(last, 2, 2)), 1);
    EXPECT_EQ(width(changed(last, 2, 2), last), 1);
    EXPECT_EQ(width(changed(last, 2, 2), changed(last, 2, 2)), 1);
}

TEST(FlatLaunch, VectorsAreAtMultiplesOfTheirSize)
{
    EXPECT_EQ(width(last, last, 64, 128 + 4), 1);
    EXPECT_EQ(width(last, last, 64 + 8, 128), 1);
    EXPECT_EQ(width(last, last, 64 + 16, 128 + 32), 4);
    for(const std::size_t dim : {0, 1, 4, 5})
    {
        EXPECT_EQ(width(changed(last, dim, last[dim] + 2), last), 1) << dim;
        EXPECT_EQ(width(last, changed(last, dim, last[dim] + 2)), 1) << dim;
        EXPECT_EQ(width(changed(last, dim, last[dim] + 4), last), 4) << dim;
    }
    EXPECT_EQ(width(last, last, 64, 128, {2, 3, 6, 1, 5, 4}), 1) << "6 are no vectors";
    EXPECT_EQ(width(last, last, 64, 128, {1, 1, 1, 1, 1, 1}), 1) << "one element";
}

TEST(FlatLaunch, VectorsOfTheFirstTensorAreAtMultiplesOfTheirSize)
{
    const auto takes = [](const TensorStrides& a, const TensorStrides& b, bool aligned = true) {
        auto index = FlatIndex<6, 2>::make(lengths, std::array{a, b});
        return make_vectors<4>(index, aligned);
    };
    EXPECT_TRUE(takes(last, last));
    EXPECT_TRUE(takes(last, first)) << "each element of the second tensor has a step of its own";
    EXPECT_TRUE(takes(first, last));
    EXPECT_FALSE(takes(last, last, false));
    for(const std::size_t dim : {0, 1, 4, 5})
    {
        EXPECT_FALSE(takes(changed(last, dim, last[dim] + 2), last)) << dim;
        EXPECT_FALSE(takes(last, changed(last, dim, last[dim] + 2))) << dim;
        EXPECT_TRUE(takes(changed(last, dim, last[dim] + 4), last)) << dim;
    }
}

TEST(FlatLaunch, AnIndexOfVectorsReachesAllOfThem)
{
    const FlatTensor t{nullptr, first, 2};
    const Taken r = taken(lengths, t, t);
    ASSERT_EQ(r.vector, 4);
    EXPECT_EQ(r.index.count, element_count(lengths) / 4);
    std::vector<int> seen(960);
    for(long_index_t i = 0; i < r.index.count; ++i)
        for(long_index_t e = 0; e < 4; ++e)
            ++seen.at(static_cast<std::size_t>(r.index(i)[0] + e));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), element_count(lengths));
}

} // namespace
} // namespace ck::tensor_operation::device::instance::flat_launch
