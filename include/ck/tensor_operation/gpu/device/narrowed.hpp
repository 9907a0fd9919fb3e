#pragma once
// Narrows 64-bit sizes to 32 bits, for operations that take only those.
#include "ck/utility/integer.hpp"

#include <array>
#include <limits>
#include <stdexcept>
#include <string>

namespace ck::tensor_operation::device {

/// The same value in 32 bits. Throws std::invalid_argument if it does not fit.
inline index_t narrowed(long_index_t value)
{
    if(value < std::numeric_limits<index_t>::min() || value > std::numeric_limits<index_t>::max())
        throw std::invalid_argument("a length, stride or pad is " + std::to_string(value) +
                                    ", but this operation has sizes of 32 bits");
    return static_cast<index_t>(value);
}

/// Narrows each element. Throws std::invalid_argument if one does not fit.
template <std::size_t n>
std::array<index_t, n> narrowed(const std::array<long_index_t, n>& values)
{
    std::array<index_t, n> r{};
    for(std::size_t i = 0; i < n; ++i)
        r[i] = narrowed(values[i]);
    return r;
}

/// Narrows the elements of several arrays.
template <std::size_t n, std::size_t count>
std::array<std::array<index_t, n>, count>
narrowed(const std::array<std::array<long_index_t, n>, count>& tensors)
{
    std::array<std::array<index_t, n>, count> r{};
    auto to = r.begin();
    for(const std::array<long_index_t, n>& values : tensors)
        *to++ = narrowed(values);
    return r;
}

} // namespace ck::tensor_operation::device
