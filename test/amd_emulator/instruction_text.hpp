// Operands and modifiers of an instruction, read from disassembled text.
#pragma once

#include "instruction.hpp"
#include <string>
#include <vector>

namespace emu {

struct InstructionText
{
    std::vector<Operand> operands;
    unsigned high_halves = 0; // bit i: operand i was written with .h
    bool has_op_sel_hi   = false;
    std::vector<std::string> unknown; // modifiers that are not understood
};
/// Reads what follows the mnemonic; modifiers go to `inst`.
InstructionText read_operands(const std::string& text, Instruction& inst);

} // namespace emu
