// Comparisons: every condition of every type, vector and scalar, and what they write.
#include "values.hpp"
#include <span>
#include <tuple>

namespace emulator_test::values_compare {

/// The order of two numbers.
enum Order
{
    less,
    equal,
    greater,
    unordered
};
struct Condition
{
    const char* name;
    bool results[4]; // index: Order
};
constexpr Condition of_floats[]   = {{"lt", {true, false, false, false}},
                                     {"eq", {false, true, false, false}},
                                     {"le", {true, true, false, false}},
                                     {"gt", {false, false, true, false}},
                                     {"lg", {true, false, true, false}},
                                     {"ge", {false, true, true, false}},
                                     {"o", {true, true, true, false}},
                                     {"u", {false, false, false, true}},
                                     {"nge", {true, false, false, true}},
                                     {"nlg", {false, true, false, true}},
                                     {"ngt", {true, true, false, true}},
                                     {"nle", {false, false, true, true}},
                                     {"neq", {true, false, true, true}},
                                     {"nlt", {false, true, true, true}}};
constexpr Condition of_integers[] = {{"lt", {true, false, false, false}},
                                     {"eq", {false, true, false, false}},
                                     {"le", {true, true, false, false}},
                                     {"gt", {false, false, true, false}},
                                     {"ne", {true, false, true, false}},
                                     {"ge", {false, true, true, false}}};

template <class T>
Order order(T a, T b)
{
    return a < b ? less : a == b ? equal : greater;
}
/// By the numbers that the codes are, not by a processor's comparison.
Order order(const Format& format, uint64_t a, uint64_t b)
{
    const Number x = decode(format, a), y = decode(format, b);
    if(x.nan || y.nan)
        return unordered;
    const auto key = [&](const Number& n, uint64_t code) {
        const auto magnitude = static_cast<int64_t>(code & ~sign_of(format, true));
        return n.negative ? -magnitude : magnitude;
    };
    return order(key(x, a), key(y, b));
}
int64_t with_sign(uint64_t x, int bits)
{
    return static_cast<int64_t>(x << (64 - bits)) >> (64 - bits);
}

struct Type
{
    std::string name;
    int bits;
    const Format* format; // format of the floats
    bool is_signed;

    Order compare(uint64_t a, uint64_t b) const
    {
        return format != nullptr ? order(*format, a, b)
               : is_signed       ? order(with_sign(a, bits), with_sign(b, bits))
                                 : order(a, b);
    }
    uint64_t draw(std::mt19937_64& random) const
    {
        return format != nullptr ? edge(random, *format) : edge(random, bits);
    }
};
const Type types[] = {{"f16", 16, &f16, true},
                      {"f32", 32, &f32, true},
                      {"f64", 64, &f64, true},
                      {"i16", 16, nullptr, true},
                      {"u16", 16, nullptr, false},
                      {"i32", 32, nullptr, true},
                      {"u32", 32, nullptr, false},
                      {"i64", 64, nullptr, true},
                      {"u64", 64, nullptr, false}};

class EmulatedComparisons : public testing::Test
{
protected:
    void SetUp() override
    {
        ASSERT_TRUE(Step::possible()) << "no emulator: single instructions cannot be run";
    }
    const std::string device = device_name();
    const bool gfx9          = device.starts_with("gfx9");
    std::mt19937_64 random{3};

    static constexpr int exec = 126;

    void vector(const std::string& prefix, const Condition& condition, const Type& type)
    {
        const std::string name = prefix + condition.name + "_" + type.name;
        SCOPED_TRACE(name);
        const bool writes_exec = prefix == "v_cmpx_";
        const Step step;
        const std::string sources = vgprs(0, type.bits) + ", " + vgprs(2, type.bits);
        const void* const instruction =
            step.decode(name + "_e64 " + (writes_exec ? sources : mask(step, 16) + ", " + sources));
        const uint64_t all = step.lanes() == 64 ? ~uint64_t{0} : 0xffffffff;
        for(int round = 0; round < 8; ++round)
        {
            const uint64_t active =
                round == 0 ? all : random() & all; // a lane that is not active has 0
            for(int l = 0; l < step.lanes(); ++l)
            {
                const uint64_t a = type.draw(random), b = random() % 4 == 0 ? a : type.draw(random);
                const uint64_t above = type.bits < 32 ? random() << type.bits : 0;
                put_vector(step, 0, l, type.bits, a | above);
                put_vector(step, 2, l, type.bits, b | above << 3);
            }
            put_scalar(step, exec, step.lanes(), active);
            step.run(instruction);
            uint64_t expected = 0;
            for(int l = 0; l < step.lanes(); ++l)
                expected |=
                    static_cast<uint64_t>(condition.results[type.compare(
                        get_vector(step, 0, l, type.bits), get_vector(step, 2, l, type.bits))])
                    << l;
            ASSERT_EQ(get_scalar(step, writes_exec ? exec : 16, step.lanes()), expected & active);
            put_scalar(step, exec, step.lanes(), all);
        }
    }
    void scalar(const std::string& text,
                int bits,
                const std::function<bool(uint64_t, uint64_t)>& f,
                uint64_t constant = 0)
    {
        SCOPED_TRACE(text);
        const Step step;
        const void* const instruction = step.decode(text, constant);
        for(int round = 0; round < 200; ++round)
        {
            const uint64_t a = edge(random, bits), b = random() % 4 == 0 ? a : edge(random, bits);
            put_scalar(step, 0, bits, a);
            put_scalar(step, 2, bits, b);
            step.scc(round % 2 != 0);
            step.run(instruction);
            ASSERT_EQ(step.scc(), f(a, b)) << std::hex << a << ", " << b;
        }
    }
};

TEST_F(EmulatedComparisons, OfVectors)
{
    for(const std::string prefix : {"v_cmp_", "v_cmpx_"})
    {
        if(prefix == "v_cmpx_" && gfx9) // it writes two masks, which nothing uses
            continue;
        for(const Type& type : types)
        {
            const std::span<const Condition> conditions =
                type.format != nullptr ? std::span<const Condition>(of_floats)
                                       : std::span<const Condition>(of_integers);
            for(const Condition& condition : conditions)
                vector(prefix, condition, type);
        }
    }
}

/// v_cmp_class: bit i of the second operand asks for class i, in the order of the ISA's manuals.
TEST_F(EmulatedComparisons, OfClasses)
{
    for(const auto& [type, bits, mantissa] : {std::tuple("f32", 32, 23), std::tuple("f64", 64, 52)})
    {
        const Format& format = bits == 32 ? f32 : f64;
        const Step step;
        const void* const instruction =
            step.decode(std::string("v_cmp_class_") + type + "_e64 " + mask(step, 16) + ", " +
                        vgprs(0, bits) + ", v2");
        const uint64_t endless = ((uint64_t{1} << (bits - 1 - mantissa)) - 1) << mantissa;
        const auto class_of    = [&](uint64_t code) {
            const uint64_t sign = uint64_t{1} << (bits - 1), magnitude = code & (sign - 1);
            const bool negative = (code & sign) != 0;
            if(magnitude > endless)
                return magnitude >> (mantissa - 1) & 1 ? 1 : 0; // quiet, signalling
            const int size = magnitude == endless                   ? 3
                                : magnitude >= uint64_t{1} << mantissa ? 2
                                : magnitude > 0                        ? 1
                                                                       : 0;
            return negative ? 5 - size : 6 + size;
        };
        int seen = 0; // classes
        for(int round = 0; round < 40; ++round)
        {
            uint64_t expected = 0;
            for(int l = 0; l < step.lanes(); ++l)
            {
                uint64_t code        = edge(random, format);
                const uint64_t asked = random() & 0x3ff;
                if(random() % 8 == 0)
                    code |= endless; // nearly always NaN, of both kinds
                put_vector(step, 0, l, bits, code);
                put_vector(step, 2, l, 32, asked);
                seen |= 1 << class_of(code);
                expected |= (asked >> class_of(code) & 1) << l;
            }
            step.run(instruction);
            ASSERT_EQ(get_scalar(step, 16, step.lanes()), expected) << type;
        }
        EXPECT_EQ(seen, 0x3ff) << type;
    }
}

TEST_F(EmulatedComparisons, OfScalars)
{
    for(Condition condition : of_integers)
    {
        const std::string name = std::string(condition.name) == "ne" ? "lg" : condition.name;
        for(const Type& type : types)
        {
            if(type.format != nullptr || type.bits == 16 ||
               (type.bits == 64 && (type.is_signed || (name != "eq" && name != "lg"))))
                continue;
            scalar("s_cmp_" + name + "_" + type.name + " " + sgprs(0, type.bits) + ", " +
                       sgprs(2, type.bits),
                   type.bits,
                   [&](uint64_t a, uint64_t b) { return condition.results[type.compare(a, b)]; });
            if(type.bits != 32 || device.starts_with("gfx12"))
                continue;
            for(const uint64_t constant :
                {0x7u, 0x8001u, 0xffffu}) // 16-bit values, with a sign or without
                scalar(
                    "s_cmpk_" + name + "_" + type.name + " s0, " +
                        (type.is_signed ? std::to_string(with_sign(constant, 16))
                                        : std::to_string(constant)),
                    32,
                    [&](uint64_t a, uint64_t) {
                        return condition.results[type.compare(
                            a,
                            type.is_signed
                                ? static_cast<uint64_t>(with_sign(constant, 16)) & 0xffffffff
                                : constant)];
                    },
                    constant);
        }
    }
    for(const bool one : {false, true})
        scalar(std::string("s_bitcmp") + (one ? "1" : "0") + "_b32 s0, s2",
               32,
               [&](uint64_t a, uint64_t b) { return (a >> (b & 31) & 1) == one; });
}

} // namespace emulator_test::values_compare
