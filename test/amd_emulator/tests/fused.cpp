// Fused multiply-adds, sums and products of one lane, on codes that are chosen for their exponents,
// against exact arithmetic: rounded once, to nearest, denormals kept.
#include "exact.hpp"
#include "step.hpp"
#include <random>

namespace emulator_test::fused {

/// Zeros, denormals, Inf, NaN and ties are as likely as the rest.
uint64_t random_code(const Format& format, std::mt19937_64& random)
{
    const uint64_t code     = random() >> (64 - format.bits());
    const uint64_t mantissa = (uint64_t{1} << format.mantissa_bits) - 1;
    const int middle        = format.bias;
    switch(random() % 8)
    {
    case 0:
        return sign_of(format, code & 1);
    case 1:
        return code & (sign_of(format, true) | mantissa); // denormal
    case 2:
        return random() % 4 != 0 ? code : random() % 2 ? infinity(format, code & 1) : nan(format);
    case 3:
        return largest(format) | sign_of(format, code & 1);
    case 4: // few digits: sums that end in a tie
        return (code & (sign_of(format, true) | (mantissa & ~(mantissa >> 2)))) |
               static_cast<uint64_t>(middle + static_cast<int>(random() % 5) - 2)
                   << format.mantissa_bits;
    case 5: // near 1
        return (code & (sign_of(format, true) | mantissa)) |
               static_cast<uint64_t>(middle + static_cast<int>(random() % 5) - 2)
                   << format.mantissa_bits;
    default:
        return code;
    }
}

void put(const Step& step, const Format& format, int reg, int lane, uint64_t code)
{
    step.vector(reg)[lane] = static_cast<uint32_t>(code);
    if(format.bits() == 64)
        step.vector(reg + 1)[lane] = static_cast<uint32_t>(code >> 32);
}
uint64_t get(const Step& step, const Format& format, int reg, int lane)
{
    if(format.bits() == 64)
        return step.vector(reg)[lane] | static_cast<uint64_t>(step.vector(reg + 1)[lane]) << 32;
    return step.vector(reg)[lane] & ((uint64_t{1} << format.bits()) - 1);
}

enum class Operation
{
    multiply_add,
    add,
    multiply
};

void compare(const Format& format, const std::string& name, Operation operation)
{
    const Step step;
    const std::string operands =
        format.bits() == 64 ? " v[8:9], v[0:1], v[2:3], v[4:5]" : " v8, v0, v2, v4";
    const void* const instruction = step.decode(
        name + (operation == Operation::multiply_add ? operands
                                                     : operands.substr(0, operands.rfind(','))));
    std::mt19937_64 random(format.bits());
    const uint64_t one = static_cast<uint64_t>(format.bias) << format.mantissa_bits;
    for(int round = 0; round < 200; ++round)
    {
        for(int l = 0; l < step.lanes(); ++l)
            for(const int reg : {0, 2, 4})
                put(step, format, reg, l, random_code(format, random));
        step.run(instruction);
        for(int l = 0; l < step.lanes(); ++l)
        {
            const uint64_t a = get(step, format, 0, l), b = get(step, format, 2, l),
                           c = get(step, format, 4, l);
            const Number x = decode(format, a), y = decode(format, b);
            // x * y + -0 is x * y, with its sign, also where it is 0.
            const bool negative = x.negative != y.negative;
            const uint64_t expected =
                operation == Operation::multiply_add
                    ? fused_multiply_add(format, x, y, decode(format, c))
                : operation == Operation::add
                    ? fused_multiply_add(format, x, decode(format, one), y)
                    : fused_multiply_add(format, x, y, decode(format, sign_of(format, negative)));
            ASSERT_TRUE(same(format, get(step, format, 8, l), expected))
                << name << " of " << std::hex << a << ", " << b << ", " << c << ": "
                << get(step, format, 8, l) << ", not " << expected;
        }
    }
}

class EmulatedArithmetic : public testing::Test
{
protected:
    void SetUp() override
    {
        ASSERT_TRUE(Step::possible()) << "no emulator: single instructions cannot be run";
    }
};

TEST_F(EmulatedArithmetic, IsRoundedOnceInF32)
{
    compare(f32, "v_fma_f32", Operation::multiply_add);
    compare(f32, "v_add_f32_e32", Operation::add);
    compare(f32, "v_mul_f32_e32", Operation::multiply);
}
TEST_F(EmulatedArithmetic, IsRoundedOnceInF64)
{
    compare(f64, "v_fma_f64", Operation::multiply_add);
    compare(f64, "v_add_f64", Operation::add);
    compare(f64, "v_mul_f64", Operation::multiply);
}
TEST_F(EmulatedArithmetic, IsRoundedOnceInF16)
{
    compare(f16, "v_fma_f16", Operation::multiply_add);
    compare(f16, "v_add_f16_e32", Operation::add);
    compare(f16, "v_mul_f16_e32", Operation::multiply);
    compare(f16, "v_pk_fma_f16", Operation::multiply_add);
}

// 0x39fe * 0x7500 is in the middle of two codes except for the tiny 0x8062, which f32 has no digits
// for.
TEST_F(EmulatedArithmetic, OfF16IsNotRoundedToF32First)
{
    const Step step;
    put(step, f16, 0, 0, 0x39fe);
    put(step, f16, 2, 0, 0x7500);
    put(step, f16, 4, 0, 0x8062);
    step.run(step.decode("v_fma_f16 v8, v0, v2, v4"));
    EXPECT_EQ(get(step, f16, 8, 0), 0x737du);
}

} // namespace emulator_test::fused
