// Scalar loads.

#include "handlers.hpp"
#include "lanes.hpp"
#include "memory_access.hpp"
#include "memory_buffer.hpp"

namespace emu {
namespace {
inline uint64_t scalar_offset(Wave& w, const Instruction& inst)
{
    uint64_t o       = (int64_t)inst.offset;
    const Operand& x = inst.src[1];
    if(x.kind == Kind::constant)
        o += (int64_t)x.imm;
    else if(x.kind == Kind::scalar && x.reg != reg_null)
        o += (uint32_t)w.sgpr[x.reg];
    return o;
}
void scalar_load(Wave& w, const Instruction& inst)
{
    uint64_t a = w.sgpr64(inst.src[0].reg) + scalar_offset(w, inst);
    int n      = inst.memory.bytes;
    Format f   = (Format)inst.memory.format;
    if(f == format_dw)
        a &= ~3ull;
    if(options().memory_check && !mem_ok(a, n))
        fault(w, inst, "memory access fault (scalar read)", -1, a);
    if(inst.dst[0].reg == reg_null)
        return;
    if(f != format_dw)
    {
        uint32_t x = 0;
        std::memcpy(&x, (void*)a, n);
        write_small(w.sgpr[inst.dst[0].reg], f, x);
        return;
    }
    std::memcpy(&w.sgpr[inst.dst[0].reg], (void*)a, n);
}
void scalar_buffer_load(Wave& w, const Instruction& inst)
{
    Descriptor s = buffer_descriptor(w, inst.src[0]);
    uint64_t off = scalar_offset(w, inst);
    int n        = inst.memory.bytes;
    Format f     = (Format)inst.memory.format;
    uint64_t lim = s.stride ? (uint64_t)s.stride * s.nrec : s.nrec;
    if(f != format_dw)
    {
        uint32_t x = 0;
        if(off + n <= lim)
        {
            if(options().memory_check && !mem_ok(s.base + off, n))
                fault(w, inst, "memory access fault (scalar buffer read)", -1, s.base + off);
            std::memcpy(&x, (void*)(s.base + off), n);
        }
        write_small(w.sgpr[inst.dst[0].reg], f, x);
        return;
    }
    for(int i = 0; i < n; i += 4)
    {
        uint32_t x = 0;
        uint64_t a = (s.base + off + i) & ~3ull;
        if(off + i + 4 <= lim)
        {
            if(options().memory_check && !mem_ok(a, 4))
                fault(w, inst, "memory access fault (scalar buffer read)", -1, a);
            std::memcpy(&x, (void*)a, 4);
        }
        w.sgpr[inst.dst[0].reg + i / 4] = x;
    }
}
} // namespace

Handler scalar_memory_handler(Instruction& inst, std::string_view mnemonic, const Operands& o)
{
    const bool buffer = take(mnemonic, "s_buffer_load_");
    if(!buffer && !take(mnemonic, "s_load_"))
        return mnemonic.starts_with("s_scratch_load_") ? refused : nullptr;
    FormatInfo format;
    if(!parse_format(std::string(mnemonic), format) || o.size() < 3)
        return refused;
    inst.memory.format = format.f;
    inst.memory.bytes  = format.bytes;
    inst.dst[0]        = o[0];
    inst.n_dst         = 1;
    inst.src[0]        = o[1];
    inst.src[1]        = o[2];
    inst.n_src         = 2;
    return buffer ? scalar_buffer_load : scalar_load;
}

} // namespace emu
