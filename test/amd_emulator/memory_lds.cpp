// Instructions of LDS, and those that cross lanes through its crossbar.

#include "handlers.hpp"
#include "lanes.hpp"
#include "memory_atomics.hpp"

namespace emu {
namespace {
template <int W>
void lds_read(Wave& w, const Instruction& inst)
{
    uint64_t m  = active_lanes<W>(w);
    int n       = inst.memory.bytes;
    Format f    = (Format)inst.memory.format;
    uint32_t* d = w.vgpr[inst.dst[0].reg];
    Lanes<uint32_t, W> ad;
    std::memcpy(ad.a, w.vgpr[inst.src[0].reg], 4 * W);
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            uint32_t t[4] = {0, 0, 0, 0};
            read_memory<space_lds>(w, inst, l, (uint32_t)(ad.a[l] + inst.offset), n, t);
            if(f != format_dw)
                write_small(d[l], f, t[0]);
            else
                for(int i = 0; i < n / 4; i++)
                    d[64 * i + l] = t[i];
        }
}
/// gfx950's ds_read_b64_tr_b16: of 16 lanes, four read each line; lane l gets elements l of the
/// four lines (CDNA4 ISA 11.4). Lanes that are not active bring zeros.
void lds_read_transposed(Wave& w, const Instruction& inst)
{
    const uint64_t m         = active_lanes<64>(w);
    uint32_t* const d        = w.vgpr[inst.dst[0].reg];
    const uint32_t* const at = w.vgpr[inst.src[0].reg];
    uint16_t read[64][4]     = {};
    for(int l = 0; l < 64; l++)
        if(m >> l & 1)
            read_memory<space_lds>(w, inst, l, (uint32_t)(at[l] + inst.offset), 8, read[l]);
    for(int l = 0; l < 64; l++)
        if(m >> l & 1)
            for(int word = 0; word < 2; word++)
            {
                const auto element = [&](int line) {
                    return (uint32_t)read[l / 16 * 16 + 4 * line + l % 16 / 4][l % 4];
                };
                d[64 * word + l] = element(2 * word + 1) << 16 | element(2 * word);
            }
}
template <int W>
void lds_write(Wave& w, const Instruction& inst)
{
    uint64_t m        = active_lanes<W>(w);
    int n             = inst.memory.bytes;
    Format f          = (Format)inst.memory.format;
    const uint32_t *d = w.vgpr[inst.src[2].reg], *ad = w.vgpr[inst.src[0].reg];
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            uint32_t t[4];
            if(f != format_dw)
                t[0] = read_small(d[l], f);
            else
                for(int i = 0; i < n / 4; i++)
                    t[i] = d[64 * i + l];
            write_memory<space_lds>(w, inst, l, (uint32_t)(ad[l] + inst.offset), n, t);
        }
}
template <int W>
void lds_read2(Wave& w, const Instruction& inst)
{ // aux1 element bytes, aux4 stride multiplier
    uint64_t m = active_lanes<W>(w);
    int n = inst.memory.bytes, st = inst.memory.stride;
    uint32_t* d = w.vgpr[inst.dst[0].reg];
    Lanes<uint32_t, W> ad;
    std::memcpy(ad.a, w.vgpr[inst.src[0].reg], 4 * W);
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            uint32_t t[4];
            read_memory<space_lds>(w, inst, l, (uint32_t)(ad.a[l] + inst.offset0 * st), n, t);
            read_memory<space_lds>(
                w, inst, l, (uint32_t)(ad.a[l] + inst.offset1 * st), n, t + n / 4);
            for(int i = 0; i < n / 2; i++)
                d[64 * i + l] = t[i];
        }
}
template <int W>
void lds_write2(Wave& w, const Instruction& inst)
{
    uint64_t m = active_lanes<W>(w);
    int n = inst.memory.bytes, st = inst.memory.stride;
    const uint32_t *a = w.vgpr[inst.src[0].reg], *x = w.vgpr[inst.src[2].reg],
                   *y = w.vgpr[inst.src[3].reg];
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            uint32_t t[2] = {x[l], n == 8 ? x[64 + l] : 0}, u[2] = {y[l], n == 8 ? y[64 + l] : 0};
            write_memory<space_lds>(w, inst, l, (uint32_t)(a[l] + inst.offset0 * st), n, t);
            write_memory<space_lds>(w, inst, l, (uint32_t)(a[l] + inst.offset1 * st), n, u);
        }
}
template <int W>
void lds_atomic(Wave& w, const Instruction& inst)
{
    uint64_t m        = active_lanes<W>(w);
    Atomic op         = (Atomic)inst.memory.atomic;
    bool q            = inst.memory.wide;
    const uint32_t *a = w.vgpr[inst.src[0].reg], *x = w.vgpr[inst.src[2].reg];
    Lanes<uint32_t, W> lo, hi;
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            uint64_t src = q ? (uint64_t)x[64 + l] << 32 | x[l] : x[l], cmp = 0;
            if(op == atomic_cmpswap)
            {
                const uint32_t* y = w.vgpr[inst.src[3].reg];
                uint64_t z        = q ? (uint64_t)y[64 + l] << 32 | y[l] : y[l];
                if(inst.memory.variant)
                    cmp = z;
                else
                {
                    cmp = src;
                    src = z;
                }
            }
            uint64_t o = atomic_of_lane<space_lds>(
                w, inst, l, (uint32_t)(a[l] + inst.offset), op, q, src, cmp);
            lo.a[l] = (uint32_t)o;
            hi.a[l] = o >> 32;
        }
    if(inst.ret)
    {
        write_masked<W>(w.vgpr[inst.dst[0].reg], lo.a, m);
        if(q)
            write_masked<W>(w.vgpr[inst.dst[0].reg + 1], hi.a, m);
    }
}
template <int W>
void lds_permute(Wave& w, const Instruction& inst)
{ // aux4: 0 bpermute, 1 permute
    uint64_t m = active_lanes<W>(w);
    Lanes<uint32_t, W> r;
    const uint32_t *a = w.vgpr[inst.src[0].reg], *x = w.vgpr[inst.src[2].reg];
    for(int l = 0; l < W; l++)
        r.a[l] = 0;
    if(inst.memory.variant)
    {
        for(int l = 0; l < W; l++)
            if(m >> l & 1)
                r.a[(a[l] + inst.offset) / 4 % W] = x[l];
    }
    else
        for(int l = 0; l < W; l++)
        {
            int s = (a[l] + inst.offset) / 4 % W;
            if(target.generation >= gfx10 && W == 64)
                s = (s & 31) | (l & 32);
            r.a[l] = (m >> s & 1) || inst.memory.whole ? x[s] : 0;
        }
    write_masked<W>(w.vgpr[inst.dst[0].reg], r.a, m);
}
template <int W>
void lds_swizzle(Wave& w, const Instruction& inst)
{
    uint64_t m = active_lanes<W>(w);
    Lanes<uint32_t, W> r;
    const uint32_t* x = w.vgpr[inst.src[0].reg];
    uint32_t o        = inst.raw[0] & 0xffff;
    for(int l = 0; l < W; l++)
    {
        int s;
        if((o & 0xe000) == 0xe000 && target.generation >= gfx9)
        {
            s = l;
        } // FFT: not modelled
        else if((o & 0xe000) == 0xc000)
        {
            int rot = o >> 5 & 31, mk = o & 31, k = l & 31;
            s = (l & 32) | (k & mk) | ((((o >> 10 & 1) ? k - rot : k + rot)) & ~mk & 31);
        }
        else if(o & 0x8000)
            s = (l & ~3) | (o >> (2 * (l & 3)) & 3);
        else
        {
            int k = l & 31;
            s     = (l & 32) | ((((k & (o & 31)) | (o >> 5 & 31)) ^ (o >> 10 & 31)) & 31);
        }
        r.a[l] = (m >> s & 1) ? x[s] : 0;
    }
    write_masked<W>(w.vgpr[inst.dst[0].reg], r.a, m);
}
template <int W>
void lds_add_lane(Wave& w, const Instruction& inst)
{
    uint64_t m = active_lanes<W>(w);
    uint32_t b = lds_base_in_m0(w) + inst.offset;
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            if(inst.memory.variant)
                write_memory<space_lds>(w, inst, l, b + 4 * l, 4, &w.vgpr[inst.src[2].reg][l]);
            else
                read_memory<space_lds>(w, inst, l, b + 4 * l, 4, &w.vgpr[inst.dst[0].reg][l]);
        }
}
} // namespace

namespace {
Handler permute_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o)
{
    inst.dst[0] = o.at(0);
    inst.n_dst  = 1;
    inst.src[0] = o.at(1);
    inst.n_src  = 1;
    if(mnemonic == "swizzle_b32")
        return wave == 64 ? lds_swizzle<64> : lds_swizzle<32>;
    inst.src[2]         = o.at(2);
    inst.n_src          = 3;
    inst.memory.variant = mnemonic == "permute_b32";
    inst.memory.whole   = mnemonic == "bpermute_fi_b32";
    return wave == 64 ? lds_permute<64> : lds_permute<32>;
}

Handler
lds_atomic_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o)
{
    std::string name(mnemonic);
    const auto returns = name.find("_rtn_");
    if(returns != std::string::npos)
        name.erase(returns, 4);
    Atomic op;
    bool wide;
    if(!parse_atomic(name, op, wide))
        return refused;
    inst.memory.atomic  = op;
    inst.memory.wide    = wide;
    inst.memory.variant = name.starts_with("cmpstore"); // the value comes before what is compared
    inst.ret            = returns != std::string::npos;
    size_t i            = 0;
    if(inst.ret)
    {
        inst.dst[0] = o.at(i++);
        inst.n_dst  = 1;
    }
    inst.src[0] = o.at(i);
    inst.src[2] = o.at(i + 1);
    if(o.size() > i + 2)
        inst.src[3] = o[i + 2];
    inst.n_src = 4;
    return wave == 64 ? lds_atomic<64> : lds_atomic<32>;
}
} // namespace

Handler lds_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o)
{
    if(!take(mnemonic, "ds_") || mnemonic == "nop")
        return nullptr;
    if(mnemonic == "bpermute_b32" || mnemonic == "permute_b32" || mnemonic == "bpermute_fi_b32" ||
       mnemonic == "swizzle_b32")
        return permute_handler(inst, mnemonic, wave, o);
    if(mnemonic == "read_addtid_b32" || mnemonic == "load_addtid_b32")
    {
        inst.dst[0] = o.at(0);
        inst.n_dst  = 1;
        return wave == 64 ? lds_add_lane<64> : lds_add_lane<32>;
    }
    if(mnemonic == "write_addtid_b32" || mnemonic == "store_addtid_b32")
    {
        inst.src[2]         = o.at(0);
        inst.n_src          = 3;
        inst.memory.variant = 1;
        return wave == 64 ? lds_add_lane<64> : lds_add_lane<32>;
    }
    if(mnemonic == "read_b64_tr_b16")
    {
        inst.dst[0] = o.at(0);
        inst.n_dst  = 1;
        inst.src[0] = o.at(1);
        inst.n_src  = 1;
        return lds_read_transposed;
    }
    const bool read_64  = take(mnemonic, "read2st64_") || take(mnemonic, "load_2addr_stride64_");
    const bool write_64 = take(mnemonic, "write2st64_") || take(mnemonic, "store_2addr_stride64_");
    const bool read_2   = read_64 || take(mnemonic, "read2_") || take(mnemonic, "load_2addr_");
    const bool write_2  = write_64 || take(mnemonic, "write2_") || take(mnemonic, "store_2addr_");
    const bool read     = read_2 || take(mnemonic, "read_") || take(mnemonic, "load_");
    const bool write    = write_2 || take(mnemonic, "write_") || take(mnemonic, "store_");
    if(!read && !write)
        return lds_atomic_handler(inst, mnemonic, wave, o);
    FormatInfo format;
    if(!parse_format(std::string(mnemonic), format))
        return refused;
    inst.memory.format = format.f;
    inst.memory.bytes  = format.bytes;
    inst.memory.stride = format.bytes * (read_64 || write_64 ? 64 : 1);
    if(read)
    {
        inst.dst[0] = o.at(0);
        inst.n_dst  = 1;
        inst.src[0] = o.at(1);
        inst.n_src  = 1;
        if(read_2)
            return wave == 64 ? lds_read2<64> : lds_read2<32>;
        return wave == 64 ? lds_read<64> : lds_read<32>;
    }
    inst.src[0] = o.at(0);
    inst.src[2] = o.at(1);
    inst.n_src  = 3;
    if(write_2)
    {
        inst.src[3] = o.at(2);
        inst.n_src  = 4;
        return wave == 64 ? lds_write2<64> : lds_write2<32>;
    }
    return wave == 64 ? lds_write<64> : lds_write<32>;
}

} // namespace emu
