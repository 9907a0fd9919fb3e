// Random specs, sound and not: each gives a right result or a refusal with a reason, nothing else.
// test/fuzz/spec.cpp makes them for any length of time, under the sanitizers.
//
// CK_RANDOM_SPECS=20000 tries more of them, CK_RANDOM_SEED=7 others; a count of each outcome is
// printed.
#include "conv/random_spec.hpp"
#include <array>
#include <cstdlib>

namespace ck::conv_test {

namespace {

int number_from_environment(const char* name, int otherwise)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? otherwise : std::atoi(value);
}

} // namespace

TEST(RandomSpecs, AreRightOrRefused)
{
    Random random(static_cast<unsigned>(number_from_environment("CK_RANDOM_SEED", 1)));
    const int specs = number_from_environment("CK_RANDOM_SPECS", 2000);
    std::array<int, 4> count{};
    for(int i = 0; i < specs; ++i)
    {
        const ConvSpec spec       = random_spec(random);
        const PlanOptions options = random_options(random);
        std::string what;
        const Outcome outcome = outcome_of(spec, options, what);
        EXPECT_NE(outcome, Outcome::wrong) << to_string(spec) << '\n' << what;
        ++count[static_cast<std::size_t>(outcome)];
    }
    std::printf("%d right, %d refused, %d too large to run\n", count[0], count[1], count[2]);
    EXPECT_GE(count[0], 100);
    EXPECT_GE(count[1], 100);
}

// A fuzzer's bytes end somewhere.
TEST(RandomSpecs, AreMadeOfAnyBytes)
{
    std::mt19937 random(2);
    for(int i = 0; i < 300; ++i)
    {
        std::vector<std::uint8_t> bytes(random() % 64);
        for(auto& byte : bytes)
            byte = static_cast<std::uint8_t>(random());
        Random r(bytes.data(), bytes.size());
        const ConvSpec spec       = random_spec(r);
        const PlanOptions options = random_options(r);
        std::string what;
        EXPECT_NE(outcome_of(spec, options, what), Outcome::wrong) << to_string(spec) << '\n'
                                                                   << what;
    }
}

} // namespace ck::conv_test
