#pragma once
// The message of an exception of any type, and errors for calls in the wrong order.
#include <exception>
#include <stdexcept>
#include <string>

namespace ck::distributed {

/// The message of the exception that is being handled.
inline std::string what_is_thrown()
{
    try
    {
        throw;
    }
    catch(const std::exception& e)
    {
        return e.what();
    }
    catch(...)
    {
        return "it threw no std::exception";
    }
}

/// Refuses a call in the wrong order: "AllReduce::finish(): <why>".
[[noreturn]] inline void refuse_call(const char* call, const char* why)
{
    throw std::logic_error("ck::distributed::" + std::string(call) + ": " + why);
}

} // namespace ck::distributed
