#pragma once
// Loads and stores a vector of elements in one memory access. GPU compilers split a struct into its
// members before they see how it is loaded, and then move halves of registers; a vector of 32-bit
// words, or a 16-bit number, stays whole.
#include "ck/utility/number.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>

namespace ck::arch {

namespace detail {

template <index_t bytes>
struct Words; // only sizes of whole words in one access, and on CUDA two bytes

#if defined(CK_LANGUAGE_HIP)
template <index_t bytes>
requires(bytes >= 8 && bytes % 4 == 0) struct Words<bytes>
{
    using type = std::int32_t __attribute__((ext_vector_type(bytes / 4)));
};
#elif defined(CK_LANGUAGE_CUDA)
/// Two bytes as one number: nvcc splits a vector of them right after its load, and waits for the
/// load there. Sliding windows of int8 took two to four times as long.
template <>
struct Words<2>
{
    using type = std::uint16_t;
};
template <>
struct Words<8>
{
    using type = int2;
};
template <>
struct Words<16>
{
    using type = int4;
};
#endif
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
template <>
struct Words<4>
{
    using type = std::int32_t;
};
#endif

template <class V>
concept HasWords = requires
{
    typename Words<static_cast<index_t>(sizeof(V))>::type;
};

} // namespace detail

/// The bits of a value as a W, built word by word: clang 15 keeps a value of 16-bit elements in
/// scratch memory if a whole vector is read from it.
template <class W, class V>
CK_DEVICE CK_INLINE W as_words(const V& value)
{
#if defined(CK_LANGUAGE_HIP) && __clang_major__ < 17
    if constexpr(sizeof(V) > 4)
    {
        constexpr index_t count = static_cast<index_t>(sizeof(V) / 4);
        const auto parts        = __builtin_bit_cast(Vector<std::int32_t, count>, value);
        W words;
        unrolled<0, count>([&](auto i) { words[i.value] = parts[i.value]; });
        return words;
    }
#endif
    return __builtin_bit_cast(W, value);
}

/// The V at an address that is aligned for V.
template <class V>
CK_DEVICE CK_INLINE V read_whole(const void* at)
{
    if constexpr(detail::HasWords<V>)
        return __builtin_bit_cast(V,
                                  *static_cast<const typename detail::Words<sizeof(V)>::type*>(at));
    else
        return *static_cast<const V*>(at);
}

/// The same, for values that are used one by one: otherwise the compiler reads them one by one.
template <class V>
CK_DEVICE CK_INLINE V read_unsplit(const void* at)
{
#if defined(CK_LANGUAGE_HIP) && defined(__HIP_DEVICE_COMPILE__)
    if constexpr(detail::HasWords<V>)
    {
        auto words = *static_cast<const typename detail::Words<sizeof(V)>::type*>(at);
        asm("" : "+v"(words));
        return __builtin_bit_cast(V, words);
    }
#endif
    return read_whole<V>(at);
}

/// A value that the compiler splits only from here on.
template <class V>
CK_DEVICE CK_INLINE V undivided(const V& value)
{
#if defined(CK_LANGUAGE_HIP) && defined(__HIP_DEVICE_COMPILE__)
    if constexpr(detail::HasWords<V>)
    {
        auto words = __builtin_bit_cast(typename detail::Words<sizeof(V)>::type, value);
        asm("" : "+v"(words));
        return __builtin_bit_cast(V, words);
    }
#endif
    return value;
}

/// No other value uses the register of x before this. Generates no instruction.
CK_DEVICE CK_INLINE void keep([[maybe_unused]] std::uint32_t x)
{
#if defined(CK_LANGUAGE_HIP) && defined(__HIP_DEVICE_COMPILE__)
    asm volatile("" ::"v"(x));
#endif
}

/// The same if `exists`; otherwise zeros, without accessing memory.
template <class V>
CK_DEVICE CK_INLINE V read_whole_if(bool exists, const void* at)
{
    if constexpr(detail::HasWords<V>)
    {
        using W = typename detail::Words<sizeof(V)>::type;
        W words{};
        if(exists)
            words = *static_cast<const W*>(at);
        return __builtin_bit_cast(V, words);
    }
    else
        return exists ? *static_cast<const V*>(at) : V{};
}

/// A word that the compiler splits only from here on: otherwise it keeps halves that wait for their
/// use in separate registers.
CK_DEVICE CK_INLINE std::uint32_t undivided_word(std::uint32_t word)
{
#if defined(CK_LANGUAGE_HIP) && defined(__HIP_DEVICE_COMPILE__)
    asm("" : "+v"(word));
#elif defined(CK_LANGUAGE_CUDA) && defined(__CUDA_ARCH__)
    asm("" : "+r"(word));
#endif
    return word;
}

/// Hides a value from the compiler: what was computed from it before is computed again, and does
/// not occupy registers until then.
template <class V>
CK_DEVICE CK_INLINE void forget(V& value)
{
    struct Words
    {
        std::uint32_t word[sizeof(V) / 4];
    };
    static_assert(sizeof(V) == sizeof(Words));
    Words words = __builtin_bit_cast(Words, value);
    for(std::uint32_t& word : words.word)
        word = undivided_word(word);
    value = __builtin_bit_cast(V, words);
}

template <class V>
CK_DEVICE CK_INLINE void write_whole(void* at, const V& value)
{
    if constexpr(detail::HasWords<V>)
    {
        using W              = typename detail::Words<sizeof(V)>::type;
        *static_cast<W*>(at) = as_words<W>(value);
    }
    else
        *static_cast<V*>(at) = value;
}

/// The same, with 8 or 16 bytes always in one access to global memory: nvcc 13 splits all stores
/// except the first two if their addresses are multiples of a parameter apart.
template <class V>
CK_DEVICE CK_INLINE void write_undivided(void* at, const V& value)
{
#if defined(CK_LANGUAGE_CUDA) && defined(__CUDA_ARCH__)
    if constexpr(sizeof(V) == 16)
    {
        const auto w = as_words<int4>(value);
        asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(at)),
                     "r"(w.x),
                     "r"(w.y),
                     "r"(w.z),
                     "r"(w.w)
                     : "memory");
    }
    else if constexpr(sizeof(V) == 8)
    {
        const auto w = as_words<int2>(value);
        asm volatile("st.global.v2.b32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(at)),
                     "r"(w.x),
                     "r"(w.y)
                     : "memory");
    }
    else
#endif
        write_whole(at, value);
}

} // namespace ck::arch
