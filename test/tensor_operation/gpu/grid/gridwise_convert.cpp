// Conversions between types of eight bits and f16, and of uint8 to int8: all values there and back,
// f16's infinities and NaN, and nothing written outside what is converted.
#include "ck/tensor_operation/gpu/grid/gridwise_convert.hpp"

#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace ck::grid::gridwise_convert {
namespace {

/// The elements converted in lines, between which the result has a vector that is not written:
/// zeros.
template <class To, index_t vector, class From>
std::vector<To> converted(const std::vector<From>& from, index_t lines)
{
    using Kernel   = GridwiseConvert<From, To, vector>;
    const auto row = static_cast<long_index_t>(from.size()) / lines;
    const DeviceMem in(from.size() * sizeof(From));
    std::vector<To> result((from.size() + static_cast<std::size_t>(lines * vector)));
    const DeviceMem out(result.size() * sizeof(To));
    in.ToDevice(from.data());
    out.ToDevice(result.data());
    using Strides = std::array<long_index_t, 2>;
    const typename Kernel::Params p{
        static_cast<const From*>(in.GetDeviceBuffer()),
        static_cast<To*>(out.GetDeviceBuffer()),
        FlatIndex<6, 2>::make(std::array<long_index_t, 2>{lines, row / vector},
                              {Strides{row + vector, vector}, Strides{row, vector}})};
    HIP_CHECK_ERROR(arch::launch<Kernel>(static_cast<index_t>(Kernel::grid_size(p)), nullptr, p));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    out.FromDevice(result.data());
    std::vector<To> written;
    for(long_index_t line = 0; line < lines; ++line)
    {
        const auto begin = result.begin() + line * (row + vector);
        written.insert(written.end(), begin, begin + row);
        for(index_t e = 0; e < vector; ++e)
            EXPECT_EQ(type_convert<float>(begin[row + e]), 0) << "behind line " << line;
    }
    return written;
}

/// more: vectors, so that the last block's are not whole.
template <class T, index_t vector>
void expect_all_values_kept(std::size_t more)
{
    std::vector<T> values(2048 + more * vector);
    for(std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::bit_cast<T>(static_cast<std::uint8_t>(i));
    const auto halves = converted<half_t, vector>(values, 1);
    const auto back   = converted<T, vector>(halves, 4);
    for(std::size_t i = 0; i < values.size(); ++i)
    {
        const float right = type_convert<float>(values[i]), half = type_convert<float>(halves[i]),
                    again = type_convert<float>(back[i]);
        if(right != right)
        {
            EXPECT_TRUE(half != half && again != again) << i;
        }
        else
        {
            EXPECT_TRUE(half == right && again == right) << i;
        }
    }
}

template <class T>
void expect_saturated(float least, float largest)
{
    constexpr float infinity = std::numeric_limits<float>::infinity();
    std::vector<half_t> from;
    for(const float x : {infinity, -infinity, 65504.f, -65504.f})
        from.push_back(type_convert<half_t>(x));
    const auto to = converted<T, 1>(from, 1);
    for(std::size_t i = 0; i < from.size(); ++i)
        EXPECT_EQ(type_convert<float>(to[i]), i % 2 == 0 ? largest : least) << i;
}

} // namespace

TEST(GridwiseConvert, KeepsAllValues)
{
    for(const std::size_t more : {0, 12})
    {
        expect_all_values_kept<std::int8_t, 8>(more);
        expect_all_values_kept<std::int8_t, 1>(more);
        expect_all_values_kept<f8_t, 8>(more);
        expect_all_values_kept<f8_t, 1>(more);
        expect_all_values_kept<f8_ocp_t, 8>(more);
        expect_all_values_kept<f8_ocp_t, 1>(more);
    }
}

TEST(GridwiseConvert, SaturatesInfinities)
{
    expect_saturated<std::int8_t>(-128, 127);
    expect_saturated<f8_t>(-240, 240);
    expect_saturated<f8_ocp_t>(-448, 448);
}

TEST(GridwiseConvert, SubtractsFromUnsignedBytes)
{
    std::vector<std::uint8_t> from(256);
    std::iota(from.begin(), from.end(), std::uint8_t{0});
    for(const auto& to : {converted<std::int8_t, 16>(from, 2), converted<std::int8_t, 1>(from, 1)})
        for(std::size_t i = 0; i < from.size(); ++i)
            EXPECT_EQ(to[i], from[i] - 128);
}

} // namespace ck::grid::gridwise_convert
