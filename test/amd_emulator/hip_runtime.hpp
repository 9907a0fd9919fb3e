// What the entry points of the HIP runtime share.
#pragma once

#include <hip/hip_runtime_api.h>

#include "code_object.hpp"
#include "launch.hpp"
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace emu {

/// A program's code objects, loaded when a kernel or a variable of them is first asked for.
struct FatBinary
{
    const void* data = nullptr;
    std::shared_ptr<Module> module;
    bool loaded = false; // or refused; happens once
    std::string refusal; // why
};
struct OfBinary
{
    FatBinary* binary;
    std::string name;
};

struct Runtime
{
    std::mutex mutex;
    std::vector<FatBinary*> binaries;
    std::map<const void*, OfBinary> functions, variables; // key: the host's address
    std::map<uint64_t, size_t> allocations;               // size by address
    size_t allocated   = 0;
    bool target_chosen = false;
};
Runtime& runtime();

/// Sets `target` to EMU_ARCH, without that to the first target of the program. The runtime's mutex
/// is held.
void choose_target();
/// Keeps an error for hipGetLastError().
hipError_t remembered(hipError_t error);
/// hipErrorNoBinaryForGpu, which hipGetErrorString() describes with `why` on this thread.
hipError_t no_binary(const std::string& why);

hipError_t find_kernel(const void* function, const Kernel*& kernel);
hipError_t launch(const Kernel& kernel,
                  dim3 grid,
                  dim3 block,
                  void** each_argument,
                  const void* packed,
                  size_t packed_size,
                  size_t dynamic_lds);
/// nullptr if it is not a symbol.
const Code::Symbol* find_symbol(const void* host_address);

constexpr size_t device_memory = size_t{64} << 30; // bytes, as the host is told

/// Memory between pages that fault; of a device it begins as NaN patterns. `what`: a literal that
/// messages name it by.
hipError_t allocate(void** address, size_t bytes, const char* what, bool of_host);

} // namespace emu
