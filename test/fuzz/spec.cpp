// A program of libFuzzer for the one call: any bytes are a spec and options, which must give a
// right result or a refusal.
#include "conv/random_spec.hpp"
#include <cstdio>
#include <cstdlib>

namespace {

std::array<long, 4> counts{};

void print_counts()
{
    std::fprintf(
        stderr, "%ld right, %ld refused, %ld too large to run\n", counts[0], counts[1], counts[2]);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    setenv("CK_HOST_THREADS", "1", 0);
    setenv("CK_TUNING_DB", "", 1);
    std::atexit(print_counts);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ck::conv_test;
    Random random(data, size);
    const ck::ConvSpec spec       = random_spec(random);
    const ck::PlanOptions options = random_options(random);
    if(std::getenv("CK_FUZZ_SHOW") != nullptr)
        std::fprintf(stderr, "asked %s\n", ck::to_string(spec).c_str());
    std::string what;
    const Outcome outcome = outcome_of(spec, options, what);
    ++counts[static_cast<std::size_t>(outcome)];
    if(std::getenv("CK_FUZZ_SHOW") != nullptr)
        std::fprintf(stderr, "outcome %d: %s\n", static_cast<int>(outcome), what.c_str());
    if(outcome == Outcome::wrong)
    {
        std::fprintf(stderr, "FOUND %s\n%s\n", ck::to_string(spec).c_str(), what.c_str());
        std::abort();
    }
    ck::clear_plan_cache();
    return 0;
}
