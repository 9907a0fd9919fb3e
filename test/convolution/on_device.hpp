#pragma once
// A tensor in device memory for kernels that are called without an operation around them.
#include "ck/convolution/problem.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/utility/type_convert.hpp"

#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace ck::test {

/// A tensor in device memory: small integers or, of a result, NaN; of integers 85.
template <class T>
struct OnDevice
{
    OnDevice(const TensorLengths& lengths, const TensorStrides& strides, unsigned seed, bool nan)
    {
        long_index_t size = 1;
        for(std::size_t i = 0; i < 6; ++i)
            size += (lengths[i] - 1) * strides[i];
        std::mt19937 random(seed);
        host.resize(static_cast<std::size_t>(size));
        for(T& x : host)
            x = type_convert<T>(!nan ? static_cast<float>(random() % 5) - 2
                                : std::is_integral_v<T> && !std::is_same_v<T, bhalf_t>
                                    ? 85.f
                                    : std::numeric_limits<float>::quiet_NaN());
        memory.Realloc(host.size() * sizeof(T));
        memory.ToDevice(host.data());
    }
    T* pointer() const { return static_cast<T*>(memory.GetDeviceBuffer()); }
    void fetch() { memory.FromDevice(host.data()); }

    std::vector<T> host;
    DeviceMem memory{1};
};

/// Elements that are not the same; what lies between the elements is NaN in both.
template <class T>
std::size_t mistakes(OnDevice<T>& got, OnDevice<T>& expected)
{
    got.fetch(), expected.fetch();
    std::size_t wrong = 0;
    for(std::size_t i = 0; i < got.host.size(); ++i)
    {
        const auto x = type_convert<float>(got.host[i]), y = type_convert<float>(expected.host[i]);
        wrong += !(x == y) && !(x != x && y != y);
    }
    return wrong;
}

} // namespace ck::test
