#pragma once
// Layout tags of blocked tensors, turned into the lengths and strides that an operation takes.
#include "ck/convolution/channel_blocks.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"

#include <algorithm>
#include <array>

namespace ck::tensor_operation::device {

/// A layout tag whose tensors store channels in blocks.
template <class Layout>
concept BlockedTag = requires
{
    Layout::block;
    Layout::is_filter;
};

/// C0 (channels per block) of a layout for elements of type T.
template <BlockedTag Layout, class T>
inline constexpr index_t block_of = Layout::block > 0 ? Layout::block
                                                      : 32 / static_cast<index_t>(sizeof(T));

/// Sizes in memory. lengths: g, n or k, c or k, then three spatial lengths.
template <BlockedTag Layout, class T>
constexpr BlockedMemory blocked_memory(const TensorLengths& lengths)
{
    static_assert(Layout::block >= 0, "a block has at least one channel");
    return Layout::is_filter ? fractal_z_3d(lengths, block_of<Layout, T>)
                             : ndc1hwc0(lengths, block_of<Layout, T>);
}

/// A tensor as operations take it, in Composable Kernel's order: G, N or K, C or K, [D] H W.
template <index_t rank>
struct BlockedTensor
{
    std::array<index_t, static_cast<std::size_t>(rank) + 3> lengths; ///< without the block
    std::array<index_t, static_cast<std::size_t>(rank) + 3> strides; ///< in elements
    long_index_t elements;                                           ///< elements to allocate
};

/// Makes the tensor of a layout. lengths: G, N or K, C or K, then the spatial lengths.
template <index_t rank, BlockedTag Layout, class T>
constexpr BlockedTensor<rank>
make_blocked_tensor(const std::array<index_t, static_cast<std::size_t>(rank) + 3>& lengths)
{
    TensorLengths all{lengths[0], lengths[1], lengths[2], 1, 1, 1};
    std::copy(lengths.begin() + 3, lengths.end(), all.end() - rank);
    const BlockedMemory memory = blocked_memory<Layout, T>(all);
    BlockedTensor<rank> r{lengths, {}, memory.elements};
    for(std::size_t i = 0; i < 3; ++i)
        r.strides[i] = static_cast<index_t>(memory.strides[i]);
    for(std::size_t i = 3; i < lengths.size(); ++i)
        r.strides[i] = static_cast<index_t>(memory.strides[i + 6 - lengths.size()]);
    return r;
}

} // namespace ck::tensor_operation::device
