#pragma once
// Runtime errors as exceptions.

#include "ck/host_utility/runtime.hpp"

#include <stdexcept>
#include <string>

namespace ck {

/// What to tell the user if hipGetDeviceCount() returned `error` and `count`; empty if there is a
/// device.
inline std::string why_no_device(hipError_t error, int count)
{
    if(error == hipSuccess && count > 0)
        return "";
#if defined(CK_RUNTIME_CUDA)
    const char* const advice =
        "an NVIDIA GPU and found none: nvidia-smi tells whether the driver sees it, "
        "CUDA_VISIBLE_DEVICES may hide it";
#elif defined(CK_RUNTIME_HIP)
    const char* const advice =
        "an AMD GPU and found none: rocminfo tells whether the driver sees it, the user must be "
        "allowed to open /dev/kfd and /dev/dri/renderD* (groups render and video), "
        "HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES may hide it";
#else
    const char* const advice = "a device and found none";
#endif
    return std::string("This program was built for ") + advice +
           ". Built with -DCK_PLATFORM=host it runs on any CPU.";
}

/// Name and description of an error, and what to do if there is no GPU at all.
inline std::string describe_error(hipError_t error)
{
    std::string text = std::string(hipGetErrorName(error)) + ": " + hipGetErrorString(error);
    int count        = 0;
    const auto asked = hipGetDeviceCount(&count);
    if(const std::string reason = why_no_device(asked, count); !reason.empty())
        text += ". " + reason;
    return text;
}

} // namespace ck

/// Throws std::runtime_error with the error's name and description unless `error` is hipSuccess.
inline void hip_check_error(hipError_t error)
{
    if(error != hipSuccess)
        throw std::runtime_error("HIP runtime error: " + ck::describe_error(error));
}

/// The same, with the failed call and its source line in the message.
#define HIP_CHECK_ERROR(call)                                                                      \
    do                                                                                             \
    {                                                                                              \
        const hipError_t hip_check_error_result = (call);                                          \
        if(hip_check_error_result != hipSuccess)                                                   \
            throw std::runtime_error(                                                              \
                "HIP runtime error: " + ck::describe_error(hip_check_error_result) +               \
                " from " #call " at " __FILE__ ":" + std::to_string(__LINE__));                    \
    } while(false)
