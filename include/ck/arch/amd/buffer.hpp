#pragma once
// Raw buffer loads and stores (CDNA3 ISA 9.1, RDNA3 ISA 9.1): a 128-bit resource in scalar
// registers, a 32-bit byte offset for each lane, and a scalar offset. Lanes whose offset is not
// less than num_records read zero and write nothing.
#include "ck/arch/target.hpp"
#include "ck/arch/words.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>
#include <type_traits>

namespace ck::arch::amd {

using word1 = std::int32_t;
using word2 = std::int32_t __attribute__((ext_vector_type(2)));
using word4 = std::int32_t __attribute__((ext_vector_type(4)));

// The intrinsics under their LLVM names: clang 15 has no builtins for them.
__device__ std::int8_t raw_load_b8(word4, int, int, int) __asm("llvm.amdgcn.raw.buffer.load.i8");
__device__ std::int16_t raw_load_b16(word4, int, int, int) __asm("llvm.amdgcn.raw.buffer.load.i16");
__device__ word1 raw_load_b32(word4, int, int, int) __asm("llvm.amdgcn.raw.buffer.load.i32");
__device__ word2 raw_load_b64(word4, int, int, int) __asm("llvm.amdgcn.raw.buffer.load.v2i32");
__device__ word4 raw_load_b128(word4, int, int, int) __asm("llvm.amdgcn.raw.buffer.load.v4i32");
__device__ void
raw_store_b8(std::int8_t, word4, int, int, int) __asm("llvm.amdgcn.raw.buffer.store.i8");
__device__ void
raw_store_b16(std::int16_t, word4, int, int, int) __asm("llvm.amdgcn.raw.buffer.store.i16");
__device__ void
raw_store_b32(word1, word4, int, int, int) __asm("llvm.amdgcn.raw.buffer.store.i32");
__device__ void
raw_store_b64(word2, word4, int, int, int) __asm("llvm.amdgcn.raw.buffer.store.v2i32");
__device__ void
raw_store_b128(word4, word4, int, int, int) __asm("llvm.amdgcn.raw.buffer.store.v4i32");

/// A resource for 2 GiB from `base` on, raw bytes. Word 3 selects the 32-bit raw format and checks
/// byte offsets against num_records: gfx9 DATA_FORMAT = 32; gfx10 FORMAT = 32_UINT, RESOURCE_LEVEL
/// = 1, OOB_SELECT = raw; gfx11 and gfx12 like gfx10 without RESOURCE_LEVEL.
CK_DEVICE CK_INLINE word4 resource(const void* base)
{
    constexpr std::int32_t word3 = compiling_for == Target::gfx11 || compiling_for == Target::gfx12
                                       ? 0x31004000
                                   : compiling_for == Target::gfx10 ? 0x31014000
                                                                    : 0x00020000;
    const std::uint64_t address  = reinterpret_cast<std::uint64_t>(base);
    return word4{__builtin_amdgcn_readfirstlane(static_cast<std::int32_t>(address)),
                 __builtin_amdgcn_readfirstlane(static_cast<std::int32_t>(address >> 32) & 0xffff),
                 static_cast<std::int32_t>(0x80000000u),
                 word3};
}

/// Moves a value that is the same in all lanes of the wave to a scalar register, where buffer
/// instructions expect their common offset. Optimised code has it there already; without
/// optimisation all values are in vector registers, and clang 15 does not move them.
CK_DEVICE CK_INLINE int scalar(int of_the_wave)
{
#if defined(__OPTIMIZE__)
    return of_the_wave;
#else
    return __builtin_amdgcn_readfirstlane(of_the_wave);
#endif
}

/// Splits what is larger than one instruction can move. Up to 64 bytes: int8, 16 at a time, with as
/// many 32-bit elements of a D tensor or of C.
template <class V>
using Words4 = Vector<word4, sizeof(V) / 16>;

template <class V>
CK_DEVICE CK_INLINE V buffer_load(word4 r, std::uint32_t lane_offset, std::uint32_t wave_offset)
{
    const int v = static_cast<int>(lane_offset);
    const int s = static_cast<int>(wave_offset);
    if constexpr(sizeof(V) == 1)
        return __builtin_bit_cast(V, raw_load_b8(r, v, scalar(s), 0));
    else if constexpr(sizeof(V) == 2)
        return __builtin_bit_cast(V, raw_load_b16(r, v, scalar(s), 0));
    else if constexpr(sizeof(V) == 4)
        return __builtin_bit_cast(V, raw_load_b32(r, v, scalar(s), 0));
    else if constexpr(sizeof(V) == 8)
        return __builtin_bit_cast(V, raw_load_b64(r, v, scalar(s), 0));
    else if constexpr(sizeof(V) == 16)
        return __builtin_bit_cast(V, raw_load_b128(r, v, scalar(s), 0));
    else
    {
        static_assert(sizeof(V) % 16 == 0, "a load moves 1, 2, 4, 8 or a multiple of 16 bytes");
        Words4<V> words;
        unrolled<0, words.length>(
            [&](auto i) { words[i] = raw_load_b128(r, v + 16 * i, scalar(s), 0); });
        return __builtin_bit_cast(V, words);
    }
}

/// Starts a load of 16 bytes for each lane straight to LDS. The bytes of lane l go to `of_wave` +
/// 16 l; `of_wave` is the same for all lanes. Lanes whose offset is not less than num_records write
/// zeros. All lanes must be active. gfx950 (CDNA4 ISA 9.1.9, "Memory Buffer Load to LDS"; M0 is set
/// an instruction earlier, 4.5). Uses inline assembly: with the builtin, each read of LDS would
/// wait for all of them.
CK_DEVICE CK_INLINE void buffer_load_to_lds([[maybe_unused]] word4 r,
                                            [[maybe_unused]] std::uint32_t lane_offset,
                                            [[maybe_unused]] std::uint32_t wave_offset,
                                            [[maybe_unused]] void* of_wave)
{
#if defined(__HIP_DEVICE_COMPILE__)
    using Lds     = __attribute__((address_space(3))) void;
    const auto m0 = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>((Lds*)of_wave));
    asm volatile("s_nop 0\n\tbuffer_load_dwordx4 %1, %2, %3 offen lds" ::"{m0}"(m0),
                 "v"(lane_offset),
                 "s"(r),
                 "s"(scalar(static_cast<int>(wave_offset)))
                 : "memory");
#endif
}

template <class V>
CK_DEVICE CK_INLINE void buffer_store(const V& value, word4 r, std::uint32_t lane_offset)
{
    const int v = static_cast<int>(lane_offset);
    if constexpr(sizeof(V) == 1)
        raw_store_b8(__builtin_bit_cast(std::int8_t, value), r, v, 0, 0);
    else if constexpr(sizeof(V) == 2)
        raw_store_b16(__builtin_bit_cast(std::int16_t, value), r, v, 0, 0);
    else if constexpr(sizeof(V) == 4)
        raw_store_b32(__builtin_bit_cast(word1, value), r, v, 0, 0);
    else if constexpr(sizeof(V) == 8)
        raw_store_b64(as_words<word2>(value), r, v, 0, 0);
    else if constexpr(sizeof(V) == 16)
        raw_store_b128(as_words<word4>(value), r, v, 0, 0);
    else
    {
        static_assert(sizeof(V) % 16 == 0, "a store moves 1, 2, 4, 8 or a multiple of 16 bytes");
        const auto words = __builtin_bit_cast(Words4<V>, value);
        unrolled<0, words.length>([&](auto i) { raw_store_b128(words[i], r, v + 16 * i, 0, 0); });
    }
}

} // namespace ck::arch::amd
