// Which addresses a program may touch: allocations, code objects, kernel arguments.
#pragma once

#include <cstdint>
#include <string>

namespace emu {
/// Adds a range of addresses; `what` is a literal that messages name it by.
void mem_add(uint64_t base, uint64_t bytes, const char* what);
bool mem_del(uint64_t base);
/// Whether one range holds all the bytes.
bool mem_ok(uint64_t address, uint64_t bytes);
/// The range that holds an address; false if none does.
bool mem_range(uint64_t address, uint64_t& base, uint64_t& bytes);
/// The range nearest to an address, in words.
std::string mem_near(uint64_t address);
} // namespace emu
