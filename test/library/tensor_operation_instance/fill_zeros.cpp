// If a tensor's elements fill its memory, zeros are written in wide words, otherwise one by one.
// The prediction says which, and exactly the tensor's elements are written.
#include "rewrites/fill_zeros.hpp"

#include "ck/host_utility/launch_list.hpp"

#include <gtest/gtest.h>

#include "guarded_memory.hpp"
#include <algorithm>
#include <vector>

namespace ck::tensor_operation::device::instance::filled_zeros {
namespace {

constexpr TensorLengths lengths{2, 3, 5, 1, 4, 7};
constexpr TensorStrides last{5, 280, 1, 280, 70, 10}, first{140, 280, 28, 28, 7, 1};

TEST(FillZeros, PredictsAQuarterWherePacked)
{
    const auto predicted = [](const TensorStrides& strides) {
        return predicted_fill({lengths, strides, 2});
    };
    const double packed = predicted(last), apart = predicted({5, 281, 1, 281, 70, 10});
    EXPECT_GT(packed, 0);
    EXPECT_EQ(predicted(first), packed);
    EXPECT_EQ(predicted({5, 280, 1, 9999, 70, 10}), packed) << "one element has any stride";
    EXPECT_EQ(predicted({6, 336, 1, 336, 84, 12}), apart);
    // Linear in bytes, from where a launch costs more than its start.
    const double four = predicted_fill({{2, 12, 5, 1, 4, 7}, last, 2});
    EXPECT_EQ(four, apart);
    EXPECT_GT(apart, packed);
}

TEST(FillZeros, WritesEveryElementAndNoOther)
{
    for(const index_t bytes : {1, 2, 4, 8})
        for(const TensorStrides& strides : {last,
                                            first,
                                            TensorStrides{5, 288, 1, 288, 72, 10},
                                            TensorStrides{6, 336, 1, 0, 84, 12}})
            for(const std::size_t shift : {0, 1, 2, 3})
            {
                const auto size = static_cast<std::size_t>(bytes);
                std::vector<char> expected;
                for(long_index_t i = 0; i < element_count(lengths); ++i)
                {
                    long_index_t rest = i, at = 0;
                    for(std::size_t d = 6; d-- > 0; rest /= lengths[d])
                        at += rest % lengths[d] * strides[d];
                    const auto end = (static_cast<std::size_t>(at) + 1) * size;
                    expected.resize(std::max(expected.size(), end), '\x5a');
                    std::fill(expected.begin() + static_cast<std::ptrdiff_t>(end - size),
                              expected.begin() + static_cast<std::ptrdiff_t>(end),
                              '\0');
                }
                // The tensor lies at the end of the memory, after some other elements.
                const test::GuardedMemory memory(expected.size() + 64);
                char* const at = memory.address() +
                                 (memory.size() - expected.size()) / size * size - shift * size;
                std::vector<char> all(memory.size(), '\x5a'), right = all;
                std::copy(
                    expected.begin(), expected.end(), right.begin() + (at - memory.address()));
                HIP_CHECK_ERROR(
                    hipMemcpy(memory.address(), all.data(), all.size(), hipMemcpyHostToDevice));
                const FilledTensor tensor{lengths, strides, bytes};
                ASSERT_TRUE(check_fill(tensor, at)) << check_fill(tensor, at).reason;
                LaunchList list;
                fill_zeros(tensor, at, list);
                list.run({});
                HIP_CHECK_ERROR(hipDeviceSynchronize());
                HIP_CHECK_ERROR(
                    hipMemcpy(all.data(), memory.address(), all.size(), hipMemcpyDeviceToHost));
                EXPECT_EQ(all, right) << bytes << " bytes, " << shift;
            }
}

} // namespace
} // namespace ck::tensor_operation::device::instance::filled_zeros
