#pragma once
// Tests rows of a table of instructions: random registers, often at the edges of their range, and a
// function that gives the expected result.
#include "exact.hpp"
#include "step.hpp"
#include <functional>
#include <random>
#include <vector>

namespace emulator_test {

/// A value of a register of `bits` bits; for small ones, often one that shifts and fields take.
inline uint64_t edge(std::mt19937_64& random, int bits)
{
    const uint64_t all = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1, code = random();
    switch(random() % 8)
    {
    case 0:
        return 0;
    case 1:
        return all;
    case 2:
        return uint64_t{1} << (bits - 1);
    case 3:
        return all >> 1;
    case 4:
        return code % 70 & all;
    case 5:
        return (all - code % 70) & all;
    default:
        return code & all;
    }
}

/// Zeros, denormals, Inf, NaN, ties and numbers near 1 are as likely as the rest.
inline uint64_t edge(std::mt19937_64& random, const Format& format)
{
    const uint64_t code = random() >> (64 - format.bits()), sign = sign_of(format, true);
    const uint64_t mantissa = (uint64_t{1} << format.mantissa_bits) - 1;
    const auto near_1       = [&] {
        return static_cast<uint64_t>(format.bias + static_cast<int>(random() % 9) - 4)
               << format.mantissa_bits;
    };
    switch(random() % 8)
    {
    case 0:
        return code & sign;
    case 1:
        return code & (sign | mantissa);
    case 2:
        return random() % 2 ? infinity(format, code & 1) : nan(format);
    case 3:
        return (code & (sign | (mantissa & ~(mantissa >> 2)))) | near_1();
    case 4:
    case 5:
        return (code & (sign | mantissa)) | near_1();
    default:
        return code;
    }
}

struct Values
{
    uint64_t a = 0, b = 0, c = 0;
    uint64_t before = 0;     // what the destination had
    bool bit        = false; // bit of a mask, or SCC
};

inline std::string vgprs(int first, int bits)
{
    return bits <= 32
               ? "v" + std::to_string(first)
               : "v[" + std::to_string(first) + ":" + std::to_string(first + bits / 32 - 1) + "]";
}
inline std::string sgprs(int first, int bits)
{
    return bits <= 32
               ? "s" + std::to_string(first)
               : "s[" + std::to_string(first) + ":" + std::to_string(first + bits / 32 - 1) + "]";
}
/// Registers for a bit of each lane.
inline std::string mask(const Step& step, int first) { return sgprs(first, step.lanes()); }

inline void put_vector(const Step& step, int reg, int lane, int bits, uint64_t code)
{
    step.vector(reg)[lane] = static_cast<uint32_t>(code);
    if(bits == 64)
        step.vector(reg + 1)[lane] = static_cast<uint32_t>(code >> 32);
}
inline uint64_t get_vector(const Step& step, int reg, int lane, int bits)
{
    const uint64_t low = step.vector(reg)[lane];
    return bits == 64   ? low | static_cast<uint64_t>(step.vector(reg + 1)[lane]) << 32
           : bits == 32 ? low
                        : low & ((uint64_t{1} << bits) - 1);
}
inline void put_scalar(const Step& step, int reg, int bits, uint64_t code)
{
    *step.scalar(reg) = static_cast<uint32_t>(code);
    if(bits == 64)
        *step.scalar(reg + 1) = static_cast<uint32_t>(code >> 32);
}
inline uint64_t get_scalar(const Step& step, int reg, int bits)
{
    return *step.scalar(reg) |
           (bits == 64 ? static_cast<uint64_t>(*step.scalar(reg + 1)) << 32 : 0);
}

constexpr int rounds_of_values = 40;

} // namespace emulator_test
