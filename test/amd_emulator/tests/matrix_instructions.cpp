// Matrix instructions against exact arithmetic; operands are placed by the published lane layouts.
// Assumed, since manuals leave it open: a sum is a chain of fused multiply-adds in the order of k,
// each rounded to nearest even in f32 (f64 for f64); a result of 16 bits is rounded from that once
// more; xf32 is f32 rounded to nearest even at 10 bits of mantissa. gfx90a takes denormals of f16
// and bf16 as zeros, and makes such results of them zero. Everything else keeps denormals.
#include "exact.hpp"
#include "step.hpp"
#include <random>
#include <tuple>

namespace emulator_test::matrix {

constexpr Format xf32{"xf32", 8, 10, 127};

uint64_t random_code(const Format& format, std::mt19937_64& random, bool special)
{
    const uint64_t code     = random() >> (64 - format.bits());
    const uint64_t mantissa = (uint64_t{1} << format.mantissa_bits) - 1;
    const uint64_t sign     = sign_of(format, code & 1);
    if(special)
        switch(random() % 6)
        {
        case 0:
            return sign;
        case 1:
            return sign | (code & mantissa); // denormal
        case 2:
            return random() % 16 != 0 ? code : sign | largest(format);
        case 3:
            return random() % 64 != 0 ? code : nan(format);
        default:
            return code;
        }
    // Within 2^3 of 1, so that sums are rounded in each step.
    return sign | (code & mantissa) |
           static_cast<uint64_t>(format.bias + static_cast<int>(random() % 7) - 3)
               << format.mantissa_bits;
}

uint64_t flushed(const Format& format, uint64_t code)
{
    const uint64_t fraction = uint64_t{1} << format.mantissa_bits;
    return (code & ~sign_of(format, true)) < fraction ? code & sign_of(format, true) : code;
}

/// Where an element of A (row, k), B (column, k) or D (row, column) is.
struct Place
{
    int lane, element;
};

struct Shape
{
    int m, k, blocks, elements; // elements: of A, a lane
};
/// MFMA: lanes are a block's rows, then blocks, then parts of k.
Place place_of_a(const Shape& s, int block, int row, int k)
{
    return {row + s.m * (block + s.blocks * (k / s.elements)), k % s.elements};
}
Place place_of_d(const Shape& s, bool is_f64, int block, int row, int column)
{
    if(is_f64)
        return s.m == 16 ? Place{row % 4 * 16 + column, row / 4}
                         : Place{row * 16 + block * 4 + column, 0};
    switch(s.m)
    {
    case 32:
        return {row / 4 % 2 * 32 + column, block * 16 + row / 8 * 4 + row % 4};
    case 16:
        return {row / 4 * 16 + column, block * 4 + row % 4};
    default:
        return {block * 4 + column, row};
    }
}

/// Elements of a register file, several to a register or several registers to one.
uint64_t get(const Step& step, int reg, int bits, Place at)
{
    if(bits == 64)
        return step.vector(reg + 2 * at.element)[at.lane] |
               static_cast<uint64_t>(step.vector(reg + 2 * at.element + 1)[at.lane]) << 32;
    const int each     = 32 / bits;
    const uint32_t all = bits == 32 ? ~0u : (1u << bits) - 1;
    return step.vector(reg + at.element / each)[at.lane] >> bits * (at.element % each) & all;
}
void put(const Step& step, int reg, int bits, Place at, uint64_t code)
{
    if(bits == 64)
    {
        step.vector(reg + 2 * at.element)[at.lane]     = static_cast<uint32_t>(code);
        step.vector(reg + 2 * at.element + 1)[at.lane] = static_cast<uint32_t>(code >> 32);
        return;
    }
    const int each = 32 / bits, shift = bits * (at.element % each);
    const uint32_t all = (bits == 32 ? ~0u : (1u << bits) - 1) << shift;
    uint32_t& dword    = step.vector(reg + at.element / each)[at.lane];
    dword              = (dword & ~all) | (static_cast<uint32_t>(code) << shift & all);
}
std::string registers(int first, int count)
{
    return count == 1
               ? "v" + std::to_string(first)
               : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

class EmulatedMatrix : public testing::Test
{
protected:
    void SetUp() override
    {
        ASSERT_TRUE(Step::possible()) << "no emulator: single instructions cannot be run";
    }
    const std::string device = device_name();
    std::mt19937_64 random{7};
};

class EmulatedMfma : public EmulatedMatrix
{
protected:
    static constexpr int a_at = 0, b_at = 16, c_at = 32, d_at = 96;

    /// Floats, f64 for format f64.
    void floats(const std::string& name,
                const Shape& s,
                const Format& of_a,
                const Format& of_b,
                const std::string& modifiers = "")
    {
        SCOPED_TRACE(name + modifiers);
        const Step step;
        const bool is_f64        = of_a.bits() == 64;
        const Format& sum_format = is_f64 ? f64 : f32;
        const int a_bits = &of_a == &xf32 ? 32 : of_a.bits(), d_bits = sum_format.bits();
        const int a_registers         = s.elements * a_bits / 32,
                  d_registers         = s.m * s.m * s.blocks / 64 * d_bits / 32;
        const void* const instruction = step.decode(
            name + " " + registers(d_at, d_registers) + ", " + registers(a_at, a_registers) + ", " +
            registers(b_at, a_registers) + ", " + registers(c_at, d_registers) + modifiers);
        const bool flushes = device == "gfx90a" && of_a.bits() == 16;
        for(const bool special : {false, true, true})
        {
            fill(step, s, of_a, a_at, a_bits, special);
            fill(step, s, of_b, b_at, a_bits, special);
            for(int lane = 0; lane < 64; ++lane)
                for(int i = 0; i < d_registers * 32 / d_bits; ++i)
                    put(step, c_at, d_bits, {lane, i}, random_code(sum_format, random, special));
            step.run(instruction);
            for(int block = 0; block < s.blocks; ++block)
                for(int row = 0; row < s.m; ++row)
                    for(int column = 0; column < s.m; ++column)
                    {
                        const Place at = place_of_d(s, is_f64, block, row, column);
                        uint64_t sum   = get(step, c_at, d_bits, at);
                        for(int k = 0; k < s.k; ++k)
                            sum = fused_multiply_add(sum_format,
                                                     input(step,
                                                           of_a,
                                                           a_at,
                                                           a_bits,
                                                           place_of_a(s, block, row, k),
                                                           flushes),
                                                     input(step,
                                                           of_b,
                                                           b_at,
                                                           a_bits,
                                                           place_of_a(s, block, column, k),
                                                           flushes),
                                                     decode(sum_format, sum));
                        if(flushes)
                            sum = flushed(f32, sum);
                        ASSERT_TRUE(same(sum_format, get(step, d_at, d_bits, at), sum))
                            << block << ", " << row << ", " << column << ": " << std::hex
                            << get(step, d_at, d_bits, at) << ", not " << sum;
                    }
        }
    }
    void floats(const std::string& name, const Shape& s, const Format& of_a_and_b)
    {
        floats(name, s, of_a_and_b, of_a_and_b);
    }

    void integers(const std::string& name, const Shape& s)
    {
        SCOPED_TRACE(name);
        const Step step;
        const int a_registers = s.elements / 4, d_registers = s.m * s.m * s.blocks / 64;
        const void* const instruction = step.decode(
            name + " " + registers(d_at, d_registers) + ", " + registers(a_at, a_registers) + ", " +
            registers(b_at, a_registers) + ", " + registers(c_at, d_registers));
        for(int reg = 0; reg < d_at; ++reg)
            for(int lane = 0; lane < 64; ++lane)
                step.vector(reg)[lane] = static_cast<uint32_t>(random());
        step.run(instruction);
        for(int block = 0; block < s.blocks; ++block)
            for(int row = 0; row < s.m; ++row)
                for(int column = 0; column < s.m; ++column)
                {
                    const Place at = place_of_d(s, false, block, row, column);
                    uint32_t sum   = static_cast<uint32_t>(get(step, c_at, 32, at)); // wraps around
                    for(int k = 0; k < s.k; ++k)
                        sum += static_cast<uint32_t>(
                            static_cast<int8_t>(get(step, a_at, 8, place_of_a(s, block, row, k))) *
                            static_cast<int8_t>(
                                get(step, b_at, 8, place_of_a(s, block, column, k))));
                    ASSERT_EQ(get(step, d_at, 32, at), sum)
                        << block << ", " << row << ", " << column;
                }
    }

private:
    void
    fill(const Step& step, const Shape& s, const Format& format, int reg, int bits, bool special)
    {
        const Format& stored = &format == &xf32 ? f32 : format;
        for(int lane = 0; lane < 64; ++lane)
            for(int e = 0; e < s.elements; ++e)
                put(step, reg, bits, {lane, e}, random_code(stored, random, special));
    }
    static Number
    input(const Step& step, const Format& format, int reg, int bits, Place at, bool flushes)
    {
        const uint64_t code = get(step, reg, bits, at);
        if(&format == &xf32)
            return decode(xf32, convert(xf32, decode(f32, code)));
        return decode(format, flushes ? flushed(format, code) : code);
    }
};

TEST_F(EmulatedMfma, OfFloats)
{
    if(device != "gfx90a" && device != "gfx942" && device != "gfx950")
        GTEST_SKIP() << device << " lacks the MFMA of gfx90a, gfx942 and gfx950";
    floats("v_mfma_f32_32x32x1_2b_f32", {32, 1, 2, 1}, f32);
    floats("v_mfma_f32_16x16x1_4b_f32", {16, 1, 4, 1}, f32);
    floats("v_mfma_f32_4x4x1_16b_f32", {4, 1, 16, 1}, f32);
    floats("v_mfma_f32_32x32x2_f32", {32, 2, 1, 1}, f32);
    floats("v_mfma_f32_16x16x4_f32", {16, 4, 1, 1}, f32);
    floats("v_mfma_f32_32x32x4_2b_f16", {32, 4, 2, 4}, f16);
    floats("v_mfma_f32_16x16x4_4b_f16", {16, 4, 4, 4}, f16);
    floats("v_mfma_f32_4x4x4_16b_f16", {4, 4, 16, 4}, f16);
    floats("v_mfma_f32_32x32x8_f16", {32, 8, 1, 4}, f16);
    floats("v_mfma_f32_16x16x16_f16", {16, 16, 1, 4}, f16);
    floats("v_mfma_f32_32x32x8_bf16_1k", {32, 8, 1, 4}, bf16);
    floats("v_mfma_f32_16x16x16_bf16_1k", {16, 16, 1, 4}, bf16);
    floats("v_mfma_f32_32x32x4_2b_bf16_1k", {32, 4, 2, 4}, bf16);
    floats("v_mfma_f64_16x16x4_f64", {16, 4, 1, 1}, f64);
    floats("v_mfma_f64_4x4x4_4b_f64", {4, 4, 4, 1}, f64);
}

TEST_F(EmulatedMfma, OfGfx942)
{
    if(device != "gfx942")
        GTEST_SKIP() << device << " lacks gfx942's xf32 and FNUZ instructions";
    floats("v_mfma_f32_32x32x4_xf32", {32, 4, 1, 2}, xf32);
    floats("v_mfma_f32_16x16x8_xf32", {16, 8, 1, 2}, xf32);
    floats("v_mfma_f32_32x32x16_fp8_fp8", {32, 16, 1, 8}, fp8_fnuz);
    floats("v_mfma_f32_16x16x32_bf8_bf8", {16, 32, 1, 8}, bf8_fnuz);
    floats("v_mfma_f32_32x32x16_fp8_bf8", {32, 16, 1, 8}, fp8_fnuz, bf8_fnuz);
    floats("v_mfma_f32_16x16x32_bf8_fp8", {16, 32, 1, 8}, bf8_fnuz, fp8_fnuz);
    integers("v_mfma_i32_32x32x16_i8", {32, 16, 1, 8});
    integers("v_mfma_i32_16x16x32_i8", {16, 32, 1, 8});
}

/// Names without "_1k", which gfx942 has for the same.
TEST_F(EmulatedMfma, OfGfx942AndGfx950)
{
    if(device != "gfx942" && device != "gfx950")
        GTEST_SKIP() << device << " names them otherwise, or has none";
    floats("v_mfma_f32_32x32x8_bf16", {32, 8, 1, 4}, bf16);
    floats("v_mfma_f32_16x16x16_bf16", {16, 16, 1, 4}, bf16);
    const Format &fp8 = device == "gfx942" ? fp8_fnuz : fp8_ocp,
                 &bf8 = device == "gfx942" ? bf8_fnuz : bf8_ocp;
    for(const auto& [name, a, b] : {std::tuple("fp8_fp8", &fp8, &fp8),
                                    std::tuple("fp8_bf8", &fp8, &bf8),
                                    std::tuple("bf8_fp8", &bf8, &fp8),
                                    std::tuple("bf8_bf8", &bf8, &bf8)})
    {
        floats(std::string("v_mfma_f32_32x32x16_") + name, {32, 16, 1, 8}, *a, *b);
        floats(std::string("v_mfma_f32_16x16x32_") + name, {16, 32, 1, 8}, *a, *b);
    }
    integers("v_mfma_i32_32x32x16_i8", {32, 16, 1, 8});
    integers("v_mfma_i32_16x16x32_i8", {16, 32, 1, 8});
}

TEST_F(EmulatedMfma, OfGfx950)
{
    if(device != "gfx950")
        GTEST_SKIP() << device << " lacks gfx950's instructions of twice the depth";
    for(const Format* format : {&f16, &bf16})
    {
        floats(std::string("v_mfma_f32_16x16x32_") + format->name, {16, 32, 1, 8}, *format);
        floats(std::string("v_mfma_f32_32x32x16_") + format->name, {32, 16, 1, 8}, *format);
    }
    integers("v_mfma_i32_16x16x64_i8", {16, 64, 1, 16});
    integers("v_mfma_i32_32x32x32_i8", {32, 32, 1, 16});
    for(const std::string a : {"fp8", "bf8"})
        for(const std::string b : {"fp8", "bf8"})
            floats("v_mfma_f32_32x32x64_f8f6f4",
                   {32, 64, 1, 32},
                   a == "fp8" ? fp8_ocp : bf8_ocp,
                   b == "fp8" ? fp8_ocp : bf8_ocp,
                   std::string(a == "bf8" ? " cbsz:1" : "") + (b == "bf8" ? " blgp:1" : ""));
}

TEST_F(EmulatedMfma, OfGfx90a)
{
    if(device != "gfx90a")
        GTEST_SKIP() << device << " lacks gfx90a's bf16 and int8 instructions of half the depth";
    floats("v_mfma_f32_32x32x4bf16", {32, 4, 1, 2}, bf16);
    floats("v_mfma_f32_16x16x8bf16", {16, 8, 1, 2}, bf16);
    integers("v_mfma_i32_32x32x8i8", {32, 8, 1, 4});
    integers("v_mfma_i32_16x16x16i8", {16, 16, 1, 4});
    integers("v_mfma_i32_4x4x4_16b_i8", {4, 4, 16, 4});
}

class EmulatedWmma : public EmulatedMatrix
{
protected:
    static constexpr int a_at = 0, b_at = 16, c_at = 32, d_at = 48, side = 16, k_size = 16;
    bool gfx12() const { return device.starts_with("gfx120"); } // gfx1250 has other shapes

    /// gfx11 has all of k in each lane, of lanes 0 to 15 again in the others; gfx12 divides it.
    Place place_of_a(int row, int k) const
    {
        return gfx12() ? Place{row + k / 8 * 16, k % 8} : Place{row, k};
    }
    /// `bits`: of D. gfx11 has 16 bits in the lower half of a register.
    Place place_of_d(int row, int column, int bits) const
    {
        if(gfx12())
            return {row / 8 * 16 + column, row % 8};
        return {row % 2 * 16 + column, row / 2 * (bits == 16 ? 2 : 1)};
    }
    void put_input(const Step& step, int reg, int bits, int row, int k, uint64_t code) const
    {
        const Place at = place_of_a(row, k);
        put(step, reg, bits, at, code);
        if(!gfx12())
            put(step, reg, bits, {at.lane + 16, at.element}, code);
    }

    void floats(const std::string& name, const Format& of_a, const Format& of_b, const Format& of_d)
    {
        SCOPED_TRACE(name);
        const Step step(32);
        const int a_registers         = (gfx12() ? 8 : 16) * of_a.bits() / 32;
        const int d_registers         = gfx12() ? 8 * of_d.bits() / 32 : 8;
        const void* const instruction = step.decode(
            name + " " + registers(d_at, d_registers) + ", " + registers(a_at, a_registers) + ", " +
            registers(b_at, a_registers) + ", " + registers(c_at, d_registers));
        for(const bool special : {false, true, true, true})
        {
            for(int i = 0; i < side; ++i)
                for(int k = 0; k < k_size; ++k)
                {
                    put_input(step, a_at, of_a.bits(), i, k, random_code(of_a, random, special));
                    put_input(step, b_at, of_b.bits(), i, k, random_code(of_b, random, special));
                    put(step,
                        c_at,
                        of_d.bits(),
                        place_of_d(i, k, of_d.bits()),
                        random_code(of_d, random, special));
                }
            step.run(instruction);
            for(int row = 0; row < side; ++row)
                for(int column = 0; column < side; ++column)
                {
                    const Place at = place_of_d(row, column, of_d.bits());
                    uint64_t sum   = convert(f32, decode(of_d, get(step, c_at, of_d.bits(), at)));
                    for(int k = 0; k < k_size; ++k)
                        sum = fused_multiply_add(
                            f32,
                            decode(of_a, get(step, a_at, of_a.bits(), place_of_a(row, k))),
                            decode(of_b, get(step, b_at, of_b.bits(), place_of_a(column, k))),
                            decode(f32, sum));
                    const uint64_t expected = convert(of_d, decode(f32, sum));
                    ASSERT_TRUE(same(of_d, get(step, d_at, of_d.bits(), at), expected))
                        << row << ", " << column << ": " << std::hex
                        << get(step, d_at, of_d.bits(), at) << ", not " << expected;
                }
        }
    }

    void integers(const std::string& name, int bits, bool sign_a, bool sign_b, bool clamp)
    {
        const std::string text = name + " " + registers(d_at, 8) + ", " +
                                 registers(a_at, (gfx12() ? 8 : 16) * bits / 32) + ", " +
                                 registers(b_at, (gfx12() ? 8 : 16) * bits / 32) + ", " +
                                 registers(c_at, 8) + " neg_lo:[" + std::to_string(sign_a) + "," +
                                 std::to_string(sign_b) + ",0]" + (clamp ? " clamp" : "");
        SCOPED_TRACE(text);
        const Step step(32);
        const void* const instruction = step.decode(text);
        for(int i = 0; i < side; ++i)
            for(int k = 0; k < k_size; ++k)
            {
                put_input(step, a_at, bits, i, k, random());
                put_input(step, b_at, bits, i, k, random());
                // Large ones of both signs: sums leave the range.
                put(step,
                    c_at,
                    32,
                    place_of_d(i, k, 32),
                    random() % 2 ? 0x7fffff00 + random() % 256 : 0x80000000 + random() % 256);
            }
        step.run(instruction);
        const auto input = [&](int reg, int row, int k, bool with_sign) {
            const auto code = static_cast<int64_t>(get(step, reg, bits, place_of_a(row, k)));
            return with_sign && code >> (bits - 1) ? code - (1 << bits) : code;
        };
        for(int row = 0; row < side; ++row)
            for(int column = 0; column < side; ++column)
            {
                const Place at = place_of_d(row, column, 32);
                int64_t sum    = static_cast<int32_t>(get(step, c_at, 32, at));
                for(int k = 0; k < k_size; ++k)
                    sum += input(a_at, row, k, sign_a) * input(b_at, column, k, sign_b);
                if(clamp)
                    sum = std::max<int64_t>(INT32_MIN, std::min<int64_t>(INT32_MAX, sum));
                ASSERT_EQ(get(step, d_at, 32, at), static_cast<uint32_t>(sum))
                    << row << ", " << column;
            }
    }
};

TEST_F(EmulatedWmma, OfFloats)
{
    if(!device.starts_with("gfx11") && !gfx12())
        GTEST_SKIP() << device << " has no WMMA";
    floats("v_wmma_f32_16x16x16_f16", f16, f16, f32);
    floats("v_wmma_f32_16x16x16_bf16", bf16, bf16, f32);
    floats("v_wmma_f16_16x16x16_f16", f16, f16, f16);
    floats("v_wmma_bf16_16x16x16_bf16", bf16, bf16, bf16);
    if(!gfx12())
        return;
    floats("v_wmma_f32_16x16x16_fp8_fp8", fp8_ocp, fp8_ocp, f32);
    floats("v_wmma_f32_16x16x16_bf8_bf8", bf8_ocp, bf8_ocp, f32);
    floats("v_wmma_f32_16x16x16_fp8_bf8", fp8_ocp, bf8_ocp, f32);
    floats("v_wmma_f32_16x16x16_bf8_fp8", bf8_ocp, fp8_ocp, f32);
}

TEST_F(EmulatedWmma, OfIntegers)
{
    if(!device.starts_with("gfx11") && !gfx12())
        GTEST_SKIP() << device << " has no WMMA";
    for(const int bits : {8, 4})
        for(const bool sign_a : {false, true})
            for(const bool sign_b : {false, true})
                for(const bool clamp : {false, true})
                    integers("v_wmma_i32_16x16x16_iu" + std::to_string(bits),
                             bits,
                             sign_a,
                             sign_b,
                             clamp);
}

} // namespace emulator_test::matrix
