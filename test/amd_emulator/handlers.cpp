// The table of handlers.
#include "handlers.hpp"

#include "wave.hpp"
#include <mutex>
#include <stdexcept>

namespace emu {

std::unordered_map<std::string, Entry>& table()
{
    static std::unordered_map<std::string, Entry> rows;
    return rows;
}

void alias(const char* name, const char* of)
{
    const auto row = table().find(of);
    if(row == table().end())
        throw std::logic_error(std::string(name) + " is to be another name of " + of +
                               ", which is in no table");
    const Entry entry = row->second;
    table()[name]     = entry;
}

void register_all()
{
    static std::once_flag once;
    std::call_once(once, [] {
        register_scalar_control();
        register_scalar_arithmetic();
        register_scalar_compare();
        register_vector_float();
        register_vector_integer();
        register_vector_compare();
        register_vector_lanes();
        register_vector_16_bits();
        register_vector_packed();
        register_vector_dot();
        register_vector_eight_bits();
    });
}

void refused(Wave& w, const Instruction& inst)
{
    fault(w, inst, "instruction not implemented by the emulator");
}

bool has_handler(const Instruction& inst)
{
    if(inst.x != nullptr)
        return has_handler(*inst.x) && has_handler(*inst.y);
    return inst.fn != nullptr && inst.fn != refused;
}

} // namespace emu
