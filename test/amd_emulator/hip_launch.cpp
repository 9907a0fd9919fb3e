// HIP: a program's kernels and variables, and launches.
#include "hip_runtime.hpp"
#include "memory_map.hpp"
#include "target.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace emu {

Runtime& runtime()
{
    static auto* const state = new Runtime; // programs use it until their last static is gone
    return *state;
}

void choose_target()
{
    Runtime& state = runtime();
    if(state.target_chosen)
        return;
    state.target_chosen     = true;
    const char* const asked = getenv("EMU_ARCH");
    std::string name        = asked != nullptr ? asked : "";
    for(const FatBinary* binary : state.binaries)
    {
        const std::vector<std::string> targets = bundled_targets(binary->data);
        if(name.empty() && !targets.empty())
            name = targets[0];
    }
    if(!target_from_name(name.empty() ? "gfx90a" : name, target))
    {
        fprintf(
            stderr, "emu: '%s' is no AMD target; EMU_ARCH is one such as gfx90a\n", name.c_str());
        abort();
    }
    register_all();
}

hipError_t remembered(hipError_t error)
{
    extern thread_local hipError_t last_error;
    if(error != hipSuccess)
        last_error = error;
    return error;
}
thread_local hipError_t last_error = hipSuccess;

namespace {

thread_local std::string why_no_binary;

} // namespace

hipError_t no_binary(const std::string& why)
{
    why_no_binary = why;
    return hipErrorNoBinaryForGpu;
}

namespace {

/// The runtime's mutex is held.
const Module* module_of(FatBinary& binary)
{
    choose_target();
    if(!binary.loaded)
    {
        binary.loaded = true;
        binary.module = load_module(binary.data, binary.refusal);
        if(binary.module == nullptr)
            fprintf(stderr, "emu: %s\n", binary.refusal.c_str());
    }
    return binary.module.get();
}

struct Configuration
{
    dim3 grid, block;
    size_t dynamic_lds;
    hipStream_t stream;
};
thread_local std::vector<Configuration> configured; // the launches that are in progress

} // namespace

hipError_t find_kernel(const void* function, const Kernel*& kernel)
{
    Runtime& state = runtime();
    const std::lock_guard lock(state.mutex);
    const auto registered = state.functions.find(function);
    if(registered == state.functions.end())
        return hipErrorInvalidDeviceFunction;
    const Module* const module = module_of(*registered->second.binary);
    if(module == nullptr)
        return no_binary(registered->second.binary->refusal);
    const auto found = module->kernels.find(registered->second.name);
    if(found == module->kernels.end())
    {
        fprintf(stderr,
                "emu: kernel %s is not in the code object for %s\n",
                registered->second.name.c_str(),
                target.name.c_str());
        return hipErrorInvalidDeviceFunction;
    }
    kernel = &found->second;
    return hipSuccess;
}

hipError_t launch(const Kernel& kernel,
                  dim3 grid,
                  dim3 block,
                  void** each_argument,
                  const void* packed,
                  size_t packed_size,
                  size_t dynamic_lds)
{
    const LaunchDims dims{
        {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, static_cast<uint32_t>(dynamic_lds)};
    const std::vector<uint8_t> content =
        kernel_arguments(kernel, dims, each_argument, packed, packed_size);
    const size_t size = (std::max<size_t>(content.size(), 1) + 255) & ~size_t{255};
    const std::unique_ptr<void, void (*)(void*)> memory(std::aligned_alloc(256, size), std::free);
    std::memcpy(memory.get(), content.data(), content.size());
    mem_add(reinterpret_cast<uint64_t>(memory.get()),
            std::max<size_t>(content.size(), 64),
            "kernel arguments");
    const Launched launched = run_kernel(kernel, dims, memory.get());
    mem_del(reinterpret_cast<uint64_t>(memory.get()));
    return launched == Launched::done    ? hipSuccess
           : launched == Launched::empty ? hipErrorInvalidConfiguration
                                         : hipErrorInvalidValue;
}

const Code::Symbol* find_symbol(const void* host_address)
{
    Runtime& state = runtime();
    const std::lock_guard lock(state.mutex);
    const auto registered = state.variables.find(host_address);
    if(registered == state.variables.end())
        return nullptr;
    const Module* const module = module_of(*registered->second.binary);
    if(module == nullptr)
        return nullptr;
    const auto found = module->code->symbols.find(registered->second.name);
    return found == module->code->symbols.end() ? nullptr : &found->second;
}

} // namespace emu

using namespace emu;

EXPORTED void** __hipRegisterFatBinary(const void* wrapper)
{
    struct Wrapper
    {
        uint32_t magic, version;
        const void* binary;
        void* unused;
    };
    auto* const binary = new FatBinary; // lives as long as the program
    binary->data       = static_cast<const Wrapper*>(wrapper)->binary;
    const std::lock_guard lock(runtime().mutex);
    runtime().binaries.push_back(binary);
    return reinterpret_cast<void**>(binary);
}
EXPORTED void __hipUnregisterFatBinary(void**) {}
EXPORTED void __hipRegisterFunction(void** binary,
                                    const void* host_address,
                                    char*,
                                    const char* name,
                                    unsigned,
                                    void*,
                                    void*,
                                    void*,
                                    void*,
                                    int*)
{
    const std::lock_guard lock(runtime().mutex);
    runtime().functions[host_address] = {reinterpret_cast<FatBinary*>(binary), name};
}
EXPORTED void
__hipRegisterVar(void** binary, void* host_address, char*, char* name, int, size_t, int, int)
{
    const std::lock_guard lock(runtime().mutex);
    runtime().variables[host_address] = {reinterpret_cast<FatBinary*>(binary), name};
}
EXPORTED void __hipRegisterManagedVar(
    void* binary, void** address, void* first, const char* name, size_t size, unsigned)
{
    void* memory = nullptr;
    if(allocate(&memory, size, "managed variable", true) != hipSuccess)
    {
        fprintf(stderr, "emu: no memory for the managed variable %s of %zu bytes\n", name, size);
        abort();
    }
    if(first != nullptr)
        memcpy(memory, first, size);
    *address = memory;
    const std::lock_guard lock(runtime().mutex);
    runtime().variables[address] = {static_cast<FatBinary*>(binary), name};
}
EXPORTED void __hipRegisterSurface(void**, void*, char*, char*, int, int) {}
EXPORTED void __hipRegisterTexture(void**, void*, char*, char*, int, int, int) {}

EXPORTED hipError_t __hipPushCallConfiguration(dim3 grid,
                                               dim3 block,
                                               size_t dynamic_lds,
                                               hipStream_t stream)
{
    configured.push_back({grid, block, dynamic_lds, stream});
    return hipSuccess;
}
EXPORTED hipError_t __hipPopCallConfiguration(dim3* grid,
                                              dim3* block,
                                              size_t* dynamic_lds,
                                              hipStream_t* stream)
{
    if(configured.empty())
        return remembered(hipErrorMissingConfiguration);
    const Configuration last = configured.back();
    configured.pop_back();
    *grid        = last.grid;
    *block       = last.block;
    *dynamic_lds = last.dynamic_lds;
    *stream      = last.stream;
    return hipSuccess;
}
EXPORTED hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t dynamic_lds, hipStream_t stream)
{
    return __hipPushCallConfiguration(grid, block, dynamic_lds, stream);
}

EXPORTED hipError_t hipLaunchKernel(
    const void* function, dim3 grid, dim3 block, void** arguments, size_t dynamic_lds, hipStream_t)
{
    const Kernel* kernel   = nullptr;
    const hipError_t found = find_kernel(function, kernel);
    return remembered(found != hipSuccess
                          ? found
                          : launch(*kernel, grid, block, arguments, nullptr, 0, dynamic_lds));
}
EXPORTED hipError_t hipExtLaunchKernel(const void* function,
                                       dim3 grid,
                                       dim3 block,
                                       void** arguments,
                                       size_t dynamic_lds,
                                       hipStream_t stream,
                                       hipEvent_t begin,
                                       hipEvent_t end,
                                       int)
{
    if(begin != nullptr)
        static_cast<void>(hipEventRecord(begin, stream)); // cannot fail
    const hipError_t launched =
        hipLaunchKernel(function, grid, block, arguments, dynamic_lds, stream);
    if(end != nullptr)
        static_cast<void>(hipEventRecord(end, stream));
    return launched;
}

EXPORTED hipError_t hipGetLastError()
{
    const hipError_t error = last_error;
    last_error             = hipSuccess;
    return error;
}
EXPORTED hipError_t hipPeekAtLastError() { return last_error; }
EXPORTED const char* hipGetErrorName(hipError_t error)
{
    switch(error)
    {
    case hipSuccess:
        return "hipSuccess";
    case hipErrorInvalidValue:
        return "hipErrorInvalidValue";
    case hipErrorOutOfMemory:
        return "hipErrorOutOfMemory";
    case hipErrorNoBinaryForGpu:
        return "hipErrorNoBinaryForGpu";
    case hipErrorInvalidDeviceFunction:
        return "hipErrorInvalidDeviceFunction";
    case hipErrorInvalidConfiguration:
        return "hipErrorInvalidConfiguration";
    case hipErrorNotFound:
        return "hipErrorNotFound";
    case hipErrorNotSupported:
        return "hipErrorNotSupported";
    case hipErrorInvalidSymbol:
        return "hipErrorInvalidSymbol";
    case hipErrorInvalidDevice:
        return "hipErrorInvalidDevice";
    default:
        return "hipErrorUnknown";
    }
}
EXPORTED const char* hipGetErrorString(hipError_t error)
{
    if(error == hipErrorNoBinaryForGpu && !why_no_binary.empty())
        return why_no_binary.c_str();
    return hipGetErrorName(error);
}
