#pragma once
// Executes single instructions in the emulator that runs the test: registers in, registers out.
#include "device_array.hpp"
#include "tested.hpp"
#include <bit>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>

namespace emulator_test {

/// A wave whose lanes are all active, and the emulator's functions for it.
class Step
{
public:
    /// False on a device that is not emulated.
    static bool possible() { return dlsym(RTLD_DEFAULT, "emu_run") != nullptr; }

    explicit Step(int lanes = wave_size())
        : lanes_{lanes},
          wave_{function<void*(int)>("emu_new_wave")(lanes)}
    {}
    int lanes() const { return lanes_; }
    uint32_t* vector(int reg) const
    {
        static const auto registers = function<uint32_t*(void*, int)>("emu_vector_register");
        return registers(wave_, reg);
    }
    uint32_t* scalar(int reg) const
    {
        static const auto registers = function<uint32_t*(void*, int)>("emu_scalar_register");
        return registers(wave_, reg);
    }
    bool scc() const { return *function<uint32_t*(void*)>("emu_scc")(wave_) != 0; }
    void scc(bool value) const { *function<uint32_t*(void*)>("emu_scc")(wave_) = value; }
    uint8_t* lds() const { return function<uint8_t*(void*)>("emu_lds")(wave_); }
    uint32_t& mode() const { return *function<uint32_t*(void*)>("emu_mode")(wave_); }

    /// An instruction of disassembled text; it must have a handler.
    const void* decode(const std::string& text, uint64_t encoding = 0) const
    {
        static const auto decode_text =
            function<void*(const char*, int, uint64_t)>("emu_decode_text");
        static const auto has_handler = function<bool(const void*)>("emu_has_handler");
        const void* const decoded     = decode_text(text.c_str(), lanes_, encoding);
        EXPECT_TRUE(has_handler(decoded)) << text;
        note(tested(), text);
        return has_handler(decoded) ? decoded : nullptr;
    }
    void run(const void* instruction) const
    {
        static const auto run_one = function<void(void*, const void*)>("emu_run");
        if(instruction != nullptr)
            run_one(wave_, instruction);
    }

private:
    template <class F>
    static F* function(const char* name)
    {
        return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
    }
    int lanes_;
    void* wave_; // the emulator keeps it
};

} // namespace emulator_test
