// Every engine over the lattice of problems, against the definition; and what does not depend on
// the problem: the bits are the same, whatever else runs.
//
// Under sanitizers f16 also stands for bf16, which has the same layout, except for one problem.
//
// Cases not sanitized: *.GivesTheSameBitsInEveryRunAndOrder* *.StaysWithinTheErrorBoundOnDecimals*
// Cases not sanitized: *LatticeExactly/dl_bf16 *LatticeExactly/xdl_bf16_1k *LatticeExactly/mma_bf16
// Cases not sanitized: *LatticeExactly/wmma_gfx11_bf16 *LatticeExactly/wmma_gfx12_bf16
#include "ck/host_utility/device_prop.hpp"

#include <gtest/gtest.h>

#include "convolution/lattice/instance.hpp"
#include "devices.hpp"
#include "environment.hpp"
#include <map>
#include <set>

namespace ck::test {

namespace {

/// The engines that a device must run.
std::set<std::string> engines_of(const std::string& device)
{
    using enum arch::Requirement;
    static const std::map<std::string, arch::Requirement> needed{
        {"dl_f16", none},
        {"dl_bf16", none},
        {"dl_f32", none},
        {"dl_f64", none},
        {"xdl_f16", mfma},
        {"xdl_f32", mfma},
        {"xdl_f64", mfma_f64},
        {"xdl_bf16_gfx908", mfma_bf16},
        {"xdl_bf16_1k", mfma_bf16_1k},
        {"xdl_gfx950", mfma_gfx950},
        {"xdl_gfx950_to_lds", mfma_gfx950},
        {"xdl_gfx950_deep", mfma_gfx950},
        {"wmma_gfx11_f16", wmma_gfx11},
        {"wmma_gfx11_bf16", wmma_gfx11},
        {"wmma_gfx12_f16", wmma_gfx12},
        {"wmma_gfx12_bf16", wmma_gfx12},
        {"mma_f16", mma_sync},
        {"mma_bf16", mma_sync},
        {"mma_tf32", mma_sync},
        {"mma_f64", mma_sync_f64},
        {"mma_f64_sm90", mma_sync_f64_sm90}};
    std::set<std::string> engines;
    for(const auto& [engine, requirement] : needed)
        if(must_have(device, requirement))
            engines.insert(engine);
    return engines;
}

std::vector<std::string> engine_names()
{
    std::vector<std::string> names;
    for(const auto& instance : all_instances())
        if(names.empty() || names.back() != instance->engine())
            names.push_back(instance->engine());
    return names;
}

/// A failure for the first of the mistakes and for what the kernel throws. Whether it ran.
bool compute(const Instance& instance, const ConvProblem& p, Data data, const std::string& name)
{
    SCOPED_TRACE(instance.name() + "\n" + name + ": " + text(p));
    try
    {
        if(const std::string reason = instance.refusal(p); !reason.empty())
        {
            ADD_FAILURE() << "refused: " << reason;
            return false;
        }
        const Tensors tensors(instance.direction(), p, instance.type(), data);
        instance.run(p, tensors.input(), tensors.filter(), tensors.output());
        const std::string mistakes = tensors.mistakes(instance.multiplies_in_tf32());
        EXPECT_TRUE(mistakes.empty()) << mistakes;
        return true;
    }
    catch(const std::exception& error)
    {
        ADD_FAILURE() << error.what();
        return false;
    }
}

/// What ran, printed when a test ends.
class Table
{
public:
    ~Table()
    {
        std::printf("on %s:\n", get_device_name().c_str());
        for(const std::string& line : lines_)
            std::printf("  %s\n", line.c_str());
    }
    void ran(const Instance& i, std::size_t problems)
    {
        lines_.push_back(std::to_string(problems) + " problems: " + i.name());
    }
    void refused(const Instance& i, const std::string& why)
    {
        lines_.push_back("refused: " + i.name() + ": " + why);
    }

private:
    std::vector<std::string> lines_;
};

ConvProblem small_problem(const Instance& instance)
{
    ConvProblem p;
    p.rank         = 2;
    p.batch        = 2;
    p.out_channels = 3 * instance.fit().k_multiple;
    p.in_channels  = 5 * instance.fit().c_multiple;
    p.input        = {1, 9, 7};
    p.filter       = {1, 3, 3};
    p.stride       = {1, 2, 1};
    p.dilation     = {1, 1, 2};
    p.pad_low      = {0, 1, 2};
    p.pad_high     = {0, 1, 1};
    set_packed_strides(p);
    return p;
}

TEST(ConvolutionInstances, RunOrRefuseAsTheDeviceDemands)
{
    Table table;
    std::set<std::string> ran;
    for(const auto& instance : all_instances())
    {
        const ConvProblem p           = small_problem(*instance);
        const std::string instruction = instruction_of(instance->tuning()).name;
        const std::string reason      = instance->refusal(p);
        if(reason.empty())
        {
            if(compute(*instance, p, Data::integers, "one problem"))
                ran.insert(instance->engine());
            table.ran(*instance, 1);
            continue;
        }
        table.refused(*instance, reason);
        EXPECT_NE(reason.find(instruction), std::string::npos) << reason;
        EXPECT_FALSE(engines_of(get_device_name()).count(instance->engine())) << reason;
        const Tensors tensors(instance->direction(), p, instance->type(), Data::integers);
        try
        {
            instance->run(p, tensors.input(), tensors.filter(), tensors.output());
            ADD_FAILURE() << instance->name() << " ran, and must not";
        }
        catch(const std::runtime_error& error)
        {
            EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
        }
    }
    EXPECT_EQ(ran, engines_of(get_device_name()));
    EXPECT_GT(ran.size(), 0u);
}

class ConvolutionEngine : public testing::TestWithParam<std::string>
{
protected:
    /// The engine's instances; none, and the test skipped, where the device lacks the instruction.
    std::vector<const Instance*> instances()
    {
        std::vector<const Instance*> found;
        for(const auto& instance : all_instances())
            if(instance->engine() == GetParam())
                found.push_back(instance.get());
        EXPECT_FALSE(found.empty());
        return found;
    }
    bool device_lacks_it() { return !engines_of(get_device_name()).count(GetParam()); }
};

#define CK_SKIP_IF_DEVICE_LACKS_IT()                                                               \
    if(device_lacks_it())                                                                          \
    GTEST_SKIP() << get_device_name() << " has no instruction for " << GetParam()

/// Different for each instance, the same in each run.
std::uint32_t seed_of(const Instance& instance)
{
    std::uint32_t seed = 2166136261u; // FNV-1a
    for(const char c : instance.name())
        seed = (seed ^ static_cast<unsigned char>(c)) * 16777619u;
    return seed;
}

/// Under sanitizers a small run has every second problem of an instance, the first or the second:
/// the instances of all engines share the corners.
TEST_P(ConvolutionEngine, ComputesTheLatticeExactly)
{
    CK_SKIP_IF_DEVICE_LACKS_IT();
    Table table;
    const std::size_t step = sanitized && small_run() ? 2 : 1;
    for(const Instance* instance : instances())
    {
        std::size_t ran = 0;
        const auto list = problems(instance->fit(), seed_of(*instance));
        for(std::size_t i = seed_of(*instance) % step; i < list.size(); i += step)
            ran += compute(*instance, list[i].problem, Data::integers, list[i].name);
        EXPECT_GT(ran, 0u);
        table.ran(*instance, ran);
    }
}

TEST_P(ConvolutionEngine, StaysWithinTheErrorBoundOnDecimals)
{
    CK_SKIP_IF_DEVICE_LACKS_IT();
    for(const Instance* instance : instances())
    {
        const auto list = problems(instance->fit(), 7);
        for(std::size_t i = 0; i < list.size(); i += 5)
            compute(*instance, list[i].problem, Data::decimals, list[i].name);
        // Cancellation and long sums: the reduction is 9 * K or C.
        ConvProblem p                                              = small_problem(*instance);
        (instance->fit().forward ? p.in_channels : p.out_channels) = 160;
        set_packed_strides(p);
        compute(*instance, p, Data::decimals, "long sums");
    }
}

TEST_P(ConvolutionEngine, GivesTheSameBitsInEveryRunAndOrder)
{
    CK_SKIP_IF_DEVICE_LACKS_IT();
    for(const Instance* instance : instances())
    {
        SCOPED_TRACE(instance->name());
        ConvProblem p  = small_problem(*instance);
        p.out_channels = 96;
        p.in_channels  = 72;
        set_packed_strides(p);
        const Tensors tensors(instance->direction(), p, instance->type(), Data::decimals);
        const auto run = [&] {
            instance->run(p, tensors.input(), tensors.filter(), tensors.output());
            return tensors.result();
        };
        const std::vector<unsigned char> first = run();
        EXPECT_EQ(tensors.mistakes(instance->multiplies_in_tf32()), "");
        EXPECT_TRUE(run() == first) << "a second run";
        if(get_device_name() != "host")
            continue;
        for(const char* threads : {"1", "3"})
        {
            const EnvironmentVariable environment("CK_HOST_THREADS", threads);
            EXPECT_TRUE(run() == first) << "CK_HOST_THREADS=" << threads;
        }
        for(int seed = 0; seed < 6; ++seed)
        {
            const EnvironmentVariable environment("CK_HOST_SCHEDULE_SEED", std::to_string(seed));
            EXPECT_TRUE(run() == first) << "CK_HOST_SCHEDULE_SEED=" << seed;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         ConvolutionEngine,
                         testing::ValuesIn(engine_names()),
                         [](const auto& info) { return info.param; });

} // namespace
} // namespace ck::test
