#pragma once
// What all CPU references share: they check their arguments, then compute at once.
#include "ck/library/utility/convolution_parameter.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ck::tensor_operation::host {

/// A reference derives from this class and defines
///   struct Argument
///   static Shapes shapes(const Argument&)   throws std::runtime_error if tensors do not fit
///   static void compute(const Argument&, const Shapes&)   writes the whole result
template <class Derived, ck::index_t NDimSpatial>
struct ReferenceOperator : public device::BaseOperator
{
    /// Computes an argument at once.
    struct Invoker : public device::BaseInvoker
    {
        /// The argument that it computes.
        using Argument = typename Derived::Argument;

        /// Returns 0. Throws std::runtime_error if the tensors do not fit together.
        float Run(const Argument& arg, const StreamConfig& = StreamConfig{})
        {
            Derived::compute(arg, Derived::shapes(arg));
            return 0;
        }

        float Run(const device::BaseArgument* p_arg,
                  const StreamConfig& stream_config = StreamConfig{}) override
        {
            return Run(device::own_argument<Argument>(p_arg), stream_config);
        }
    };

    /// Whether Run computes this argument.
    bool IsSupportedArgument(const device::BaseArgument* p_arg) override
    {
        return WhyNotSupported(p_arg).empty();
    }

    /// Why Run does not compute it: the value and the rule that it breaks; empty if it does.
    std::string WhyNotSupported(const device::BaseArgument* p_arg) const override
    {
        try
        {
            Derived::shapes(device::own_argument<typename Derived::Argument>(p_arg));
            return "";
        }
        catch(const std::exception& e)
        {
            return e.what();
        }
    }

    /// Makes the invoker.
    static auto MakeInvoker() { return Invoker{}; }
    /// Makes the invoker on the heap.
    virtual std::unique_ptr<device::BaseInvoker> MakeInvokerPointer()
    {
        return std::unique_ptr<device::BaseInvoker>(new Invoker());
    }

protected:
    /// The values of an argument as three, [D] H W; `neutral` for missing dimensions.
    static Spatial
    spatial(const char* what, const std::vector<long_index_t>& values, long_index_t neutral)
    {
        if(values.size() != NDimSpatial)
            throw std::runtime_error("there are " + std::to_string(values.size()) + ' ' + what +
                                     " for " + std::to_string(NDimSpatial) + " spatial dimensions");
        return to_spatial(values, neutral);
    }
};

} // namespace ck::tensor_operation::host
