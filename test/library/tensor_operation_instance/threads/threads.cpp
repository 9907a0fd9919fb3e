// Eight threads that do the same at a time, from the process's first call on: ask the factory, ask
// the registry, launch. The thread sanitizer watches them in script/test host-threads.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"

#include <gtest/gtest.h>

#include "library/tensor_operation_instance/reference.hpp"
#include <latch>
#include <thread>
#include <vector>

namespace ck::test {
namespace {

using element_wise::PassThrough;

/// Calls f(i), i in [0, 8), in threads that begin together.
template <class F>
void in_threads(const F& f)
{
    constexpr int count = 8;
    std::latch begin(count);
    std::vector<std::thread> threads;
    for(int i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            begin.arrive_and_wait();
            f(i);
        });
    for(std::thread& thread : threads)
        thread.join();
}

/// f16 in all tensors.
Family family_of(Direction direction)
{
    for(const Family& f : families())
        if(f.direction == direction && f.a == "f16" && f.b == "f16" && f.c == "f16" &&
           f.d.empty() && f.operation_c == "PassThrough" && f.compute_a == "f16")
            return f;
    throw std::runtime_error("no kernels of f16");
}

/// Every kernel of a family, in each thread on tensors of its own; the threads begin with different
/// kernels, and half of them end where the others begin.
void expect_right_results(Direction direction)
{
    const Reference& r   = Reference::of(direction, 2);
    const Family family  = family_of(direction);
    const auto& kernels  = kernels_of(family);
    const Layout& layout = layouts[0];
    ConvProblem problem  = r.problem;
    set_layout(problem, layout);
    std::atomic<std::size_t> runs = 0, wrong = 0;
    in_threads([&](int thread) {
        KernelSetup setup(family, problem, {r.x, r.w, r.y, r.sums}, -1);
        for(std::size_t i = 0; i < kernels.size(); ++i)
        {
            const ConvKernel& kernel =
                kernels[(static_cast<std::size_t>(thread / 2) + i) % kernels.size()];
            if(!setup.supports(kernel))
                continue;
            ++runs;
            wrong += setup.mistakes(kernel);
        }
    });
    EXPECT_GE(runs, 8u);
    EXPECT_EQ(wrong, 0u);
}

} // namespace

TEST(Threads, GetInstancesOfTheirOwn)
{
    using namespace tensor_layout::convolution;
    using Factory = tensor_operation::device::instance::DeviceOperationInstanceFactory<
        tensor_operation::device::DeviceGroupedConvFwdMultipleABD<2,
                                                                  NHWGC,
                                                                  GKYXC,
                                                                  Tuple<>,
                                                                  NHWGK,
                                                                  half_t,
                                                                  half_t,
                                                                  Tuple<>,
                                                                  half_t,
                                                                  PassThrough,
                                                                  PassThrough,
                                                                  PassThrough>>;
    std::array<std::vector<std::string>, 8> names;
    in_threads([&](int i) {
        for(const auto& operation : Factory::GetInstances())
            names[static_cast<std::size_t>(i)].push_back(operation->GetTypeString());
    });
    EXPECT_FALSE(names[0].empty());
    for(const auto& other : names)
        EXPECT_EQ(other, names[0]);
}

TEST(Threads, GetTheSameAnswersFromTheRegistry)
{
    std::array<const ConvKernel*, 8> chosen{};
    std::array<std::vector<double>, 8> predicted;
    std::array<std::string, 8> why;
    in_threads([&](int i) {
        static const PassThrough pass;
        const auto at       = static_cast<std::size_t>(i);
        const Family family = family_of(Direction::forward);
        ConvArgument argument{};
        argument.problem =
            make_packed_problem<2>(1, 2, 64, 64, {3, 3}, {8, 8}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
        argument.a           = {nullptr};
        argument.b           = {nullptr};
        argument.operation_a = argument.operation_b = argument.operation_c = &pass;
        chosen[at] = select_kernel(family, argument);
        for(const ConvKernel& kernel : kernels_of(family))
            if(kernel.supports(argument))
                predicted[at].push_back(kernel.predict(argument));
        argument.problem.stride[2] = 0;
        why[at]                    = why_none(family, argument);
    });
    EXPECT_NE(chosen[0], nullptr);
    EXPECT_FALSE(why[0].empty());
    for(std::size_t i = 0; i < 8; ++i)
    {
        EXPECT_EQ(chosen[i], chosen[0]);
        EXPECT_EQ(predicted[i], predicted[0]);
        EXPECT_EQ(why[i], why[0]);
    }
}

// Not allowed: that the sanitizer sees it shows that it looks into kernels. CTest expects its
// report.
TEST(Threads, DISABLED_LaunchIntoOneResult)
{
    const Reference& r       = Reference::of(Direction::forward, 2);
    const Family family      = family_of(Direction::forward);
    const ConvKernel& kernel = kernels_of(family).back();
    ConvProblem problem      = r.problem;
    set_layout(problem, layouts[0]);
    KernelSetup setup(family, problem, {r.x, r.w, r.y, r.sums}, 1);
    ASSERT_TRUE(setup.supports(kernel));
    in_threads([&](int) { kernel.run(setup.argument, StreamConfig{}); });
}

TEST(Threads, LaunchForward) { expect_right_results(Direction::forward); }
TEST(Threads, LaunchBackwardData) { expect_right_results(Direction::backward_data); }
TEST(Threads, LaunchBackwardWeight) { expect_right_results(Direction::backward_weight); }

} // namespace ck::test
