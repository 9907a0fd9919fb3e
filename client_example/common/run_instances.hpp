#pragma once
// What all clients here do: time every instance of an operation, verify the results, and run the
// best instance again. Needs only the installed library.
#include "ck/ck.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/tensor_operation_instance/conv_factory.hpp"
#include "ck/library/utility/emulation.hpp"
#include "ck/library/utility/output.hpp"

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

inline void check(hipError_t error, const char* what)
{
    if(error != hipSuccess)
        throw std::runtime_error(std::string(what) + ": " + ck::describe_error(error));
}

/// Device memory, set to zero.
struct SimpleDeviceMem
{
    explicit SimpleDeviceMem(std::size_t bytes)
    {
        check(hipMalloc(&p, bytes), "hipMalloc");
        check(hipMemset(p, 0, bytes), "hipMemset");
    }
    ~SimpleDeviceMem() { static_cast<void>(hipFree(p)); }
    SimpleDeviceMem(const SimpleDeviceMem&)            = delete;
    SimpleDeviceMem& operator=(const SimpleDeviceMem&) = delete;

    void* p = nullptr;
};

/// Whether the library was built for a CPU that stands in for a GPU.
inline bool on_cpu()
{
    hipDeviceProp_t properties{};
    check(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties");
    return std::string(properties.gcnArchName) == "host";
}

/// What the command line says about verification; by default small problems are verified.
enum class Verify
{
    by_size,
    yes,
    no
};
inline Verify& verify_option()
{
    static Verify option = Verify::by_size;
    return option;
}
/// Whether a problem of this many operations is verified.
inline bool verifies(double flop)
{
    return verify_option() == Verify::yes || (verify_option() == Verify::by_size && flop < 1e9);
}

/// The result of a client that does not verify.
struct NotVerified
{
    void spoil() const {}
    bool right() const { return true; }
};

/// make_argument(op) makes the argument for an instance; the instances are a list of pointers to
/// operations. flop, bytes: of the problem. result: a Result of verify.hpp. The exit status is
/// failure if no instance supports the problem or if a result is wrong.
template <class Instances, class MakeArgument, class Result = NotVerified>
int run_instances(const Instances& instances,
                  double flop,
                  double bytes,
                  MakeArgument make_argument,
                  Result&& result = {})
{
    // Milliseconds, or the reason why the operation cannot run.
    const auto run = [&](auto& op, const StreamConfig& config, std::string& reason) {
        const auto argument = make_argument(op);
        SimpleDeviceMem workspace(op.GetWorkSpaceSize(argument.get()));
        op.SetWorkSpacePointer(argument.get(), workspace.p);
        reason = op.IsSupportedArgument(argument.get()) ? "" : op.WhyNotSupported(argument.get());
        const float ms =
            reason.empty() ? op.MakeInvokerPointer()->Run(argument.get(), config) : 0.f;
        check(hipDeviceSynchronize(), "the operation"); // before its workspace goes away
        return ms;
    };
    const auto report = [&](const std::string& name, double ms) {
        std::cout << ms << " ms, " << flop / 1e9 / ms << " TFlops, " << bytes / 1e6 / ms
                  << " GB/s, " << name << ck::utils::emulation_note() << std::endl;
    };

    std::cout << "found " << instances.size() << " instances\n";
    const StreamConfig timed = on_cpu() ? StreamConfig{nullptr, true, 0, 0, 1} // no point in more
                                        : StreamConfig{nullptr, true};
    decltype(instances.front().get()) best = nullptr;
    double best_ms                         = 0;
    bool all_right                         = true;
    std::string reason;
    for(const auto& op : instances)
    {
        result.spoil();
        const float ms = run(*op, timed, reason);
        if(!reason.empty())
        {
            std::cout << op->GetTypeString() << " does not support this: " << reason << std::endl;
            continue;
        }
        report(op->GetTypeString(), ms);
        if constexpr(requires { result.in_place(); })
            if(result.in_place()) // a timed run repeats its launches
            {
                result.spoil();
                run(*op, StreamConfig{nullptr, false}, reason);
            }
        all_right = result.right() && all_right;
        if(best == nullptr || ms < best_ms)
        {
            best    = op.get();
            best_ms = ms;
        }
    }
    if(best == nullptr)
    {
        using Op = std::remove_reference_t<decltype(*instances.front())>;
        std::cerr << "no suitable instance\n";
        if constexpr(requires { ck::tensor_operation::device::instance::why_none<Op>(); })
            std::cerr << ck::tensor_operation::device::instance::why_none<Op>() << '\n';
        return EXIT_FAILURE;
    }
    std::cout << "best: ";
    report(best->GetTypeString(), best_ms);
    result.spoil();
    run(*best, StreamConfig{nullptr, false}, reason);
    all_right = result.right() && all_right;
    std::cout << "done\n";
    return all_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// main() of a client: prints errors (also if output was lost). The problem is fixed in the
/// client's source. run() asks verifies() whether to check its results.
template <class Run>
int report_errors(int argc, char* argv[], Run run)
{
    const std::string usage =
        std::string("usage: ") + argv[0] +
        " [--verify | --no-verify]\nTimes all instances of its operation for the problem in its "
        "source, and runs the best one again.\n--verify: compares each result with plain loops on "
        "the CPU, which takes long. This is the default for problems below 10^9 operations\n";
    const std::string argument = argc > 1 ? argv[1] : "";
    if(argc == 2 && argument == "--help")
    {
        std::cout << usage;
        return ck::utils::checked_output(EXIT_SUCCESS);
    }
    try
    {
        if(argc == 2 && (argument == "--verify" || argument == "--no-verify"))
            verify_option() = argument == "--verify" ? Verify::yes : Verify::no;
        else if(argc > 1)
            throw std::runtime_error("'" + (argc > 2 ? std::string(argv[2]) : argument) +
                                     "': there is no such argument\n" + usage);
        return ck::utils::checked_output(run());
    }
    catch(const std::exception& e)
    {
        std::cerr << "error: " << e.what() << '\n';
        return EXIT_FAILURE;
    }
}
