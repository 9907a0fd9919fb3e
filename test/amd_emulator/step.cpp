// A C interface to single instructions, for tests: no part of HIP. Symbols begin with emu_.
#include "hip_runtime.hpp"
#include "lds_races.hpp"
#include "options.hpp"
#include "target.hpp"
#include <cstring>
#include <iterator>

using namespace emu;

/// False for what is not a target.
EXPORTED bool emu_set_target(const char* name)
{
    const std::lock_guard lock(runtime().mutex);
    runtime().target_chosen = true;
    register_all();
    return target_from_name(name, target);
}

/// A wave of zeros with 64 KiB of LDS and a KiB of scratch a lane, all lanes active; lives as long
/// as the program.
EXPORTED Wave* emu_new_wave(int lanes)
{
    auto* const w = new Wave;
    std::memset(w->vgpr, 0, sizeof w->vgpr);
    std::memset(w->sgpr, 0, sizeof w->sgpr);
    w->W            = lanes;
    w->mode         = 0xf0; // denormals are kept
    w->wg           = new Workgroup;
    w->wg->lds_size = 65536;
    w->wg->lds.resize(w->wg->lds_size);
    if(options().race)
    {
        start_lds_races(w->wg->lds_size); // starts the checker of this thread
        lds_races_workgroup();
    }
    w->scratch_per_lane = 1024;
    w->scratch          = new uint8_t[w->scratch_per_lane * static_cast<size_t>(lanes)]();
    w->sgpr64(reg_exec, lanes == 64 ? ~0ull : (1ull << lanes) - 1);
    return w;
}
EXPORTED uint32_t* emu_vector_register(Wave* w, int reg) { return w->vgpr[reg]; }
EXPORTED uint32_t* emu_scalar_register(Wave* w, int reg) { return &w->sgpr[reg]; }
EXPORTED uint32_t* emu_scc(Wave* w) { return &w->scc; }
EXPORTED uint8_t* emu_lds(Wave* w) { return w->wg->lds.data(); }
EXPORTED uint32_t* emu_mode(Wave* w) { return &w->mode; }

/// Instructions live as long as the program.
EXPORTED Instruction* emu_decode_bytes(const uint8_t* bytes, size_t size, int lanes)
{
    return decode_bytes(bytes, size, lanes);
}
/// What the disassembler prints; of the encoding what handlers read there, such as a constant of 16
/// bits.
EXPORTED Instruction* emu_decode_text(const char* text, int lanes, uint64_t encoding)
{
    uint8_t bytes[sizeof encoding];
    std::memcpy(bytes, &encoding, sizeof bytes);
    return decode_text(text, bytes, sizeof bytes, lanes);
}
EXPORTED const char* emu_text(const Instruction* inst) { return inst->text; }
EXPORTED bool emu_has_handler(const Instruction* inst) { return has_handler(*inst); }
EXPORTED void emu_run(Wave* w, const Instruction* inst) { inst->fn(*w, *inst); }

/// What tests compare of an operand.
struct StepOperand
{
    int32_t kind, reg, count, negated, absolute;
    int64_t constant; // a floating one as the bits of its f64
};
/// Destinations 0 and 1, then sources; half 0 is the instruction or the X of a dual issue, half 1
/// the Y.
EXPORTED bool emu_operand(const Instruction* inst, int half, int index, StepOperand* out)
{
    if(inst->x != nullptr)
        inst = half == 0 ? inst->x : inst->y;
    else if(half == 1)
        return false;
    constexpr int destinations = std::size(decltype(inst->dst){});
    if(index >= destinations + static_cast<int>(std::size(inst->src)))
        return false;
    const Operand& o = index < destinations ? inst->dst[index] : inst->src[index - destinations];
    int64_t constant = o.imm;
    if(o.flt)
        std::memcpy(&constant, &o.f, sizeof constant);
    *out = {static_cast<int32_t>(o.kind), o.reg, o.n, o.neg, o.abs, constant};
    return true;
}
EXPORTED int emu_offset(const Instruction* inst, int which) // offset, offset0, offset1
{
    return which == 0 ? inst->offset : which == 1 ? inst->offset0 : inst->offset1;
}
EXPORTED uint32_t emu_size(const Instruction* inst) { return inst->size; }
