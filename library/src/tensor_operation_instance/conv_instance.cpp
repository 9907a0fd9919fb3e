// The operations' common part: everything but their types.
#include "ck/library/tensor_operation_instance/conv_instance.hpp"

#include "ck/library/tensor_operation_instance/packed_instances.hpp"

#include <stdexcept>
#include <utility>

namespace ck::tensor_operation::device::instance {

namespace {

/// The argument as kernels take it.
ConvArgument with_workspace(const BaseArgument* argument)
{
    ConvArgument conv = own_argument<InstanceArgument>(argument).conv;
    conv.workspace    = argument->p_workspace_;
    return conv;
}

/// Pointers mean other tensors to another interface's operations.
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

void set_packed_problem(ConvArgument& argument, index_t rank, const PackedLists& from)
{
    constexpr const char* names[] = {"input lengths",
                                     "filter lengths",
                                     "output lengths",
                                     "strides",
                                     "dilations",
                                     "left pads",
                                     "right pads"};
    for(std::size_t i = 0; i < from.lists.size(); ++i)
        if(from.lists[i]->size() != static_cast<std::size_t>(rank))
        {
            argument.valid = refused("there are " + std::to_string(from.lists[i]->size()) + " " +
                                     names[i] + ", but a " + std::to_string(rank) +
                                     "D convolution has " + std::to_string(rank));
            return;
        }

    const auto& [input, filter, output, stride, dilation, pad_low, pad_high] = from.lists;
    ConvProblem& p                                                           = argument.problem;
    p.rank                                                                   = rank;
    p.batch                                                                  = from.n;
    p.out_channels                                                           = from.k;
    p.in_channels                                                            = from.c;
    p.input        = to_spatial(*input, 1);
    p.filter       = to_spatial(*filter, 1);
    p.stride       = to_spatial(*stride, 1);
    p.dilation     = to_spatial(*dilation, 1);
    p.pad_low      = to_spatial(*pad_low, 0);
    p.pad_high     = to_spatial(*pad_high, 0);
    argument.valid = validate(p);
    if(!argument.valid)
        return;
    argument.valid = crop_output(p, to_spatial(*output, 1));
    set_packed_strides(p);
}

} // namespace ck::tensor_operation::device::instance
