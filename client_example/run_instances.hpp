#pragma once
// What all clients here do: time every instance of an operation and run the best one again. Needs
// the installed library alone.
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

/// Zeroed device memory.
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

/// make_argument(op) is the argument of one of the instances, a list of pointers to operations.
/// flop, bytes: of the problem. Exit status: failure if no instance supports it.
template <class Instances, class MakeArgument>
int run_instances(const Instances& instances, double flop, double bytes, MakeArgument make_argument)
{
    // Milliseconds; a reason if the operation cannot.
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
    std::string reason;
    for(const auto& op : instances)
    {
        const float ms = run(*op, timed, reason);
        if(!reason.empty())
        {
            std::cout << op->GetTypeString() << " does not support this: " << reason << std::endl;
            continue;
        }
        report(op->GetTypeString(), ms);
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
    run(*best, StreamConfig{nullptr, false}, reason);
    std::cout << "done\n";
    return EXIT_SUCCESS;
}

/// main() of a client: errors are messages, output that was lost among them, and its problem is
/// what its source says.
template <class Run>
int report_errors(int argc, char* argv[], Run run)
{
    const std::string usage = std::string("usage: ") + argv[0] +
                              "\nTimes all instances of its operation for the problem in its "
                              "source, and runs the best one again.\n";
    if(argc == 2 && argv[1] == std::string("--help"))
    {
        std::cout << usage;
        return ck::utils::checked_output(EXIT_SUCCESS);
    }
    try
    {
        if(argc > 1)
            throw std::runtime_error("'" + std::string(argv[1]) + "': there are no arguments\n" +
                                     usage);
        return ck::utils::checked_output(run());
    }
    catch(const std::exception& e)
    {
        std::cerr << "error: " << e.what() << '\n';
        return EXIT_FAILURE;
    }
}
