#pragma once
// The base classes of all device operations: an argument, an invoker, and an operator that makes
// both. For threads, workspaces and reuse see docs/arguments.md.
#include "ck/stream_config.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <typeinfo>

namespace ck::tensor_operation::device {

/// What MakeArgumentPointer returns: the tensors, sizes and element-wise operations of one call.
/// The constructor checks no values; IsSupportedArgument and WhyNotSupported do.
struct BaseArgument
{
    BaseArgument() = default;
    /// A copy shares the tensors and the workspace.
    BaseArgument(const BaseArgument&) = default;
    /// A copy shares the tensors and the workspace.
    BaseArgument& operator=(const BaseArgument&) = default;
    virtual ~BaseArgument()                      = default;

    /// The workspace in device memory, set by SetWorkSpacePointer, or null.
    void* p_workspace_ = nullptr;
};

/// Casts an argument to the type of its operation. Throws std::invalid_argument if it is null or if
/// another type of operation made it.
template <class Argument>
const Argument& own_argument(const BaseArgument* argument)
{
    if(argument == nullptr)
        throw std::invalid_argument("the argument of a device operation is null");
    if(const auto* const own = dynamic_cast<const Argument*>(argument))
        return *own;
    throw std::invalid_argument("the argument was made by a device operation of another type");
}

/// Launches the kernels for an argument.
struct BaseInvoker
{
    BaseInvoker() = default;
    /// The base class has no state.
    BaseInvoker(const BaseInvoker&) = default;
    /// The base class has no state.
    BaseInvoker& operator=(const BaseInvoker&) = default;
    virtual ~BaseInvoker()                     = default;

    /// Launches on the stream in the configuration. Returns the mean time in milliseconds if the
    /// configuration asks for time; otherwise returns 0 at once, without waiting for the GPU.
    /// Throws std::runtime_error for an unsupported argument and for a failed launch.
    virtual float Run(const BaseArgument*, const StreamConfig& = StreamConfig{}) { return 0.f; }
};

/// The interface of every device operation, whatever it computes.
struct BaseOperator
{
    BaseOperator() = default;
    /// The base class has no state.
    BaseOperator(const BaseOperator&) = default;
    /// The base class has no state.
    BaseOperator& operator=(const BaseOperator&) = default;
    virtual ~BaseOperator()                      = default;

    /// Whether Run can compute this argument on the current device. Data pointers may be null.
    virtual bool IsSupportedArgument(const BaseArgument*) { return false; }

    /// A sentence that says why IsSupportedArgument is false, with the value and the rule; empty if
    /// it is true.
    virtual std::string WhyNotSupported(const BaseArgument*) const
    {
        return "the operation gives no reason";
    }

    /// The operation's name as Composable Kernel spells it, its tuning between < and >, and
    /// anything else that makes it unique in its list of instances. The same in every run. Contains
    /// no '+', ';', '=' or newline, so that it can be a key in MIOpen's database.
    virtual std::string GetTypeString() const { return ""; }
    /// The same as GetTypeString, for programs that parse it.
    virtual std::string GetInstanceString() const { return GetTypeString(); }
    /// The operation's name alone, if GetTypeString has one.
    virtual std::optional<std::string> GetObjectName() const
    {
        const std::string name = GetTypeString();
        return name.empty() ? std::nullopt : std::optional(name.substr(0, name.find('<')));
    }
    /// The tuning: the text between < and > in GetTypeString, if there is one.
    virtual std::optional<std::string> GetTemplateInfo() const
    {
        const std::string name  = GetTypeString();
        const std::size_t begin = name.find('<'), end = name.rfind('>');
        return begin == name.npos || end == name.npos
                   ? std::nullopt
                   : std::optional(name.substr(begin + 1, end - begin - 1));
    }
    /// The class name as the compiler spells it.
    virtual std::string GetTypeIdName() const { return typeid(*this).name(); }
    /// The class's hash in hexadecimal. It may differ between builds.
    virtual std::string GetTypeIdHashCode() const
    {
        std::ostringstream out;
        out << std::hex << typeid(*this).hash_code();
        return out.str();
    }

    /// Bytes of device memory that SetWorkSpacePointer expects for this argument, aligned to 16.
    /// Returns 0 if the argument needs none or is not supported. The result does not depend on
    /// whether a workspace is already set.
    virtual std::size_t GetWorkSpaceSize(const BaseArgument*) const { return 0; }
    /// Sets the argument's workspace; null removes it. Without one, operations that need a
    /// workspace do not support the argument, and backward weight ignores split_k and uses one
    /// part. The contents need no initialisation. Keep the memory until the launch has ended.
    virtual void SetWorkSpacePointer(BaseArgument* argument,
                                     void* workspace,
                                     const StreamConfig& = StreamConfig{}) const
    {
        if(argument == nullptr)
            throw std::invalid_argument("SetWorkSpacePointer: the argument is null");
        argument->p_workspace_ = workspace;
    }
};

} // namespace ck::tensor_operation::device
