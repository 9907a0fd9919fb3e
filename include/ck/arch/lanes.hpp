#pragma once
// Reads values from the registers of another lane.
#include "ck/arch/index.hpp"
#include "ck/utility/integer.hpp"

#include <cstdint>

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include "ck/arch/host/wave.hpp"
#endif

namespace ck::arch {

/// Returns the value that `lane` of the aligned group of `lanes` threads passes as `mine`. All
/// threads of the group must call it.
template <index_t lanes>
CK_DEVICE CK_INLINE std::uint32_t from_lane(std::uint32_t mine, index_t lane)
{
    static_assert(lanes == 32 || lanes == 64, "a wave has 32 or 64 lanes");
#if defined(CK_LANGUAGE_HIP)
    return static_cast<std::uint32_t>(
        __builtin_amdgcn_ds_bpermute(4 * lane, static_cast<std::int32_t>(mine)));
#elif defined(CK_LANGUAGE_CUDA)
    static_assert(lanes == 32, "an NVIDIA warp has 32 lanes");
    return __shfl_sync(0xffffffffu, mine, lane);
#else
    struct Exchange
    {
        std::uint32_t mine;
        index_t from;
        std::uint32_t result;
    };
    Exchange exchange{mine, lane, 0};
    wave_operation(lanes, &exchange, [](void* const* of_lane) {
        for(index_t i = 0; i < lanes; ++i)
        {
            auto* const to = static_cast<Exchange*>(of_lane[i]);
            to->result     = static_cast<const Exchange*>(of_lane[to->from])->mine;
        }
    });
    return exchange.result;
#endif
}

/// Returns the value of the lane whose number differs from the caller's in the bits of `mask`, from
/// 1 to 31. All threads of an aligned group of 32 must call it.
template <class T>
CK_DEVICE CK_INLINE T from_lane_xor(const T& mine, index_t mask)
{
    static_assert(sizeof(T) % 4 == 0);
    struct Words
    {
        std::uint32_t word[sizeof(T) / 4];
    };
    Words words = __builtin_bit_cast(Words, mine);
    for(std::uint32_t& word : words.word)
#if defined(CK_LANGUAGE_HIP) // takes the lane modulo the size of the wave
        word = static_cast<std::uint32_t>(__builtin_amdgcn_ds_bpermute(
            4 * (thread_index() ^ mask), static_cast<std::int32_t>(word)));
#elif defined(CK_LANGUAGE_CUDA)
        word = __shfl_xor_sync(0xffffffffu, word, mask);
#else
        word = from_lane<32>(word, (thread_index() ^ mask) % 32);
#endif
    return __builtin_bit_cast(T, words);
}

} // namespace ck::arch
