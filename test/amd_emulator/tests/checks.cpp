// The emulator's checks: each faulty kernel runs in a process of its own and must be caught; sound
// kernels must not.
#include "ck/library/utility/emulation.hpp"

#include "device_array.hpp"
#include "tested.hpp"
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

namespace emulator_test::checks {

__global__ void write(int* p, int first) { p[first + threadIdx.x] = 1; }

__global__ void race(int* out)
{
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x;
    __builtin_amdgcn_wave_barrier(); // joins one wave: not a barrier of the block
    out[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void no_race(int* out)
{
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void no_wait(int* out, const int* in)
{
    int loaded, sum;
#if defined(__GFX11__) || defined(__GFX12__)
    asm volatile("global_load_b32 %0, %1, off" : "=v"(loaded) : "v"(in + threadIdx.x));
    asm volatile("v_add_nc_u32 %0, %1, 1" : "=v"(sum) : "v"(loaded));
#elif defined(__GFX10__)
    asm volatile("global_load_dword %0, %1, off" : "=v"(loaded) : "v"(in + threadIdx.x));
    asm volatile("v_add_nc_u32 %0, %1, 1" : "=v"(sum) : "v"(loaded));
#else
    asm volatile("global_load_dword %0, %1, off" : "=v"(loaded) : "v"(in + threadIdx.x));
    asm volatile("v_add_u32 %0, %1, 1" : "=v"(sum) : "v"(loaded));
#endif
    out[threadIdx.x] = sum;
}

/// A load straight to LDS, which the wave waits for or not: of 16 bytes per lane on gfx950, of 4
/// on gfx942. RDNA has none.
template <bool waits>
__global__ void load_to_lds(int* out, [[maybe_unused]] const int* in)
{
    __shared__ __attribute__((aligned(16))) int s[256];
#if defined(__gfx950__) || defined(__gfx942__)
    using Lds     = __attribute__((address_space(3))) void;
    const auto m0 = static_cast<unsigned>(reinterpret_cast<unsigned long>((Lds*)s));
#if defined(__gfx950__)
    asm volatile("s_nop 0\n\tglobal_load_lds_dwordx4 %1, off" ::"{m0}"(m0),
                 "v"(in + 4 * threadIdx.x)
                 : "memory");
#else
    asm volatile("s_nop 0\n\tglobal_load_lds_dword %1, off" ::"{m0}"(m0), "v"(in + threadIdx.x)
                 : "memory");
#endif
    if(waits)
        asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
#else
    s[threadIdx.x] = 0;
#endif
    out[threadIdx.x] = s[threadIdx.x];
}

/// A barrier of two halves, of which one may be left out. Targets before gfx12 have it whole.
template <int signals, int waits>
__global__ void split_barrier(int* out)
{
#if defined(__GFX12__)
    for(int i = 0; i < signals; ++i)
        asm volatile("s_barrier_signal -1" ::: "memory");
    for(int i = 0; i < waits; ++i)
        asm volatile("s_barrier_wait -1" ::: "memory");
#endif
    out[threadIdx.x] = 1;
}

/// Writes LDS before a barrier, or between its halves, where other waves may be past it. Targets
/// before gfx12 have no halves.
template <bool between>
__global__ void write_at_a_barrier(int* out)
{
    __shared__ int s[256];
#if defined(__GFX12__)
    if(!between)
        s[threadIdx.x] = threadIdx.x;
    asm volatile("s_wait_dscnt 0x0\n\ts_barrier_signal -1" ::: "memory");
    if(between)
        s[threadIdx.x] = threadIdx.x;
    asm volatile("s_wait_dscnt 0x0\n\ts_barrier_wait -1" ::: "memory");
#else
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
#endif
    out[threadIdx.x] = s[255 - threadIdx.x];
}

__device__ void wait_for_lds()
{
#if defined(__GFX12__)
    asm volatile("s_wait_dscnt 0x0" ::: "memory");
#else
    asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
#endif
}
__device__ void wait_for_all_waves()
{
#if defined(__GFX12__)
    asm volatile("s_barrier_signal -1\n\ts_barrier_wait -1" ::: "memory");
#else
    asm volatile("s_barrier" ::: "memory");
#endif
}

/// Scalar and vector loads, writes and reads of LDS: every wait and barrier is needed, the
/// compiler's and these.
__global__ void reverse_twice(int* out, const int* in, const int* factors)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    // Loads are done in their order, so that only the first is waited for.
    const int first = in[t], second = in[t + 256];
    s[t] = first;
    wait_for_lds();
    wait_for_all_waves();
    const int other = s[255 - t];
    asm volatile("" ::"v"(other)); // has been read
    wait_for_all_waves();
    s[t] = other * factors[blockIdx.x] + second;
    wait_for_lds();
    wait_for_all_waves();
    out[t] = s[255 - t];
}

__global__ void write_lds(int* out, int first)
{
    extern __shared__ int d[];
    d[threadIdx.x + first] = 1;
    __syncthreads();
    out[threadIdx.x] = d[threadIdx.x];
}

/// What a child process does, by name.
const std::map<std::string, std::function<void()>>& runs()
{
    static const std::map<std::string, std::function<void()>> all = {
        {"write outside", [] { write<<<1, 64>>>(DeviceArray<int>(256), 256 - 63); }},
        {"write inside", [] { write<<<1, 64>>>(DeviceArray<int>(256), 256 - 64); }},
        {"write inside, asked for its error",
         [] {
             write<<<1, 64>>>(DeviceArray<int>(256), 256 - 64);
             const hipError_t error = hipGetLastError();
             printf("%s: %s\n", hipGetErrorName(error), hipGetErrorString(error));
         }},
        {"three launches",
         [] {
             const DeviceArray<int> array(256);
             for(const unsigned workgroups : {1u, 1u, 2u})
                 write<<<workgroups, 64>>>(array, 0);
             printf("a time%s\n", ck::utils::emulation_note().c_str());
         }},
        {"race", [] { race<<<1, 256>>>(DeviceArray<int>(256)); }},
        {"no race", [] { no_race<<<1, 256>>>(DeviceArray<int>(256)); }},
        {"no wait", [] { no_wait<<<1, 64>>>(DeviceArray<int>(64), DeviceArray<int>(64)); }},
        {"load to LDS",
         [] { load_to_lds<true><<<1, 64>>>(DeviceArray<int>(64), DeviceArray<int>(256)); }},
        {"load to LDS, no wait",
         [] { load_to_lds<false><<<1, 64>>>(DeviceArray<int>(64), DeviceArray<int>(256)); }},
        {"split barrier", [] { split_barrier<1, 1><<<1, 64>>>(DeviceArray<int>(64)); }},
        {"no signal", [] { split_barrier<0, 1><<<1, 64>>>(DeviceArray<int>(64)); }},
        {"two signals", [] { split_barrier<2, 1><<<1, 64>>>(DeviceArray<int>(64)); }},
        {"write before a barrier",
         [] { write_at_a_barrier<false><<<1, 256>>>(DeviceArray<int>(256)); }},
        {"write between halves",
         [] { write_at_a_barrier<true><<<1, 256>>>(DeviceArray<int>(256)); }},
        {"reverse twice",
         [] {
             reverse_twice<<<1, 256>>>(
                 DeviceArray<int>(256), DeviceArray<int>(512), DeviceArray<int>(1));
         }},
        {"LDS outside", [] { write_lds<<<1, 64, 256>>>(DeviceArray<int>(64), 8); }},
        {"LDS inside", [] { write_lds<<<1, 64, 256>>>(DeviceArray<int>(64), 0); }}};
    return all;
}
constexpr const char* asked_for = "CK_EMULATOR_TEST_RUN";

/// A child process: its exit status.
int run_child(const char* name)
{
    runs().at(name)();
    if(hipDeviceSynchronize() != hipSuccess)
        return 1;
    printf("done\n");
    return 0;
}

struct Outcome
{
    bool ended; // ended as it should, with "done"
    std::string output;
};
Outcome run(const std::string& name, const std::map<std::string, std::string>& options)
{
    int ends[2];
    if(pipe(ends) != 0)
        return {false, "no pipe"};
    const pid_t child = fork();
    if(child == 0)
    {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        for(const char* option : {"EMU_RACE",
                                  "EMU_WAITCNT",
                                  "EMU_STRICT",
                                  "EMU_SCHED",
                                  "EMU_TIME",
                                  "EMU_THREADS",
                                  "EMU_LEAVE_OUT"})
            unsetenv(option);
        for(const auto& [option, value] : options)
            setenv(option.c_str(), value.c_str(), 1);
        setenv(asked_for, name.c_str(), 1);
        execl("/proc/self/exe", "child", static_cast<char*>(nullptr));
        _exit(127);
    }
    close(ends[1]);
    Outcome outcome{};
    char part[4096];
    for(ssize_t n = 0; (n = read(ends[0], part, sizeof part)) > 0;)
        outcome.output.append(part, static_cast<size_t>(n));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.ended = WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
                    outcome.output.find("done\n") != std::string::npos;
    return outcome;
}

class EmulatorChecks : public testing::Test
{
protected:
    void SetUp() override
    {
        hipDeviceProp_t properties;
        check(hipGetDeviceProperties(&properties, 0));
        ASSERT_NE(std::string(properties.name).find("emulated"), std::string::npos)
            << properties.name << " is not an emulated device";
    }
    static void expect_silent(const std::string& name,
                              const std::map<std::string, std::string>& options)
    {
        const Outcome outcome = run(name, options);
        EXPECT_TRUE(outcome.ended) << outcome.output;
        EXPECT_EQ(outcome.output.find("emu:"), std::string::npos) << outcome.output;
    }
    static void expect_stopped(const std::string& name,
                               const std::map<std::string, std::string>& options,
                               const std::string& message)
    {
        const Outcome outcome = run(name, options);
        EXPECT_FALSE(outcome.ended);
        EXPECT_NE(outcome.output.find("emu: FAULT: " + message), std::string::npos)
            << outcome.output;
    }
    static void expect_warned(const std::string& name,
                              const std::map<std::string, std::string>& options,
                              const std::string& message)
    {
        const Outcome outcome = run(name, options);
        EXPECT_TRUE(outcome.ended) << outcome.output;
        EXPECT_NE(outcome.output.find("emu: WARNING: " + message), std::string::npos)
            << outcome.output;
    }
};

TEST_F(EmulatorChecks, AccessOutsideAnAllocationStops)
{
    expect_silent("write inside", {});
    expect_stopped("write outside", {}, "memory access fault (write)");
}

TEST_F(EmulatorChecks, LdsOutOfRange)
{
    expect_silent("LDS inside", {{"EMU_STRICT", "1"}});
    expect_warned("LDS outside", {}, "LDS access out of range");
    expect_stopped("LDS outside", {{"EMU_STRICT", "1"}}, "LDS access out of range");
}

TEST_F(EmulatorChecks, LdsRace)
{
    expect_warned("race", {{"EMU_RACE", "1"}}, "LDS race");
    expect_silent("no race", {{"EMU_RACE", "1"}});
    expect_silent("race", {}); // races are not looked for
}

TEST_F(EmulatorChecks, MissingWait)
{
    expect_warned("no wait", {{"EMU_WAITCNT", "1"}}, "missing wait");
    expect_silent("no race", {{"EMU_WAITCNT", "1"}});
}

/// Finds all of these at the same time, with waves in random order: `shuffled` of script/emulate.
TEST_F(EmulatorChecks, FindTheSameInShuffledWaves)
{
    for(const char* schedule : {"rand:1", "rand:2"})
    {
        const std::map<std::string, std::string> options{
            {"EMU_RACE", "1"}, {"EMU_WAITCNT", "1"}, {"EMU_STRICT", "1"}, {"EMU_SCHED", schedule}};
        expect_warned("race", options, "LDS race");
        expect_warned("no wait", options, "missing wait");
        expect_stopped("LDS outside", options, "LDS access out of range");
        expect_silent("no race", options);
        expect_silent("LDS inside", options);
    }
}

/// Each wait and each barrier of a program, removed in turn, is found.
TEST_F(EmulatorChecks, WaitsAndBarriersThatAreRemoved)
{
    std::map<std::string, std::string> options{
        {"EMU_WAITCNT", "1"}, {"EMU_RACE", "1"}, {"EMU_STRICT", "1"}, {"EMU_THREADS", "1"}};
    expect_silent("reverse twice", options);
    int waits = 0, barriers = 0;
    for(int removed = 0; removed < 100; ++removed)
    {
        options["EMU_LEAVE_OUT"] = std::to_string(removed);
        const std::string output = run("reverse twice", options).output,
                          begin  = "emu: leaves out '";
        const size_t at          = output.find(begin);
        if(at == std::string::npos)
            break; // there are no more waits
        const std::string text = output.substr(
            at + begin.size(), output.find('\'', at + begin.size()) - at - begin.size());
        ++(text.starts_with("s_barrier") ? barriers : waits);
        EXPECT_TRUE(output.find("emu: WARNING: ") != std::string::npos ||
                    output.find("emu: FAULT: ") != std::string::npos)
            << removed << ": without '" << text << "' nothing is found:\n"
            << output;
    }
    EXPECT_GE(barriers, 3);
    EXPECT_GE(waits, 7); // for kernel arguments, two loads, a scalar load, and LDS
    printf("%d waits and %d barriers, each found when it is removed\n", waits, barriers);
}

TEST_F(EmulatorChecks, MissingWaitForALoadToLds)
{
    hipDeviceProp_t properties;
    check(hipGetDeviceProperties(&properties, 0));
    const std::string name = properties.gcnArchName;
    if(name.find("gfx950") == std::string::npos && name.find("gfx942") == std::string::npos)
        GTEST_SKIP() << name << " has no such load, or another instruction for it";
    const std::map<std::string, std::string> options{{"EMU_WAITCNT", "1"}, {"EMU_RACE", "1"}};
    expect_silent("load to LDS", options);
    expect_warned("load to LDS, no wait", options, "missing wait: LDS is touched");
}

TEST_F(EmulatorChecks, HalvesOfBarriersBelongTogether)
{
    hipDeviceProp_t properties;
    check(hipGetDeviceProperties(&properties, 0));
    expect_silent("split barrier", {});
    expect_silent("write before a barrier", {{"EMU_RACE", "1"}});
    const std::string name = properties.gcnArchName;
    if(name.find("gfx12") == std::string::npos)
        GTEST_SKIP() << name << " has barriers in one instruction";
    expect_stopped("no signal", {}, "s_barrier_wait without s_barrier_signal");
    expect_stopped("two signals", {}, "s_barrier_signal again");
    // Another wave may have passed the barrier and read.
    for(const char* schedule : {"rev", "rand:1"})
        expect_warned(
            "write between halves", {{"EMU_RACE", "1"}, {"EMU_SCHED", schedule}}, "LDS race");
}

/// A target that the program was not built for: the error's description names those that it was.
TEST_F(EmulatorChecks, NoKernelsForTheTarget)
{
    hipDeviceProp_t properties;
    check(hipGetDeviceProperties(&properties, 0));
    const std::string name    = properties.gcnArchName;
    const std::string built   = name.substr(0, name.find(':'));
    const Outcome outcome     = run("write inside, asked for its error", {{"EMU_ARCH", "gfx1013"}});
    const std::string message = "no kernels for gfx1013; the program was built for";
    const size_t at           = outcome.output.find("hipErrorNoBinaryForGpu: " + message);
    ASSERT_NE(at, std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(' ' + built, at + message.size()), std::string::npos)
        << outcome.output;
}

/// Mode `time`: the caption once, a launch that is repeated once, and the device's name says that
/// its times are predicted.
TEST_F(EmulatorChecks, PredictedTimesSayWhatTheyAre)
{
    const Outcome outcome = run("three launches", {{"EMU_TIME", "1"}});
    EXPECT_TRUE(outcome.ended) << outcome.output;
    const auto count = [&](const char* part) {
        int n = 0;
        for(size_t at = outcome.output.find(part); at != std::string::npos;
            at        = outcome.output.find(part, at + 1))
            ++n;
        return n;
    };
    EXPECT_EQ(count("These times are predicted by a model"), 1) << outcome.output;
    EXPECT_EQ(count("emu: time launch 1, gfx"), 1) << outcome.output;
    EXPECT_EQ(count("emu: time launch 2"), 0) << outcome.output;      // it is like the first
    EXPECT_EQ(count("emu: time launch 3, gfx"), 1) << outcome.output; // its size differs
    EXPECT_EQ(count("a time, predicted, not measured\n"), 1) << outcome.output;
    const Outcome plain = run("three launches", {});
    EXPECT_NE(plain.output.find("a time, emulated on the CPU\n"), std::string::npos)
        << plain.output;
}

TEST_F(EmulatorChecks, OptionsThatAreNone)
{
    EXPECT_NE(run("write inside", {{"EMU_RACE", "yes"}}).output.find("EMU_RACE is 'yes'"),
              std::string::npos);
    EXPECT_NE(run("write inside", {{"EMU_SCHED", "random"}}).output.find("EMU_SCHED is 'random'"),
              std::string::npos);
}

} // namespace emulator_test::checks

/// After all tests: what the programs of this build contain, and no test has run by itself and
/// compared. A choice of tests is not asked.
class InstructionsInUse : public testing::Environment
{
public:
    void TearDown() override
    {
        using namespace emulator_test;
        if(GTEST_FLAG_GET(filter) != "*" || in_use().empty())
            return;
        int values = 0, without = 0, known = 0;
        std::string missing;
        for(const std::string& name : in_use())
            if(has_no_value(name))
                ++without;
            else
            {
                ++values;
                if(tested().contains(name))
                    ++known;
                else
                    missing += " " + name;
            }
        printf("%s: instructions in use / tested: %d / %d, and %d that compute nothing\n",
               device_name().c_str(),
               values,
               known,
               without);
        EXPECT_EQ(missing, "") << "in use, and their values are compared with nothing";
    }
};

// It replaces GoogleTest's main: child processes run a kernel and no tests.
int main(int argc, char** argv)
{
    namespace checks = emulator_test::checks;
    if(const char* const name = getenv(checks::asked_for))
        return checks::run_child(name);
    testing::InitGoogleTest(&argc, argv);
    testing::AddGlobalTestEnvironment(new InstructionsInUse); // GoogleTest's from now on
    return RUN_ALL_TESTS();
}
