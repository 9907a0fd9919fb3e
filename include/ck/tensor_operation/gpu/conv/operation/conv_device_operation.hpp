#pragma once
// The base of the operations that clients hold: a convolution with one tuning, as an implementation
// of one of Composable Kernel's interfaces.
#include "ck/tensor_operation/gpu/conv/operation/conv_operation.hpp"
#include "ck/tensor_operation/gpu/conv/operation/print_gemms.hpp"
#include "ck/tensor_operation/gpu/conv/operation/type_string.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/tensor_operation/gpu/device/make_argument_parameters.hpp"

#include <type_traits>

namespace ck::tensor_operation::device {

/// Implements all of Interface except MakeArgumentPointer. ConvOp: a ConvOperation or a
/// BackwardWeightOperation. Names::value: the operation's names in its type string. It is a type
/// because nvcc cannot spell types with string arguments.
template <class Interface, class ConvOp, auto specialization, class Names>
struct ConvDeviceOperation : public Interface
{
    using Operation = ConvOp;
    using Kernel    = typename Operation::Kernel;

    struct Argument : public BaseArgument, public Operation::Argument
    {
        std::size_t GetWorkspaceSizeBytes() const { return Operation::workspace_size(*this); }
        /// Prints the lengths of the matrices that the launch multiplies.
        void Print() const { print_gemms<Operation>(*this); }
    };

    struct Invoker : public BaseInvoker
    {
        float Run(const Argument& argument, const StreamConfig& config = StreamConfig{})
        {
            if(const Support s = supports(argument); !s)
                throw std::runtime_error(type_string() +
                                         " does not support this problem: " + s.reason);
            return Operation::run(argument, config, argument.p_workspace_);
        }
        float Run(const BaseArgument* argument,
                  const StreamConfig& config = StreamConfig{}) override
        {
            return Run(own_argument<Argument>(argument), config);
        }
    };

    static Invoker MakeInvoker() { return {}; }
    std::unique_ptr<BaseInvoker> MakeInvokerPointer() override
    {
        return std::unique_ptr<BaseInvoker>(new Invoker());
    }

    /// Whether the argument can run on the current device; if not, why.
    static Support supports(const Argument& a)
    {
        if(const Support s = Operation::supports(a, a.p_workspace_ != nullptr); !s)
            return s;
        if(const Support s = check_workspace(a.p_workspace_); !s)
            return s;
        return check_specialization(specialization, a.problem);
    }
    static bool IsSupportedArgument(const Argument& a) { return static_cast<bool>(supports(a)); }
    bool IsSupportedArgument(const BaseArgument* a) override
    {
        return IsSupportedArgument(own_argument<Argument>(a));
    }
    std::string WhyNotSupported(const BaseArgument* a) const override
    {
        return supports(own_argument<Argument>(a)).reason;
    }

    /// Bytes that make it faster. Only GemmTuning::transposed_first needs them to run.
    std::size_t GetWorkSpaceSize(const BaseArgument* a) const override
    {
        return Operation::workspace_size(own_argument<Argument>(a));
    }

    std::string GetTypeString() const override { return type_string(); }

private:
    static std::string type_string()
    {
        constexpr Role of             = Operation::Direction::c;
        constexpr Direction direction = of == Role::output  ? Direction::forward
                                        : of == Role::input ? Direction::backward_data
                                                            : Direction::backward_weight;
        return type_string_of(
            Names::value,
            conv_kernel_string(direction, Operation::tuning, specialization_name(specialization)));
    }
};

/// Adds MakeArgument and MakeArgumentPointer to Base, once for each function type in Lists: the
/// types of the interface's pure virtual functions. Base::make takes all their parameters.
template <class Base, class... Lists>
struct MakesArguments;

template <class Base, class... P>
struct MakesArguments<Base, void(P...)> : public Base
{
    using Base::MakeArgumentPointer;

    static typename Base::Argument MakeArgument(P... p) { return Base::make(p...); }
    std::unique_ptr<BaseArgument> MakeArgumentPointer(P... p) override
    {
        return std::unique_ptr<BaseArgument>(new typename Base::Argument(Base::make(p...)));
    }
};

template <class Base, class... P, class Next, class... More>
struct MakesArguments<Base, void(P...), Next, More...> : public MakesArguments<Base, Next, More...>
{
    using MakesArguments<Base, Next, More...>::MakeArgument;
    using MakesArguments<Base, Next, More...>::MakeArgumentPointer;

    static typename Base::Argument MakeArgument(P... p) { return Base::make(p...); }
    std::unique_ptr<BaseArgument> MakeArgumentPointer(P... p) override
    {
        return std::unique_ptr<BaseArgument>(new typename Base::Argument(Base::make(p...)));
    }
};

/// Adds to Base the functions of MakesArguments without their last parameter, split_k, which is 1;
/// once for each function type in Lists.
template <class Base, class... Lists>
struct WithoutSplit;

template <class Base, class... P>
struct WithoutSplit<Base, void(P...)> : public Base
{
    using Base::MakeArgument;
    using Base::MakeArgumentPointer;

    static typename Base::Argument MakeArgument(P... p)
    {
        return Base::MakeArgument(p..., index_t{1});
    }
    std::unique_ptr<BaseArgument> MakeArgumentPointer(P... p)
    {
        return Base::MakeArgumentPointer(p..., index_t{1});
    }
};

template <class Base, class... P, class Next>
struct WithoutSplit<Base, void(P...), Next> : public WithoutSplit<Base, Next>
{
    using WithoutSplit<Base, Next>::MakeArgument;
    using WithoutSplit<Base, Next>::MakeArgumentPointer;

    static typename Base::Argument MakeArgument(P... p)
    {
        return Base::MakeArgument(p..., index_t{1});
    }
    std::unique_ptr<BaseArgument> MakeArgumentPointer(P... p)
    {
        return Base::MakeArgumentPointer(p..., index_t{1});
    }
};

namespace detail {

/// A function type without its last parameter. Before: the parameters already visited.
template <class List, class... Before>
struct WithoutLast;
template <class Last, class... Before>
struct WithoutLast<void(Last), Before...>
{
    using type = void(Before...);
};
template <class First, class Second, class... More, class... Before>
struct WithoutLast<void(First, Second, More...), Before...>
    : public WithoutLast<void(Second, More...), Before..., First>
{};

} // namespace detail

} // namespace ck::tensor_operation::device
