#pragma once
// The one kernel entry. A kernel is a struct:
//
//   struct Scale
//   {
//       struct Params { float* x; float factor; };
//       struct SharedStorage { float tile[256]; };
//       static constexpr index_t block_size          = 256;
//       static constexpr index_t min_blocks_per_cu = 1;
//       static constexpr arch::Requirement requirement = arch::Requirement::none;
//       CK_DEVICE static void run(const Params&, SharedStorage&);
//   };
//
// Params must be trivially copyable. SharedStorage must be trivial; a block has one, uninitialised.
// block_size is the number of threads, whole waves. min_blocks_per_cu is a hint for registers on
// NVIDIA: blocks that share a compute unit. run is the code of one thread.
//
// A kernel on a target that does not meet its requirement traps: it never returns silently.

#include "ck/arch/target.hpp"
#include "ck/host_utility/runtime.hpp"
#include "ck/utility/integer.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(CK_LANGUAGE_CUDA)
#include <atomic>
#elif defined(CK_RUNTIME_HOST)
#include "ck/arch/host/launch.hpp"
#endif

namespace ck::arch {

/// Bytes of shared memory for each block of the kernel.
template <class Kernel>
inline constexpr std::size_t shared_bytes = std::is_empty_v<typename Kernel::SharedStorage>
                                                ? 0
                                                : sizeof(typename Kernel::SharedStorage);

/// The number of blocks that run together and access each other's shared memory (sm_90); the grid
/// must be a multiple of it.
template <class Kernel>
inline constexpr index_t cluster_size = [] {
    if constexpr(requires { Kernel::cluster_size; })
        return Kernel::cluster_size;
    return index_t{1};
}();

/// Whether a launch may start while the previous kernel in the stream still runs. Such a kernel
/// calls wait_for_previous_kernel() before it accesses memory.
template <class Kernel>
bool starts_early([[maybe_unused]] const typename Kernel::Params& params)
{
    if constexpr(requires { Kernel::starts_early(params); })
        return Kernel::starts_early(params);
    return false;
}

/// The alignment of a block's shared memory, in bytes, that wgmma needs for swizzled operands.
inline constexpr std::size_t shared_alignment = 1024;

#if defined(CK_LANGUAGE_HIP)

template <class Kernel>
__global__ void __launch_bounds__(Kernel::block_size)
    kernel_entry([[maybe_unused]] const typename Kernel::Params params)
{
    using Storage = typename Kernel::SharedStorage;
    if constexpr(compiling_for != Target::host && meets(compiling_for, Kernel::requirement) &&
                 sizeof(Storage) <= shared_bytes_of_block(compiling_for))
    {
        // The size is static: the compiler then knows how many blocks can share a compute unit, and
        // uses all registers that this allows.
        __shared__ __attribute__((aligned(128))) unsigned char storage[sizeof(Storage)];
        // Parameters are read from where the launch put them, when each is needed: through
        // `params`, all of them would be loaded into scalar registers at entry, and spill.
        const auto* in_place = reinterpret_cast<const typename Kernel::Params*>(
            reinterpret_cast<std::uintptr_t>(__builtin_amdgcn_kernarg_segment_ptr()));
        Kernel::run(*in_place, *reinterpret_cast<Storage*>(storage));
    }
    else
        trap();
}

#elif defined(CK_LANGUAGE_CUDA)

template <class Kernel>
__global__ void __launch_bounds__(Kernel::block_size, Kernel::min_blocks_per_cu)
    kernel_entry(const __grid_constant__ typename Kernel::Params params)
{
    if constexpr(compiling_for != Target::host && meets(compiling_for, Kernel::requirement))
    {
        extern __shared__ __align__(1024) unsigned char storage[];
        Kernel::run(params, *reinterpret_cast<typename Kernel::SharedStorage*>(storage));
    }
    else
        trap();
}

/// The runtime's handle of the kernel. Each source file has its own entry (nvcc 13,
/// --static-host-stub), and the linker keeps one of the functions that name it: all of them must
/// name the same one. Otherwise shared memory is requested for one file's entry and another's is
/// launched. It is a variable, not a constant, so that there is only one.
template <class Kernel>
inline const void* entry_of = reinterpret_cast<const void*>(&kernel_entry<Kernel>);

/// Requests, once for each device, that the kernel may use more shared memory than the 48 KiB that
/// need no request.
template <class Kernel>
hipError_t allow_shared_bytes()
{
    if constexpr(shared_bytes<Kernel> <= 48 << 10)
        return hipSuccess;
    static std::atomic<std::uint64_t> allowed{0}; // one bit for each device
    int device = 0;
    if(const hipError_t error = hipGetDevice(&device); error != hipSuccess)
        return error;
    const std::uint64_t bit = device < 64 ? std::uint64_t{1} << device : 0;
    if((allowed & bit) != 0)
        return hipSuccess;
    const hipError_t error = cudaFuncSetAttribute(entry_of<Kernel>,
                                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                  static_cast<int>(shared_bytes<Kernel>));
    if(error == cudaSuccess)
        allowed |= bit;
    return error;
}

/// Whether the kernel can start early on the current device: its code there is for sm_90 or later,
/// and so waits for the previous kernel. What the driver makes of sm_80's PTX for a later device
/// does not wait. Asked once for each device.
template <class Kernel>
bool can_start_early()
{
    static std::atomic<std::uint64_t> known{0}, early{0}; // one bit for each device
    int device = 0;
    if(cudaGetDevice(&device) != cudaSuccess)
        return false;
    const std::uint64_t bit = device < 64 ? std::uint64_t{1} << device : 0;
    if((known & bit) != 0)
        return (early & bit) != 0;
    cudaFuncAttributes attributes{};
    if(cudaFuncGetAttributes(&attributes, entry_of<Kernel>) != cudaSuccess)
        return false; // the launch says why
    const bool waits = attributes.ptxVersion >= 90;
    if(waits)
        early |= bit;
    known |= bit;
    return waits;
}

template <class Kernel>
hipError_t launch_with_attributes(
    dim3 grid, dim3 block, void** arguments, hipStream_t stream, bool starts_early)
{
    cudaLaunchAttribute attributes[2]{};
    unsigned count = 0;
    if constexpr(cluster_size < Kernel >> 1)
    {
        cudaLaunchAttribute& cluster = attributes[count++];
        cluster.id                   = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim.x     = static_cast<unsigned>(cluster_size<Kernel>);
        cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    }
    if(starts_early && can_start_early<Kernel>())
    {
        cudaLaunchAttribute& early = attributes[count++];
        early.id                   = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
    }
    cudaLaunchConfig_t config{};
    config.gridDim          = grid;
    config.blockDim         = block;
    config.dynamicSmemBytes = shared_bytes<Kernel>;
    config.stream           = stream;
    config.attrs            = attributes;
    config.numAttrs         = count;
    return cudaLaunchKernelExC(&config, entry_of<Kernel>, arguments);
}

#endif

/// Launches `grid_size` blocks on the stream and returns the launch's error. An empty grid succeeds
/// without a launch. Asynchronous on a GPU. On the host the grid has run when this returns, and
/// exceptions of the kernel are thrown here.
template <class Kernel>
hipError_t launch(index_t grid_size,
                  [[maybe_unused]] hipStream_t stream,
                  const typename Kernel::Params& params)
{
    using Params  = typename Kernel::Params;
    using Storage = typename Kernel::SharedStorage;
    static_assert(std::is_trivially_copyable_v<Params>, "Params are copied to the device as bytes");
    static_assert(std::is_trivially_copyable_v<Storage> &&
                      std::is_trivially_destructible_v<Storage>,
                  "nobody constructs or destroys SharedStorage");
    static_assert(alignof(Storage) <= shared_alignment);
    static_assert(Kernel::block_size >= 1 && Kernel::block_size <= 1024);
    static_assert(Kernel::min_blocks_per_cu >= 1 && meets(Target::host, Kernel::requirement));
    if(grid_size < 0)
        return hipErrorInvalidConfiguration;
    if(grid_size == 0)
        return hipSuccess;

#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
    const dim3 grid(static_cast<unsigned>(grid_size)), block(Kernel::block_size);
    void* arguments[] = {const_cast<Params*>(&params)};
#if defined(CK_LANGUAGE_HIP)
    if constexpr(sizeof(Storage) > shared_bytes_of_block(Target::other_amd)) // not on all targets
    {
        int device = 0;
        hipDeviceProp_t properties{};
        if(const hipError_t error = hipGetDevice(&device); error != hipSuccess)
            return error;
        if(const hipError_t error = hipGetDeviceProperties(&properties, device);
           error != hipSuccess)
            return error;
        if(sizeof(Storage) > shared_bytes_of_block(target_from_name(properties.gcnArchName)))
            return hipErrorInvalidConfiguration;
    }
    return hipLaunchKernel(
        reinterpret_cast<const void*>(&kernel_entry<Kernel>), grid, block, arguments, 0, stream);
#else
    if(const hipError_t error = allow_shared_bytes<Kernel>(); error != hipSuccess)
        return error;
    if(const bool early = starts_early<Kernel>(params); cluster_size < Kernel >> 1 || early)
        return launch_with_attributes<Kernel>(grid, block, arguments, stream, early);
    return cudaLaunchKernel(entry_of<Kernel>, grid, block, arguments, shared_bytes<Kernel>, stream);
#endif
#elif defined(CK_RUNTIME_HOST)
    host::run_grid({typeid(Kernel),
                    grid_size,
                    Kernel::block_size,
                    sizeof(Storage),
                    [](const void* p, void* shared) {
                        Kernel::run(*static_cast<const Params*>(p), *static_cast<Storage*>(shared));
                    },
                    &params});
    return hipSuccess;
#else
    static_assert(sizeof(Kernel) == 0,
                  "kernels are launched from source files in the platform's language, HIP or CUDA");
#endif
}

} // namespace ck::arch
