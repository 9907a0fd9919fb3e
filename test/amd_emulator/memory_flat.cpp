// Loads, stores and atomics of flat, global and scratch addresses.

#include "handlers.hpp"
#include "lanes.hpp"
#include "memory_atomics.hpp"

namespace emu {
namespace {
template <int SP, int W>
inline void lane_addresses(Wave& w, const Instruction& inst, uint64_t* a)
{
    const Operand &va = inst.src[0], &sa = inst.src[1];
    if constexpr(SP == space_scratch)
    {
        uint32_t s = sa.kind == Kind::scalar ? read_scalar(w, sa) : 0;
        for(int l = 0; l < W; l++)
            a[l] = (uint32_t)((va.kind == Kind::vector ? w.vgpr[va.reg][l] : 0) + s +
                              (uint32_t)inst.offset);
    }
    else if(sa.kind == Kind::scalar && sa.reg != reg_null)
    {
        uint64_t s = w.sgpr64(sa.reg);
        for(int l = 0; l < W; l++)
            a[l] = s + (va.kind == Kind::vector ? (uint64_t)w.vgpr[va.reg][l] : 0) +
                   (int64_t)inst.offset;
    }
    else
    {
        const uint32_t *lo = w.vgpr[va.reg], *hi = w.vgpr[va.reg + 1];
        for(int l = 0; l < W; l++)
            a[l] = ((uint64_t)hi[l] << 32 | lo[l]) + (int64_t)inst.offset;
    }
}
template <int SP, int W>
void flat_load(Wave& w, const Instruction& inst)
{
    uint64_t a[64];
    lane_addresses<SP, W>(w, inst, a);
    uint64_t m  = active_lanes<W>(w);
    int n       = inst.memory.bytes;
    Format f    = (Format)inst.memory.format;
    uint32_t* d = w.vgpr[inst.dst[0].reg];
    if(inst.lds)
    { // direct to LDS
        uint32_t base = lds_base_in_m0(w) + inst.offset;
        for(int l = 0; l < W; l++)
            if(m >> l & 1)
            {
                uint8_t b[16];
                read_memory<SP>(w, inst, l, a[l], n, b);
                write_memory<space_lds>(w, inst, l, base + l * (n < 4 ? 4 : n), n, b);
            }
        return;
    }
    if(f != format_dw)
    {
        for(int l = 0; l < W; l++)
            if(m >> l & 1)
            {
                uint32_t x = 0;
                read_memory<SP>(w, inst, l, a[l], n, &x);
                write_small(d[l], f, x);
            }
        return;
    }
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            uint32_t t[16];
            read_memory<SP>(w, inst, l, a[l], n, t);
            for(int i = 0; i < n / 4; i++)
                d[64 * i + l] = t[i];
        }
}
template <int SP, int W>
void flat_store(Wave& w, const Instruction& inst)
{
    uint64_t a[64];
    lane_addresses<SP, W>(w, inst, a);
    uint64_t m        = active_lanes<W>(w);
    int n             = inst.memory.bytes;
    Format f          = (Format)inst.memory.format;
    const uint32_t* d = w.vgpr[inst.src[2].reg];
    if(f != format_dw)
    {
        for(int l = 0; l < W; l++)
            if(m >> l & 1)
            {
                uint32_t x = read_small(d[l], f);
                write_memory<SP>(w, inst, l, a[l], n, &x);
            }
        return;
    }
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            uint32_t t[16];
            for(int i = 0; i < n / 4; i++)
                t[i] = d[64 * i + l];
            write_memory<SP>(w, inst, l, a[l], n, t);
        }
}
template <int SP, int W>
void flat_atomic(Wave& w, const Instruction& inst)
{
    uint64_t a[64];
    lane_addresses<SP, W>(w, inst, a);
    uint64_t m        = active_lanes<W>(w);
    Atomic op         = (Atomic)inst.memory.atomic;
    bool q            = inst.memory.wide;
    const uint32_t* s = w.vgpr[inst.src[2].reg];
    Lanes<uint32_t, W> lo, hi;
    std::lock_guard<std::mutex> g(atomics_mutex);
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            uint64_t src = q ? (uint64_t)s[64 + l] << 32 | s[l] : s[l], cmp = 0;
            if(op == atomic_cmpswap)
                cmp = q ? (uint64_t)s[192 + l] << 32 | s[128 + l] : s[64 + l];
            uint64_t o = atomic_of_lane<SP>(w, inst, l, a[l], op, q, src, cmp);
            lo.a[l]    = (uint32_t)o;
            hi.a[l]    = o >> 32;
        }
    if(inst.ret)
    {
        write_masked<W>(w.vgpr[inst.dst[0].reg], lo.a, m);
        if(q)
            write_masked<W>(w.vgpr[inst.dst[0].reg + 1], hi.a, m);
    }
}
} // namespace

namespace {
template <int space>
Handler handler_of(std::string_view operation, int wave)
{
    if(operation == "load")
        return wave == 64 ? flat_load<space, 64> : flat_load<space, 32>;
    if(operation == "store")
        return wave == 64 ? flat_store<space, 64> : flat_store<space, 32>;
    return wave == 64 ? flat_atomic<space, 64> : flat_atomic<space, 32>;
}
Handler handler_of(int space, std::string_view operation, int wave)
{
    return space == space_global ? handler_of<space_global>(operation, wave)
           : space == space_flat ? handler_of<space_flat>(operation, wave)
                                 : handler_of<space_scratch>(operation, wave);
}
} // namespace

Handler flat_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o)
{
    const int space = take(mnemonic, "global_")    ? space_global
                      : take(mnemonic, "flat_")    ? space_flat
                      : take(mnemonic, "scratch_") ? space_scratch
                                                   : -1;
    if(space < 0 || mnemonic == "wb" || mnemonic == "inv" || mnemonic == "wbinv")
        return nullptr;
    FormatInfo format;
    if(take(mnemonic, "load_"))
    {
        inst.lds = take(mnemonic, "lds_");
        if(!parse_format(std::string(mnemonic), format))
            return refused;
        inst.memory.format = format.f;
        inst.memory.bytes  = format.bytes;
        size_t i           = 0;
        if(!inst.lds)
        {
            inst.dst[0] = o.at(i++);
            inst.n_dst  = 1;
        }
        inst.src[0] = o.at(i++);
        if(i < o.size())
            inst.src[1] = o[i];
        inst.n_src = 2;
        return handler_of(space, "load", wave);
    }
    if(take(mnemonic, "store_"))
    {
        if(!parse_format(std::string(mnemonic), format))
            return refused;
        inst.memory.format = format.f;
        inst.memory.bytes  = format.bytes;
        inst.src[0]        = o.at(0);
        inst.src[2]        = o.at(1);
        if(o.size() > 2)
            inst.src[1] = o[2];
        inst.n_src = 3;
        return handler_of(space, "store", wave);
    }
    if(!take(mnemonic, "atomic_"))
        return refused;
    Atomic op;
    bool wide;
    if(!parse_atomic(std::string(mnemonic), op, wide))
        return refused;
    inst.memory.atomic = op;
    inst.memory.wide   = wide;
    size_t i           = 0;
    inst.ret           = o.size() > (space == space_flat ? 2u : 3u);
    if(inst.ret)
    {
        inst.dst[0] = o[i++];
        inst.n_dst  = 1;
    }
    inst.src[0] = o.at(i);
    inst.src[2] = o.at(i + 1);
    if(o.size() > i + 2)
        inst.src[1] = o[i + 2];
    inst.n_src = 3;
    return handler_of(space, "atomic", wave);
}

} // namespace emu
