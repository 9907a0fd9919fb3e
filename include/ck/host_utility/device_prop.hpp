#pragma once
// What the current device is. The host as a device emulates every instruction, but is no GPU
// family.

#include "ck/arch/target.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/runtime.hpp"

#include <string>
#include <string_view>

namespace ck {

/// "gfx90a", "sm_90" or "host"; throws std::runtime_error when there is no device.
inline std::string get_device_name()
{
    int device = 0;
    HIP_CHECK_ERROR(hipGetDevice(&device));
    hipDeviceProp_t properties{};
    HIP_CHECK_ERROR(hipGetDeviceProperties(&properties, device));
    const std::string_view name = properties.gcnArchName;
    return std::string(name.substr(0, name.find(':')));
}

inline arch::Target current_target() { return arch::target_from_name(get_device_name()); }

/// XDL: matrix instructions of the MFMA kind. True on the host, which emulates them.
inline bool is_xdl_supported() { return meets(current_target(), arch::Requirement::mfma); }

inline bool is_gfx101_supported() { return get_device_name().starts_with("gfx101"); }
inline bool is_gfx103_supported() { return get_device_name().starts_with("gfx103"); }
inline bool is_gfx11_supported() { return get_device_name().starts_with("gfx11"); }
inline bool is_gfx12_supported() { return get_device_name().starts_with("gfx12"); }

/// Loads from global memory straight into LDS.
inline bool is_lds_direct_load_supported()
{
    const std::string name = get_device_name();
    return name == "gfx90a" || name.starts_with("gfx94");
}

/// Atomic addition of packed bf16 in global memory.
inline bool is_bf16_atomic_supported() { return get_device_name().starts_with("gfx94"); }

} // namespace ck
