#pragma once
// Division by a number that is fixed for a whole launch: one high multiplication, one addition and
// one shift.
#include "ck/utility/integer.hpp"
#include "ck/utility/tuple.hpp"

namespace ck {

/// A length with the magic numbers to divide by it. Made on the host, used in kernels.
struct Divisor
{
    index_t value;
    std::uint32_t multiplier;
    std::uint32_t shift;
};

/// The divisor `d`, 0 <= d < 2^31. Everything divided by 0 gives 0: an empty length divides
/// nothing, and its coordinates are outside its extent anyway. Has no loops, so that an unused one
/// costs nothing.
///
/// With shift = ceil(log2(d)), floor(n / d) = floor(n * (2^32 + multiplier) / 2^(32 + shift)) for
/// all 32-bit n (Granlund and Montgomery, Division by Invariant Integers using Multiplication,
/// 1994, figure 4.1).
CK_HOST_DEVICE constexpr Divisor make_divisor(index_t d)
{
    if(d <= 0)
        return {d, 0, 31};
    if(d == 1) // most lengths that a problem lacks
        return {1, 1, 0};
    const auto below           = static_cast<std::uint32_t>(d) - 1;
    const std::uint32_t b4     = (below >> 16) != 0 ? 16 : 0; // shift = the number of bits of below
    const std::uint32_t b3     = (below >> (b4 + 8)) != 0 ? b4 + 8 : b4;
    const std::uint32_t b2     = (below >> (b3 + 4)) != 0 ? b3 + 4 : b3;
    const std::uint32_t b1     = (below >> (b2 + 2)) != 0 ? b2 + 2 : b2;
    const std::uint32_t b0     = (below >> (b1 + 1)) != 0 ? b1 + 1 : b1;
    const std::uint32_t shift  = b0 + (below >> b0);
    const std::uint64_t excess = (std::uint64_t{1} << shift) - static_cast<std::uint64_t>(d);
    const std::uint64_t factor = (excess << 32) / static_cast<std::uint64_t>(d) + 1;
    return {d, static_cast<std::uint32_t>(factor), shift};
}

/// A length that is never divided by: it has no magic numbers.
CK_HOST_DEVICE constexpr Divisor undivided(index_t length) { return {length, 0, 0}; }

/// Whether `divisor` can divide; false for undivided lengths.
CK_HOST_DEVICE constexpr bool can_divide(const Divisor& divisor)
{
    return divisor.multiplier != 0 || divisor.shift != 0;
}

/// floor(n / divisor) for 0 <= n < 2^31, so that the sum below stays less than 2^32.
CK_HOST_DEVICE CK_INLINE constexpr index_t quotient(index_t n, const Divisor& divisor)
{
    const auto u    = static_cast<std::uint32_t>(n);
    const auto high = static_cast<std::uint32_t>((std::uint64_t{u} * divisor.multiplier) >> 32);
    return static_cast<index_t>((high + u) >> divisor.shift);
}

/// Returns n % length and divides n by length.
CK_HOST_DEVICE CK_INLINE constexpr index_t split_off(index_t& n, const Divisor& length)
{
    const index_t all = n;
    n                 = quotient(n, length);
    return all - n * length.value;
}

/// Selects one of two divisors field by field: an address chosen at run time would force them into
/// memory.
CK_HOST_DEVICE CK_INLINE constexpr Divisor
select(bool first, const Divisor& if_first, const Divisor& otherwise)
{
    return {first ? if_first.value : otherwise.value,
            first ? if_first.multiplier : otherwise.multiplier,
            first ? if_first.shift : otherwise.shift};
}

/// Division by a Divisor under Composable Kernel's names.
struct MagicDivision
{
    /// The multiplier and the shift of a divisor in [1, 2^31).
    CK_HOST_DEVICE static constexpr auto CalculateMagicNumbers(std::uint32_t divisor)
    {
        const Divisor d = make_divisor(static_cast<index_t>(divisor));
        return make_tuple(d.multiplier, d.shift);
    }

    /// The quotient of a dividend in [0, 2^31).
    CK_HOST_DEVICE static constexpr std::uint32_t
    DoMagicDivision(std::uint32_t dividend, std::uint32_t multiplier, std::uint32_t shift)
    {
        return static_cast<std::uint32_t>(
            quotient(static_cast<index_t>(dividend), Divisor{0, multiplier, shift}));
    }
    CK_HOST_DEVICE static constexpr std::int32_t
    DoMagicDivision(std::int32_t dividend, std::uint32_t multiplier, std::uint32_t shift)
    {
        return quotient(dividend, Divisor{0, multiplier, shift});
    }
};

} // namespace ck
