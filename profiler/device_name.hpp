#pragma once
// The name of the device, for people.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/runtime.hpp"

#include <string>

namespace ck::profiler {

/// "NVIDIA H200", "AMD Instinct MI210", "host CPU, GPU kernels emulated".
inline std::string device_name()
{
    int device = 0;
    HIP_CHECK_ERROR(hipGetDevice(&device));
    hipDeviceProp_t properties{};
    HIP_CHECK_ERROR(hipGetDeviceProperties(&properties, device));
    return properties.name;
}

} // namespace ck::profiler
