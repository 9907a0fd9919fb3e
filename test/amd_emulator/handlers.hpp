// Where handlers come from: files that fill the table by mnemonic, and files that read a mnemonic's
// parts.
#pragma once

#include "instruction.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace emu {

void register_scalar_control();
void register_scalar_arithmetic();
void register_scalar_compare();
void register_vector_float();
void register_vector_integer();
void register_vector_compare();
void register_vector_lanes();
void register_vector_16_bits();
void register_vector_packed();
void register_vector_dot();
void register_vector_eight_bits();

// A handler found by the parts of its mnemonic. nullptr: the mnemonic is none of this file's;
// `refused`: it is, and is not emulated. Operands that are absent are std::out_of_range.
using Operands = std::vector<Operand>;
Handler scalar_memory_handler(Instruction& inst, std::string_view mnemonic, const Operands& o);
Handler flat_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o);
Handler buffer_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o);
Handler lds_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o);
Handler mfma_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o);
Handler wmma_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o);

/// Cuts `prefix` off the text's begin, if it begins so.
inline bool take(std::string_view& text, std::string_view prefix)
{
    if(!text.starts_with(prefix))
        return false;
    text.remove_prefix(prefix.size());
    return true;
}

} // namespace emu
