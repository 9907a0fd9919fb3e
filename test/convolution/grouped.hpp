#pragma once
// Grouped convolutions of small integers through a device operation and through the CPU's plain
// loops, compared exactly.
#include "ck/ck.hpp"
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"
#include "ck/library/utility/host_tensor_generator.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include "guarded_memory.hpp"
#include <algorithm>
#include <limits>
#include <random>

namespace ck::test {

using tensor_operation::element_wise::Bilinear;
using tensor_operation::element_wise::PassThrough;
using tensor_operation::element_wise::Scale;
using utils::conv::ConvParam;

template <index_t rank>
struct Layouts;
template <>
struct Layouts<1>
{
    using Input  = tensor_layout::convolution::NWGC;
    using Weight = tensor_layout::convolution::GKXC;
    using Output = tensor_layout::convolution::NWGK;
};
template <>
struct Layouts<2>
{
    using Input  = tensor_layout::convolution::NHWGC;
    using Weight = tensor_layout::convolution::GKYXC;
    using Output = tensor_layout::convolution::NHWGK;
};
template <>
struct Layouts<3>
{
    using Input  = tensor_layout::convolution::GNDHWC;
    using Weight = tensor_layout::convolution::GKZYXC;
    using Output = tensor_layout::convolution::GNDHWK;
};

template <index_t rank>
std::array<index_t, rank + 3> array_of(const std::vector<std::size_t>& values)
{
    std::array<index_t, rank + 3> a{};
    std::copy(values.begin(), values.end(), a.begin());
    return a;
}
template <index_t rank>
std::array<index_t, rank> array_of(const std::vector<long_index_t>& values)
{
    std::array<index_t, rank> a{};
    std::copy(values.begin(), values.end(), a.begin());
    return a;
}

/// A tensor on the host and its copy on the device.
template <class T>
struct Mirrored
{
    explicit Mirrored(const HostTensorDescriptor& d)
        : host(d),
          device(sizeof(T) * host.mDesc.GetElementSpaceSize())
    {}
    void fill_with_integers()
    {
        // Doubles are so large that floats hold neither their products nor their sums.
        constexpr int most = std::is_same_v<T, double> ? 1 << 19 : 2;
        host.GenerateTensorValue(GeneratorTensor_2<T>{-most, most + 1});
        device.ToDevice(host.mData.data());
    }
    void fill_with_nan()
    {
        std::fill(host.mData.begin(),
                  host.mData.end(),
                  type_convert<T>(std::numeric_limits<float>::quiet_NaN()));
        device.ToDevice(host.mData.data());
    }
    std::vector<T> result() const
    {
        std::vector<T> r(host.mData.size());
        device.FromDevice(r.data());
        return r;
    }
    Tensor<T> host;
    EndingMemory device;
};

/// Elements that are not the very same number.
template <class T>
std::size_t differences(const std::vector<T>& got, const std::vector<T>& expected)
{
    std::size_t count = got.size() == expected.size() ? 0 : 1;
    for(std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i)
        count += !(type_convert<double>(got[i]) == type_convert<double>(expected[i]));
    return count;
}

/// Problems whose channels are multiples of `vector`; few or many groups, strides, dilations,
/// uneven pads, several tiles in some.
inline std::vector<ConvParam> problems(index_t rank, index_t vector, unsigned seed, int count)
{
    std::mt19937 random(seed);
    const auto draw = [&](index_t least, index_t most) {
        return least + static_cast<index_t>(random() % static_cast<unsigned>(most - least + 1));
    };
    std::vector<ConvParam> all;
    while(static_cast<int>(all.size()) < count)
    {
        std::vector<index_t> filter, input, stride, dilation, low, high;
        bool fits = true;
        for(index_t d = 0; d < rank; ++d)
        {
            filter.push_back(draw(1, 3));
            input.push_back(draw(1, rank == 1 ? 40 : rank == 2 ? 12 : 6));
            stride.push_back(draw(1, 3));
            dilation.push_back(draw(1, 2));
            low.push_back(draw(0, 2));
            high.push_back(draw(0, 2));
            fits = fits && input[d] + low[d] + high[d] >= dilation[d] * (filter[d] - 1) + 1;
        }
        if(fits)
            all.emplace_back(rank,
                             draw(1, 3),
                             draw(1, 3),
                             vector * draw(1, vector == 1 ? 70 : 10),
                             vector * draw(1, vector == 1 ? 20 : 4),
                             filter,
                             input,
                             stride,
                             dilation,
                             low,
                             high);
    }
    return all;
}

constexpr GemmTuning small_tuning(arch::Matrix id, index_t ab, index_t c, Pipeline pipeline)
{
    return {.block_tile  = {64, 64, 32},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = id,
            .a_vector    = ab,
            .b_vector    = ab,
            .c_vector    = c,
            .pipeline    = pipeline};
}

/// A tuning of a dot "instruction", for any channels. It is small: its loops are all unrolled.
constexpr GemmTuning dl_tuning(arch::Matrix id, Pipeline pipeline = Pipeline::single_buffer)
{
    return {.block_tile  = {32, 32, 32},
            .wave_m      = 16,
            .wave_n      = 16,
            .instruction = id,
            .a_vector    = 1,
            .b_vector    = 1,
            .c_vector    = 1,
            .pipeline    = pipeline};
}

/// Blocks of 128 x 64 by two warpgroups.
constexpr GemmTuning wgmma_tuning(arch::Matrix id, index_t c)
{
    return {.block_tile  = {128, 64, 64},
            .wave_m      = 16,
            .wave_n      = 64,
            .instruction = id,
            .a_vector    = 8,
            .b_vector    = 8,
            .c_vector    = c,
            .pipeline    = Pipeline::async_copies,
            .stages      = 4};
}

} // namespace ck::test
