// Scalar instructions, each row of a table against arithmetic of 64 bits: the result, and SCC where
// they write it.
#include "values.hpp"

namespace emulator_test::values_scalar {

using F   = std::function<uint64_t(const Values&)>;
using Scc = std::function<bool(const Values&, uint64_t result)>;

int32_t s32(uint64_t x) { return static_cast<int32_t>(x); }
uint64_t low(uint64_t x) { return x & 0xffffffff; }
uint64_t u(int64_t x) { return static_cast<uint64_t>(x); }
bool not_zero(const Values&, uint64_t result) { return result != 0; }

class EmulatedScalarValues : public testing::Test
{
protected:
    void SetUp() override
    {
        ASSERT_TRUE(Step::possible()) << "no emulator: single instructions cannot be run";
    }
    const std::string device = device_name();
    const bool gfx9 = device.starts_with("gfx9"), gfx12 = device.starts_with("gfx12");

    /// `name s8, s0, s2`; `last` in place of s2 where it is not empty. SCC goes in as Values::bit;
    /// without `scc` it stays.
    static void check(const std::string& name,
                      int result,
                      const std::vector<int>& sources,
                      const F& f,
                      const Scc& scc          = {},
                      const std::string& last = "")
    {
        std::string text = name + " " + sgprs(8, result);
        for(size_t i = 0; i < sources.size(); ++i)
            text += ", " + sgprs(2 * static_cast<int>(i), sources[i]);
        text += last.empty() ? "" : ", " + last;
        SCOPED_TRACE(text);
        const Step step;
        const void* const instruction =
            step.decode(text, last.empty() ? 0 : std::stoul(last, nullptr, 16));
        std::mt19937_64 random(std::hash<std::string>()(text));
        for(int round = 0; round < 400; ++round)
        {
            Values v;
            uint64_t* const in[] = {&v.a, &v.b};
            for(size_t i = 0; i < sources.size(); ++i)
                put_scalar(
                    step, 2 * static_cast<int>(i), sources[i], *in[i] = edge(random, sources[i]));
            put_scalar(step, 8, result, v.before = edge(random, result));
            step.scc(v.bit = random() % 2 != 0);
            step.run(instruction);
            const uint64_t expected = result == 64 ? f(v) : low(f(v));
            ASSERT_EQ(get_scalar(step, 8, result), expected)
                << std::hex << v.a << ", " << v.b << " on " << v.before << ", " << v.bit;
            ASSERT_EQ(step.scc(), scc ? scc(v, expected) : v.bit)
                << std::hex << v.a << ", " << v.b << " on " << v.before << ", " << v.bit;
        }
    }
};

TEST_F(EmulatedScalarValues, OfBits)
{
    for(const int bits : {32, 64})
    {
        const std::string b = "_b" + std::to_string(bits);
        const std::vector<int> two{bits, bits};
        check("s_mov" + b, bits, {bits}, [](const Values& v) { return v.a; });
        check(
            "s_not" + b, bits, {bits}, [](const Values& v) { return ~v.a; }, not_zero);
        check(
            "s_and" + b, bits, two, [](const Values& v) { return v.a & v.b; }, not_zero);
        check(
            "s_or" + b, bits, two, [](const Values& v) { return v.a | v.b; }, not_zero);
        check(
            "s_xor" + b, bits, two, [](const Values& v) { return v.a ^ v.b; }, not_zero);
        check((gfx9 ? "s_andn2" : "s_and_not1") + b,
              bits,
              two,
              [](const Values& v) { return v.a & ~v.b; },
              not_zero);
        check((gfx9 ? "s_orn2" : "s_or_not1") + b,
              bits,
              two,
              [](const Values& v) { return v.a | ~v.b; },
              not_zero);
        check("s_cselect" + b, bits, two, [](const Values& v) { return v.bit ? v.a : v.b; });
        check(
            "s_lshl" + b,
            bits,
            {bits, 32},
            [=](const Values& v) { return v.a << (v.b & (bits - 1)); },
            not_zero);
        check(
            "s_lshr" + b,
            bits,
            {bits, 32},
            [=](const Values& v) { return v.a >> (v.b & (bits - 1)); },
            not_zero);
    }
    check(
        "s_ashr_i32",
        32,
        {32, 32},
        [](const Values& v) { return u(s32(v.a) >> (v.b & 31)); },
        not_zero);
    check(
        "s_ashr_i64",
        64,
        {64, 32},
        [](const Values& v) {
            return static_cast<uint64_t>(static_cast<int64_t>(v.a) >> (v.b & 63));
        },
        not_zero);
    check(
        "s_movk_i32", 32, {}, [](const Values&) { return u(-0x7ffd); }, {}, "0x8003");
    check(
        "s_abs_i32", 32, {32}, [](const Values& v) { return s32(v.a) < 0 ? -v.a : v.a; }, not_zero);
    check("s_brev_b32", 32, {32}, [](const Values& v) {
        uint64_t r = 0;
        for(int i = 0; i < 32; ++i)
            r |= (v.a >> i & 1) << (31 - i);
        return r;
    });
    check(
        "s_bfe_u32",
        32,
        {32, 32},
        [](const Values& v) {
            const uint64_t width = v.b >> 16 & 127;
            return v.a >> (v.b & 31) & (width >= 32 ? 0xffffffff : (uint64_t{1} << width) - 1);
        },
        not_zero);
    check("s_bitset1_b32", 32, {32}, [](const Values& v) {
        return v.before | uint64_t{1} << (v.a & 31);
    });
}

TEST_F(EmulatedScalarValues, OfSums)
{
    const std::vector<int> two{32, 32};
    const std::string co = gfx12 ? "co_" : "";
    const auto outside   = [](int64_t x) { return x != static_cast<int32_t>(x); };
    check(
        "s_add_" + co + "u32",
        32,
        two,
        [](const Values& v) { return v.a + v.b; },
        [](const Values& v, uint64_t) { return (v.a + v.b) >> 32 != 0; });
    check(
        "s_sub_" + co + "u32",
        32,
        two,
        [](const Values& v) { return v.a - v.b; },
        [](const Values& v, uint64_t) { return v.a < v.b; });
    check(
        "s_add_" + co + "i32",
        32,
        two,
        [](const Values& v) { return v.a + v.b; },
        [&](const Values& v, uint64_t) { return outside(int64_t{s32(v.a)} + s32(v.b)); });
    check(
        "s_sub_" + co + "i32",
        32,
        two,
        [](const Values& v) { return v.a - v.b; },
        [&](const Values& v, uint64_t) { return outside(int64_t{s32(v.a)} - s32(v.b)); });
    check(
        gfx12 ? "s_add_co_ci_u32" : "s_addc_u32",
        32,
        two,
        [](const Values& v) { return v.a + v.b + v.bit; },
        [](const Values& v, uint64_t) { return (v.a + v.b + v.bit) >> 32 != 0; });
    check(
        gfx12 ? "s_sub_co_ci_u32" : "s_subb_u32",
        32,
        two,
        [](const Values& v) { return v.a - v.b - v.bit; },
        [](const Values& v, uint64_t) { return v.a < v.b + v.bit; });
    check(
        gfx12 ? "s_addk_co_i32" : "s_addk_i32",
        32,
        {},
        [](const Values& v) { return v.before - 3; },
        [&](const Values& v, uint64_t) { return outside(int64_t{s32(v.before)} - 3); },
        "0xfffd");
    for(int shift = 1; shift <= 4; ++shift)
        check(
            "s_lshl" + std::to_string(shift) + "_add_u32",
            32,
            two,
            [=](const Values& v) { return (v.a << shift) + v.b; },
            [=](const Values& v, uint64_t) { return ((v.a << shift) + v.b) >> 32 != 0; });
    check(
        "s_min_i32",
        32,
        two,
        [](const Values& v) { return u(std::min(s32(v.a), s32(v.b))); },
        [](const Values& v, uint64_t) { return s32(v.a) < s32(v.b); });
    // If operands are equal, the documents take the first.
    check(
        "s_max_i32",
        32,
        two,
        [](const Values& v) { return u(std::max(s32(v.a), s32(v.b))); },
        [](const Values& v, uint64_t) { return s32(v.a) >= s32(v.b); });
    check(
        "s_min_u32",
        32,
        two,
        [](const Values& v) { return std::min(v.a, v.b); },
        [](const Values& v, uint64_t) { return v.a < v.b; });
    check(
        "s_max_u32",
        32,
        two,
        [](const Values& v) { return std::max(v.a, v.b); },
        [](const Values& v, uint64_t) { return v.a >= v.b; });
    if(!gfx12)
        return;
    check("s_add_nc_u64", 64, {64, 64}, [](const Values& v) { return v.a + v.b; });
    check("s_sub_nc_u64", 64, {64, 64}, [](const Values& v) { return v.a - v.b; });
}

TEST_F(EmulatedScalarValues, OfProducts)
{
    const std::vector<int> two{32, 32};
    check("s_mul_i32", 32, two, [](const Values& v) { return v.a * v.b; });
    check("s_mul_hi_u32", 32, two, [](const Values& v) { return v.a * v.b >> 32; });
    check("s_mul_hi_i32", 32, two, [](const Values& v) {
        return u(int64_t{s32(v.a)} * s32(v.b) >> 32);
    });
    check(
        "s_mulk_i32", 32, {}, [](const Values& v) { return v.before * u(-3); }, {}, "0xfffd");
    if(!gfx12)
        return;
    check("s_mul_u64", 64, {64, 64}, [](const Values& v) { return v.a * v.b; });
    const auto code = [](float x) { return std::bit_cast<uint32_t>(x); };
    const auto f    = [](uint64_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x)); };
    check("s_cvt_f32_u32", 32, {32}, [&](const Values& v) { // rounded to nearest even
        Exact e;
        e.add(false, v.a, 0);
        return encode(f32, e, false);
    });
    check("s_cvt_f32_i32", 32, {32}, [&](const Values& v) { // the same
        Exact e;
        e.add(s32(v.a) < 0, u(std::abs(int64_t{s32(v.a)})), 0);
        return encode(f32, e, false);
    });
    check("s_cvt_u32_f32", 32, {32}, [&](const Values& v) {
        const float x = f(v.a);
        return x != x || x <= 0 ? 0 : x >= 0x1p32f ? 0xffffffff : static_cast<uint64_t>(x);
    });
    const Step step;
    const void* const instruction = step.decode("s_mul_f32 s8, s0, s2");
    std::mt19937_64 random;
    for(int round = 0; round < 400; ++round)
    {
        const uint64_t a = edge(random, f32), b = edge(random, f32);
        put_scalar(step, 0, 32, a);
        put_scalar(step, 2, 32, b);
        step.run(instruction);
        ASSERT_TRUE(same(f32, *step.scalar(8), code(f(a) * f(b)))) << std::hex << a << " " << b;
    }
    const void *const fmac         = step.decode("s_fmac_f32 s8, s0, s2"),
                      *const trunc = step.decode("s_trunc_f32 s8, s0"),
                      *const rcp   = step.decode("v_s_rcp_f32 s8, s0");
    std::uniform_real_distribution<float> numbers(0x1p-20f, 0x1p20f);
    for(int round = 0; round < 400; ++round)
    {
        const float a = numbers(random) * (round % 2 == 0 ? 1 : -1), b = numbers(random),
                    c = numbers(random);
        put_scalar(step, 0, 32, code(a));
        put_scalar(step, 2, 32, code(b));
        put_scalar(step, 8, 32, code(c));
        step.run(fmac);
        ASSERT_EQ(f(*step.scalar(8)), std::fma(a, b, c)) << a << " " << b << " " << c;
        step.run(trunc);
        ASSERT_EQ(f(*step.scalar(8)), std::trunc(a)) << a;
        step.run(rcp); // one unit in the last place
        ASSERT_NEAR(f(*step.scalar(8)) * a, 1, 0x1p-22) << a;
    }
}

/// What changes EXEC and gives what it was.
TEST_F(EmulatedScalarValues, OfMasks)
{
    struct Row
    {
        std::string name;
        uint64_t (*f)(uint64_t source, uint64_t exec);
    };
    const Row rows[] = {{"s_and_saveexec", [](uint64_t s, uint64_t e) { return s & e; }},
                        {"s_or_saveexec", [](uint64_t s, uint64_t e) { return s | e; }},
                        {gfx9 ? "s_andn2_saveexec" : "s_and_not1_saveexec",
                         [](uint64_t s, uint64_t e) { return s & ~e; }}};
    std::mt19937_64 random;
    for(const Row& row : rows)
    {
        const Step step;
        const int lanes               = step.lanes();
        const void* const instruction = step.decode(row.name + "_b" + std::to_string(lanes) + " " +
                                                    sgprs(8, lanes) + ", " + sgprs(0, lanes));
        for(int round = 0; round < 200; ++round)
        {
            const uint64_t source = edge(random, lanes), exec = edge(random, lanes);
            put_scalar(step, 0, lanes, source);
            put_scalar(step, 126, lanes, exec);
            step.run(instruction);
            ASSERT_EQ(get_scalar(step, 8, lanes), exec) << row.name;
            ASSERT_EQ(get_scalar(step, 126, lanes), row.f(source, exec)) << row.name;
            ASSERT_EQ(step.scc(), row.f(source, exec) != 0) << row.name;
        }
    }
}

} // namespace emulator_test::values_scalar
