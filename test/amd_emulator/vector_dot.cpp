// Dot products of the halves, bytes or nibbles of a register.

#include "eight_bit_floats.hpp"
#include "handlers.hpp"
#include "vector_operation.hpp"
#include <algorithm>
#include <cstring>

namespace emu {
// dot products
template <int W, class F>
struct Dot
{ // F(a, b, c, clamp, signs)
    static void run(Wave& w, const Instruction& inst)
    {
        Lanes<uint32_t, W> a, b, c, r;
        fetch<W, uint32_t>(w, inst, 0, a.a);
        fetch<W, uint32_t>(w, inst, 1, b.a);
        fetch<W, uint32_t>(w, inst, 2, c.a);
        if(inst.src[2].neg || (inst.neg_lo >> 2 & 1))
            if(std::strstr(inst.mnemonic, "_f32_"))
                for(int l = 0; l < W; l++)
                    c.a[l] ^= 0x80000000u;
        for(int l = 0; l < W; l++)
            r.a[l] = F{}(a.a[l], b.a[l], c.a[l], inst);
        store<W, uint32_t>(w, inst, r.a);
    }
};
template <class F>
static void dot_op(const char* n, F, bool mac = false)
{
    add(n, 1, &Dot<32, F>::run, &Dot<64, F>::run, mac);
}
static inline uint32_t packed_half(uint32_t x, const Instruction& inst, int k, int h)
{
    // packed half h of source k honouring op_sel, with neg
    bool hi    = h ? (inst.op_sel_hi >> k & 1) : (inst.op_sel >> k & 1);
    uint32_t v = hi ? x >> 16 : x & 0xffff;
    if((h ? inst.neg_hi : inst.neg_lo) >> k & 1)
        v ^= 0x8000;
    return v;
}
static inline float clamped(const Instruction& inst, float x)
{
    return inst.clamp ? std::min(1.f, std::max(0.f, x)) : x;
}
static inline uint32_t saturated_i32(const Instruction& inst, int64_t x)
{
    if(inst.clamp)
        x = std::min<int64_t>(0x7fffffff, std::max<int64_t>(-0x80000000ll, x));
    return (uint32_t)x;
}
static inline uint32_t saturated_u32(const Instruction& inst, uint64_t x)
{
    if(inst.clamp)
        x = std::min<uint64_t>(0xffffffffull, x);
    return (uint32_t)x;
}
template <bool SA, bool SB, int BITS>
static inline int64_t integer_dot(uint32_t a, uint32_t b)
{
    int64_t s = 0;
    for(int i = 0; i < 32 / BITS; i++)
    {
        int64_t x = a >> (BITS * i) & ((1u << BITS) - 1), y = b >> (BITS * i) & ((1u << BITS) - 1);
        if(SA && (x >> (BITS - 1)))
            x -= 1 << BITS;
        if(SB && (y >> (BITS - 1)))
            y -= 1 << BITS;
        s += x * y;
    }
    return s;
}
template <int BITS>
static inline uint32_t
signed_or_unsigned_dot(uint32_t a, uint32_t b, uint32_t c, const Instruction& inst)
{
    bool sa = inst.neg_lo & 1, sb = inst.neg_lo >> 1 & 1;
    int64_t d =
        sa ? (sb ? integer_dot<true, true, BITS>(a, b) : integer_dot<true, false, BITS>(a, b))
           : (sb ? integer_dot<false, true, BITS>(a, b) : integer_dot<false, false, BITS>(a, b));
    if(sa || sb)
        return saturated_i32(inst, d + (int32_t)c);
    return saturated_u32(inst, (uint64_t)d + c);
}
template <bool BA, bool BB>
static inline uint32_t eight_bit_dot(uint32_t a, uint32_t b, uint32_t c, const Instruction& inst)
{
    const float *ta = fp8_table(BA), *tb = fp8_table(BB);
    float s = as_f32(c);
    for(int i = 0; i < 4; i++)
        s = fma_f32(ta[a >> 8 * i & 255], tb[b >> 8 * i & 255], s);
    return as_bits(clamped(inst, s));
}
void register_vector_dot()
{
    // dot
    auto d2h = [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        float s = as_f32(c);
        for(int h = 0; h < 2; h++)
            s = fma_f32((float)as_f16((uint16_t)packed_half(a, inst, 0, h)),
                        (float)as_f16((uint16_t)packed_half(b, inst, 1, h)),
                        s);
        return as_bits(clamped(inst, s));
    };
    dot_op("v_dot2_f32_f16", d2h);
    dot_op("v_dot2c_f32_f16", d2h, true);
    dot_op("v_dot2acc_f32_f16", d2h, true);
    auto d2b = [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        float s = as_f32(c);
        for(int h = 0; h < 2; h++)
            s = fma_f32(bf16_to_f32(packed_half(a, inst, 0, h)),
                        bf16_to_f32(packed_half(b, inst, 1, h)),
                        s);
        return as_bits(clamped(inst, s));
    };
    dot_op("v_dot2_f32_bf16", d2b);
    dot_op("v_dot2c_f32_bf16", d2b, true);
    dot_op("v_dot2acc_f32_bf16", d2b, true);
    dot_op("v_dot2_i32_i16", [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return saturated_i32(
            inst,
            (int64_t)(int16_t)packed_half(a, inst, 0, 0) * (int16_t)packed_half(b, inst, 1, 0) +
                (int64_t)(int16_t)packed_half(a, inst, 0, 1) * (int16_t)packed_half(b, inst, 1, 1) +
                (int32_t)c);
    });
    dot_op("v_dot2_u32_u16", [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return saturated_u32(inst,
                             (uint64_t)packed_half(a, inst, 0, 0) * packed_half(b, inst, 1, 0) +
                                 (uint64_t)packed_half(a, inst, 0, 1) * packed_half(b, inst, 1, 1) +
                                 c);
    });
    auto d4 = [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return saturated_i32(inst, integer_dot<true, true, 8>(a, b) + (int32_t)c);
    };
    dot_op("v_dot4_i32_i8", d4);
    dot_op("v_dot4c_i32_i8", d4, true);
    dot_op("v_dot4_u32_u8", [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return saturated_u32(inst, (uint64_t)integer_dot<false, false, 8>(a, b) + c);
    });
    auto d8 = [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return saturated_i32(inst, integer_dot<true, true, 4>(a, b) + (int32_t)c);
    };
    dot_op("v_dot8_i32_i4", d8);
    dot_op("v_dot8c_i32_i4", d8, true);
    dot_op("v_dot8_u32_u4", [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return saturated_u32(inst, (uint64_t)integer_dot<false, false, 4>(a, b) + c);
    });
    dot_op("v_dot4_i32_iu8", [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return signed_or_unsigned_dot<8>(a, b, c, inst);
    });
    dot_op("v_dot8_i32_iu4", [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return signed_or_unsigned_dot<4>(a, b, c, inst);
    });
    dot_op("v_dot4_f32_fp8_fp8", [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return eight_bit_dot<false, false>(a, b, c, inst);
    });
    dot_op("v_dot4_f32_fp8_bf8", [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return eight_bit_dot<false, true>(a, b, c, inst);
    });
    dot_op("v_dot4_f32_bf8_fp8", [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return eight_bit_dot<true, false>(a, b, c, inst);
    });
    dot_op("v_dot4_f32_bf8_bf8", [](uint32_t a, uint32_t b, uint32_t c, const Instruction& inst) {
        return eight_bit_dot<true, true>(a, b, c, inst);
    });
}
} // namespace emu
