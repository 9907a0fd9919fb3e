#pragma once
// Numbers the elements of tensors with the same lengths: maps a number to an offset in each tensor.
// Numbers and offsets have 64 bits, for any size.
#include "ck/utility/magic_division.hpp"
#include "ck/utility/vector.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ck {

/// The run-time values: a plain kernel argument.
template <index_t max_dims, index_t tensors>
struct FlatIndex
{
    long_index_t count;                     ///< number of elements
    index_t dims;                           ///< number of dimensions in use
    Divisor length[max_dims];               ///< slowest first
    long_index_t stride[max_dims][tensors]; ///< elements

    /// The offsets, in elements, of element `number` in [0, count) in each tensor.
    CK_HOST_DEVICE CK_INLINE constexpr Vector<long_index_t, tensors>
    operator()(long_index_t number) const
    {
        Vector<long_index_t, tensors> offset{};
        for(index_t d = dims - 1; d >= 0; --d)
        {
            const long_index_t rest  = d == 0 ? 0 : divided(number, length[d]);
            const long_index_t digit = number - rest * length[d].value;
            for(index_t t = 0; t < tensors; ++t)
                offset[t] += digit * stride[d][t];
            number = rest;
        }
        return offset;
    }

    /// The index of an element in the fastest dimension.
    CK_HOST_DEVICE CK_INLINE constexpr index_t last_digit(long_index_t number) const
    {
        if(dims == 0)
            return 0;
        const Divisor& last = length[dims - 1];
        return static_cast<index_t>(number - divided(number, last) * last.value);
    }

    /// Merges dimensions that are contiguous in all tensors; the strides of tensor 0 decide which
    /// are the fastest. lengths: `dims_given` values, at least 0; strides: for each tensor.
    template <std::size_t n>
    static constexpr FlatIndex
    make(const std::array<long_index_t, n>& lengths,
         const std::array<std::array<long_index_t, n>, static_cast<std::size_t>(tensors)>& strides)
    {
        static_assert(n <= static_cast<std::size_t>(max_dims),
                      "more dimensions than there is room for");
        std::array<std::size_t, n> order{};
        for(std::size_t i = 0; i < n; ++i)
            order[i] = i;
        std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
            return strides[0][i] != strides[0][j] ? strides[0][i] > strides[0][j] : i < j;
        });
        FlatIndex r{};
        r.count = 1;
        for(const std::size_t i : order)
        {
            r.count = math::saturating_product(r.count, lengths[i]);
            if(lengths[i] == 1)
                continue;
            const index_t last = r.dims - 1;
            bool joins = r.dims > 0 && lengths[i] * r.length[last].value < (long_index_t{1} << 31);
            for(std::size_t t = 0; t < strides.size(); ++t)
                joins = joins && r.stride[last][t] == strides[t][i] * lengths[i];
            const index_t at = joins ? last : r.dims++;
            r.length[at]     = make_divisor(
                static_cast<index_t>(joins ? lengths[i] * r.length[last].value : lengths[i]));
            for(std::size_t t = 0; t < strides.size(); ++t)
                r.stride[at][t] = strides[t][i];
        }
        return r;
    }

private:
    CK_HOST_DEVICE CK_INLINE static constexpr long_index_t divided(long_index_t n,
                                                                   const Divisor& by)
    {
        return n < (long_index_t{1} << 31) ? quotient(static_cast<index_t>(n), by) : n / by.value;
    }
};

} // namespace ck
