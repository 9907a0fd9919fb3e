// Vector instructions of integers and bits, each row of a table against arithmetic of 64 bits.
#include "values.hpp"

namespace emulator_test::values_integer {

using F = std::function<uint64_t(const Values&)>;

int32_t s32(uint64_t x) { return static_cast<int32_t>(x); }
int64_t s64(uint64_t x) { return static_cast<int64_t>(x); }
uint64_t u(int64_t x) { return static_cast<uint64_t>(x); }
int64_t s24(uint64_t x) { return static_cast<int32_t>(x << 8) >> 8; }
uint64_t u24(uint64_t x) { return x & 0xffffff; }
int64_t field(uint64_t x, int width)
{
    return width == 0 ? 0 : static_cast<int64_t>(x << (64 - width)) >> (64 - width);
}
__int128 wide(uint64_t x) { return static_cast<__int128>(s64(x)); }

/// `name dst, sources modifiers`: sources are v0, v2, v4 of `bits` bits, the destination is v8.
void check(const std::string& name,
           int result,
           const std::vector<int>& sources,
           const F& f,
           const std::string& modifiers = "")
{
    SCOPED_TRACE(name);
    const Step step;
    std::string text = name + " " + vgprs(8, result);
    for(size_t i = 0; i < sources.size(); ++i)
        text += ", " + vgprs(2 * static_cast<int>(i), sources[i]);
    const void* const instruction = step.decode(text + modifiers);
    std::mt19937_64 random(std::hash<std::string>()(name));
    for(int round = 0; round < rounds_of_values; ++round)
    {
        for(int l = 0; l < step.lanes(); ++l)
        {
            for(size_t i = 0; i < sources.size(); ++i)
            {
                const uint64_t above =
                    sources[i] < 32 ? random() << sources[i] : 0; // of halves, nothing is seen
                put_vector(
                    step, 2 * static_cast<int>(i), l, sources[i], edge(random, sources[i]) | above);
            }
            put_vector(step, 8, l, result, edge(random, std::max(32, result)));
        }
        std::vector<Values> in;
        for(int l = 0; l < step.lanes(); ++l)
        {
            const auto of = [&](size_t i) {
                return i < sources.size() ? get_vector(step, 2 * static_cast<int>(i), l, sources[i])
                                          : 0;
            };
            in.push_back({of(0), of(1), of(2), get_vector(step, 8, l, result), false});
        }
        step.run(instruction);
        for(int l = 0; l < step.lanes(); ++l)
        {
            const uint64_t all = result == 64 ? ~uint64_t{0} : (uint64_t{1} << result) - 1;
            ASSERT_EQ(get_vector(step, 8, l, result), f(in[l]) & all)
                << std::hex << in[l].a << ", " << in[l].b << ", " << in[l].c << " on "
                << in[l].before;
        }
    }
}

class EmulatedIntegerValues : public testing::Test
{
protected:
    void SetUp() override
    {
        ASSERT_TRUE(Step::possible()) << "no emulator: single instructions cannot be run";
    }
    const std::string device = device_name();
    const bool gfx9 = device.starts_with("gfx9"), gfx11 = device.starts_with("gfx11"),
               gfx12 = device.starts_with("gfx12");
};

TEST_F(EmulatedIntegerValues, OfOneOperand)
{
    check("v_mov_b32_e32", 32, {32}, [](const Values& v) { return v.a; });
    check("v_not_b32_e32", 32, {32}, [](const Values& v) { return ~v.a; });
    check("v_bfrev_b32_e32", 32, {32}, [](const Values& v) {
        uint64_t r = 0;
        for(int i = 0; i < 32; ++i)
            r |= (v.a >> i & 1) << (31 - i);
        return r;
    });
    if(device == "gfx942" || device == "gfx950")
        check("v_mov_b64_e32", 64, {64}, [](const Values& v) { return v.a; });
}

TEST_F(EmulatedIntegerValues, OfBits)
{
    const std::vector<int> two{32, 32}, three{32, 32, 32};
    check("v_and_b32_e32", 32, two, [](const Values& v) { return v.a & v.b; });
    check("v_or_b32_e32", 32, two, [](const Values& v) { return v.a | v.b; });
    check("v_xor_b32_e32", 32, two, [](const Values& v) { return v.a ^ v.b; });
    check("v_and_or_b32", 32, three, [](const Values& v) { return (v.a & v.b) | v.c; });
    check("v_or3_b32", 32, three, [](const Values& v) { return v.a | v.b | v.c; });
    check("v_bfi_b32", 32, three, [](const Values& v) { return (v.a & v.b) | (~v.a & v.c); });
    check("v_bfe_u32", 32, three, [](const Values& v) {
        return v.a >> (v.b & 31) & ((uint64_t{1} << (v.c & 31)) - 1);
    });
    check("v_bfe_i32", 32, three, [](const Values& v) {
        return u(field(v.a >> (v.b & 31),
                       static_cast<int>(std::min<uint64_t>(v.c & 31, 32 - (v.b & 31)))));
    });
    check("v_alignbit_b32", 32, three, [](const Values& v) {
        return (v.a << 32 | v.b) >> (v.c & 31);
    });
    check("v_perm_b32", 32, three, [](const Values& v) {
        const uint64_t bytes = v.a << 32 | v.b;
        uint64_t r           = 0;
        for(int i = 0; i < 4; ++i)
        {
            const uint64_t s = v.c >> 8 * i & 255;
            const uint64_t b = s <= 7    ? bytes >> 8 * s & 255
                               : s <= 11 ? (bytes >> (16 * (s - 8) + 15) & 1 ? 255 : 0)
                               : s == 12 ? 0
                                         : 255;
            r |= b << 8 * i;
        }
        return r;
    });
    check("v_xad_u32", 32, three, [](const Values& v) { return (v.a ^ v.b) + v.c; });
    const auto bitop = [](int table) {
        return [table](const Values& v) {
            uint64_t r = 0;
            for(int i = 0; i < 32; ++i)
                r |= static_cast<uint64_t>(
                         table >> ((v.a >> i & 1) * 4 + (v.b >> i & 1) * 2 + (v.c >> i & 1)) & 1)
                     << i;
            return r;
        };
    };
    if(device == "gfx950")
        for(const int table : {0xd8, 0x1b, 0x80})
        {
            check("v_bitop3_b32", 32, three, bitop(table), " bitop3:" + std::to_string(table));
            check(
                "v_bitop3_b16", 16, {16, 16, 16}, bitop(table), " bitop3:" + std::to_string(table));
        }
}

TEST_F(EmulatedIntegerValues, OfShifts)
{
    const std::vector<int> two{32, 32}, three{32, 32, 32};
    check("v_lshlrev_b32_e32", 32, two, [](const Values& v) { return v.b << (v.a & 31); });
    check("v_lshrrev_b32_e32", 32, two, [](const Values& v) { return v.b >> (v.a & 31); });
    check("v_ashrrev_i32_e32", 32, two, [](const Values& v) { return u(s32(v.b) >> (v.a & 31)); });
    check("v_lshlrev_b64", 64, {32, 64}, [](const Values& v) { return v.b << (v.a & 63); });
    check("v_lshrrev_b64", 64, {32, 64}, [](const Values& v) { return v.b >> (v.a & 63); });
    check("v_ashrrev_i64", 64, {32, 64}, [](const Values& v) { return u(s64(v.b) >> (v.a & 63)); });
    check("v_lshlrev_b16", 16, {16, 16}, [](const Values& v) { return v.b << (v.a & 15); });
    check("v_lshrrev_b16", 16, {16, 16}, [](const Values& v) { return v.b >> (v.a & 15); });
    check("v_ashrrev_i16", 16, {16, 16}, [](const Values& v) {
        return u(static_cast<int16_t>(v.b) >> (v.a & 15));
    });
    check("v_pk_lshlrev_b16", 32, two, [](const Values& v) {
        return (v.b << (v.a & 15) & 0xffff) | (v.b >> 16 << (v.a >> 16 & 15) & 0xffff) << 16;
    });
    check("v_lshl_add_u32", 32, three, [](const Values& v) { return (v.a << (v.b & 31)) + v.c; });
    check("v_add_lshl_u32", 32, three, [](const Values& v) { return (v.a + v.b) << (v.c & 31); });
    check("v_lshl_or_b32", 32, three, [](const Values& v) { return v.a << (v.b & 31) | v.c; });
    if(device == "gfx942" || device == "gfx950")
    {
        // The documents have shifts of 0 to 4.
        const Step step;
        const void* const instruction = step.decode("v_lshl_add_u64 v[8:9], v[0:1], v2, v[4:5]");
        std::mt19937_64 random;
        for(int shift = 0; shift <= 4; ++shift)
        {
            for(int l = 0; l < step.lanes(); ++l)
            {
                put_vector(step, 0, l, 64, edge(random, 64));
                put_vector(step, 2, l, 32, static_cast<uint64_t>(shift));
                put_vector(step, 4, l, 64, edge(random, 64));
            }
            step.run(instruction);
            for(int l = 0; l < step.lanes(); ++l)
                ASSERT_EQ(get_vector(step, 8, l, 64),
                          (get_vector(step, 0, l, 64) << shift) + get_vector(step, 4, l, 64));
        }
    }
}

TEST_F(EmulatedIntegerValues, OfSums)
{
    const std::vector<int> two{32, 32}, three{32, 32, 32};
    const std::string nc = gfx9 ? "" : "nc_";
    check("v_add_" + nc + "u32_e32", 32, two, [](const Values& v) { return v.a + v.b; });
    check("v_sub_" + nc + "u32_e32", 32, two, [](const Values& v) { return v.a - v.b; });
    check("v_subrev_" + nc + "u32_e32", 32, two, [](const Values& v) { return v.b - v.a; });
    check("v_add_" + nc + "i32", 32, two, [](const Values& v) { return v.a + v.b; });
    check("v_add_" + nc + "u16", 16, {16, 16}, [](const Values& v) { return v.a + v.b; });
    check("v_sub_" + nc + "u16", 16, {16, 16}, [](const Values& v) { return v.a - v.b; });
    check("v_add3_u32", 32, three, [](const Values& v) { return v.a + v.b + v.c; });
    check(
        "v_min_i32_e32", 32, two, [](const Values& v) { return u(std::min(s32(v.a), s32(v.b))); });
    check(
        "v_max_i32_e32", 32, two, [](const Values& v) { return u(std::max(s32(v.a), s32(v.b))); });
    check("v_min_u32_e32", 32, two, [](const Values& v) { return std::min(v.a, v.b); });
    check("v_max_u32_e32", 32, two, [](const Values& v) { return std::max(v.a, v.b); });
    check("v_min3_u32", 32, three, [](const Values& v) { return std::min({v.a, v.b, v.c}); });
    check("v_max3_u32", 32, three, [](const Values& v) { return std::max({v.a, v.b, v.c}); });
    check("v_med3_i32", 32, three, [](const Values& v) {
        const int32_t a = s32(v.a), b = s32(v.b), c = s32(v.c);
        return u(std::max(std::min(a, b), std::min(std::max(a, b), c)));
    });
}

TEST_F(EmulatedIntegerValues, OfProducts)
{
    const std::vector<int> two{32, 32}, three{32, 32, 32};
    check("v_mul_lo_u32", 32, two, [](const Values& v) { return v.a * v.b; });
    check("v_mul_hi_u32", 32, two, [](const Values& v) { return v.a * v.b >> 32; });
    check("v_mul_hi_i32", 32, two, [](const Values& v) {
        return u(int64_t{s32(v.a)} * s32(v.b) >> 32);
    });
    check("v_mul_lo_u16", 16, {16, 16}, [](const Values& v) { return v.a * v.b; });
    check("v_mul_i32_i24_e32", 32, two, [](const Values& v) { return u(s24(v.a) * s24(v.b)); });
    check("v_mul_u32_u24_e32", 32, two, [](const Values& v) { return u24(v.a) * u24(v.b); });
    check("v_mad_i32_i24", 32, three, [](const Values& v) { return u(s24(v.a) * s24(v.b)) + v.c; });
    check("v_mad_u32_u24", 32, three, [](const Values& v) { return u24(v.a) * u24(v.b) + v.c; });
    const auto bytes = [](const Values& v, uint64_t sum) {
        for(int i = 0; i < 4; ++i)
            sum +=
                u(int64_t{static_cast<int8_t>(v.a >> 8 * i)} * static_cast<int8_t>(v.b >> 8 * i));
        return sum;
    };
    if(gfx9)
        check("v_dot4c_i32_i8_e32", 32, two, [&](const Values& v) { return bytes(v, v.before); });
    else
        check(
            "v_dot4_i32_iu8",
            32,
            three,
            [&](const Values& v) { return bytes(v, v.c); },
            " neg_lo:[1,1,0]");
}

/// Instructions that write a bit for each lane, such as a carry.
TEST_F(EmulatedIntegerValues, OfCarries)
{
    struct Row
    {
        std::string name;
        bool takes;
        std::function<__int128(__int128, __int128, bool)>
            f; // the lower 32 bits, and whether the number exceeds them
    };
    const auto add   = [](__int128 a, __int128 b, bool c) { return a + b + c; };
    const auto sub   = [](__int128 a, __int128 b, bool c) { return a - b - c; };
    const auto rev   = [](__int128 a, __int128 b, bool c) { return b - a - c; };
    const Row rows[] = {{"v_add_co_u32_e64", false, add},
                        {"v_sub_co_u32_e64", false, sub},
                        {"v_subrev_co_u32_e64", false, rev},
                        {gfx9 ? "v_addc_co_u32_e64" : "v_add_co_ci_u32_e64", true, add},
                        {gfx9 ? "v_subb_co_u32_e64" : "v_sub_co_ci_u32_e64", true, sub},
                        {gfx9 ? "v_subbrev_co_u32_e64" : "v_subrev_co_ci_u32_e64", true, rev}};
    std::mt19937_64 random;
    for(const Row& row : rows)
    {
        const Step step;
        const void* const instruction =
            step.decode(row.name + " v8, " + mask(step, 16) + ", v0, v2" +
                        (row.takes ? ", " + mask(step, 20) : ""));
        for(int round = 0; round < rounds_of_values; ++round)
        {
            for(int l = 0; l < step.lanes(); ++l)
                for(const int reg : {0, 2})
                    put_vector(step, reg, l, 32, edge(random, 32));
            put_scalar(step, 20, step.lanes(), random());
            step.run(instruction);
            for(int l = 0; l < step.lanes(); ++l)
            {
                const bool carry = row.takes && get_scalar(step, 20, step.lanes()) >> l & 1;
                const __int128 x = row.f(step.vector(0)[l], step.vector(2)[l], carry);
                ASSERT_EQ(step.vector(8)[l], static_cast<uint32_t>(x)) << row.name;
                ASSERT_EQ(get_scalar(step, 16, step.lanes()) >> l & 1, x < 0 || x >> 32 != 0)
                    << row.name;
            }
        }
    }
}

TEST_F(EmulatedIntegerValues, OfLongProducts)
{
    std::mt19937_64 random;
    for(const bool with_sign : {false, true})
    {
        const Step step;
        const std::string co   = gfx12 ? "co_" : "";
        const std::string name = "v_mad_" + co + (with_sign ? "i64_i32" : "u64_u32");
        const void* const instruction =
            step.decode(name + " v[8:9], " + mask(step, 16) + ", v0, v2, v[4:5]");
        for(int round = 0; round < rounds_of_values; ++round)
        {
            for(int l = 0; l < step.lanes(); ++l)
            {
                for(const int reg : {0, 2})
                    put_vector(step, reg, l, 32, edge(random, 32));
                put_vector(step, 4, l, 64, edge(random, 64));
            }
            step.run(instruction);
            for(int l = 0; l < step.lanes(); ++l)
            {
                const uint64_t a = step.vector(0)[l], b = step.vector(2)[l],
                               c = get_vector(step, 4, l, 64);
                const __int128 x = with_sign
                                       ? static_cast<__int128>(int64_t{s32(a)} * s32(b)) + wide(c)
                                       : static_cast<__int128>(a * b) + c;
                ASSERT_EQ(get_vector(step, 8, l, 64), static_cast<uint64_t>(x))
                    << name << std::hex << " " << a << " " << b << " " << c;
                if(!with_sign)
                {
                    ASSERT_EQ(get_scalar(step, 16, step.lanes()) >> l & 1, x >> 64 != 0) << name;
                }
            }
        }
    }
}

/// v_cndmask, v_readlane and others that move.
TEST_F(EmulatedIntegerValues, Move)
{
    std::mt19937_64 random;
    const Step step;
    for(int l = 0; l < step.lanes(); ++l)
        for(const int reg : {0, 2, 4, 5, 8, 10})
            put_vector(step, reg, l, 32, random());
    put_scalar(step, 16, step.lanes(), random());
    const auto bit = [&](int l) { return get_scalar(step, 16, step.lanes()) >> l & 1; };
    step.run(step.decode("v_cndmask_b32_e64 v8, v0, v2, " + mask(step, 16)));
    for(int l = 0; l < step.lanes(); ++l)
        EXPECT_EQ(step.vector(8)[l], step.vector(bit(l) ? 2 : 0)[l]);
    if(gfx11)
    {
        step.run(step.decode("v_cndmask_b16 v8.l, v0.l, v2.l, " + mask(step, 16)));
        for(int l = 0; l < step.lanes(); ++l)
            EXPECT_EQ(step.vector(8)[l] & 0xffff, step.vector(bit(l) ? 2 : 0)[l] & 0xffff);
        for(const std::string to : {"l", "h"})
            for(const std::string from : {"l", "h"})
            {
                const uint32_t before = step.vector(10)[3],
                               source = step.vector(0)[3] >> (from == "h" ? 16 : 0) & 0xffff;
                step.run(step.decode("v_mov_b16_e32 v10." + to + ", v0." + from));
                EXPECT_EQ(step.vector(10)[3],
                          to == "h" ? (before & 0xffff) | source << 16
                                    : (before & 0xffff0000) | source);
            }
        step.run(step.decode("v_and_b16 v8.l, v0.l, v2.l"));
        EXPECT_EQ(step.vector(8)[1] & 0xffff, step.vector(0)[1] & step.vector(2)[1] & 0xffff);
        step.run(step.decode("v_or_b16 v8.l, v0.h, v2.l"));
        EXPECT_EQ(step.vector(8)[1] & 0xffff,
                  (step.vector(0)[1] >> 16 | step.vector(2)[1]) & 0xffff);
    }
    step.run(step.decode("v_pack_b32_f16 v8, v0, v2"));
    for(int l = 0; l < step.lanes(); ++l)
        EXPECT_EQ(step.vector(8)[l], (step.vector(0)[l] & 0xffff) | step.vector(2)[l] << 16);
    step.run(step.decode("v_readfirstlane_b32 s8, v0"));
    EXPECT_EQ(*step.scalar(8), step.vector(0)[0]);
    step.run(step.decode("v_readlane_b32 s9, v0, 7"));
    EXPECT_EQ(*step.scalar(9), step.vector(0)[7]);
    const uint32_t other = step.vector(10)[6];
    step.run(step.decode("v_writelane_b32 v10, s9, 5"));
    EXPECT_EQ(step.vector(10)[5], step.vector(0)[7]);
    EXPECT_EQ(step.vector(10)[6], other);
    if(!gfx9)
        return;
    step.run(step.decode("v_accvgpr_write_b32 a3, v0"));
    step.run(step.decode("v_accvgpr_mov_b32 a4, a3"));
    step.run(step.decode("v_accvgpr_read_b32 v8, a4"));
    step.run(step.decode("v_pk_mov_b32 v[10:11], v[0:1], v[4:5] op_sel:[0,1]"));
    for(int l = 0; l < step.lanes(); ++l)
    {
        EXPECT_EQ(step.vector(8)[l], step.vector(0)[l]);
        EXPECT_EQ(step.vector(10)[l], step.vector(0)[l]);
        EXPECT_EQ(step.vector(11)[l], step.vector(5)[l]);
    }
}

/// Both halves of a dual issue read what was there before.
TEST_F(EmulatedIntegerValues, OfDualIssue)
{
    if(gfx9)
        GTEST_SKIP() << device << " has no dual issue";
    struct Row
    {
        std::string name;
        bool in_x; // others are only Y's
        F f;
    };
    const Row rows[] = {
        {"v_dual_mov_b32", true, [](const Values& v) { return v.a; }},
        {"v_dual_cndmask_b32", true, [](const Values& v) { return v.bit ? v.b : v.a; }},
        {"v_dual_add_nc_u32", false, [](const Values& v) { return v.a + v.b; }},
        {"v_dual_lshlrev_b32", false, [](const Values& v) { return v.b << (v.a & 31); }},
        {"v_dual_and_b32", false, [](const Values& v) { return v.a & v.b; }}};
    std::mt19937_64 random;
    for(const Row& row : rows)
        for(const bool x : {true, false})
        {
            if(x && !row.in_x)
                continue;
            const Step step;
            const std::string sources = row.name == "v_dual_mov_b32" ? "v1" : "v1, v2";
            const void* const instruction =
                step.decode(x ? row.name + " v0, " + sources + " :: v_dual_mov_b32 v1, v0"
                              : "v_dual_mov_b32 v1, v0 :: " + row.name + " v0, " + sources);
            for(int round = 0; round < rounds_of_values; ++round)
            {
                std::vector<Values> in;
                put_scalar(step, 106, 64, random());
                for(int l = 0; l < step.lanes(); ++l)
                {
                    for(const int reg : {0, 1, 2})
                        put_vector(step, reg, l, 32, edge(random, 32));
                    in.push_back({step.vector(1)[l],
                                  step.vector(2)[l],
                                  0,
                                  step.vector(0)[l],
                                  (get_scalar(step, 106, 32) >> l & 1) != 0});
                }
                step.run(instruction);
                for(int l = 0; l < step.lanes(); ++l)
                {
                    ASSERT_EQ(step.vector(0)[l], static_cast<uint32_t>(row.f(in[l]))) << row.name;
                    ASSERT_EQ(step.vector(1)[l], in[l].before) << row.name;
                }
            }
        }
}

} // namespace emulator_test::values_integer
