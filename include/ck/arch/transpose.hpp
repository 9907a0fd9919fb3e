#pragma once
// Transposes a small tile that one lane holds in registers.
#include "ck/arch/target.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/vector.hpp"

namespace ck::arch {

namespace detail {

/// The bytes of y:x with the four numbers, counted from the lowest of x, in ascending order.
template <index_t b0, index_t b1, index_t b2, index_t b3>
CK_DEVICE CK_INLINE std::uint32_t select_bytes([[maybe_unused]] std::uint32_t x,
                                               [[maybe_unused]] std::uint32_t y)
{
#if defined(CK_LANGUAGE_HIP) && defined(__HIP_DEVICE_COMPILE__)
    return __builtin_amdgcn_perm(y, x, b0 | b1 << 8 | b2 << 16 | b3 << 24);
#elif defined(__CUDA_ARCH__)
    return __byte_perm(x, y, b0 | b1 << 4 | b2 << 8 | b3 << 12);
#else
    const std::uint64_t bytes = std::uint64_t{y} << 32 | x;
    const auto byte           = [&](index_t from, index_t to) {
        return static_cast<std::uint32_t>(bytes >> 8 * from & 0xffu) << 8 * to;
    };
    return byte(b0, 0) | byte(b1, 1) | byte(b2, 2) | byte(b3, 3);
#endif
}

/// out[0..1] = the 2 x 2 transpose of two-byte elements.
CK_DEVICE CK_INLINE void transpose_block(const Vector<std::uint32_t, 2>& in,
                                         Vector<std::uint32_t, 2>& out)
{
    out[0] = select_bytes<0, 1, 4, 5>(in[0], in[1]);
    out[1] = select_bytes<2, 3, 6, 7>(in[0], in[1]);
}

/// The 4 x 4 transpose of bytes.
CK_DEVICE CK_INLINE void transpose_block(const Vector<std::uint32_t, 4>& in,
                                         Vector<std::uint32_t, 4>& out)
{
    const std::uint32_t upper_01 = select_bytes<0, 4, 1, 5>(in[0], in[1]); // rows 0 and 1 of ...
    const std::uint32_t upper_23 = select_bytes<2, 6, 3, 7>(in[0], in[1]); // ... columns 2 and 3
    const std::uint32_t lower_01 = select_bytes<0, 4, 1, 5>(in[2], in[3]);
    const std::uint32_t lower_23 = select_bytes<2, 6, 3, 7>(in[2], in[3]);
    out[0]                       = select_bytes<0, 1, 4, 5>(upper_01, lower_01);
    out[1]                       = select_bytes<2, 3, 6, 7>(upper_01, lower_01);
    out[2]                       = select_bytes<0, 1, 4, 5>(upper_23, lower_23);
    out[3]                       = select_bytes<2, 3, 6, 7>(upper_23, lower_23);
}

} // namespace detail

/// Returns the first bytes of four pairs, then their second bytes. two, others: two pairs each.
CK_DEVICE CK_INLINE Vector<std::uint32_t, 2> part_bytes(std::uint32_t two, std::uint32_t others)
{
    return {detail::select_bytes<0, 2, 4, 6>(two, others),
            detail::select_bytes<1, 3, 5, 7>(two, others)};
}

/// out[column][row] = in[row][column]. Elements of one or two bytes move in square blocks of one
/// register's elements, with eight or two byte permutes each; larger elements only need other
/// register names.
template <class T, index_t rows, index_t columns>
CK_DEVICE CK_INLINE void transpose(const Vector<T, columns> (&in)[rows],
                                   Vector<T, rows> (&out)[columns])
{
    constexpr index_t side = sizeof(T) < 4 ? 4 / sizeof(T) : 1; // of a block
    if constexpr(side > 1 && rows % side == 0 && columns % side == 0)
    {
        using InWords  = Vector<std::uint32_t, columns / side>;
        using OutWords = Vector<std::uint32_t, rows / side>;
        OutWords transposed[columns];
        repeat<rows / side>([&](index_t row) {
            InWords from[side];
            repeat<side>(
                [&](index_t s) { from[s] = __builtin_bit_cast(InWords, in[side * row + s]); });
            repeat<columns / side>([&](index_t column) {
                Vector<std::uint32_t, side> block, moved;
                repeat<side>([&](index_t s) { block[s] = from[s][column]; });
                detail::transpose_block(block, moved);
                repeat<side>([&](index_t s) { transposed[side * column + s][row] = moved[s]; });
            });
        });
        repeat<columns>([&](index_t column) {
            out[column] = __builtin_bit_cast(Vector<T, rows>, transposed[column]);
        });
    }
    else
    {
        repeat<rows>([&](index_t row) {
            repeat<columns>([&](index_t column) { out[column][row] = in[row][column]; });
        });
    }
}

} // namespace ck::arch
