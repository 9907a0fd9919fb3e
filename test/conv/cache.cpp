// The cache: one plan for each spec and options, and what it costs.
#include "ck/host_utility/kernel_launch.hpp"

#include "conv/convolution.hpp"
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <thread>

namespace ck::conv_test {
namespace {

/// Microseconds that this thread has used of the CPU.
double now()
{
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) / 1e3;
}

/// Returns the mean cost of a call.
template <class F>
double cost(const F& f)
{
    constexpr int many = 1000;
    const double begin = now();
    for(int i = 0; i < many; ++i)
        f(i);
    return (now() - begin) / many;
}

struct Nothing
{
    struct Params
    {
        void* x;
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size            = 64;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    CK_DEVICE static void run(const Params&, SharedStorage&) {}
};

} // namespace

TEST(Cache, HasOnePlanForEachSpecAndOptions)
{
    ConvSpec spec = spec_of_rank(2);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    clear_plan_cache();
    const ConvPlan held = plan(spec);
    EXPECT_EQ(plan_cache_size(), 1u);
    EXPECT_EQ(&plan(spec).spec(), &held.spec());
    EXPECT_EQ(plan_cache_size(), 1u);
    EXPECT_NE(&plan(spec, {.workspace_limit = 0}).spec(), &held.spec());
    spec.pads[0].low = 1;
    static_cast<void>(plan(spec));
    EXPECT_EQ(plan_cache_size(), 3u);
    clear_plan_cache();
    EXPECT_EQ(plan_cache_size(), 0u);
    EXPECT_EQ(Convolution(spec_of_rank(2)).mistakes(held), 0u); // the plan is still alive
}

TEST(Cache, KeepsNoRefusals)
{
    clear_plan_cache();
    EXPECT_THROW(plan({}), Refused);
    EXPECT_EQ(plan_cache_size(), 0u);
}

// A thread has no context of the GPU until it uses it, but the driver's tensor maps want one.
TEST(Cache, PlansOfThreadsThatHaveNotUsedTheGpu)
{
    int planned = 0;
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
        for(const index_t length : {1, 3})
        {
            ConvSpec spec  = spec_of_rank(2);
            spec.direction = direction;
            spec.type      = DataType::f16;
            spec.groups    = 1;
            spec.n         = 64;
            spec.k = spec.c = 256;
            spec.input      = {28, 28};
            spec.filter     = {length, length};
            if(!has_kernels(spec))
                continue;
            ++planned;
            clear_plan_cache();
            std::string failed;
            std::thread([&] {
                try
                {
                    static_cast<void>(plan(spec));
                }
                catch(const std::exception& e)
                {
                    failed = e.what();
                }
            }).join();
            EXPECT_EQ(failed, "");
        }
    if(planned == 0)
        GTEST_SKIP() << no_kernels;
}

// What plan() and run() cost the CPU; the numbers are printed, and CK_PLAN_COST=1 in the
// environment checks them against what docs/one_call.md promises.
TEST(Cache, CostsLittle)
{
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
    {
        ConvSpec spec  = spec_of_rank(2);
        spec.groups    = 1;
        spec.direction = direction;
        if(!has_kernels(spec))
            continue;
        clear_plan_cache();
        const auto plan_of = [&](int i) {
            spec.n = 1 + i;
            static_cast<void>(plan(spec));
        };
        const double fresh = cost(plan_of), again = cost(plan_of);
        const double same = cost([&](int) { static_cast<void>(plan(spec)); });
        std::printf("%s: a new plan %.1f us, a cached one of 1,000 in turn %.3f us, the same again "
                    "%.3f us\n",
                    name(direction),
                    fresh,
                    again,
                    same);
        if(std::getenv("CK_PLAN_COST") != nullptr)
        {
            EXPECT_LT(fresh, 100);
            EXPECT_LT(same, .5);
        }
        if(direction == Direction::backward_weight)
            continue; // it writes zeros where others do nothing
        spec.n           = 0;
        const ConvPlan p = plan(spec);
        Convolution c(spec);
        const ConvTensors t = c.tensors(p);
        const double run    = cost([&](int) { p.run(t); });
        const double launch =
            cost([&](int) { static_cast<void>(arch::launch<Nothing>(0, nullptr, {})); });
        std::printf("  run() of no blocks %.3f us, a launch of none %.3f us\n", run, launch);
        if(std::getenv("CK_PLAN_COST") != nullptr)
        {
            EXPECT_LT(run - launch, 2.5);
        }
    }
}

} // namespace ck::conv_test
