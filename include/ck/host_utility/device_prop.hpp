#pragma once
// Properties of the current device. The host emulates every instruction, but does not belong to a
// family of GPUs.

#include "ck/arch/target.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/runtime.hpp"

#include <array>
#include <atomic>
#include <string>
#include <string_view>

namespace ck {

/// "gfx90a", "sm_90" or "host". Throws std::runtime_error if there is no device. The host stands
/// in for the device that CK_HOST_TARGET names, and throws std::invalid_argument if that is
/// unknown.
inline std::string get_device_name()
{
#if defined(CK_RUNTIME_HOST)
    return host_runtime::device_name();
#elif defined(CK_RUNTIME_CUDA) // takes microseconds: reading all properties takes a millisecond
    int device = 0, major = 0, minor = 0;
    HIP_CHECK_ERROR(cudaGetDevice(&device));
    HIP_CHECK_ERROR(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    HIP_CHECK_ERROR(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    return "sm_" + std::to_string(major) + std::to_string(minor);
#else
    int device = 0;
    HIP_CHECK_ERROR(hipGetDevice(&device));
    hipDeviceProp_t properties{};
    HIP_CHECK_ERROR(hipGetDeviceProperties(&properties, device));
    const std::string_view name = properties.gcnArchName;
    return std::string(name.substr(0, name.find(':')));
#endif
}

/// Returns read(device) for the current device: a number of at least 0, read once for each device.
/// Operations need such numbers at every launch, and reading the properties of a device takes
/// longer than many kernels run. Each Read, a lambda's type, has numbers of its own.
template <class Read>
int read_once_for_each_device(const Read& read)
{
    constexpr int most_devices = 64;
    static std::array<std::atomic<int>, most_devices> known{}; // the number + 1; 0: not yet known
    int device = 0;
    HIP_CHECK_ERROR(hipGetDevice(&device));
    if(device < 0 || device >= most_devices)
        return read(device);
    std::atomic<int>& number = known[static_cast<std::size_t>(device)];
    if(number == 0)
        number = read(device) + 1;
    return number - 1;
}

/// The target of the current device.
inline arch::Target current_target()
{
    return static_cast<arch::Target>(read_once_for_each_device(
        [](int) { return static_cast<int>(arch::target_from_name(get_device_name())); }));
}

/// Bytes of shared memory that one block may use on the current device.
inline std::size_t shared_bytes_of_block()
{
#if defined(CK_RUNTIME_CUDA)
    return static_cast<std::size_t>(read_once_for_each_device([](int device) {
        int bytes = 0;
        HIP_CHECK_ERROR(
            cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        return bytes;
    }));
#elif defined(CK_RUNTIME_HOST)
    static const std::size_t bytes = arch::shared_bytes_of_device(host_runtime::device_name());
    return bytes;
#else
    return arch::shared_bytes_of_block(current_target());
#endif
}

inline index_t compute_unit_count();

/// While an object lives, compute_unit_count() returns `compute_units` on this thread, to find out
/// what would be chosen on a device that is not present. Nothing may be launched meanwhile.
class AssumedComputeUnits
{
public:
    explicit AssumedComputeUnits(index_t compute_units) : before_(assumed())
    {
        assumed() = compute_units;
    }
    ~AssumedComputeUnits() { assumed() = before_; }
    AssumedComputeUnits(const AssumedComputeUnits&)            = delete;
    AssumedComputeUnits& operator=(const AssumedComputeUnits&) = delete;

private:
    friend index_t compute_unit_count();

    /// 0: none.
    static index_t& assumed()
    {
        thread_local index_t compute_units = 0;
        return compute_units;
    }

    index_t before_;
};

/// Compute units (SMs) of the current device; on the host, processors.
inline index_t compute_unit_count()
{
    if(const index_t compute_units = AssumedComputeUnits::assumed(); compute_units > 0)
        return compute_units;
    return read_once_for_each_device([]([[maybe_unused]] int device) {
        int units = 0;
#if defined(CK_RUNTIME_CUDA) // see get_device_name()
        HIP_CHECK_ERROR(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, device));
#else
        hipDeviceProp_t properties{};
        HIP_CHECK_ERROR(hipGetDeviceProperties(&properties, device));
        units = properties.multiProcessorCount;
#endif
        return units > 0 ? units : 1;
    });
}

/// XDL: matrix instructions of the MFMA family. True on the host, which emulates them, unless it
/// stands in for a device without them.
inline bool is_xdl_supported() { return meets(current_target(), arch::Requirement::mfma); }

inline bool is_gfx101_supported() { return get_device_name().starts_with("gfx101"); }
inline bool is_gfx103_supported() { return get_device_name().starts_with("gfx103"); }
inline bool is_gfx11_supported() { return get_device_name().starts_with("gfx11"); }
inline bool is_gfx12_supported() { return get_device_name().starts_with("gfx120"); }

/// Whether loads from global memory can go straight into LDS.
inline bool is_lds_direct_load_supported()
{
    const std::string name = get_device_name();
    return name == "gfx90a" || name.starts_with("gfx94") || name == "gfx950";
}

/// Whether there is atomic addition of packed bf16 in global memory.
inline bool is_bf16_atomic_supported()
{
    const std::string name = get_device_name();
    return name.starts_with("gfx94") || name == "gfx950";
}

} // namespace ck
