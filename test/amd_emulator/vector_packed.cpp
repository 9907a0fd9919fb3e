// Vector instructions of two halves or two floats, and those that mix halves and floats.

#include "handlers.hpp"
#include "vector_operation.hpp"
#include <algorithm>
#include <cmath>
#include <tuple>

namespace emu {
// packed 16-bit: element h of source k, honouring op_sel / op_sel_hi / neg_lo / neg_hi
template <int W, class T>
static inline void fetch_packed(Wave& w, const Instruction& inst, int k, T* lo, T* hi)
{
    Lanes<uint32_t, W> t;
    const uint32_t* p = read_dwords<W, std::conditional_t<is_float<T>::v, T, float>>(
        w, inst, k, t.a); // integer packed ops take 32-bit float inline constants
    bool sl = inst.op_sel >> k & 1, shh = inst.op_sel_hi >> k & 1;
    Lanes<uint16_t, W> a, b;
    for(int l = 0; l < W; l++)
    {
        a.a[l] = sl ? p[l] >> 16 : p[l];
        b.a[l] = shh ? p[l] >> 16 : p[l];
    }
    if constexpr(is_float<T>::v)
    {
        if(inst.neg_lo >> k & 1)
            for(int l = 0; l < W; l++)
                a.a[l] ^= 0x8000;
        if(inst.neg_hi >> k & 1)
            for(int l = 0; l < W; l++)
                b.a[l] ^= 0x8000;
    }
    std::memcpy(lo, a.a, 2 * W);
    std::memcpy(hi, b.a, 2 * W);
}
template <int W, class F, class D, class... S>
struct Packed
{
    template <size_t... Is>
    static void go(Wave& w, const Instruction& inst, std::index_sequence<Is...>)
    {
        std::tuple<std::pair<Lanes<S, W>, Lanes<S, W>>...> t;
        (fetch_packed<W, S>(w, inst, (int)Is, std::get<Is>(t).first.a, std::get<Is>(t).second.a),
         ...);
        Lanes<uint32_t, W> r;
        for(int l = 0; l < W; l++)
        {
            D a = output_modifiers<D>(inst, (D)F{}(std::get<Is>(t).first.a[l]...)),
              b = output_modifiers<D>(inst, (D)F{}(std::get<Is>(t).second.a[l]...));
            uint16_t x, y;
            std::memcpy(&x, &a, 2);
            std::memcpy(&y, &b, 2);
            r.a[l] = (uint32_t)x | (uint32_t)y << 16;
        }
        write_masked<W>(w.vgpr[inst.dst[0].reg], r.a, write_mask<W>(w, inst));
    }
    static void run(Wave& w, const Instruction& inst)
    {
        go(w, inst, std::index_sequence_for<S...>{});
    }
};
template <class D, class... S, class F>
static void packed_op(const char* n, F, bool mac = false)
{
    add(n, 1, &Packed<32, F, D, S...>::run, &Packed<64, F, D, S...>::run, mac);
}

// packed f32 (gfx90a+)
template <int W>
static inline void fetch_packed_f32(Wave& w, const Instruction& inst, int k, float* lo, float* hi)
{
    const Operand& o = inst.src[k];
    const uint32_t *p0, *p1;
    Lanes<uint32_t, W> t0, t1;
    if(o.kind == Kind::vector)
    {
        p0 = w.vgpr[o.reg];
        p1 = w.vgpr[o.reg + 1];
    }
    else if(o.kind == Kind::scalar && o.n == 2)
    {
        uint32_t a = w.sgpr[o.reg], b = w.sgpr[o.reg + 1];
        for(int l = 0; l < W; l++)
        {
            t0.a[l] = a;
            t1.a[l] = b;
        }
        p0 = t0.a;
        p1 = t1.a;
    }
    else
    {
        uint32_t a = read_scalar(w, o);
        for(int l = 0; l < W; l++)
            t0.a[l] = a;
        p0 = p1 = t0.a;
    }
    const uint32_t* x = (inst.op_sel >> k & 1) ? p1 : p0;
    const uint32_t* y = (inst.op_sel_hi >> k & 1) ? p1 : p0;
    uint32_t nl       = (inst.neg_lo >> k & 1) ? 0x80000000u : 0,
             nh       = (inst.neg_hi >> k & 1) ? 0x80000000u : 0;
    for(int l = 0; l < W; l++)
    {
        lo[l] = as_f32(x[l] ^ nl);
        hi[l] = as_f32(y[l] ^ nh);
    }
}
template <int W, int OP>
static void packed_f32(Wave& w, const Instruction& inst)
{
    Lanes<float, W> a0, a1, b0, b1, c0, c1, r0, r1;
    fetch_packed_f32<W>(w, inst, 0, a0.a, a1.a);
    fetch_packed_f32<W>(w, inst, 1, b0.a, b1.a);
    if(OP == 2)
        fetch_packed_f32<W>(w, inst, 2, c0.a, c1.a);
    for(int l = 0; l < W; l++)
    {
        if(OP == 0)
        {
            r0.a[l] = a0.a[l] + b0.a[l];
            r1.a[l] = a1.a[l] + b1.a[l];
        }
        else if(OP == 1)
        {
            r0.a[l] = a0.a[l] * b0.a[l];
            r1.a[l] = a1.a[l] * b1.a[l];
        }
        else if(OP == 2)
        {
            r0.a[l] = fma_f32(a0.a[l], b0.a[l], c0.a[l]);
            r1.a[l] = fma_f32(a1.a[l], b1.a[l], c1.a[l]);
        }
        else
        {
            r0.a[l] = a0.a[l];
            r1.a[l] = b1.a[l];
        }
    }
    if(OP == 3)
    { // v_pk_mov_b32: D.lo = S0[op_sel[0]], D.hi = Scalar1[op_sel[1]]
        Instruction J = inst;
        J.op_sel_hi   = inst.op_sel;
        J.neg_lo = J.neg_hi = 0;
        fetch_packed_f32<W>(w, J, 0, r0.a, a1.a);
        fetch_packed_f32<W>(w, J, 1, r1.a, b1.a);
    }
    if(inst.clamp)
        for(int l = 0; l < W; l++)
        {
            r0.a[l] = std::min(1.f, std::max(0.f, r0.a[l]));
            r1.a[l] = std::min(1.f, std::max(0.f, r1.a[l]));
        }
    uint64_t m = write_mask<W>(w, inst);
    write_masked<W>(w.vgpr[inst.dst[0].reg], (uint32_t*)r0.a, m);
    write_masked<W>(w.vgpr[inst.dst[0].reg + 1], (uint32_t*)r1.a, m);
}

// v_fma_mix: op_sel_hi[k] = source is f16 (half chosen by op_sel[k]), otherwise f32; neg_hi acts as
// abs
template <int W>
static inline void fetch_mixed(Wave& w, const Instruction& inst, int k, float* o)
{
    Lanes<uint32_t, W> t;
    bool h = inst.op_sel_hi >> k & 1;
    const uint32_t* p =
        h ? read_dwords<W, half>(w, inst, k, t.a) : read_dwords<W, float>(w, inst, k, t.a);
    bool hi = inst.op_sel >> k & 1;
    bool ab = inst.src[k].abs || (inst.neg_hi >> k & 1),
         ng = inst.src[k].neg || (inst.neg_lo >> k & 1);
    for(int l = 0; l < W; l++)
    {
        float x = h ? (float)as_f16((uint16_t)(hi ? p[l] >> 16 : p[l])) : as_f32(p[l]);
        if(ab)
            x = std::fabs(x);
        if(ng)
            x = -x;
        o[l] = x;
    }
}
template <int W, int DST>
static void fma_mix(Wave& w, const Instruction& inst)
{ // DST 0 f32, 1 lo, 2 hi
    Lanes<float, W> a, b, c;
    fetch_mixed<W>(w, inst, 0, a.a);
    fetch_mixed<W>(w, inst, 1, b.a);
    fetch_mixed<W>(w, inst, 2, c.a);
    Lanes<uint32_t, W> r;
    const uint32_t* old = w.vgpr[inst.dst[0].reg];
    for(int l = 0; l < W; l++)
    {
        float x = fma_f32(a.a[l], b.a[l], c.a[l]);
        if(inst.clamp)
            x = std::min(1.f, std::max(0.f, x));
        if(DST == 0)
            r.a[l] = as_bits(x);
        else if(DST == 1)
            r.a[l] = (old[l] & 0xffff0000u) | as_bits((half)x);
        else
            r.a[l] = (old[l] & 0xffff) | (uint32_t)as_bits((half)x) << 16;
    }
    write_masked<W>(w.vgpr[inst.dst[0].reg], r.a, write_mask<W>(w, inst));
}
void register_vector_packed()
{
    // packed
    packed_op<half, half, half>("v_pk_add_f16", [](half a, half b) { return a + b; });
    packed_op<half, half, half>("v_pk_mul_f16", [](half a, half b) { return a * b; });
    packed_op<half, half, half, half>("v_pk_fma_f16",
                                      [](half a, half b, half c) { return fma_f16(a, b, c); });
    packed_op<half, half, half, half>(
        "v_pk_fmac_f16", [](half a, half b, half c) { return fma_f16(a, b, c); }, true);
    packed_op<half, half, half>("v_pk_min_f16", [](half a, half b) { return min_number(a, b); });
    packed_op<half, half, half>("v_pk_max_f16", [](half a, half b) { return max_number(a, b); });
    alias("v_pk_min_num_f16", "v_pk_min_f16");
    alias("v_pk_max_num_f16", "v_pk_max_f16");
    packed_op<uint16_t, uint16_t, uint16_t>(
        "v_pk_add_u16", [](uint16_t a, uint16_t b) { return (uint16_t)(a + b); });
    alias("v_pk_add_i16", "v_pk_add_u16");
    packed_op<uint16_t, uint16_t, uint16_t>(
        "v_pk_sub_u16", [](uint16_t a, uint16_t b) { return (uint16_t)(a - b); });
    alias("v_pk_sub_i16", "v_pk_sub_u16");
    packed_op<uint16_t, uint16_t, uint16_t>(
        "v_pk_mul_lo_u16", [](uint16_t a, uint16_t b) { return (uint16_t)((uint32_t)a * b); });
    packed_op<uint16_t, uint16_t, uint16_t, uint16_t>(
        "v_pk_mad_u16",
        [](uint16_t a, uint16_t b, uint16_t c) { return (uint16_t)((uint32_t)a * b + c); });
    alias("v_pk_mad_i16", "v_pk_mad_u16");
    packed_op<uint16_t, uint16_t, uint16_t>(
        "v_pk_lshlrev_b16", [](uint16_t a, uint16_t b) { return (uint16_t)(b << (a & 15)); });
    packed_op<uint16_t, uint16_t, uint16_t>(
        "v_pk_lshrrev_b16", [](uint16_t a, uint16_t b) { return (uint16_t)(b >> (a & 15)); });
    packed_op<int16_t, int16_t, int16_t>(
        "v_pk_ashrrev_i16", [](int16_t a, int16_t b) { return (int16_t)(b >> (a & 15)); });
    packed_op<uint16_t, uint16_t, uint16_t>("v_pk_min_u16",
                                            [](uint16_t a, uint16_t b) { return std::min(a, b); });
    packed_op<uint16_t, uint16_t, uint16_t>("v_pk_max_u16",
                                            [](uint16_t a, uint16_t b) { return std::max(a, b); });
    packed_op<int16_t, int16_t, int16_t>("v_pk_min_i16",
                                         [](int16_t a, int16_t b) { return std::min(a, b); });
    packed_op<int16_t, int16_t, int16_t>("v_pk_max_i16",
                                         [](int16_t a, int16_t b) { return std::max(a, b); });
    add("v_pk_add_f32", 1, packed_f32<32, 0>, packed_f32<64, 0>);
    add("v_pk_mul_f32", 1, packed_f32<32, 1>, packed_f32<64, 1>);
    add("v_pk_fma_f32", 1, packed_f32<32, 2>, packed_f32<64, 2>);
    add("v_pk_mov_b32", 1, packed_f32<32, 3>, packed_f32<64, 3>);
    add("v_fma_mix_f32", 1, fma_mix<32, 0>, fma_mix<64, 0>);
    add("v_fma_mixlo_f16", 1, fma_mix<32, 1>, fma_mix<64, 1>);
    add("v_fma_mixhi_f16", 1, fma_mix<32, 2>, fma_mix<64, 2>);
    alias("v_mad_mix_f32", "v_fma_mix_f32");
    alias("v_mad_mixlo_f16", "v_fma_mixlo_f16");
    alias("v_mad_mixhi_f16", "v_fma_mixhi_f16");
}
} // namespace emu
