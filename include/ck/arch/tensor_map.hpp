#pragma once
// Copies of whole boxes of a tensor from global to shared memory by one thread's instruction (TMA,
// sm_90; PTX ISA, "cp.async.bulk.tensor"; CUDA driver API, "Tensor Map Object Management").
// Emulated on the host.
#include "ck/arch/target.hpp"
#include "ck/arch/transaction_barrier.hpp"

#include <cstddef>
#include <cstdint>
#include <tuple>

#if defined(CK_LANGUAGE_CUDA)
#include "ck/arch/nvidia/tensor_map.hpp"
#elif !defined(CK_LANGUAGE_HIP)
#include <bit>
#include <cstring>
#endif

namespace ck::arch {

/// Whether the blocks of a cluster can copy to each other; otherwise each copies everything itself.
#if defined(CK_LANGUAGE_CUDA)
inline constexpr bool has_clusters = true;
#else
inline constexpr bool has_clusters = false;
#endif

/// The contents of a tensor map: a tensor, and the box that one copy takes from it. Dimension 0 is
/// contiguous (channels), then up to three spatial dimensions w, h, d, then images or filters.
///
/// Elements of one or two bytes are copied unchanged. Elements of four bytes are floats, which the
/// copy rounds to tf32: to nearest with 10 explicit mantissa bits, ties to even; infinities and
/// NaNs are unchanged. wgmma would drop the low bits.
///
/// A box has lines of `channels` channels, 128 or 64 bytes. A plain box, of five dimensions, has
/// `box` lines along each other dimension, every step-th one, the second dimension fastest. A box
/// of windows, of 128 bytes, has `lines` lines, which are consecutive pixels, w fastest, then h, d
/// and images; in each spatial dimension it takes first, first + step ..., `count` in all. Elements
/// outside the tensor are read as zeros.
struct TensorBox
{
    const void* base;       ///< 16-byte aligned
    index_t rank;           ///< 3 to 5
    long_index_t length[5]; ///< elements
    long_index_t stride[5]; ///< elements; multiples of 16 bytes except the first, which is 1
    index_t element_bytes;  ///< 1, 2 or 4
    index_t channels;
    index_t step[3]; ///< w h d
    index_t box[4];  ///< plain: w h d, images or filters
    bool windows;
    index_t lines;              ///< for a box of windows
    index_t first[3], count[3]; ///< w h d, windows
    bool pairs; ///< pairs of 128 bytes: what L2 fetches from memory at once; else one

    constexpr index_t line_bytes() const { return element_bytes * channels; }
};

/// The start of a box. Windows: `spatial` is first + a multiple of step, and each pixel is read
/// `offset` further on.
struct BoxPlace
{
    index_t channel;
    index_t spatial[3]; ///< w h d
    index_t last;       ///< image or filter
    index_t offset[3];  ///< w h d, at least 0
};

/// A parameter of the kernel, 128 bytes on the GPU, aligned as the driver requires.
struct TensorMap
{
#if defined(CK_LANGUAGE_CUDA)
    CUtensorMap map;
#else
    TensorBox box;
#endif

    /// Makes the map of a box. Returns false if the numbers are out of the instruction's range, or
    /// if the driver does not support tensor maps.
    [[nodiscard]] bool make([[maybe_unused]] const TensorBox& b)
    {
#if defined(CK_LANGUAGE_CUDA)
        return nvidia::encode(map, b);
#elif defined(CK_LANGUAGE_HIP)
        return false;
#else
        box = b;
        for(index_t i = 0; i < b.rank; ++i)
            if(b.length[i] < 1 || (b.windows && i + 2 < b.rank && b.count[i] < 1))
                return false; // like the driver
        return true;
#endif
    }

    auto addresses() const
    {
#if defined(CK_LANGUAGE_CUDA)
        return std::tie(map.opaque[nvidia::address_word()]);
#else
        return std::tie(box.base);
#endif
    }
};

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
namespace host {

/// Rounds to tf32 as copies with tensor maps do.
inline float rounded_by_copy(float x)
{
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if((bits & 0x7f800000u) == 0x7f800000u)
        return x;
    return std::bit_cast<float>((bits + 0xfffu + (bits >> 13 & 1u)) & 0xffffe000u);
}

/// Copies one line, with zeros for what is outside the tensor.
inline void
copy_line(const TensorBox& b, char* line, index_t channel, const index_t* at, index_t last)
{
    bool inside         = last >= 0 && last < b.length[b.rank - 1];
    long_index_t offset = inside ? last * b.stride[b.rank - 1] : 0;
    for(index_t i = 1; i + 1 < b.rank; ++i)
    {
        inside = inside && at[i - 1] >= 0 && at[i - 1] < b.length[i];
        offset += inside ? at[i - 1] * b.stride[i] : 0;
    }
    constexpr index_t pack = 16;
    const index_t in_pack  = pack / b.element_bytes;
    for(index_t p = 0; p < b.channels / in_pack; ++p)
    {
        // Swizzled by the address, as in the copy engine.
        auto to = reinterpret_cast<std::uintptr_t>(line) + static_cast<std::uintptr_t>(pack * p);
        to ^= (to >> 7 & (b.line_bytes() == 128 ? 7 : 3)) << 4;
        auto* const out = reinterpret_cast<char*>(to); // NOLINT
        std::memset(out, 0, pack);
        const long_index_t first = channel + in_pack * p,
                           count = math::min<long_index_t>(in_pack, b.length[0] - first);
        if(!inside || count <= 0)
            continue;
        std::memcpy(out,
                    static_cast<const char*>(b.base) + b.element_bytes * (offset + first),
                    static_cast<std::size_t>(b.element_bytes * count));
        if(b.element_bytes == 4)
        {
            float values[4];
            std::memcpy(values, out, pack);
            for(float& x : values)
                x = rounded_by_copy(x);
            std::memcpy(out, values, pack);
        }
    }
}

inline void copy_plain_box(char* to, const TensorBox& b, const BoxPlace& at)
{
    index_t line = 0;
    for(index_t n = 0; n < b.box[3]; ++n)
        for(index_t d = 0; d < b.box[2]; ++d)
            for(index_t h = 0; h < b.box[1]; ++h)
                for(index_t w = 0; w < b.box[0]; ++w, ++line)
                {
                    const index_t pixel[3] = {at.spatial[0] + w * b.step[0],
                                              at.spatial[1] + h * b.step[1],
                                              at.spatial[2] + d * b.step[2]};
                    copy_line(b, to + b.line_bytes() * line, at.channel, pixel, at.last + n);
                }
}

inline void copy_windows(char* to, const TensorBox& b, BoxPlace at)
{
    for(index_t line = 0; line < b.lines; ++line)
    {
        const index_t pixel[3] = {at.spatial[0] + at.offset[0],
                                  at.spatial[1] + at.offset[1],
                                  at.spatial[2] + at.offset[2]};
        copy_line(b, to + b.line_bytes() * line, at.channel, pixel, at.last);
        index_t i = 0;
        for(; i + 2 < b.rank; ++i)
        {
            at.spatial[i] += b.step[i];
            if(at.spatial[i] < b.first[i] + b.count[i] * b.step[i])
                break;
            at.spatial[i] = b.first[i];
        }
        if(i + 2 == b.rank)
            ++at.last;
    }
}

} // namespace host
#endif

/// Starts the copy of a box to `shared`, aligned to 1024 bytes, one line after another, each
/// swizzled as in arch::SharedOperand. Its bytes complete on the barrier. rank, windows: the map's.
/// blocks: the blocks of a cluster to which the box is copied, at the same place in their shared
/// memory, and on whose barriers it completes; 1: only this block. once: no other copy will read
/// the same lines much later, so the L2 cache may evict them first.
template <bool windows, index_t blocks = 1, bool once = false>
CK_DEVICE CK_INLINE void copy_box([[maybe_unused]] void* shared,
                                  [[maybe_unused]] const TensorMap& map,
                                  [[maybe_unused]] index_t rank,
                                  [[maybe_unused]] const BoxPlace& at,
                                  [[maybe_unused]] TransactionBarrier& barrier)
{
#if defined(CK_LANGUAGE_CUDA)
    nvidia::copy_box<windows, blocks, once>(shared, &map.map, rank, at, &barrier);
#elif defined(CK_LANGUAGE_HIP)
    trap();
#else
    static_assert(blocks == 1, "the host has no clusters");
    if(map.box.windows != windows || map.box.rank != rank)
        trap();
    const TensorBox& b = map.box;
    if constexpr(windows)
        host::copy_windows(static_cast<char*>(shared), b, at);
    else
        host::copy_plain_box(static_cast<char*>(shared), b, at);
    barrier.bytes -=
        b.line_bytes() * (windows ? b.lines : b.box[0] * b.box[1] * b.box[2] * b.box[3]);
    detail::end_phase_if_complete(barrier);
#endif
}

/// Loads a box into the L2 cache for a later copy_box(). Correct even if another kernel still
/// writes there.
template <bool windows>
CK_DEVICE CK_INLINE void fetch_box([[maybe_unused]] const TensorMap& map,
                                   [[maybe_unused]] index_t rank,
                                   [[maybe_unused]] const BoxPlace& at)
{
#if defined(CK_LANGUAGE_CUDA)
    nvidia::copy_box<windows, 0, false>(nullptr, &map.map, rank, at, nullptr);
#elif defined(CK_LANGUAGE_HIP)
    trap();
#else
    if(map.box.windows != windows || map.box.rank != rank)
        trap();
#endif
}

/// Prefetches the map for the first copy. Called by one thread.
CK_DEVICE CK_INLINE void prefetch([[maybe_unused]] const TensorMap& map)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map.map) : "memory");
#endif
}

} // namespace ck::arch
