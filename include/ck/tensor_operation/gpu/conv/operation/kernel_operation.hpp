#pragma once
// A device operation that is one kernel and not a convolution: it implements one of Composable
// Kernel's interfaces by three functions of the kernel. Contains no kernel.
#include "ck/convolution/support.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"

#include <memory>
#include <stdexcept>
#include <string>

namespace ck::tensor_operation::device {

/// A kernel that takes one type of arguments.
template <class Arguments>
struct PlainKernel
{
    /// Stable between versions, and unique among the kernels of an operation.
    std::string name;
    /// Whether it can compute the argument on the current device; if not, why. Null is allowed.
    Support (*supports)(const Arguments&);
    /// Launches a supported argument. Returns milliseconds if the configuration asks for time, else
    /// 0. Throws std::runtime_error if a tensor is null.
    float (*run)(const Arguments&, const StreamConfig&);
};

/// Implements all functions of an interface by a PlainKernel. Arguments::make takes the parameters
/// of its MakeArgumentPointer.
template <class Interface, class Arguments, class Make = decltype(&Interface::MakeArgumentPointer)>
struct KernelOperation;

template <class Interface, class Arguments, class... P>
struct KernelOperation<Interface, Arguments, std::unique_ptr<BaseArgument> (Interface::*)(P...)>
    : public Interface
{
    struct Argument : public BaseArgument, public Arguments
    {
        explicit Argument(Arguments a) : Arguments(std::move(a)) {}
    };

    struct Invoker : public BaseInvoker
    {
        explicit Invoker(const PlainKernel<Arguments>& kernel) : kernel_(kernel) {}

        float Run(const Argument& argument, const StreamConfig& config = StreamConfig{})
        {
            if(const Support s = kernel_.supports(argument); !s)
                throw std::runtime_error(kernel_.name +
                                         " does not support this problem: " + s.reason);
            return kernel_.run(argument, config);
        }
        float Run(const BaseArgument* argument,
                  const StreamConfig& config = StreamConfig{}) override
        {
            return Run(own_argument<Argument>(argument), config);
        }

    private:
        const PlainKernel<Arguments>& kernel_;
    };

    /// The kernel must outlive the operation and its invokers.
    explicit KernelOperation(const PlainKernel<Arguments>& kernel) : kernel_(kernel) {}

    static Argument MakeArgument(P... p) { return Argument(Arguments::make(p...)); }
    std::unique_ptr<BaseArgument> MakeArgumentPointer(P... p) override
    {
        return std::unique_ptr<BaseArgument>(new Argument(Arguments::make(p...)));
    }
    std::unique_ptr<BaseInvoker> MakeInvokerPointer() override
    {
        return std::unique_ptr<BaseInvoker>(new Invoker(kernel_));
    }

    bool IsSupportedArgument(const BaseArgument* a) override { return WhyNotSupported(a).empty(); }
    std::string WhyNotSupported(const BaseArgument* a) const override
    {
        return kernel_.supports(own_argument<Argument>(a)).reason;
    }
    std::string GetTypeString() const override { return kernel_.name; }

private:
    const PlainKernel<Arguments>& kernel_;
};

/// A KernelOperation of the kernel that Kernel::get() returns.
template <class Interface, class Arguments, class Kernel>
struct OwnKernelOperation : public KernelOperation<Interface, Arguments>
{
    using Base = KernelOperation<Interface, Arguments>;
    using Base::IsSupportedArgument;
    using typename Base::Argument;
    using typename Base::Invoker;

    OwnKernelOperation() : Base(Kernel::get()) {}

    static Invoker MakeInvoker() { return Invoker(Kernel::get()); }
    static bool IsSupportedArgument(const Argument& a)
    {
        return static_cast<bool>(Kernel::get().supports(a));
    }
};

} // namespace ck::tensor_operation::device
