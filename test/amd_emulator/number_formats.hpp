// Numbers of instructions as bits and as values; conversions, minimum, maximum and fused
// multiply-add.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace emu {
using half = _Float16;
inline float as_f32(uint32_t x) { return std::bit_cast<float>(x); }
inline double as_f64(uint64_t x) { return std::bit_cast<double>(x); }
inline half as_f16(uint16_t x) { return std::bit_cast<half>(x); }
inline uint32_t as_bits(float f) { return std::bit_cast<uint32_t>(f); }
inline uint64_t as_bits(double f) { return std::bit_cast<uint64_t>(f); }
inline uint16_t as_bits(half f) { return std::bit_cast<uint16_t>(f); }
inline float bf16_to_f32(uint16_t b) { return as_f32((uint32_t)b << 16); }
inline uint16_t f32_to_bf16(float f)
{
    uint32_t u = as_bits(f);
    if((u & 0x7fffffff) > 0x7f800000)
        return (u >> 16) | 0x40;
    return (u + 0x7fff + ((u >> 16) & 1)) >> 16;
}
template <class T>
struct is_float
{
    static constexpr bool v = false;
};
template <>
struct is_float<float>
{
    static constexpr bool v = true;
};
template <>
struct is_float<double>
{
    static constexpr bool v = true;
};
template <>
struct is_float<half>
{
    static constexpr bool v = true;
};
inline float fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
/// a * b + c, rounded once. A sum of f64 is converted to f32 by setting its last digit to 1 if
/// digits are lost: f32 has more digits than f16, so rounding to f16 sees on which side the sum
/// is.
inline half fma_f16(half a, half b, half c)
{
#if defined(__AVX512FP16__)
    return __builtin_fmaf16(a, b, c);
#else
    const double product = (double)a * (double)b, sum = product + (double)c;
    if(!(std::fabs(sum) < INFINITY))
        return (half)(float)sum;
    const double of_c = sum - product, lost = (product - (sum - of_c)) + ((double)c - of_c);
    constexpr uint64_t below_f32 = (1u << 29) - 1;
    uint64_t bits                = as_bits(sum);
    if(lost != 0 && (lost < 0) != (sum < 0)) // the sum was rounded away from zero
        --bits;
    if(lost != 0 || (bits & below_f32) != 0)
        bits = (bits & ~below_f32) | (below_f32 + 1);
    return (half)(float)as_f64(bits);
#endif
}
// f32 -> f16 bits, rounding toward zero
inline uint16_t f32_to_f16_toward_zero(float f)
{
    uint32_t u = as_bits(f), s = u >> 16 & 0x8000;
    u &= 0x7fffffff;
    if(u > 0x7f800000)
        return s | 0x7e00;
    if(u == 0x7f800000)
        return s | 0x7c00;
    if(u >= 0x47800000)
        return s | 0x7bff;
    if(u >= 0x38800000)
        return s | ((u - 0x38000000) >> 13);
    int e      = u >> 23;
    uint32_t m = (u & 0x7fffff) | 0x800000;
    int sh     = 126 - e; // result in units of 2^-24
    return s | (sh > 24 ? 0 : m >> sh);
}
template <class T>
inline bool is_nan(T x)
{
    return x != x;
}
template <class T>
inline T min_number(T a, T b)
{
    return is_nan(a)   ? b
           : is_nan(b) ? a
                       : (a < b ? a : (b < a ? b : (std::signbit((double)a) ? a : b)));
}
template <class T>
inline T max_number(T a, T b)
{
    return is_nan(a)   ? b
           : is_nan(b) ? a
                       : (a > b ? a : (b > a ? b : (std::signbit((double)a) ? b : a)));
}
/// The middle one; where one is a NaN, the least of the others.
template <class T>
inline T median_number(T a, T b, T c)
{
    if(is_nan(a) || is_nan(b) || is_nan(c))
        return min_number(min_number(a, b), c);
    const T most = max_number(max_number(a, b), c);
    return most == a ? max_number(b, c) : most == b ? max_number(a, c) : max_number(a, b);
}
} // namespace emu
