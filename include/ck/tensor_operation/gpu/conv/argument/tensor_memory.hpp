#pragma once
// Memory of an argument's tensors: whether elements of a written tensor overlap each other, and
// whether it overlaps a tensor that the same launch reads.
#include "ck/convolution/problem.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>

namespace ck::tensor_operation::device {

/// Whether the elements of a written tensor do not overlap: each dimension's stride must be longer
/// than the span of all dimensions with shorter strides.
inline Support
check_written(const char* tensor, const TensorLengths& lengths, const TensorStrides& strides)
{
    std::array<std::size_t, std::tuple_size_v<TensorLengths>> order;
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return strides[i] < strides[j];
    });
    if(element_count(lengths) == 0)
        return {};
    long_index_t last = 0; // offset of the last element along the earlier dimensions
    for(const std::size_t i : order)
        if(lengths[i] > 1)
        {
            if(strides[i] <= last)
                return refused(std::string("a stride of ") + tensor + ", which is written, is " +
                               std::to_string(strides[i]) + ", but must be above " +
                               std::to_string(last) +
                               ", which the dimensions of shorter strides span");
            last += (lengths[i] - 1) * strides[i];
        }
    return {};
}

/// A tensor in memory. Strides, in elements, must not be negative where the length is above 1, and
/// the last element's byte offset must fit 64 bits.
struct TensorMemory
{
    const char* name;
    const void* base; ///< nullptr: not known yet
    TensorLengths lengths;
    const TensorStrides& strides;
    long_index_t element_bytes;

    bool is_known() const { return base != nullptr && element_count(lengths) > 0; }
    std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(base); }
    std::uintptr_t end() const { return begin() + static_cast<std::uintptr_t>(span(1)); }

    /// Bytes from the first to the last element, inclusive, along the dimensions whose stride is
    /// not a multiple of `period` bytes; with 1, along all dimensions.
    long_index_t span(long_index_t period) const
    {
        long_index_t last = 0;
        for(std::size_t i = 0; i < lengths.size(); ++i)
            if(lengths[i] > 1 && (period == 1 || strides[i] * element_bytes % period != 0))
                last += (lengths[i] - 1) * strides[i];
        return (last + 1) * element_bytes;
    }
};

namespace detail {

/// Whether both tensors are known not to overlap within each `period` bytes, such as different
/// channels of one larger tensor.
inline bool apart_in_each(long_index_t period, const TensorMemory& x, const TensorMemory& y)
{
    const auto p                = static_cast<std::uintptr_t>(period);
    const auto x_span           = static_cast<std::uintptr_t>(x.span(period)),
               y_span           = static_cast<std::uintptr_t>(y.span(period));
    const std::uintptr_t from_x = (y.begin() % p + p - x.begin() % p) % p; // from x up to y
    return from_x >= x_span && from_x + y_span <= p;
}

inline bool apart_in_some_period(const TensorMemory& x, const TensorMemory& y)
{
    for(const TensorMemory* t : {&x, &y})
        for(std::size_t i = 0; i < t->lengths.size(); ++i)
            if(t->lengths[i] > 1 && t->strides[i] > 0 &&
               apart_in_each(t->strides[i] * t->element_bytes, x, y))
                return true;
    return false;
}

} // namespace detail

/// Whether a written tensor surely shares no byte with one that is read: their byte ranges are
/// disjoint, or they are different channels of larger pixels.
inline Support check_apart(const TensorMemory& written, const TensorMemory& read)
{
    if(!written.is_known() || !read.is_known() || written.end() <= read.begin() ||
       read.end() <= written.begin() || detail::apart_in_some_period(written, read))
        return {};
    return refused(std::string(written.name) + ", which is written, shares memory with " +
                   read.name + ": " + std::to_string(written.end() - written.begin()) +
                   " bytes from where " + read.name + " has its byte " +
                   std::to_string(static_cast<std::intptr_t>(written.begin() - read.begin())) +
                   " of " + std::to_string(read.end() - read.begin()));
}

/// Whether each element of a D tensor is C's element at the same index, so that it is read before
/// it is written.
inline bool in_place(const TensorMemory& c, const TensorMemory& d)
{
    if(c.base != d.base || c.element_bytes != d.element_bytes)
        return false;
    for(std::size_t i = 0; i < c.lengths.size(); ++i)
        if(c.lengths[i] > 1 && c.strides[i] != d.strides[i])
            return false;
    return true;
}

} // namespace ck::tensor_operation::device
