#pragma once
// Wraps a kernel of the library as an operation with one of Composable Kernel's interfaces: what
// all interfaces share.
#include "ck/library/tensor_operation_instance/any_size.hpp"
#include "ck/library/tensor_operation_instance/registry.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/tensor_operation/gpu/device/make_argument_parameters.hpp"
#include "ck/tensor_operation/gpu/device/operation_names.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The type that MakeArgumentPointer returns.
struct InstanceArgument : public BaseArgument
{
    /// of: the type of the interface that made it.
    explicit InstanceArgument(const std::type_info& of) : interface(of) {}

    const std::type_info& interface; ///< the interface whose operations accept it
    /// The argument of the kernel.
    ConvArgument conv;
};

/// An argument that owns the element-wise operations that `conv` points to.
template <class Interface, class OperationA, class OperationB, class OperationC>
struct OwningArgument final : public InstanceArgument
{
    /// Copies the operations and points conv to the copies.
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

/// A kernel that is wrapped as an interface.
struct KernelOfInterface
{
    const ConvKernel& kernel;        ///< in the registry, which outlives it
    const std::type_info& interface; ///< type of the abstract operation
};

// Defined in the library. They throw std::invalid_argument if the argument is not an
// InstanceArgument. An argument of another interface is not supported, and needs no workspace.
/// Why the kernel does not compute the argument; empty if it does.
std::string why_not_supported(const KernelOfInterface& of, const BaseArgument* argument);
/// Bytes that the kernel wants as workspace; 0: none.
std::size_t workspace_size(const KernelOfInterface& of, const BaseArgument* argument);
/// `name`: the operation's name, for messages.
std::unique_ptr<BaseInvoker> make_invoker(const KernelOfInterface& of, std::string name);

/// The interface without MakeArgumentPointer.
template <class Interface>
struct ConvInstance : public Interface
{
    /// Both must outlive it.
    ConvInstance(const OperationNames& names, const ConvKernel& kernel)
        : names_(names),
          kernel_{kernel, typeid(Interface)}
    {}

    /// As in BaseOperator.
    bool IsSupportedArgument(const BaseArgument* a) override
    {
        return why_not_supported(kernel_, a).empty();
    }
    /// As in BaseOperator.
    std::string WhyNotSupported(const BaseArgument* a) const override
    {
        return why_not_supported(kernel_, a);
    }
    /// As in BaseOperator.
    std::size_t GetWorkSpaceSize(const BaseArgument* a) const override
    {
        return workspace_size(kernel_, a);
    }
    /// Makes the invoker, whose Run launches arguments of this operation.
    std::unique_ptr<BaseInvoker> MakeInvokerPointer() override
    {
        return make_invoker(kernel_, GetTypeString());
    }
    /// As in BaseOperator.
    std::string GetTypeString() const override
    {
        return type_string_of(names_, kernel_.kernel.name);
    }

private:
    const OperationNames& names_;
    KernelOfInterface kernel_;
};

/// Adds MakeArgumentPointer to Base, once for each list of parameters (function types) in the pure
/// virtual functions of its interface. Base::make accepts all of them.
template <class Base, class... Lists>
struct MakesArgumentPointers;

/// The last list of parameters.
template <class Base, class... P>
struct MakesArgumentPointers<Base, void(P...)> : public Base
{
    using Base::Base;
    using Base::MakeArgumentPointer;
    /// Implements the interface.
    std::unique_ptr<BaseArgument> MakeArgumentPointer(P... p) override { return Base::make(p...); }
};

/// One list of parameters, then the others.
template <class Base, class... P, class Next, class... More>
struct MakesArgumentPointers<Base, void(P...), Next, More...>
    : public MakesArgumentPointers<Base, Next, More...>
{
    using MakesArgumentPointers<Base, Next, More...>::MakesArgumentPointers;
    using MakesArgumentPointers<Base, Next, More...>::MakeArgumentPointer;
    /// Implements the interface.
    std::unique_ptr<BaseArgument> MakeArgumentPointer(P... p) override { return Base::make(p...); }
};

/// The implementation of one of Composable Kernel's abstract operations, `Interface`; specialised
/// for each kind with an InstanceKind.
template <class Interface, class = Interface>
struct InstanceOf;

/// What factories ask InstanceOf. The parameters are its members.
template <class Implementation, class Family_, const OperationNames& names_, bool served_>
struct InstanceKind
{
    /// The implementation.
    using type = Implementation;
    /// The family of its kernels: a ConvFamily.
    using Family = Family_;

    /// The start of its type string.
    static constexpr const OperationNames& names = names_;
    /// Whether rank and layouts go together.
    static constexpr bool served = served_;
};

/// The kind of an operation that takes strides, of either width. Instance<Interface, Family>: a
/// ConvInstance with make().
template <template <class, class> class Instance,
          class Interface,
          class Family,
          const OperationNames& names,
          bool served>
using GroupedKind = InstanceKind<MakesArgumentPointers<Instance<Interface, Family>,
                                                       grouped_parameters<Interface, index_t>,
                                                       grouped_parameters<Interface, long_index_t>>,
                                 Family,
                                 names,
                                 served>;

/// Appends an Instance for each kernel of the family, and then the one that is called Large_Tensor;
/// nothing if the family has no kernels.
template <class Instance, class Interface>
void append_instances(std::vector<std::unique_ptr<Interface>>& instances,
                      const OperationNames& names,
                      const Family& family)
{
    const auto kernels = kernels_of(family);
    for(const ConvKernel& kernel : kernels)
        instances.push_back(std::unique_ptr<Interface>(new Instance(names, kernel)));
    if(!kernels.empty())
        instances.push_back(
            std::unique_ptr<Interface>(new Instance(names, large_tensor_kernel(family))));
}

} // namespace ck::tensor_operation::device::instance
