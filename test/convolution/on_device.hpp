#pragma once
// A tensor in device memory for kernels that are called without an operation around them.
#include "ck/convolution/problem.hpp"
#include "ck/utility/type_convert.hpp"

#include "placed_memory.hpp"
#include <algorithm>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace ck::test {

/// A tensor in device memory: small integers or, of a result, NaN; of integers 85. At a random
/// place, with bytes around it that are watched.
template <class T>
struct OnDevice
{
    OnDevice(const TensorLengths& lengths,
             const TensorStrides& strides,
             unsigned seed,
             bool nan,
             std::size_t alignment = PlacedMemory::vector_bytes)
        : host(size_of(lengths, strides)),
          memory(host.size() * sizeof(T), alignment)
    {
        std::mt19937 random(seed);
        for(T& x : host)
            x = type_convert<T>(!nan ? static_cast<float>(random() % 5) - 2
                                : std::is_integral_v<T> && !std::is_same_v<T, bhalf_t>
                                    ? 85.f
                                    : std::numeric_limits<float>::quiet_NaN());
        memory.ToDevice(host.data());
    }
    T* pointer() const { return static_cast<T*>(memory.GetDeviceBuffer()); }
    void fetch() { memory.FromDevice(host.data()); }

    std::vector<T> host;
    PlacedMemory memory;

private:
    static std::size_t size_of(const TensorLengths& lengths, const TensorStrides& strides)
    {
        long_index_t size = 1;
        for(std::size_t i = 0; i < 6; ++i)
            size += (lengths[i] - 1) * strides[i];
        return static_cast<std::size_t>(size);
    }
};

/// Bytes of which an operation wants multiples for the address of C.
template <class Operation>
inline constexpr std::size_t c_alignment =
    std::max(PlacedMemory::vector_bytes,
             static_cast<std::size_t>(Operation::tuning.c_vector) * sizeof(typename Operation::C));

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
