#pragma once
// The note after a time that was not measured on a GPU.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/runtime.hpp"

#include <string>
#include <string_view>

namespace ck::utils {

/// ", emulated on the CPU" if kernels run there, on the host or in the emulator of AMD GPUs
/// (script/emulate): such times say nothing about a GPU. ", predicted, not measured" in the
/// emulator's mode `time`. Otherwise empty. For the end of the line.
inline std::string emulation_note()
{
#if defined(CK_RUNTIME_HOST)
    return ", emulated on the CPU";
#elif defined(CK_RUNTIME_CUDA)
    return "";
#else
    int device = 0;
    HIP_CHECK_ERROR(hipGetDevice(&device));
    hipDeviceProp_t properties{};
    HIP_CHECK_ERROR(hipGetDeviceProperties(&properties, device));
    const std::string_view name = properties.name;
    return !name.starts_with("emulated ")        ? ""
           : name.ends_with("(times predicted)") ? ", predicted, not measured"
                                                 : ", emulated on the CPU";
#endif
}

} // namespace ck::utils
