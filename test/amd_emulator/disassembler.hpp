// LLVM's disassembler, loaded when it is first used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace emu {

/// The text of the instruction at `bytes`, and its size; empty for none. For the target that runs.
std::string disassemble(const uint8_t* bytes, size_t size, int wave, uint32_t& instruction_size);

} // namespace emu
