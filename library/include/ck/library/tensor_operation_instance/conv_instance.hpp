#pragma once
// From a kernel of the library to an operation behind one of Composable Kernel's interfaces: what
// all interfaces share.
#include "ck/library/tensor_operation_instance/registry.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/tensor_operation/gpu/device/make_argument_parameters.hpp"
#include "ck/tensor_operation/gpu/device/operation_names.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace ck::tensor_operation::device::instance {

/// What MakeArgumentPointer returns.
struct InstanceArgument : public BaseArgument
{
    /// of: the type of the interface that made it.
    explicit InstanceArgument(const std::type_info& of) : interface(of) {}

    const std::type_info& interface; ///< whose operations take it
    /// What the kernel takes.
    ConvArgument conv;
};

/// The same, with the element-wise operations that `conv` points to.
template <class Interface, class OperationA, class OperationB, class OperationC>
struct OwningArgument final : public InstanceArgument
{
    /// Copies of the operations, to which conv points.
    OwningArgument(const OperationA& a, const OperationB& b, const OperationC& c)
        : InstanceArgument(typeid(Interface)),
          operation_a(a),
          operation_b(b),
          operation_c(c)
    {
        conv.operation_a = &operation_a;
        conv.operation_b = &operation_b;
        conv.operation_c = &operation_c;
    }
    OwningArgument(const OwningArgument&)            = delete;
    OwningArgument& operator=(const OwningArgument&) = delete;

    /// Element-wise operation on A.
    OperationA operation_a;
    /// Element-wise operation on B.
    OperationB operation_b;
    /// Element-wise operation on the result.
    OperationC operation_c;
};

/// A kernel behind an interface.
struct KernelOfInterface
{
    const ConvKernel& kernel;        ///< of the registry, which outlives it
    const std::type_info& interface; ///< of the abstract operation
};

// Defined in the library. The argument is an InstanceArgument; std::invalid_argument otherwise. One
// of another interface is not supported, and needs no workspace.
/// Why the kernel does not compute the argument; empty where it does.
std::string why_not_supported(const KernelOfInterface& of, const BaseArgument* argument);
/// Bytes that the kernel wants as workspace; 0: none.
std::size_t workspace_size(const KernelOfInterface& of, const BaseArgument* argument);
/// `name`: of the operation, for messages.
std::unique_ptr<BaseInvoker> make_invoker(const KernelOfInterface& of, std::string name);

/// Interface without its MakeArgumentPointer.
template <class Interface>
struct ConvInstance : public Interface
{
    /// Both are kept by pointer.
    ConvInstance(const OperationNames& names, const ConvKernel& kernel)
        : names_(names),
          kernel_{kernel, typeid(Interface)}
    {}

    /// As of BaseOperator.
    bool IsSupportedArgument(const BaseArgument* a) override
    {
        return why_not_supported(kernel_, a).empty();
    }
    /// As of BaseOperator.
    std::string WhyNotSupported(const BaseArgument* a) const override
    {
        return why_not_supported(kernel_, a);
    }
    /// As of BaseOperator.
    std::size_t GetWorkSpaceSize(const BaseArgument* a) const override
    {
        return workspace_size(kernel_, a);
    }
    /// Makes the invoker, whose Run launches the arguments of this operation.
    std::unique_ptr<BaseInvoker> MakeInvokerPointer() override
    {
        return make_invoker(kernel_, GetTypeString());
    }
    /// As of BaseOperator.
    std::string GetTypeString() const override
    {
        return type_string_of(names_, kernel_.kernel.name);
    }

private:
    const OperationNames& names_;
    KernelOfInterface kernel_;
};

/// Base with MakeArgumentPointer once for each list of parameters (function types): those of the
/// pure virtual functions of its interface. Base::make takes them all.
template <class Base, class... Lists>
struct MakesArgumentPointers;

/// The last list of parameters.
template <class Base, class... P>
struct MakesArgumentPointers<Base, void(P...)> : public Base
{
    using Base::Base;
    using Base::MakeArgumentPointer;
    /// The interface's.
    std::unique_ptr<BaseArgument> MakeArgumentPointer(P... p) override { return Base::make(p...); }
};

/// One list of parameters, then the others.
template <class Base, class... P, class Next, class... More>
struct MakesArgumentPointers<Base, void(P...), Next, More...>
    : public MakesArgumentPointers<Base, Next, More...>
{
    using MakesArgumentPointers<Base, Next, More...>::MakesArgumentPointers;
    using MakesArgumentPointers<Base, Next, More...>::MakeArgumentPointer;
    /// The interface's.
    std::unique_ptr<BaseArgument> MakeArgumentPointer(P... p) override { return Base::make(p...); }
};

/// The operation behind an abstract operation of Composable Kernel's; specialised for each kind.
/// Has `Family`, a ConvFamily, and `served`: whether its rank and layouts go together.
template <class DeviceOp>
struct InstanceOf;

} // namespace ck::tensor_operation::device::instance
