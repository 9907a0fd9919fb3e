#pragma once
// Tensors whose elements are computed from their index in the whole tensor: each rank makes its own
// rows in place, and the CPU can compute any element.
#include "ck/conv.hpp"
#include "ck/utility/host_device.hpp"

#include <cstdint>

namespace ck::profiler {

/// An unbounded tensor.
struct HashedTensor
{
    std::uint64_t seed; ///< different seeds give different numbers
    /// Integers from -most to most, uniformly; 0: numbers in [-1, 1).
    index_t most;

    /// Element i.
    CK_HOST_DEVICE constexpr float operator[](long_index_t i) const
    {
        std::uint64_t z = seed + static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15; // SplitMix64
        z               = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z               = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        const auto bits = static_cast<std::uint32_t>((z ^ (z >> 31)) >> 40); // 24 of them
        if(most == 0)
            return static_cast<float>(bits) / 8388608.f - 1.f;
        return static_cast<float>(static_cast<index_t>(bits % (2u * most + 1u)) - most);
    }
};

/// The contents of X, W and dY.
struct SplitTensors
{
    HashedTensor x, w, dy;
};
/// Integers whose sums f32 holds exactly, or numbers between -1 and 1, as in training.
constexpr SplitTensors split_tensors(bool integers)
{
    return {{1, integers ? 2 : 0}, {2, integers ? 1 : 0}, {3, integers ? 2 : 0}};
}

/// Writes elements [first, first + count) to device memory as f32, f16 or bf16, on the default
/// stream. Throws std::logic_error for other types.
void fill(
    void* to, DataType type, const HashedTensor& from, long_index_t first, long_index_t count);

} // namespace ck::profiler
