#pragma once
// Kernels that users write as functions, from one source on every platform:
//
//   CK_USER_KERNEL(256, 2) void scale(CK_USER_KERNEL_PARAMETER Numbers n) { ... }
//   launch_function(scale, grid, 256, lds_bytes, stream, numbers);
//
// On a GPU they are ordinary kernels, and <<<grid, 256, lds_bytes, stream>>> launches them, too.
// For NVIDIA's devices, call allow_shared_bytes_of() before.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"

#include <tuple>
#include <type_traits>

/// threads: in a workgroup. together: workgroups that must fit on one SM, which limits their
/// registers (NVIDIA). Parameters may have hundreds of bytes, and stay where the launch puts them.
#if defined(CK_LANGUAGE_HIP)
#define CK_USER_KERNEL(threads, together) __global__ __launch_bounds__(threads)
#define CK_USER_KERNEL_PARAMETER const
#elif defined(CK_LANGUAGE_CUDA)
#define CK_USER_KERNEL(threads, together) __global__ __launch_bounds__(threads, together)
#define CK_USER_KERNEL_PARAMETER const __grid_constant__
#else
#define CK_USER_KERNEL(threads, together)
#define CK_USER_KERNEL_PARAMETER const
#endif

namespace ck::arch {

#if defined(CK_RUNTIME_HOST) && !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
namespace host {
/// The launch of the current function.
struct FunctionGrid
{
    index_t blocks = 0, threads = 0;
};
inline thread_local FunctionGrid function_grid{};
} // namespace host
#endif

#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA) || defined(CK_RUNTIME_HOST)
/// In a user's kernel: this thread's index in the grid, and the number of threads in the grid.
struct PlaceInGrid
{
    long_index_t thread, threads;
};
CK_DEVICE CK_INLINE PlaceInGrid place_in_grid()
{
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
    const auto blocks = static_cast<long_index_t>(gridDim.x);
    const auto width  = static_cast<long_index_t>(blockDim.x);
#else
    const long_index_t blocks = host::function_grid.blocks, width = host::function_grid.threads;
#endif
    return {block_index() * width + thread_index(), blocks * width};
}
#endif

/// Allows launches of a kernel with `bytes` bytes of dynamic shared memory. NVIDIA's devices need
/// that for more than 48 KiB; others never do.
template <class... Parameters>
hipError_t allow_shared_bytes_of([[maybe_unused]] void (*kernel)(Parameters...),
                                 [[maybe_unused]] std::size_t bytes)
{
#if defined(CK_LANGUAGE_CUDA)
    if(bytes > 48 << 10)
        return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                    cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes));
#endif
    return hipSuccess;
}

/// Launches `blocks` workgroups of the kernel and returns the launch's error, like arch::launch().
template <class... Parameters, class... Arguments>
hipError_t launch_function(void (*kernel)(Parameters...),
                           index_t blocks,
                           index_t threads,
                           std::size_t shared_bytes,
                           [[maybe_unused]] hipStream_t stream,
                           const Arguments&... arguments)
{
    static_assert(sizeof...(Parameters) == sizeof...(Arguments), "an argument for each parameter");
    static_assert((std::is_trivially_copyable_v<std::remove_cvref_t<Parameters>> && ...),
                  "parameters are copied to the device as bytes");
    if(blocks < 0 || threads < 1 || threads > 1024)
        return hipErrorInvalidConfiguration;
    if(blocks == 0)
        return hipSuccess;
    std::tuple<std::remove_cvref_t<Parameters>...> values(arguments...);
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
    if(const hipError_t error = allow_shared_bytes_of(kernel, shared_bytes); error != hipSuccess)
        return error;
    return std::apply(
        [&](auto&... value) {
            void* pointers[] = {static_cast<void*>(&value)..., nullptr};
            const dim3 grid(static_cast<unsigned>(blocks)), block(static_cast<unsigned>(threads));
#if defined(CK_LANGUAGE_HIP)
            return hipLaunchKernel(
                reinterpret_cast<const void*>(kernel), grid, block, pointers, shared_bytes, stream);
#else
            return cudaLaunchKernel(
                reinterpret_cast<const void*>(kernel), grid, block, pointers, shared_bytes, stream);
#endif
        },
        values);
#elif defined(CK_RUNTIME_HOST)
    struct Call
    {
        void (*kernel)(Parameters...);
        const std::tuple<std::remove_cvref_t<Parameters>...>& values;
        host::FunctionGrid grid;
    } call{kernel, values, {blocks, threads}};
    host::run_grid({typeid(kernel),
                    blocks,
                    threads,
                    shared_bytes,
                    [](const void* p, void*) {
                        const Call& c       = *static_cast<const Call*>(p);
                        host::function_grid = c.grid;
                        std::apply(c.kernel, c.values);
                    },
                    &call});
    return hipSuccess;
#else
    static_assert(sizeof...(Parameters) > 1u << 20,
                  "kernels are launched from source files in the platform's language, HIP or CUDA");
#endif
}

} // namespace ck::arch
