#pragma once
// Floating-point arithmetic from its definition, in integers: what instructions are compared with.
// Shares nothing with the emulator.
#include <array>
#include <cstdint>
#include <string>

namespace emulator_test {

/// A binary format. Codes of its largest exponent are Inf and NaN as in IEEE 754, NaN where
/// all bits are set (OCP's E4M3), or ordinary numbers with one NaN, the code of -0 (FNUZ).
struct Format
{
    enum Specials
    {
        ieee,
        all_ones,
        fnuz
    };
    const char* name;
    int exponent_bits, mantissa_bits, bias;
    Specials specials = ieee;

    int bits() const { return 1 + exponent_bits + mantissa_bits; }
};
inline constexpr Format f64{"f64", 11, 52, 1023}, f32{"f32", 8, 23, 127}, f16{"f16", 5, 10, 15},
    bf16{"bf16", 8, 7, 127}, fp8_fnuz{"fp8 fnuz", 4, 3, 8, Format::fnuz},
    bf8_fnuz{"bf8 fnuz", 5, 2, 16, Format::fnuz}, fp8_ocp{"fp8 ocp", 4, 3, 7, Format::all_ones},
    bf8_ocp{"bf8 ocp", 5, 2, 15};

/// A number with as many binary digits as products of f64 need: a sum in two's complement of digits
/// from 2^-2300.
class Exact
{
public:
    /// Adds mantissa * 2^exponent, or takes it away.
    void add(bool negative, unsigned __int128 mantissa, int exponent)
    {
        const int at = exponent - lowest;
        std::array<uint64_t, 3> part{};
        const int shift = at % 64;
        part[0]         = static_cast<uint64_t>(mantissa) << shift;
        part[1]         = static_cast<uint64_t>(mantissa >> 1 >> (63 - shift));
        part[2]         = static_cast<uint64_t>(mantissa >> 64 >> 1 >> (63 - shift));
        uint64_t carry  = 0;
        for(int i = at / 64, p = 0; i < words && (p < 3 || carry != 0); ++i, ++p)
        {
            const uint64_t x = p < 3 ? part[p] : 0, before = digits_[i];
            const uint64_t with = negative ? before - x : before + x;
            const uint64_t both = negative ? with - carry : with + carry;
            carry      = negative ? (with > before || both > with) : (with < before || both < with);
            digits_[i] = both;
        }
    }
    bool negative() const { return digits_[words - 1] >> 63; }
    bool zero() const { return highest() < 0; }
    void negate()
    {
        uint64_t carry = 1;
        for(uint64_t& digit : digits_)
        {
            digit = ~digit + carry;
            carry = carry && digit == 0;
        }
    }
    // What follows is for numbers that are not negative.
    /// The exponent of the first digit that is 1; below all for 0.
    int exponent() const { return zero() ? lowest - 1 : highest() + lowest; }
    bool digit(int exponent) const
    {
        const int at = exponent - lowest;
        return at >= 0 && at / 64 < words && (digits_[at / 64] >> at % 64 & 1);
    }
    /// Whether a digit below this exponent is 1.
    bool any_below(int exponent) const
    {
        for(int e = lowest; e < exponent; ++e)
            if((e - lowest) % 64 == 0 && e + 64 <= exponent && digits_[(e - lowest) / 64] == 0)
                e += 63;
            else if(digit(e))
                return true;
        return false;
    }

private:
    static constexpr int words = 72, lowest = -2304;
    int highest() const
    {
        for(int i = words - 1; i >= 0; --i)
            if(digits_[i] != 0)
                return 64 * i + 63 - __builtin_clzll(digits_[i]);
        return -1;
    }
    std::array<uint64_t, words> digits_{};
};

/// A code taken apart.
struct Number
{
    bool nan = false, infinite = false, negative = false;
    uint64_t mantissa = 0; // times 2^exponent; 0 for zero
    int exponent      = 0;

    bool zero() const { return !nan && !infinite && mantissa == 0; }
};

inline Number decode(const Format& format, uint64_t code)
{
    const uint64_t mantissa = code & ((uint64_t{1} << format.mantissa_bits) - 1);
    const int most          = (1 << format.exponent_bits) - 1;
    const int exponent      = static_cast<int>(code >> format.mantissa_bits) & most;
    Number number;
    number.negative = code >> (format.bits() - 1) & 1;
    if(format.specials == Format::fnuz && number.negative && exponent == 0 && mantissa == 0)
        number.nan = true;
    else if(format.specials == Format::all_ones && exponent == most &&
            mantissa == (uint64_t{1} << format.mantissa_bits) - 1)
        number.nan = true;
    else if(format.specials == Format::ieee && exponent == most)
        (mantissa != 0 ? number.nan : number.infinite) = true;
    else
    {
        number.mantissa = exponent == 0 ? mantissa : mantissa | uint64_t{1} << format.mantissa_bits;
        number.exponent = (exponent == 0 ? 1 : exponent) - format.bias - format.mantissa_bits;
    }
    return number;
}

/// The largest number's code.
inline uint64_t largest(const Format& format)
{
    const uint64_t all = (uint64_t{1} << (format.bits() - 1)) - 1;
    return format.specials == Format::fnuz       ? all
           : format.specials == Format::all_ones ? all - 1
                                                 : all - (uint64_t{1} << format.mantissa_bits);
}
inline uint64_t sign_of(const Format& format, bool negative)
{
    return negative ? uint64_t{1} << (format.bits() - 1) : 0;
}
inline uint64_t infinity(const Format& format, bool negative)
{
    return sign_of(format, negative) | (largest(format) + 1);
}
/// Returns one of the codes of NaN; see same().
inline uint64_t nan(const Format& format)
{
    return format.specials == Format::fnuz       ? sign_of(format, true)
           : format.specials == Format::all_ones ? largest(format) + 1
                                                 : largest(format) + 2;
}

enum class Rounding
{
    nearest_even,
    toward_zero
};
enum class Overflow
{
    infinite, // NaN in formats without Inf
    largest
};

/// The code of a number; `negative_zero`: the sign of a zero.
inline uint64_t encode(const Format& format,
                       Exact number,
                       bool negative_zero,
                       Rounding rounding = Rounding::nearest_even,
                       Overflow overflow = Overflow::infinite)
{
    const bool negative = number.zero() ? negative_zero : number.negative();
    if(number.negative())
        number.negate();
    const int least = 1 - format.bias; // exponent of the smallest normal number
    const int last = (number.exponent() < least ? least : number.exponent()) - format.mantissa_bits;
    uint64_t mantissa = 0;
    for(int e = last + format.mantissa_bits; e >= last; --e)
        mantissa = mantissa << 1 | number.digit(e);
    if(rounding == Rounding::nearest_even && number.digit(last - 1) &&
       (number.any_below(last - 1) || (mantissa & 1)))
        ++mantissa; // a mantissa of one bit more is the next exponent's first
    const int exponent =
        last + format.mantissa_bits + format.bias - 1; // value of the field without its leading 1
    const uint64_t magnitude = (static_cast<uint64_t>(exponent) << format.mantissa_bits) + mantissa;
    if(exponent > 1 << format.exponent_bits || magnitude > largest(format))
    {
        if(overflow == Overflow::largest || rounding == Rounding::toward_zero)
            return sign_of(format, negative) | largest(format);
        return format.specials == Format::ieee ? infinity(format, negative) : nan(format);
    }
    if(magnitude == 0 && format.specials == Format::fnuz)
        return 0;
    return sign_of(format, negative) | magnitude;
}

inline Exact exact(const Number& x)
{
    Exact sum;
    sum.add(x.negative, x.mantissa, x.exponent);
    return sum;
}

/// A conversion. Inf stays Inf; where the format has none it is what an overflow is.
inline uint64_t convert(const Format& to,
                        const Number& x,
                        Rounding rounding = Rounding::nearest_even,
                        Overflow overflow = Overflow::infinite)
{
    if(x.nan)
        return nan(to);
    if(x.infinite && overflow == Overflow::largest)
        return sign_of(to, x.negative) | largest(to);
    if(x.infinite)
        return to.specials == Format::ieee ? infinity(to, x.negative) : nan(to);
    return encode(to, exact(x), x.negative, rounding, overflow);
}

/// a * b + c, rounded once, to nearest.
inline uint64_t
fused_multiply_add(const Format& to, const Number& a, const Number& b, const Number& c)
{
    const bool negative = a.negative != b.negative;
    const bool infinite = a.infinite || b.infinite;
    if(a.nan || b.nan || c.nan || (infinite && (a.zero() || b.zero())) ||
       (infinite && c.infinite && negative != c.negative))
        return nan(to);
    if(infinite || c.infinite)
        return infinity(to, infinite ? negative : c.negative);
    Exact sum;
    sum.add(
        negative, static_cast<unsigned __int128>(a.mantissa) * b.mantissa, a.exponent + b.exponent);
    sum.add(c.negative, c.mantissa, c.exponent);
    // A sum of zeros is negative if both are; one of opposites is positive.
    const bool zeros = (a.zero() || b.zero()) && c.zero();
    return encode(to, sum, zeros && negative && c.negative);
}

/// Equal codes, or both NaN: payloads and signs of NaN are not compared, manuals leave them open.
inline bool same(const Format& format, uint64_t a, uint64_t b)
{
    return a == b || (decode(format, a).nan && decode(format, b).nan);
}

} // namespace emulator_test
