#pragma once
// Conversions between contiguous tensors and tensors with blocks of channels, on the host. On a
// device: ck/tensor_operation/gpu/device/impl/device_blocked_copy.hpp.
#include "ck/convolution/blocked_layout.hpp"

#include <algorithm>
#include <cstddef>

namespace ck::utils {

namespace detail {
/// Calls f(offset in the blocked tensor, offset in the contiguous tensor) for each element.
template <class F>
void for_each_element(const BlockedLayout& t, const PackedStrides& packed, const F& f)
{
    const auto& l = t.lengths;
    std::array<long_index_t, 4> i{};
    for(i[0] = 0; i[0] < l[0]; ++i[0])
        for(i[1] = 0; i[1] < l[1]; ++i[1])
            for(i[2] = 0; i[2] < l[2]; ++i[2])
                for(i[3] = 0; i[3] < l[3]; ++i[3])
                    for(long_index_t c = 0; c < t.channels; ++c)
                    {
                        long_index_t at = c * packed.channel;
                        for(std::size_t d = 0; d < 4; ++d)
                            at += i[d] * packed.outer[d];
                        f(t.offset(i, c), at);
                    }
}
} // namespace detail

/// to: t.elements() elements, all of which are written; padding is 0.
template <class T>
void to_blocks(const BlockedLayout& t, const PackedStrides& packed, const T* from, T* to)
{
    std::fill(to, to + t.elements(), T{});
    detail::for_each_element(
        t, packed, [&](long_index_t blocked, long_index_t at) { to[blocked] = from[at]; });
}

/// from: t.elements() elements; padding is not read.
template <class T>
void from_blocks(const BlockedLayout& t, const PackedStrides& packed, const T* from, T* to)
{
    detail::for_each_element(
        t, packed, [&](long_index_t blocked, long_index_t at) { to[at] = from[blocked]; });
}

} // namespace ck::utils
