// Integer operations whose results saturate.
#include "step.hpp"
#include <algorithm>
#include <functional>
#include <random>

namespace emulator_test::integers {

TEST(EmulatedIntegers, SaturateWithClamp)
{
    ASSERT_TRUE(Step::possible()) << "no emulator: single instructions cannot be run";
    const std::string nc =
        device_name().starts_with("gfx9") ? "" : "nc_"; // gfx10's names say: no carry
    struct Case
    {
        std::string name;
        std::function<int64_t(int64_t, int64_t)> operation;
        bool with_sign;
    };
    const Case cases[] = {
        {"v_add_" + nc + "u32", std::plus<int64_t>(), false},
        {"v_sub_" + nc + "u32", std::minus<int64_t>(), false},
        {"v_subrev_" + nc + "u32", [](int64_t a, int64_t b) { return b - a; }, false},
        {"v_add_" + nc + "i32", std::plus<int64_t>(), true},
        {"v_sub_" + nc + "i32", std::minus<int64_t>(), true}};
    const Step step;
    std::mt19937 random;
    for(const Case& c : cases)
    {
        const void* const instruction = step.decode(c.name + "_e64 v2, v0, v1 clamp");
        for(const int reg : {0, 1})
            for(int l = 0; l < step.lanes(); ++l)
                step.vector(reg)[l] = static_cast<uint32_t>(random());
        step.run(instruction);
        for(int l = 0; l < step.lanes(); ++l)
        {
            const auto value = [&](int reg) {
                const uint32_t x = step.vector(reg)[l];
                return c.with_sign ? static_cast<int64_t>(static_cast<int32_t>(x))
                                   : static_cast<int64_t>(x);
            };
            const int64_t low  = c.with_sign ? INT32_MIN : 0,
                          high = c.with_sign ? INT32_MAX : UINT32_MAX;
            EXPECT_EQ(step.vector(2)[l],
                      static_cast<uint32_t>(std::clamp(c.operation(value(0), value(1)), low, high)))
                << c.name << " of " << value(0) << " and " << value(1);
        }
    }
}

} // namespace emulator_test::integers
