// Random specs, sound and not: each gives a right result or a refusal with a reason, nothing else.
// test/fuzz/spec.cpp makes them for as long as one likes, under the sanitizers.
#include "conv/random_spec.hpp"
#include <array>

namespace ck::conv_test {

TEST(RandomSpecs, AreRightOrRefused)
{
    Random random(1);
    std::array<int, 4> count{};
    for(int i = 0; i < 2000; ++i)
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
