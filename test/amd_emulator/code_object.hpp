// Code objects: the machine code of one target, its kernels and what a launch of them needs.
#pragma once

#include "instruction.hpp"
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace emu {

/// A loaded code object: its memory image and its instructions, decoded when they are reached.
struct Code
{
    uint8_t* image    = nullptr;
    size_t image_size = 0;
    uint64_t text = 0, text_end = 0; // addresses
    int wave = 64;                   // lanes
    struct Symbol
    {
        uint64_t address, size;
    };
    std::unordered_map<std::string, Symbol> symbols;
    std::vector<std::atomic<Instruction*>> decoded; // index: dword of the text
    std::mutex mutex;

    /// nullptr outside the text.
    const Instruction* at(uint64_t pc);
};

struct Argument
{
    uint32_t offset = 0, size = 0;
    std::string kind; // from the code object's metadata
};

struct Kernel
{
    std::string name;
    Code* code     = nullptr;
    uint64_t entry = 0, descriptor = 0; // addresses
    uint32_t lds = 0, scratch_per_lane = 0, argument_bytes = 0;
    uint32_t rsrc1 = 0, rsrc2 = 0;          // from the kernel descriptor
    uint16_t properties = 0, preloaded = 0; // from the kernel descriptor
    int wave             = 64;              // lanes
    uint32_t max_threads = 1024, vgprs = 0, agprs = 0, sgprs = 0, spilled = 0;
    std::vector<Argument> arguments;
};

struct Module
{
    std::shared_ptr<Code> code;
    std::map<std::string, Kernel> kernels;
};

/// Loads a bundle's code object for the target that runs, or a bare code object; nullptr, with a
/// message in `error`, where that fails.
std::shared_ptr<Module> load_module(const void* data, std::string& error);
/// Targets that a bundle has code for.
std::vector<std::string> bundled_targets(const void* data);

struct LaunchDims
{
    uint32_t grid[3], block[3]; // blocks; threads
    uint32_t dynamic_lds;
};
/// Memory of a launch's arguments: from pointers to each, or copied from `packed`.
std::vector<uint8_t> kernel_arguments(const Kernel& kernel,
                                      const LaunchDims& dims,
                                      void** each,
                                      const void* packed,
                                      size_t packed_size);

} // namespace emu
