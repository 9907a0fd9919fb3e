// Eight threads that make plans and run them at the same time: 1,000 different specs each, the same
// ones in pairs of threads.
#include "ck/conv.hpp"

#include <gtest/gtest.h>

#include "conv/convolution.hpp"
#include <latch>
#include <thread>

namespace ck::conv_test {
namespace {

constexpr std::size_t threads = 8, specs = 1000;

/// The specs are all different, and small, so that kernels end soon.
ConvSpec spec_number(std::size_t i)
{
    return {.direction = static_cast<Direction>(i % 3),
            .type      = DataType::f16,
            .n         = 1 + static_cast<long_index_t>(i / 6 % 8),
            .k         = 8 * (1 + static_cast<long_index_t>(i / 48 % 10)),
            .c         = 8,
            .input     = {static_cast<long_index_t>(3 + i / 480)},
            .filter    = {3},
            .strides   = {static_cast<long_index_t>(1 + i % 2)},
            .pads      = {{1, 1}}};
}

} // namespace

TEST(PlansInThreads, AreTheSameAndRight)
{
    clear_plan_cache();
    std::vector<std::vector<std::string>> kernels(threads);
    std::atomic<std::size_t> runs = 0, wrong = 0;
    std::latch begin(threads);
    std::vector<std::thread> all;
    for(std::size_t t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            begin.arrive_and_wait();
            for(std::size_t i = 0; i < specs; ++i)
            {
                const ConvSpec spec = spec_number(t / 2 * specs + i);
                const ConvPlan p    = plan(spec);
                kernels[t].push_back(p.kernel());
                if(i % 50 == t)
                {
                    ++runs;
                    wrong += Convolution(spec, static_cast<unsigned>(i)).mistakes(p);
                }
            }
        });
    for(std::thread& thread : all)
        thread.join();
    EXPECT_EQ(plan_cache_size(), threads / 2 * specs);
    for(std::size_t t = 0; t < threads; t += 2)
        EXPECT_EQ(kernels[t], kernels[t + 1]);
    EXPECT_EQ(runs, threads * specs / 50);
    EXPECT_EQ(wrong, 0u);
}

TEST(PlansInThreads, AreOneAndRunAtATime)
{
    const ConvSpec spec            = spec_number(0);
    const ConvPlan p               = plan(spec);
    std::atomic<std::size_t> wrong = 0;
    std::vector<std::thread> all;
    for(std::size_t t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            Convolution c(spec, static_cast<unsigned>(t)); // memory of its own
            for(int i = 0; i < 20; ++i)
                wrong += c.mistakes(p);
        });
    for(std::thread& thread : all)
        thread.join();
    EXPECT_EQ(wrong, 0u);
}

} // namespace ck::conv_test
