#pragma once
// What every device operation is to its clients: an argument, an invoker, and an operator that
// makes both. Threads, workspaces and what may be used again: docs/arguments.md.
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

/// What MakeArgumentPointer returns: tensors, sizes and element-wise operations of one call. Values
/// are not checked when it is made: IsSupportedArgument and WhyNotSupported do that.
struct BaseArgument
{
    BaseArgument() = default;
    /// Copies share the tensors and the workspace.
    BaseArgument(const BaseArgument&) = default;
    /// Copies share the tensors and the workspace.
    BaseArgument& operator=(const BaseArgument&) = default;
    virtual ~BaseArgument()                      = default;

    /// Set by SetWorkSpacePointer; device memory, or null.
    void* p_workspace_ = nullptr;
};

/// The argument that an operation made. Throws std::invalid_argument for a null pointer and for an
/// argument that an operation of another type made.
template <class Argument>
const Argument& own_argument(const BaseArgument* argument)
{
    if(argument == nullptr)
        throw std::invalid_argument("the argument of a device operation is null");
    if(const auto* const own = dynamic_cast<const Argument*>(argument))
        return *own;
    throw std::invalid_argument("the argument was made by a device operation of another type");
}

/// What launches an argument.
struct BaseInvoker
{
    BaseInvoker() = default;
    /// Has no state of its own.
    BaseInvoker(const BaseInvoker&) = default;
    /// Has no state of its own.
    BaseInvoker& operator=(const BaseInvoker&) = default;
    virtual ~BaseInvoker()                     = default;

    /// Launches on the stream of the configuration. Mean milliseconds when the configuration asks
    /// for time, else 0 and without waiting. Throws std::runtime_error for an argument that is not
    /// supported and for failed launches.
    virtual float Run(const BaseArgument*, const StreamConfig& = StreamConfig{}) { return 0.f; }
};

/// What every device operation answers, whatever it computes.
struct BaseOperator
{
    BaseOperator() = default;
    /// Has no state of its own.
    BaseOperator(const BaseOperator&) = default;
    /// Has no state of its own.
    BaseOperator& operator=(const BaseOperator&) = default;
    virtual ~BaseOperator()                      = default;

    /// Whether Run would compute this argument on the current device. Data pointers may be null.
    virtual bool IsSupportedArgument(const BaseArgument*) { return false; }

    /// Why IsSupportedArgument is false, in a sentence with the value and the rule; empty when it
    /// is true.
    virtual std::string WhyNotSupported(const BaseArgument*) const
    {
        return "the operation gives no reason";
    }

    /// The operation's name as Composable Kernel spells it, its tuning between < and >, and what
    /// else tells it from others. Unique in its list of instances, the same in every run; no '+',
    /// ';', '=' nor newline, so that it can be a key of MIOpen's database.
    virtual std::string GetTypeString() const { return ""; }
    /// The same, for programs that read it.
    virtual std::string GetInstanceString() const { return GetTypeString(); }
    /// The operation's name alone; nothing where there is none.
    virtual std::optional<std::string> GetObjectName() const
    {
        const std::string name = GetTypeString();
        return name.empty() ? std::nullopt : std::optional(name.substr(0, name.find('<')));
    }
    /// What the name has between < and >, its tuning; nothing where there is none.
    virtual std::optional<std::string> GetTemplateInfo() const
    {
        const std::string name  = GetTypeString();
        const std::size_t begin = name.find('<'), end = name.rfind('>');
        return begin == name.npos || end == name.npos
                   ? std::nullopt
                   : std::optional(name.substr(begin + 1, end - begin - 1));
    }
    /// The class's name as the compiler spells it.
    virtual std::string GetTypeIdName() const { return typeid(*this).name(); }
    /// The class's hash in hexadecimal digits; not the same in every build.
    virtual std::string GetTypeIdHashCode() const
    {
        std::ostringstream out;
        out << std::hex << typeid(*this).hash_code();
        return out.str();
    }

    /// Bytes of device memory that SetWorkSpacePointer expects for this argument, at a multiple of
    /// 16; 0: none, or the operation does not support the argument. Whether one is set already
    /// makes no difference.
    virtual std::size_t GetWorkSpaceSize(const BaseArgument*) const { return 0; }
    /// Gives the argument this workspace, or takes it away with null: operations that need one then
    /// do not support it, and backward weight is computed in one part, whatever split_k says.
    /// What is in it before and after does not matter; it must be there until the launch has ended.
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
