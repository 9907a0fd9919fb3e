#pragma once
// A tensor argument of up to six dimensions with any strides, and its checks.
#include "ck/tensor_operation/gpu/conv/argument/tensor_memory.hpp"

#include <stdexcept>
#include <string>

namespace ck::tensor_operation::device {

struct StridedTensor
{
    std::string name;
    const void* address;
    void* written; ///< the same address if the tensor is written
    TensorStrides strides;

    TensorMemory memory(const TensorLengths& lengths, std::size_t element_bytes) const
    {
        return {name.c_str(), address, lengths, strides, static_cast<long_index_t>(element_bytes)};
    }
};

inline Support check_dimensions(std::size_t dims)
{
    return dims <= 6 ? Support{}
                     : refused("the tensors have " + std::to_string(dims) +
                               " dimensions, but this operation takes at most 6");
}

/// Extends at most six values to six by putting `neutral` in front.
template <std::size_t n>
constexpr std::array<long_index_t, 6> to_six(const std::array<index_t, n>& values,
                                             long_index_t neutral)
{
    std::array<long_index_t, 6> six{};
    six.fill(neutral);
    if constexpr(n <= 6)
        std::copy(values.begin(), values.end(), six.end() - n);
    return six;
}

inline Support check_lengths(const TensorLengths& lengths)
{
    for(const long_index_t length : lengths)
        if(length < 0)
            return refused("a length is " + std::to_string(length) + ", but must be at least 0");
    return {};
}

/// Requires lengths that check_lengths() accepts.
inline Support
check_strided(const StridedTensor& t, const TensorLengths& lengths, std::size_t element_bytes)
{
    for(std::size_t i = 0; i < lengths.size(); ++i)
        if(t.strides[i] < 0)
            return refused("a stride of " + t.name + " is " + std::to_string(t.strides[i]) +
                           ", but strides must not be negative");
    double last = 0;
    for(std::size_t i = 0; i < lengths.size(); ++i)
        last += static_cast<double>(std::max<long_index_t>(lengths[i] - 1, 0)) *
                static_cast<double>(t.strides[i]);
    if(last >= 0x1p60)
        return refused(t.name + " has its last element beyond offset 2^60, which does not fit into "
                                "64-bit addresses");
    if(reinterpret_cast<std::uintptr_t>(t.address) % element_bytes != 0)
        return refused("the address of " + t.name + " is not a multiple of the " +
                       std::to_string(element_bytes) + " bytes of an element");
    return {};
}

/// Throws std::runtime_error if a tensor that is not empty has a null address.
inline void require_memory(const StridedTensor& t, const TensorLengths& lengths)
{
    if(t.address == nullptr && element_count(lengths) > 0)
        throw std::runtime_error("the address of " + t.name + " is null, but it has elements");
}

} // namespace ck::tensor_operation::device
