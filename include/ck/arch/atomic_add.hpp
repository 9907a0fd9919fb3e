#pragma once
// Atomic addition to an element of global memory.
#include "ck/arch/target.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/type_convert.hpp"

#include <bit>
#include <cstdint>

namespace ck::arch {

namespace detail {

/// The word that is exchanged atomically: at least four bytes on GPUs.
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
using ExchangedWord = std::uint32_t;
#else
using ExchangedWord = std::uint16_t;
#endif

/// Replaces the word at `at` by `desired` if it is `expected`; otherwise reads it into `expected`.
CK_DEVICE CK_INLINE bool
exchange_word(ExchangedWord* at, ExchangedWord& expected, ExchangedWord desired)
{
#if defined(CK_LANGUAGE_CUDA)
#if defined(__CUDA_ARCH__)
    const std::uint32_t before = expected;
    expected                   = atomicCAS(at, before, desired);
    return expected == before;
#else
    return false;
#endif
#else
    return __atomic_compare_exchange_n(
        at, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

} // namespace detail

/// *at += x, rounded to T, for a T of two bytes, by exchanging the word that contains it. On a GPU,
/// the word also contains the two bytes before or after it, which do not change.
template <class T>
CK_DEVICE CK_INLINE void atomic_add(T* at, float x)
{
    using Word = detail::ExchangedWord;
    static_assert(sizeof(T) == 2);
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    auto* word         = reinterpret_cast<Word*>(address & ~std::uintptr_t{sizeof(Word) - 1});
    const auto shift   = static_cast<std::uint32_t>(address & (sizeof(Word) - 2)) * 8;
    Word old           = *const_cast<const volatile Word*>(word);
    for(bool done = false; !done;)
    {
        const float before =
            type_convert<float>(std::bit_cast<T>(static_cast<std::uint16_t>(old >> shift)));
        const T sum             = type_convert<T>(before + x);
        const std::uint32_t put = std::uint32_t{std::bit_cast<std::uint16_t>(sum)} << shift;
        done =
            detail::exchange_word(word, old, static_cast<Word>((old & ~(0xffffu << shift)) | put));
    }
}

} // namespace ck::arch
