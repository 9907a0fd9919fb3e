// HIP: modules, functions of modules, and queries about kernels.
#include "hip_runtime.hpp"
#include "target.hpp"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

using namespace emu;

namespace {

struct LoadedModule
{
    std::shared_ptr<Module> module;
    std::vector<char> file;
};

hipError_t launch_with(hipFunction_t function,
                       dim3 grid,
                       dim3 block,
                       unsigned dynamic_lds,
                       void** each_argument,
                       void** extra)
{
    const void* packed = nullptr;
    size_t size        = 0;
    for(int i = 0; extra != nullptr && extra[i] != HIP_LAUNCH_PARAM_END; i += 2)
        if(extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
            packed = extra[i + 1];
        else if(extra[i] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
            size = *static_cast<size_t*>(extra[i + 1]);
    return remembered(launch(*reinterpret_cast<const Kernel*>(function),
                             grid,
                             block,
                             each_argument,
                             packed,
                             size,
                             dynamic_lds));
}

/// Blocks that a compute unit's LDS, registers and wave slots have room for.
int occupancy(const Kernel& kernel, int block_size, size_t dynamic_lds)
{
    const bool gfx9_units      = target.generation == gfx9;
    const uint64_t lds         = kernel.lds + dynamic_lds;
    const uint64_t by_lds      = lds != 0 ? target.lds / lds : 32;
    const uint64_t registers   = gfx9_units          ? 512
                                 : kernel.wave == 32 ? 1536
                                                     : 768; // a SIMD unit's, per lane
    const uint64_t of_a_wave   = (std::max<uint64_t>(kernel.vgprs, 1) + 7) & ~uint64_t{7};
    const uint64_t waves       = std::min<uint64_t>(gfx9_units ? 8 : 16, registers / of_a_wave);
    const uint64_t block_waves = std::max(1, (block_size + kernel.wave - 1) / kernel.wave);
    return static_cast<int>(std::min(by_lds, waves * 4 / block_waves)); // 4 SIMD units
}

} // namespace

EXPORTED hipError_t hipModuleLoadData(hipModule_t* module, const void* image)
{
    {
        const std::lock_guard lock(runtime().mutex);
        choose_target();
    }
    std::string error;
    auto loaded = load_module(image, error);
    if(loaded == nullptr)
    {
        fprintf(stderr, "emu: %s\n", error.c_str());
        return remembered(no_binary(error));
    }
    *module = reinterpret_cast<hipModule_t>(new LoadedModule{std::move(loaded), {}});
    return hipSuccess;
}
EXPORTED hipError_t
hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned, hipJitOption*, void**)
{
    return hipModuleLoadData(module, image);
}
EXPORTED hipError_t hipModuleLoad(hipModule_t* module, const char* path)
{
    std::ifstream stream(path, std::ios::binary);
    if(!stream)
        return remembered(hipErrorFileNotFound);
    std::vector<char> file((std::istreambuf_iterator<char>(stream)),
                           std::istreambuf_iterator<char>());
    file.resize(file.size() + 64); // a short file has a header, too, if of zeros
    const hipError_t loaded = hipModuleLoadData(module, file.data());
    if(loaded == hipSuccess)
        reinterpret_cast<LoadedModule*>(*module)->file.swap(file);
    return loaded;
}
EXPORTED hipError_t hipModuleUnload(hipModule_t) { return hipSuccess; } // decoded code stays
EXPORTED hipError_t hipModuleGetFunction(hipFunction_t* function,
                                         hipModule_t module,
                                         const char* name)
{
    auto& kernels    = reinterpret_cast<LoadedModule*>(module)->module->kernels;
    const auto found = kernels.find(name);
    if(found == kernels.end())
        return remembered(hipErrorNotFound);
    *function = reinterpret_cast<hipFunction_t>(&found->second);
    return hipSuccess;
}
EXPORTED hipError_t hipModuleGetGlobal(hipDeviceptr_t* address,
                                       size_t* size,
                                       hipModule_t module,
                                       const char* name)
{
    const auto& symbols = reinterpret_cast<LoadedModule*>(module)->module->code->symbols;
    const auto found    = symbols.find(name);
    if(found == symbols.end())
        return remembered(hipErrorNotFound);
    if(address != nullptr)
        *address = reinterpret_cast<void*>(found->second.address);
    if(size != nullptr)
        *size = found->second.size;
    return hipSuccess;
}
EXPORTED hipError_t hipModuleLaunchKernel(hipFunction_t function,
                                          unsigned grid_x,
                                          unsigned grid_y,
                                          unsigned grid_z,
                                          unsigned block_x,
                                          unsigned block_y,
                                          unsigned block_z,
                                          unsigned dynamic_lds,
                                          hipStream_t,
                                          void** each_argument,
                                          void** extra)
{
    return launch_with(function,
                       dim3(grid_x, grid_y, grid_z),
                       dim3(block_x, block_y, block_z),
                       dynamic_lds,
                       each_argument,
                       extra);
}

// Kernels
EXPORTED hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function)
{
    const Kernel* kernel = nullptr;
    if(const hipError_t error = find_kernel(function, kernel))
        return remembered(error);
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes           = kernel->lds;
    attributes->localSizeBytes            = kernel->scratch_per_lane;
    attributes->numRegs                   = static_cast<int>(kernel->vgprs);
    attributes->maxThreadsPerBlock        = static_cast<int>(kernel->max_threads);
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(target.lds - kernel->lds);
    return hipSuccess;
}
EXPORTED hipError_t hipFuncGetAttribute(int* value,
                                        hipFunction_attribute attribute,
                                        hipFunction_t function)
{
    const auto& kernel = *reinterpret_cast<const Kernel*>(function);
    switch(attribute)
    {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = static_cast<int>(kernel.max_threads);
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(kernel.lds);
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = static_cast<int>(kernel.scratch_per_lane);
        return hipSuccess;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
        *value = static_cast<int>(kernel.vgprs);
        return hipSuccess;
    default:
        return remembered(hipErrorNotSupported);
    }
}
EXPORTED hipError_t hipFuncSetAttribute(const void*, hipFuncAttribute, int) { return hipSuccess; }
EXPORTED hipError_t hipFuncSetCacheConfig(const void*, hipFuncCache_t) { return hipSuccess; }
EXPORTED hipError_t hipFuncSetSharedMemConfig(const void*, hipSharedMemConfig)
{
    return hipSuccess;
}
EXPORTED hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                                 const void* function,
                                                                 int block_size,
                                                                 size_t dynamic_lds)
{
    const Kernel* kernel = nullptr;
    if(const hipError_t error = find_kernel(function, kernel))
        return remembered(error);
    *blocks = occupancy(*kernel, block_size, dynamic_lds);
    return hipSuccess;
}
EXPORTED hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int block_size, size_t dynamic_lds, unsigned)
{
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_lds);
}
EXPORTED hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                                       hipFunction_t function,
                                                                       int block_size,
                                                                       size_t dynamic_lds)
{
    *blocks = occupancy(*reinterpret_cast<const Kernel*>(function), block_size, dynamic_lds);
    return hipSuccess;
}
EXPORTED hipError_t hipOccupancyMaxPotentialBlockSize(
    int* grid_size, int* block_size, const void* function, size_t, int limit)
{
    const Kernel* kernel = nullptr;
    if(const hipError_t error = find_kernel(function, kernel))
        return remembered(error);
    const int most = static_cast<int>(kernel->max_threads);
    *block_size    = limit != 0 ? std::min(limit, most) : most;
    *grid_size     = target.cus;
    return hipSuccess;
}
