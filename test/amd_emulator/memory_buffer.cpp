// Loads, stores and atomics through a buffer descriptor.

#include "memory_buffer.hpp"

#include "handlers.hpp"
#include "lanes.hpp"
#include "memory_atomics.hpp"

namespace emu {
namespace {
struct BufferAddress
{
    uint64_t a;
    uint64_t off;
    uint64_t lim;
    bool whole_oob;
    bool scratch;
};
inline BufferAddress buffer_address(
    Wave& w, const Instruction& inst, const Descriptor& s, int l, uint32_t soff, int bytes)
{
    const Operand& va = inst.src[0];
    uint32_t idx = 0, voff = 0;
    if(inst.idxen && inst.offen)
    {
        idx  = w.vgpr[va.reg][l];
        voff = w.vgpr[va.reg + 1][l];
    }
    else if(inst.idxen)
        idx = w.vgpr[va.reg][l];
    else if(inst.offen)
        voff = w.vgpr[va.reg][l];
    if(s.tid)
        idx += l;
    uint64_t off = (uint64_t)voff +
                   (uint32_t)inst.offset; // hardware adds without 32-bit wrap for the range check
    BufferAddress r{};
    r.whole_oob = false;
    r.scratch   = false;
    if(s.swz && s.stride | s.tid)
    {
        uint64_t es = 4;
        uint64_t st = s.stride;
        r.a = s.base + soff + (idx / s.istride) * st * s.istride + (off / es) * es * s.istride +
              (idx % s.istride) * es + off % es;
        r.scratch = s.tid;
        r.lim     = ~0ull;
        r.off     = 0;
        if(!s.tid)
            r.whole_oob = idx >= s.nrec;
        return r;
    }
    uint64_t lin = off + (uint64_t)idx * s.stride;
    r.a          = s.base + soff + lin;
    if(target.generation <= gfx9)
    {
        r.off = lin + soff;
        r.lim = s.nrec;
    } // offset >= num_records - soffset, checked per dword
    else
    {
        uint32_t oob = s.w3 >> 28 & 3;
        r.off        = 0;
        r.lim        = ~0ull;
        if(oob == 0 || oob == 1)
        {
            r.whole_oob = idx >= s.nrec || (oob == 0 && s.stride && off + bytes > s.stride);
        }
        else if(oob == 2)
            r.whole_oob = s.nrec == 0;
        else
        { // raw: each dword of a plain load/store is checked on its own
            r.off = lin;
            r.lim = s.nrec;
            if(soff && lin + bytes <= s.nrec && lin + bytes + soff > s.nrec)
                warn_once(w,
                          inst,
                          "raw buffer access is in range only without soffset: hardware "
                          "generations differ on whether soffset takes part in the check");
        }
    }
    return r;
}
inline bool in_range(const BufferAddress& b, int i, int n)
{
    return !b.whole_oob && b.off + i + n <= b.lim;
}

inline void read_buffer(Wave& w,
                        const Instruction& inst,
                        int l,
                        const BufferAddress& b,
                        uint64_t a,
                        uint32_t n,
                        void* out)
{
    if(b.scratch)
    {
        uint64_t lo = (uint64_t)w.scratch, hi = lo + (uint64_t)w.scratch_per_lane * w.W;
        if(a < lo || a + n > hi)
            fault(w, inst, "scratch (buffer) access out of range", l, a);
        std::memcpy(out, (void*)a, n);
    }
    else
        read_memory<space_global>(w, inst, l, a, n, out);
}
inline void write_buffer(Wave& w,
                         const Instruction& inst,
                         int l,
                         const BufferAddress& b,
                         uint64_t a,
                         uint32_t n,
                         const void* in)
{
    if(b.scratch)
    {
        uint64_t lo = (uint64_t)w.scratch, hi = lo + (uint64_t)w.scratch_per_lane * w.W;
        if(a < lo || a + n > hi)
            fault(w, inst, "scratch (buffer) access out of range", l, a);
        std::memcpy((void*)a, in, n);
    }
    else
        write_memory<space_global>(w, inst, l, a, n, in);
}
// consecutive dwords of one lane lie istride*4 apart in swizzled scratch
inline uint64_t dword_address(const Descriptor& s, const BufferAddress& b, int i)
{
    return b.scratch || (s.swz && s.stride) ? b.a + (uint64_t)i * s.istride : b.a + i;
}

template <int W>
void buffer_load(Wave& w, const Instruction& inst)
{
    Descriptor s  = buffer_descriptor(w, inst.src[1]);
    uint32_t soff = read_scalar(w, inst.src[3]);
    uint64_t m    = active_lanes<W>(w);
    int n         = inst.memory.bytes;
    Format f      = (Format)inst.memory.format;
    uint32_t* d   = w.vgpr[inst.dst[0].reg];
    uint32_t lb   = lds_base_in_m0(w) + inst.offset;
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            BufferAddress b = buffer_address(w, inst, s, l, soff, n);
            uint32_t t[4]   = {0, 0, 0, 0};
            if(n < 4)
            {
                if(in_range(b, 0, n))
                    read_buffer(w, inst, l, b, b.a, n, t);
            }
            else if(!b.scratch && !s.swz && in_range(b, 0, n))
                read_buffer(w, inst, l, b, b.a, n, t);
            else
                for(int i = 0; i < n; i += 4)
                    if(in_range(b, i, 4))
                        read_buffer(w, inst, l, b, dword_address(s, b, i), 4, &t[i / 4]);
            if(inst.lds)
            {
                write_memory<space_lds>(w, inst, l, lb + l * (n < 4 ? 4 : n), n < 4 ? 4 : n, t);
                continue;
            }
            if(f != format_dw)
                write_small(d[l], f, t[0]);
            else
                for(int i = 0; i < n / 4; i++)
                    d[64 * i + l] = t[i];
        }
}
template <int W>
void buffer_store(Wave& w, const Instruction& inst)
{
    Descriptor s      = buffer_descriptor(w, inst.src[1]);
    uint32_t soff     = read_scalar(w, inst.src[3]);
    uint64_t m        = active_lanes<W>(w);
    int n             = inst.memory.bytes;
    Format f          = (Format)inst.memory.format;
    const uint32_t* d = w.vgpr[inst.src[2].reg];
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            BufferAddress b = buffer_address(w, inst, s, l, soff, n);
            if(n < 4)
            {
                uint32_t x = read_small(d[l], f);
                if(in_range(b, 0, n))
                    write_buffer(w, inst, l, b, b.a, n, &x);
            }
            else
                for(int i = 0; i < n; i += 4)
                    if(in_range(b, i, 4))
                        write_buffer(
                            w, inst, l, b, dword_address(s, b, i), 4, &d[64 * (i / 4) + l]);
        }
}
template <int W>
void buffer_atomic(Wave& w, const Instruction& inst)
{
    Descriptor s  = buffer_descriptor(w, inst.src[1]);
    uint32_t soff = read_scalar(w, inst.src[3]);
    uint64_t m    = active_lanes<W>(w);
    Atomic op     = (Atomic)inst.memory.atomic;
    bool q        = inst.memory.wide;
    int n         = q ? 8 : 4;
    uint32_t* d   = w.vgpr[inst.src[2].reg];
    std::lock_guard<std::mutex> g(atomics_mutex);
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            BufferAddress b = buffer_address(w, inst, s, l, soff, n);
            uint64_t o      = 0;
            uint64_t src = q ? (uint64_t)d[64 + l] << 32 | d[l] : d[l], cmp = 0;
            if(op == atomic_cmpswap)
                cmp = q ? (uint64_t)d[192 + l] << 32 | d[128 + l] : d[64 + l];
            if(in_range(b, 0, n))
            {
                read_buffer(w, inst, l, b, b.a, n, &o);
                uint64_t r = apply_atomic(op, q, o, src, cmp);
                write_buffer(w, inst, l, b, b.a, n, &r);
            }
            if(inst.ret)
            {
                d[l] = (uint32_t)o;
                if(q)
                    d[64 + l] = o >> 32;
            }
        }
}
} // namespace

Handler buffer_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o)
{
    if(!take(mnemonic, "buffer_"))
        return nullptr;
    FormatInfo format;
    if(take(mnemonic, "load_"))
    {
        if(take(mnemonic, "lds_"))
            inst.lds = true;
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
        inst.src[0] = o.at(i);
        inst.src[1] = o.at(i + 1);
        inst.src[3] = o.at(i + 2);
        inst.n_src  = 4;
        return wave == 64 ? buffer_load<64> : buffer_load<32>;
    }
    const bool store = take(mnemonic, "store_");
    if(store)
    {
        if(!parse_format(std::string(mnemonic), format))
            return refused;
        inst.memory.format = format.f;
        inst.memory.bytes  = format.bytes;
    }
    else
    {
        if(!take(mnemonic, "atomic_"))
            return nullptr;
        Atomic op;
        bool wide;
        if(!parse_atomic(std::string(mnemonic), op, wide))
            return refused;
        inst.memory.atomic = op;
        inst.memory.wide   = wide;
        inst.ret           = inst.glc;
        if(inst.ret)
        {
            inst.dst[0] = o.at(0);
            inst.n_dst  = 1;
        }
    }
    inst.src[2] = o.at(0);
    inst.src[0] = o.at(1);
    inst.src[1] = o.at(2);
    inst.src[3] = o.at(3);
    inst.n_src  = 4;
    if(store)
        return wave == 64 ? buffer_store<64> : buffer_store<32>;
    return wave == 64 ? buffer_atomic<64> : buffer_atomic<32>;
}

} // namespace emu
