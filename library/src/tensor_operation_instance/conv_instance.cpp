// The part that all operations share: everything except their types.
#include "ck/library/tensor_operation_instance/conv_instance.hpp"

#include <stdexcept>
#include <utility>

namespace ck::tensor_operation::device::instance {

namespace {

/// The argument in the form of kernels.
ConvArgument with_workspace(const BaseArgument* argument)
{
    ConvArgument conv = own_argument<InstanceArgument>(argument).conv;
    conv.workspace    = argument->p_workspace_;
    return conv;
}

/// For another interface's operations, pointers mean other tensors.
Support supports(const KernelOfInterface& of, const BaseArgument* argument)
{
    if(own_argument<InstanceArgument>(argument).interface != of.interface)
        return refused("the argument was made by an operation with another interface");
    return of.kernel.supports(with_workspace(argument));
}

class InstanceInvoker final : public BaseInvoker
{
public:
    InstanceInvoker(const KernelOfInterface& of, std::string name)
        : kernel_(of),
          name_(std::move(name))
    {}

    float Run(const BaseArgument* argument, const StreamConfig& config) override
    {
        if(const Support s = supports(kernel_, argument); !s)
            throw std::runtime_error(name_ + " does not support this problem: " + s.reason);
        return kernel_.kernel.run(with_workspace(argument), config);
    }

private:
    KernelOfInterface kernel_;
    std::string name_;
};

} // namespace

std::string why_not_supported(const KernelOfInterface& of, const BaseArgument* argument)
{
    return supports(of, argument).reason;
}

std::size_t workspace_size(const KernelOfInterface& of, const BaseArgument* argument)
{
    const auto& instance = own_argument<InstanceArgument>(argument);
    return instance.interface == of.interface ? of.kernel.workspace_size(with_workspace(argument))
                                              : 0;
}

std::unique_ptr<BaseInvoker> make_invoker(const KernelOfInterface& of, std::string name)
{
    return std::make_unique<InstanceInvoker>(of, std::move(name));
}

} // namespace ck::tensor_operation::device::instance
