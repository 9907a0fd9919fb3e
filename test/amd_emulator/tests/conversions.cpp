// Conversions between floating-point formats and to integers, each code of the smaller format and
// the numbers between two codes, against exact arithmetic. Manuals leave payloads and signs of NaN
// open; they are not compared.
#include "exact.hpp"
#include "step.hpp"
#include <cmath>
#include <functional>
#include <limits>

namespace emulator_test::conversions {

bool gfx9(const std::string& device) { return device.starts_with("gfx9"); }
bool has_fp8(const std::string& device)
{
    return device == "gfx942" || device == "gfx950" || device.starts_with("gfx12");
}
const Format& fp8(const std::string& device) { return device == "gfx942" ? fp8_fnuz : fp8_ocp; }
const Format& bf8(const std::string& device) { return device == "gfx942" ? bf8_fnuz : bf8_ocp; }

/// Codes of f32: specials, and for each code of a smaller format itself, the middle between it and
/// the next, and the neighbours of both.
std::vector<uint32_t> inputs_around(const Format& small)
{
    std::vector<uint32_t> codes{0,
                                0x80000000,
                                0x7f800000,
                                0xff800000,
                                0x7fc00000,
                                0xffc00000,
                                0x7f800001,
                                0x7fffffff,
                                1,
                                0x80000001,
                                0x007fffff,
                                0x00800000,
                                0x7f7fffff,
                                0xff7fffff};
    for(uint64_t code = 0; code < uint64_t{1} << small.bits(); ++code)
    {
        const Number x = decode(small, code);
        if(x.nan || x.infinite)
            continue;
        for(const int halves : {0, 1}) // a small format's mantissa is far shorter than f32's
        {
            Exact sum;
            sum.add(x.negative, 2 * x.mantissa + halves, x.exponent - 1);
            const auto near = static_cast<uint32_t>(encode(f32, sum, x.negative));
            for(const int ulps : {-1, 0, 1})
                codes.push_back(near + static_cast<uint32_t>(ulps));
        }
    }
    return codes;
}

/// Runs the instruction on register 0, a value a lane; register 2 is the result and has `before` at
/// first.
std::vector<uint32_t> results(const std::string& text,
                              const std::vector<uint32_t>& inputs,
                              uint32_t before                                = 0,
                              const std::function<void(const Step&)>& set_up = {})
{
    const Step step;
    if(set_up)
        set_up(step);
    const void* const instruction = step.decode(text);
    std::vector<uint32_t> out;
    for(size_t first = 0; first < inputs.size(); first += static_cast<size_t>(step.lanes()))
    {
        const size_t count = std::min(inputs.size() - first, static_cast<size_t>(step.lanes()));
        std::copy_n(inputs.begin() + first, count, step.vector(0));
        std::fill_n(step.vector(2), step.lanes(), before);
        step.run(instruction);
        out.insert(out.end(), step.vector(2), step.vector(2) + count);
    }
    return out;
}

class EmulatedConversions : public testing::Test
{
protected:
    void SetUp() override
    {
        ASSERT_TRUE(Step::possible()) << "no emulator: single instructions cannot be run";
    }
    const std::string device = device_name();
};

TEST_F(EmulatedConversions, F16OfF32)
{
    const std::vector<uint32_t> in  = inputs_around(f16),
                                out = results("v_cvt_f16_f32_e32 v2, v0", in);
    for(size_t i = 0; i < in.size(); ++i)
        ASSERT_TRUE(same(f16, out[i] & 0xffff, convert(f16, decode(f32, in[i]))))
            << std::hex << in[i];
}

TEST_F(EmulatedConversions, PairsOfF16TowardZero)
{
    // What is too large becomes the largest number, Inf stays Inf.
    const std::string name         = gfx9(device) ? "v_cvt_pkrtz_f16_f32" : "v_cvt_pk_rtz_f16_f32";
    const std::vector<uint32_t> in = inputs_around(f16), out = results(name + " v2, v0, v0", in);
    for(size_t i = 0; i < in.size(); ++i)
    {
        const uint64_t expected = convert(f16, decode(f32, in[i]), Rounding::toward_zero);
        ASSERT_TRUE(same(f16, out[i] & 0xffff, expected)) << std::hex << in[i] << ": " << out[i];
        ASSERT_TRUE(same(f16, out[i] >> 16, expected)) << std::hex << in[i] << ": " << out[i];
    }
}

TEST_F(EmulatedConversions, F32OfF16)
{
    std::vector<uint32_t> in(1 << 16);
    for(uint32_t i = 0; i < in.size(); ++i)
        in[i] = i | 0xabcd0000; // the upper half must have no effect
    const std::vector<uint32_t> out = results("v_cvt_f32_f16_e32 v2, v0", in);
    for(size_t i = 0; i < in.size(); ++i)
        ASSERT_TRUE(same(f32, out[i], convert(f32, decode(f16, in[i] & 0xffff)))) << std::hex << i;
}

TEST_F(EmulatedConversions, EightBitsOfF32)
{
    if(!has_fp8(device))
        GTEST_SKIP() << device << " has no floats of eight bits";
    struct Case
    {
        const char* name;
        const Format& format;
    };
    const Case cases[] = {{"fp8", fp8(device)}, {"bf8", bf8(device)}};
    for(const Case& c : cases)
        for(const bool saturate : {false, true}) // MODE.FP16_OVFL
        {
            const std::string name         = std::string("v_cvt_pk_") + c.name + "_f32";
            const std::vector<uint32_t> in = inputs_around(c.format);
            const auto set_up = [&](const Step& step) { step.mode() |= saturate << 23; };
            const std::vector<uint32_t> low = results(name + " v2, v0, v0", in, 0x12345678, set_up),
                                        high = results(name + " v2, v0, v0 op_sel:[0,0,1]",
                                                       in,
                                                       0x12345678,
                                                       set_up);
            for(size_t i = 0; i < in.size(); ++i)
            {
                const auto expected = static_cast<uint32_t>(
                    convert(c.format,
                            decode(f32, in[i]),
                            Rounding::nearest_even,
                            saturate ? Overflow::largest : Overflow::infinite));
                for(const uint32_t code :
                    {low[i] & 255, low[i] >> 8 & 255, high[i] >> 16 & 255, high[i] >> 24})
                    ASSERT_TRUE(same(c.format, code, expected))
                        << c.format.name << (saturate ? ", saturating, " : ", ") << std::hex
                        << in[i] << ": " << code << ", not " << expected;
                ASSERT_EQ(low[i] >> 16, 0x1234u);
                ASSERT_EQ(high[i] & 0xffff, 0x5678u);
            }
        }
}

TEST_F(EmulatedConversions, F32OfEightBits)
{
    if(!has_fp8(device))
        GTEST_SKIP() << device << " has no floats of eight bits";
    std::vector<uint32_t> in(256);
    for(uint32_t i = 0; i < 256; ++i)
        in[i] = i | 0xa5b6c700;
    for(const bool large_range : {false, true})
    {
        const Format& format = large_range ? bf8(device) : fp8(device);
        const std::string name =
            std::string("v_cvt_f32_") + (large_range ? "bf8" : "fp8") + "_e32 v2, v0";
        const std::vector<uint32_t> out = results(name, in);
        for(uint32_t i = 0; i < 256; ++i)
            ASSERT_TRUE(same(f32, out[i], convert(f32, decode(format, i))))
                << format.name << " " << i;
    }
}

TEST_F(EmulatedConversions, StochasticRoundingAddsRandomBits)
{
    if(!has_fp8(device))
        GTEST_SKIP() << device << " has no floats of eight bits";
    // Assumed: the bits below the result's last, as a fraction, plus the random number's 32 bits as
    // one, carry.
    const Step step;
    const void* const instruction = step.decode("v_cvt_sr_fp8_f32 v2, v0, v1");
    const Format& format          = fp8(device);
    uint32_t state                = 1;
    for(int round = 0; round < 200; ++round)
    {
        for(int l = 0; l < step.lanes(); ++l)
        {
            state             = state * 1664525u + 1013904223u;
            step.vector(0)[l] = (state >> 9 & 0x807fffff) | (110 + state % 24) << 23;
            state             = state * 1664525u + 1013904223u;
            step.vector(1)[l] = state;
            step.vector(2)[l] = 0;
        }
        step.run(instruction);
        for(int l = 0; l < step.lanes(); ++l)
        {
            const Number x      = decode(f32, step.vector(0)[l]);
            const uint64_t down = convert(format, x, Rounding::toward_zero);
            const Number floor  = decode(format, down);
            // (|x| - |down|) / ulp + random / 2^32 >= 1
            Exact rest = exact(x);
            if(x.negative)
                rest.negate();
            rest.add(true, floor.mantissa, floor.exponent);
            const int ulp  = floor.exponent; // 0 has the smallest's, too: its exponent field is 0
            const int last = floor.zero() ? 1 - format.bias - format.mantissa_bits : ulp;
            rest.add(false, step.vector(1)[l], last - 32);
            rest.add(true, 1, last);
            const bool up     = !rest.negative();
            uint64_t expected = down;
            if(up)
                expected = floor.zero() && format.specials == Format::fnuz
                               ? sign_of(format, x.negative) | 1
                               : down + 1;
            if((expected & 0x7f) > largest(format))
                expected = nan(format);
            ASSERT_TRUE(same(format, step.vector(2)[l] & 255, expected))
                << std::hex << step.vector(0)[l] << " with " << step.vector(1)[l] << ": "
                << step.vector(2)[l] << ", not " << expected;
        }
    }
}

TEST_F(EmulatedConversions, IntegersOfF32SaturateAndNanIsZero)
{
    std::vector<uint32_t> in = inputs_around(f16);
    for(const float x : {2147483520.f,
                         2147483648.f,
                         -2147483648.f,
                         -2147483904.f,
                         4294967040.f,
                         4294967296.f,
                         -1.f,
                         0.75f,
                         1e30f,
                         -1e30f})
        in.push_back(std::bit_cast<uint32_t>(x));
    const std::vector<uint32_t> with_sign = results("v_cvt_i32_f32_e32 v2, v0", in),
                                without   = results("v_cvt_u32_f32_e32 v2, v0", in);
    for(size_t i = 0; i < in.size(); ++i)
    {
        const double x    = std::trunc(static_cast<double>(std::bit_cast<float>(in[i])));
        const double low  = std::max(-0x1p31, std::min(0x1p31 - 1, x)),
                     high = std::max(0., std::min(0x1p32 - 1, x));
        ASSERT_EQ(static_cast<int32_t>(with_sign[i]), x != x ? 0 : static_cast<int32_t>(low))
            << std::hex << in[i];
        ASSERT_EQ(without[i], x != x ? 0 : static_cast<uint32_t>(high)) << std::hex << in[i];
    }
}

} // namespace emulator_test::conversions
