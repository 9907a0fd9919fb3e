#pragma once
// The transpose of a small tile that one lane holds in registers.
#include "ck/arch/target.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/vector.hpp"

namespace ck::arch {

namespace detail {

/// The 16-bit halves `x_half` of x and `y_half` of y (0: low, 1: high), x's in the low half of the
/// result.
template <index_t x_half, index_t y_half>
CK_DEVICE CK_INLINE std::uint32_t pack_halves([[maybe_unused]] std::uint32_t x,
                                              [[maybe_unused]] std::uint32_t y)
{
    // A byte of the selector numbers a byte of y:x, from the lowest.
    constexpr std::uint32_t from_x = 2 * x_half;
    constexpr std::uint32_t from_y = 4 + 2 * y_half;
#if defined(CK_LANGUAGE_HIP) && defined(__HIP_DEVICE_COMPILE__)
    constexpr std::uint32_t selector =
        from_x | (from_x + 1) << 8 | from_y << 16 | (from_y + 1) << 24;
    return __builtin_amdgcn_perm(y, x, selector);
#elif defined(__CUDA_ARCH__)
    constexpr std::uint32_t selector =
        from_x | (from_x + 1) << 4 | from_y << 8 | (from_y + 1) << 12;
    return __byte_perm(x, y, selector);
#else
    const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
    return ((bytes >> 8 * from_x) & 0xffffu) | ((bytes >> 8 * from_y) & 0xffffu) << 16;
#endif
}

} // namespace detail

/// out[column][row] = in[row][column]. Elements of two bytes move in 2 x 2 blocks, two byte
/// permutes each; larger ones are only renamed registers.
template <class T, index_t rows, index_t columns>
CK_DEVICE CK_INLINE void transpose(const Vector<T, columns> (&in)[rows],
                                   Vector<T, rows> (&out)[columns])
{
    if constexpr(sizeof(T) == 2 && rows % 2 == 0 && columns % 2 == 0)
    {
        // Pairs of neighbours in a row of `in`, and in a row of `out`.
        using InPairs  = Vector<std::uint32_t, columns / 2>;
        using OutPairs = Vector<std::uint32_t, rows / 2>;
        OutPairs transposed[columns];
        unrolled<0, rows / 2>([&](auto r) {
            constexpr index_t row = decltype(r)::value;
            const InPairs upper   = __builtin_bit_cast(InPairs, in[2 * row]);
            const InPairs lower   = __builtin_bit_cast(InPairs, in[2 * row + 1]);
            unrolled<0, columns / 2>([&](auto c) {
                constexpr index_t column = decltype(c)::value;
                transposed[2 * column][row] =
                    detail::pack_halves<0, 0>(upper[column], lower[column]);
                transposed[2 * column + 1][row] =
                    detail::pack_halves<1, 1>(upper[column], lower[column]);
            });
        });
        unrolled<0, columns>([&](auto c) {
            constexpr index_t column = decltype(c)::value;
            out[column]              = __builtin_bit_cast(Vector<T, rows>, transposed[column]);
        });
    }
    else
    {
        unrolled<0, rows>([&](auto r) {
            constexpr index_t row = decltype(r)::value;
            unrolled<0, columns>([&](auto c) {
                constexpr index_t column = decltype(c)::value;
                out[column][row]         = in[row][column];
            });
        });
    }
}

} // namespace ck::arch
