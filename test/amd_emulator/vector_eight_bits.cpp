// Conversions to and from floats of eight bits.

#include "eight_bit_floats.hpp"
#include "handlers.hpp"
#include "vector_operation.hpp"

namespace emu {
// fp8 conversions
template <int W, bool BF8>
static void cvt_f32_fp8(Wave& w, const Instruction& inst)
{
    Lanes<uint32_t, W> a, r;
    fetch<W, uint32_t>(w, inst, 0, a.a);
    const float* t = fp8_table(BF8);
    int sel        = inst.sdwa       ? 0
                     : inst.byte_sel ? inst.byte_sel
                                     : ((inst.op_sel & 1) << 1 | (inst.op_sel >> 1 & 1));
    for(int l = 0; l < W; l++)
        r.a[l] = as_bits(t[a.a[l] >> (8 * sel) & 255]);
    bool sd       = inst.sdwa;
    Instruction J = inst;
    J.op_sel      = 0;
    if(sd)
    {
        J.dst_sel = sel_dw;
        J.sdwa    = false;
    }
    store<W, uint32_t>(w, J, r.a);
}
template <int W, bool BF8>
static void cvt_pk_f32_fp8(Wave& w, const Instruction& inst)
{
    Lanes<uint32_t, W> a;
    Lanes<uint64_t, W> r;
    fetch<W, uint32_t>(w, inst, 0, a.a);
    const float* t = fp8_table(BF8);
    int sh         = (!inst.sdwa && (inst.op_sel & 1)) ? 16 : 0;
    for(int l = 0; l < W; l++)
        r.a[l] = (uint64_t)as_bits(t[a.a[l] >> sh & 255]) |
                 (uint64_t)as_bits(t[a.a[l] >> (sh + 8) & 255]) << 32;
    Instruction J = inst;
    J.sdwa        = false;
    store<W, uint64_t>(w, J, r.a);
}
static bool fp8_sat(Wave& w) { return w.mode >> 23 & 1; } // MODE.FP16_OVFL
template <int W, bool BF8>
static void cvt_pk_fp8_f32(Wave& w, const Instruction& inst)
{
    Lanes<float, W> a, b;
    fetch<W, float>(w, inst, 0, a.a);
    fetch<W, float>(w, inst, 1, b.a);
    bool sat = fp8_sat(w);
    Lanes<uint32_t, W> r;
    const uint32_t* old = w.vgpr[inst.dst[0].reg];
    for(int l = 0; l < W; l++)
    {
        uint32_t v = f32_to_fp8(a.a[l], BF8, target.fp8_ocp, sat) |
                     (uint32_t)f32_to_fp8(b.a[l], BF8, target.fp8_ocp, sat) << 8;
        r.a[l] = (inst.op_sel & 8) ? (old[l] & 0xffff) | v << 16 : (old[l] & 0xffff0000u) | v;
    }
    write_masked<W>(w.vgpr[inst.dst[0].reg], r.a, write_mask<W>(w, inst));
}
template <int W, bool BF8>
static void cvt_sr_fp8_f32(Wave& w, const Instruction& inst)
{
    Lanes<float, W> a;
    Lanes<uint32_t, W> b;
    fetch<W, float>(w, inst, 0, a.a);
    fetch<W, uint32_t>(w, inst, 1, b.a);
    bool sat = fp8_sat(w);
    Lanes<uint32_t, W> r;
    const uint32_t* old = w.vgpr[inst.dst[0].reg];
    int sel             = inst.byte_sel ? inst.byte_sel : (inst.op_sel >> 2 & 3);
    for(int l = 0; l < W; l++)
    {
        uint32_t v = f32_to_fp8(a.a[l], BF8, target.fp8_ocp, sat, true, b.a[l]);
        r.a[l]     = (old[l] & ~(255u << 8 * sel)) | v << 8 * sel;
    }
    write_masked<W>(w.vgpr[inst.dst[0].reg], r.a, write_mask<W>(w, inst));
}
void register_vector_eight_bits()
{
    // fp8
    add("v_cvt_f32_fp8", 1, cvt_f32_fp8<32, false>, cvt_f32_fp8<64, false>);
    add("v_cvt_f32_bf8", 1, cvt_f32_fp8<32, true>, cvt_f32_fp8<64, true>);
    add("v_cvt_pk_f32_fp8", 1, cvt_pk_f32_fp8<32, false>, cvt_pk_f32_fp8<64, false>);
    add("v_cvt_pk_f32_bf8", 1, cvt_pk_f32_fp8<32, true>, cvt_pk_f32_fp8<64, true>);
    add("v_cvt_pk_fp8_f32", 1, cvt_pk_fp8_f32<32, false>, cvt_pk_fp8_f32<64, false>);
    add("v_cvt_pk_bf8_f32", 1, cvt_pk_fp8_f32<32, true>, cvt_pk_fp8_f32<64, true>);
    add("v_cvt_sr_fp8_f32", 1, cvt_sr_fp8_f32<32, false>, cvt_sr_fp8_f32<64, false>);
    add("v_cvt_sr_bf8_f32", 1, cvt_sr_fp8_f32<32, true>, cvt_sr_fp8_f32<64, true>);
}
} // namespace emu
