#pragma once
// What every device operation is to its clients: an argument, an invoker, and an operator that
// makes both.
#include "ck/stream_config.hpp"

#include <cassert>
#include <cstddef>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <typeinfo>

namespace ck::tensor_operation::device {

struct BaseArgument
{
    BaseArgument()                               = default;
    BaseArgument(const BaseArgument&)            = default;
    BaseArgument& operator=(const BaseArgument&) = default;
    virtual ~BaseArgument()                      = default;

    void* p_workspace_ = nullptr;
};

struct BaseInvoker
{
    BaseInvoker()                              = default;
    BaseInvoker(const BaseInvoker&)            = default;
    BaseInvoker& operator=(const BaseInvoker&) = default;
    virtual ~BaseInvoker()                     = default;

    /// Launches on the stream of the configuration. Mean milliseconds when the configuration asks
    /// for time, else 0 and without waiting. Throws std::runtime_error for an argument that is not
    /// supported and for failed launches.
    virtual float Run(const BaseArgument*, const StreamConfig& = StreamConfig{}) { return 0.f; }
};

struct BaseOperator
{
    BaseOperator()                               = default;
    BaseOperator(const BaseOperator&)            = default;
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

    virtual std::string GetTypeString() const { return ""; }
    virtual std::string GetTypeIdName() const { return typeid(*this).name(); }
    virtual std::string GetTypeIdHashCode() const
    {
        std::ostringstream out;
        out << std::hex << typeid(*this).hash_code();
        return out.str();
    }

    /// Bytes of device memory that SetWorkSpacePointer expects for this argument, at a multiple of
    /// 16.
    virtual std::size_t GetWorkSpaceSize(const BaseArgument*) const { return 0; }
    virtual void SetWorkSpacePointer(BaseArgument* argument,
                                     void* workspace,
                                     const StreamConfig& = StreamConfig{}) const
    {
        assert(argument != nullptr);
        argument->p_workspace_ = workspace;
    }
};

} // namespace ck::tensor_operation::device
