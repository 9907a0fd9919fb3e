#pragma once
// Tensor maps of sm_90. The driver encodes them; its functions are found at run time, so that
// nothing links with it. Also the copies that use them.
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>

namespace ck::arch {
struct TensorBox;
struct BoxPlace;
} // namespace ck::arch

namespace ck::arch::nvidia {

/// A function of the driver; null if it does not have it.
template <class Function>
Function driver_function(const char* name)
{
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    constexpr unsigned cuda_12 = 12000;
    if(cudaGetDriverEntryPointByVersion(name, &found, cuda_12, cudaEnableDefault, &result) !=
           cudaSuccess ||
       result != cudaDriverEntryPointSuccess)
        return nullptr;
    return reinterpret_cast<Function>(found);
}

/// Whether a call of the driver succeeds. The driver needs a context in the calling thread, which
/// the runtime creates when a thread first uses the GPU; a plan may be made before that.
template <class Call>
bool succeeds_in_context(const Call& call)
{
    CUresult result = call();
    if((result == CUDA_ERROR_INVALID_CONTEXT || result == CUDA_ERROR_NOT_INITIALIZED) &&
       cudaFree(nullptr) == cudaSuccess)
        result = call();
    return result == CUDA_SUCCESS;
}

template <class Box>
bool encode(CUtensorMap& map, const Box& b)
{
    static const auto tiled =
        driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
    static const auto im2col =
        driver_function<decltype(&cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
    if(tiled == nullptr || im2col == nullptr)
        return false;
    const auto type      = b.element_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8 // bits are bits
                           : b.element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                                  : CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;
    constexpr auto plain = CU_TENSOR_MAP_INTERLEAVE_NONE;
    const auto swizzled =
        b.line_bytes() == 128 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B;
    const auto promotion =
        b.pairs ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
    constexpr auto zeros = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    const auto rank      = static_cast<cuuint32_t>(b.rank);
    auto* const base     = const_cast<void*>(b.base);

    cuuint64_t length[5], stride[4]; // in bytes, without the first
    for(index_t i = 0; i < b.rank; ++i)
        length[i] = static_cast<cuuint64_t>(b.length[i]);
    for(index_t i = 1; i < b.rank; ++i) // a dimension of length 1 may have any stride
        stride[i - 1] =
            b.length[i] > 1 ? static_cast<cuuint64_t>(b.element_bytes * b.stride[i]) : 16;
    const auto channels = static_cast<cuuint32_t>(b.channels);
    cuuint32_t step[5]  = {1, 1, 1, 1, 1};
    for(index_t i = 0; i + 2 < b.rank; ++i)
        step[i + 1] = static_cast<cuuint32_t>(b.step[i]);
    if(!b.windows)
    {
        cuuint32_t box[5] = {channels}; // as many elements as every step-th of which are taken
        for(index_t i = 0; i < 4; ++i)
            box[i + 1] = (static_cast<cuuint32_t>(b.box[i]) - 1) * step[i + 1] + 1;
        return succeeds_in_context([&] {
            return tiled(&map,
                         type,
                         rank,
                         base,
                         length,
                         stride,
                         box,
                         step,
                         plain,
                         swizzled,
                         promotion,
                         zeros);
        });
    }
    int lower[3], upper[3];
    for(index_t i = 0; i + 2 < b.rank; ++i)
    {
        lower[i] = b.first[i];
        upper[i] =
            b.first[i] + (b.count[i] - 1) * b.step[i] + 1 - static_cast<int>(b.length[i + 1]);
    }
    return succeeds_in_context([&] {
        return im2col(&map,
                      type,
                      rank,
                      base,
                      length,
                      stride,
                      lower,
                      upper,
                      channels,
                      static_cast<cuuint32_t>(b.lines),
                      step,
                      plain,
                      swizzled,
                      promotion,
                      zeros);
    });
}

/// The word of a map that is the tensor's address. The format is internal to the driver, so this is
/// found from a map of a known address.
inline int address_word()
{
    static const int found = [] {
        constexpr std::uintptr_t address = 0x2b6a4c9d5e80;
        constexpr cuuint64_t length[]{64, 64}, stride[]{128};
        constexpr cuuint32_t box[]{64, 8}, step[]{1, 1};
        CUtensorMap map{};
        const auto encode =
            driver_function<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
        const auto encodes = [&] {
            return encode(&map,
                          CU_TENSOR_MAP_DATA_TYPE_UINT16,
                          2,
                          reinterpret_cast<void*>(address),
                          length,
                          stride,
                          box,
                          step,
                          CU_TENSOR_MAP_INTERLEAVE_NONE,
                          CU_TENSOR_MAP_SWIZZLE_128B,
                          CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        };
        if(encode != nullptr && succeeds_in_context(encodes))
            for(int word = 0; word < CU_TENSOR_MAP_NUM_QWORDS; ++word)
                if(map.opaque[word] == address)
                    return word;
        throw std::runtime_error("the driver's tensor maps hold no address");
    }();
    return found;
}

// rank, kind: of the map; coordinates and im2col offsets around the barrier; then their operands.
// `qualifiers` have their operands after the offsets.
#define CK_COPY_BOX_AS(qualifiers, rank, kind, coordinates, barrier, offsets, ...)                 \
    asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global." kind                      \
                 ".mbarrier::complete_tx::bytes" qualifiers " [%0], [%1, " coordinates             \
                 "], [" barrier "]" offsets ";" ::"r"(to),                                         \
                 "l"(map),                                                                         \
                 __VA_ARGS__                                                                       \
                 : "memory")
// To the L2 cache only: `to` and the barrier are operands that it does not use.
#define CK_FETCH_BOX(rank, kind, coordinates, offsets, ...)                                        \
    asm volatile("cp.async.bulk.prefetch.tensor." rank ".L2.global." kind " [%1, " coordinates     \
                 "]" offsets ";" ::"r"(to),                                                        \
                 "l"(map),                                                                         \
                 __VA_ARGS__                                                                       \
                 : "memory")
// To no block, one block, or all blocks of a cluster; for lines that are read once, or again. The
// policy is the result of createpolicy.fractional.L2::evict_first with a fraction of 1 on sm_90.
#define CK_EVICT_FIRST ", 0x12F0000000000000"
#define CK_COPY_BOX(rank, kind, coordinates, barrier, offsets, mask, ...)                          \
    if constexpr(blocks == 0)                                                                      \
        CK_FETCH_BOX(rank, kind, coordinates, offsets, __VA_ARGS__);                               \
    else if constexpr(blocks == 1 && !once)                                                        \
        CK_COPY_BOX_AS("", rank, kind, coordinates, barrier, offsets, __VA_ARGS__);                \
    else if constexpr(blocks == 1)                                                                 \
        CK_COPY_BOX_AS(".L2::cache_hint",                                                          \
                       rank,                                                                       \
                       kind,                                                                       \
                       coordinates,                                                                \
                       barrier,                                                                    \
                       offsets CK_EVICT_FIRST,                                                     \
                       __VA_ARGS__);                                                               \
    else if constexpr(!once)                                                                       \
        CK_COPY_BOX_AS(".multicast::cluster",                                                      \
                       rank,                                                                       \
                       kind,                                                                       \
                       coordinates,                                                                \
                       barrier,                                                                    \
                       offsets ", " mask,                                                          \
                       __VA_ARGS__,                                                                \
                       "h"(all));                                                                  \
    else                                                                                           \
        CK_COPY_BOX_AS(".multicast::cluster.L2::cache_hint",                                       \
                       rank,                                                                       \
                       kind,                                                                       \
                       coordinates,                                                                \
                       barrier,                                                                    \
                       offsets ", " mask CK_EVICT_FIRST,                                           \
                       __VA_ARGS__,                                                                \
                       "h"(all))

/// blocks: 0 only loads the box into the L2 cache.
template <bool windows, index_t blocks, bool once, class Place>
CK_DEVICE CK_INLINE void copy_box([[maybe_unused]] void* shared,
                                  [[maybe_unused]] const CUtensorMap* map,
                                  [[maybe_unused]] index_t rank,
                                  [[maybe_unused]] const Place& at,
                                  [[maybe_unused]] void* barrier)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const auto to     = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    const auto signal = static_cast<std::uint32_t>(__cvta_generic_to_shared(barrier));
    const index_t c = at.channel, w = at.spatial[0], h = at.spatial[1], d = at.spatial[2],
                  n                          = at.last;
    [[maybe_unused]] const std::uint16_t all = (1 << blocks) - 1;
    if constexpr(windows)
    {
        const auto offset = [&](int i) { return static_cast<std::uint16_t>(at.offset[i]); };
        if(rank == 4)
        {
            CK_COPY_BOX("4d",
                        "im2col",
                        "{%2, %3, %4, %5}",
                        "%6",
                        ", {%7, %8}",
                        "%9",
                        "r"(c),
                        "r"(w),
                        "r"(h),
                        "r"(n),
                        "r"(signal),
                        "h"(offset(0)),
                        "h"(offset(1)));
        }
        else if(rank == 5)
        {
            CK_COPY_BOX("5d",
                        "im2col",
                        "{%2, %3, %4, %5, %6}",
                        "%7",
                        ", {%8, %9, %10}",
                        "%11",
                        "r"(c),
                        "r"(w),
                        "r"(h),
                        "r"(d),
                        "r"(n),
                        "r"(signal),
                        "h"(offset(0)),
                        "h"(offset(1)),
                        "h"(offset(2)));
        }
        else
        {
            CK_COPY_BOX("3d",
                        "im2col",
                        "{%2, %3, %4}",
                        "%5",
                        ", {%6}",
                        "%7",
                        "r"(c),
                        "r"(w),
                        "r"(n),
                        "r"(signal),
                        "h"(offset(0)));
        }
    }
    else // boxes of filters, whose maps have all dimensions
    {
        CK_COPY_BOX("5d",
                    "tile",
                    "{%2, %3, %4, %5, %6}",
                    "%7",
                    "",
                    "%8",
                    "r"(c),
                    "r"(w),
                    "r"(h),
                    "r"(d),
                    "r"(n),
                    "r"(signal));
    }
#else
    trap();
#endif
}

#undef CK_COPY_BOX
#undef CK_FETCH_BOX
#undef CK_COPY_BOX_AS
#undef CK_EVICT_FIRST

} // namespace ck::arch::nvidia
