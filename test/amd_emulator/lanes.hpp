// Operands of all lanes of a wave: fetched with an instruction's modifiers, and stored.
#pragma once

#include "number_formats.hpp"
#include "target.hpp"
#include "wave.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include <cstring>

namespace emu {
template <class T, int W>
struct alignas(64) Lanes
{
    T a[W];
};
template <int W>
inline uint64_t all_lanes()
{
    return W == 64 ? ~0ull : 0xffffffffull;
}
template <int W>
inline uint64_t active_lanes(const Wave& w)
{
    return W == 64 ? w.sgpr64(reg_exec) : w.sgpr[reg_exec];
}
// scalar constant as bits for an operand of type T
template <class T>
inline uint64_t constant_bits(const Operand& o)
{
    if(o.flt)
    {
        if constexpr(std::is_same_v<T, double>)
            return as_bits(o.f);
        else if constexpr(sizeof(T) == 2)
            return as_bits((half)o.f);
        else if constexpr(sizeof(T) == 8)
            return as_bits(o.f);
        else
            return as_bits((float)o.f);
    }
    if constexpr(std::is_same_v<T, double>)
    {
        if(o.lit)
            return (uint64_t)o.imm << 32;
    }
    if constexpr(std::is_same_v<T, int64_t>)
    {
        if(o.lit)
            return (uint64_t)(int64_t)(int32_t)o.imm;
    }
    return (uint64_t)o.imm;
}

inline uint32_t read_scalar(const Wave& w, const Operand& o)
{
    switch(o.kind)
    {
    case Kind::scalar:
        return o.reg == reg_null ? 0 : w.sgpr[o.reg];
    case Kind::scc:
        return w.scc;
    case Kind::vccz:
        return w.vcc() == 0;
    case Kind::execz:
        return w.exec() == 0;
    case Kind::constant:
        return (uint32_t)constant_bits<float>(o);
    default:
        return 0;
    }
}
template <class T = uint64_t>
inline uint64_t read_scalar64(const Wave& w, const Operand& o)
{
    if(o.kind == Kind::scalar)
        return o.reg == reg_null ? 0 : w.sgpr64(o.reg);
    if(o.kind == Kind::constant)
        return constant_bits<T>(o);
    return read_scalar(w, o);
}

void dpp_map(
    Wave& w, const Instruction& inst, int W, uint8_t* src, uint64_t& valid, uint64_t& enable);

template <int W>
inline uint64_t write_mask(Wave& w, const Instruction& inst)
{
    uint64_t e = active_lanes<W>(w);
    if(__builtin_expect(inst.dpp, 0))
    {
        uint8_t m[64];
        uint64_t va, en;
        dpp_map(w, inst, W, m, va, en);
        e &= en;
        if(!inst.dpp_bc)
            e &= va;
    }
    return e;
}

template <int W, class T = uint32_t>
inline const uint32_t* read_dwords(Wave& w, const Instruction& inst, int k, uint32_t* t)
{
    const Operand& o = inst.src[k];
    const uint32_t* p;
    if(o.kind == Kind::vector)
    {
        int r = o.reg;
        if(__builtin_expect(w.gpr_index_mode, 0) && (w.gpr_index_mode >> k & 1))
            r += w.sgpr[reg_m0] & 0xff;
        p = w.vgpr[r];
    }
    else
    {
        uint32_t x = o.kind == Kind::constant ? (uint32_t)constant_bits<T>(o) : read_scalar(w, o);
        for(int l = 0; l < W; l++)
            t[l] = x;
        p = t;
    }
    if(__builtin_expect(inst.dpp && k == 0, 0))
    {
        uint8_t m[64];
        uint64_t va, en;
        dpp_map(w, inst, W, m, va, en);
        Lanes<uint32_t, W> u;
        for(int l = 0; l < W; l++)
            u.a[l] = (va >> l & 1) ? p[m[l]] : 0;
        std::memcpy(t, u.a, sizeof(u.a));
        p = t;
    }
    if(__builtin_expect(inst.sdwa && k < 2, 0))
    {
        Lanes<uint32_t, W> u;
        for(int l = 0; l < W; l++)
        {
            uint32_t x = p[l];
            switch(inst.ssel[k])
            {
            case sel_b0:
            case sel_b1:
            case sel_b2:
            case sel_b3:
                x = x >> (8 * inst.ssel[k]) & 0xff;
                if(o.sext)
                    x = (int32_t)(int8_t)x;
                break;
            case sel_w0:
                x &= 0xffff;
                if(o.sext)
                    x = (int32_t)(int16_t)x;
                break;
            case sel_w1:
                x >>= 16;
                if(o.sext)
                    x = (int32_t)(int16_t)x;
                break;
            default:
                break;
            }
            u.a[l] = x;
        }
        std::memcpy(t, u.a, sizeof(u.a));
        p = t;
    }
    return p;
}

template <int W, class T>
inline void fetch(Wave& w, const Instruction& inst, int k, T* out)
{
    const Operand& o = inst.src[k];
    if constexpr(sizeof(T) == 4)
    {
        Lanes<uint32_t, W> t;
        const uint32_t* p = read_dwords<W, T>(w, inst, k, t.a);
        if constexpr(is_float<T>::v)
        {
            if(o.abs || o.neg)
            {
                uint32_t am = o.abs ? 0x7fffffffu : ~0u, nm = o.neg ? 0x80000000u : 0;
                for(int l = 0; l < W; l++)
                    t.a[l] = (p[l] & am) ^ nm;
                p = t.a;
            }
        }
        std::memcpy(out, p, 4 * W);
    }
    else if constexpr(sizeof(T) == 8)
    {
        Lanes<uint64_t, W> q;
        if(o.kind == Kind::vector)
        {
            Lanes<uint32_t, W> t;
            Instruction J; // used only with dpp
            const uint32_t* p = read_dwords<W>(w, inst, k, t.a);
            const uint32_t* ph;
            Lanes<uint32_t, W> t2;
            if(__builtin_expect(inst.dpp && k == 0, 0))
            {
                J = inst;
                J.src[k].reg++;
                ph = read_dwords<W>(w, J, k, t2.a);
            }
            else
                ph = p + 64;
            for(int l = 0; l < W; l++)
                q.a[l] = (uint64_t)ph[l] << 32 | p[l];
        }
        else
        {
            uint64_t x = read_scalar64<T>(w, o);
            for(int l = 0; l < W; l++)
                q.a[l] = x;
        }
        if constexpr(is_float<T>::v)
        {
            uint64_t am = o.abs ? ~(1ull << 63) : ~0ull, nm = o.neg ? 1ull << 63 : 0;
            if(o.abs || o.neg)
                for(int l = 0; l < W; l++)
                    q.a[l] = (q.a[l] & am) ^ nm;
        }
        std::memcpy(out, q.a, 8 * W);
    }
    else
    {
        static_assert(sizeof(T) == 2);
        Lanes<uint32_t, W> t;
        const uint32_t* p = read_dwords<W, T>(w, inst, k, t.a);
        Lanes<uint16_t, W> u;
        if(inst.op_sel >> k & 1)
            for(int l = 0; l < W; l++)
                u.a[l] = p[l] >> 16;
        else
            for(int l = 0; l < W; l++)
                u.a[l] = (uint16_t)p[l];
        if constexpr(is_float<T>::v)
        {
            uint16_t am = o.abs ? 0x7fff : 0xffff, nm = o.neg ? 0x8000 : 0;
            if(o.abs || o.neg)
                for(int l = 0; l < W; l++)
                    u.a[l] = (u.a[l] & am) ^ nm;
        }
        std::memcpy(out, u.a, 2 * W);
    }
}

template <int W>
inline void write_masked(uint32_t* dst, const uint32_t* v, uint64_t m)
{
#if defined(__AVX512F__)
    for(int i = 0; i < W / 16; i++)
        _mm512_mask_storeu_epi32(
            dst + 16 * i, (__mmask16)(m >> (16 * i)), _mm512_loadu_si512(v + 16 * i));
#else
    if(m == all_lanes<W>())
    {
        std::memcpy(dst, v, 4 * W);
        return;
    }
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
            dst[l] = v[l];
#endif
}

inline int destination(Wave& w, const Instruction& inst)
{
    int r = inst.dst[0].reg;
    if(__builtin_expect(w.gpr_index_mode, 0) && (w.gpr_index_mode & 8))
        r += w.sgpr[reg_m0] & 0xff;
    return r;
}

template <class D>
inline D output_modifiers(const Instruction& inst, D x)
{
    if constexpr(is_float<D>::v)
    {
        if(inst.omod == 1)
            x = x * (D)2;
        else if(inst.omod == 2)
            x = x * (D)4;
        else if(inst.omod == 3)
            x = x * (D)0.5f;
        if(inst.clamp)
        {
            x = x > (D)0 ? x : (D)0;
            x = x < (D)1 ? x : (D)1;
        }
    }
    return x;
}

template <int W>
inline void store_sdwa(Wave& w, const Instruction& inst, const uint32_t* v, uint64_t m)
{
    uint32_t* dst = w.vgpr[inst.dst[0].reg];
    int sh, wd;
    switch(inst.dst_sel)
    {
    case sel_w0:
        sh = 0;
        wd = 16;
        break;
    case sel_w1:
        sh = 16;
        wd = 16;
        break;
    case sel_dw:
        sh = 0;
        wd = 32;
        break;
    default:
        sh = 8 * inst.dst_sel;
        wd = 8;
    }
    uint32_t mk = wd == 32 ? ~0u : ((1u << wd) - 1) << sh;
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
        {
            uint32_t x = wd == 32 ? v[l] : (v[l] << sh) & mk, old = dst[l];
            if(wd != 32)
            {
                if(inst.dst_unused == 2)
                    x |= old & ~mk;
                else if(inst.dst_unused == 1)
                {
                    if(x >> (sh + wd - 1) & 1)
                        x |= ~((mk) | ((1u << sh) - 1));
                }
            }
            dst[l] = x;
        }
}

template <int W, class D>
inline void store(Wave& w, const Instruction& inst, D* d)
{
    if constexpr(is_float<D>::v)
    {
        if(inst.omod || inst.clamp)
            for(int l = 0; l < W; l++)
                d[l] = output_modifiers(inst, d[l]);
    }
    uint64_t m = write_mask<W>(w, inst);
    int r      = destination(w, inst);
    if constexpr(sizeof(D) == 4)
    {
        if(__builtin_expect(inst.sdwa, 0))
        {
            store_sdwa<W>(w, inst, (const uint32_t*)d, m);
            return;
        }
        write_masked<W>(w.vgpr[r], (const uint32_t*)d, m);
    }
    else if constexpr(sizeof(D) == 8)
    {
        Lanes<uint32_t, W> lo, hi;
        const uint64_t* q = (const uint64_t*)d;
        for(int l = 0; l < W; l++)
        {
            lo.a[l] = (uint32_t)q[l];
            hi.a[l] = (uint32_t)(q[l] >> 32);
        }
        write_masked<W>(w.vgpr[r], lo.a, m);
        write_masked<W>(w.vgpr[r + 1], hi.a, m);
    }
    else
    {
        static_assert(sizeof(D) == 2);
        const uint16_t* q = (const uint16_t*)d;
        Lanes<uint32_t, W> t;
        if(__builtin_expect(inst.sdwa, 0))
        {
            for(int l = 0; l < W; l++)
                t.a[l] = q[l];
            store_sdwa<W>(w, inst, t.a, m);
            return;
        }
        const uint32_t* o = w.vgpr[r];
        if(inst.op_sel & 8)
            for(int l = 0; l < W; l++)
                t.a[l] = (o[l] & 0xffff) | (uint32_t)q[l] << 16;
        else if(inst.p16)
            for(int l = 0; l < W; l++)
                t.a[l] = (o[l] & 0xffff0000u) | q[l];
        else
            for(int l = 0; l < W; l++)
                t.a[l] = q[l];
        write_masked<W>(w.vgpr[r], t.a, m);
    }
}
} // namespace emu
