#pragma once
// Runtime errors as exceptions.

#include "ck/host_utility/runtime.hpp"

#include <stdexcept>
#include <string>

/// Throws std::runtime_error with the error's name and description unless `error` is hipSuccess.
inline void hip_check_error(hipError_t error)
{
    if(error != hipSuccess)
        throw std::runtime_error(std::string("HIP runtime error: ") + hipGetErrorName(error) +
                                 ": " + hipGetErrorString(error));
}

/// The same, naming the failed call and where it stands.
#define HIP_CHECK_ERROR(call)                                                                      \
    do                                                                                             \
    {                                                                                              \
        const hipError_t hip_check_error_result = (call);                                          \
        if(hip_check_error_result != hipSuccess)                                                   \
            throw std::runtime_error(                                                              \
                std::string("HIP runtime error: ") + hipGetErrorName(hip_check_error_result) +     \
                ": " + hipGetErrorString(hip_check_error_result) +                                 \
                " from " #call " at " __FILE__ ":" + std::to_string(__LINE__));                    \
    } while(false)
