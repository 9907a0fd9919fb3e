// Vector instructions that cross lanes or choose registers while they run.

#include "handlers.hpp"
#include "vector_operation.hpp"
#include <cmath>
#include <cstring>
#include <utility>

namespace emu {
void dpp_map(Wave& w, const Instruction& inst, int W, uint8_t* m, uint64_t& valid, uint64_t& en)
{
    valid       = 0;
    en          = 0;
    uint64_t ex = w.exec();
    if(W == 32)
        ex &= 0xffffffffu;
    for(int l = 0; l < W; l++)
    {
        int row = l & ~15, r = l & 15, s = l;
        bool ok = true;
        switch(inst.dpp)
        {
        case dpp_quad:
            s = (l & ~3) | inst.dppv[l & 3];
            break;
        case dpp_shl:
            s  = row + r + inst.dppv[0];
            ok = r + inst.dppv[0] < 16;
            break;
        case dpp_shr:
            s  = row + r - inst.dppv[0];
            ok = r >= inst.dppv[0];
            break;
        case dpp_ror:
            s = row + ((r - inst.dppv[0]) & 15);
            break;
        case dpp_wshl:
            s  = l + 1;
            ok = s < W;
            break;
        case dpp_wrol:
            s = (l + 1) % W;
            break;
        case dpp_wshr:
            s  = l - 1;
            ok = s >= 0;
            break;
        case dpp_wror:
            s = (l + W - 1) % W;
            break;
        case dpp_mirror:
            s = row + 15 - r;
            break;
        case dpp_hmirror:
            s = row + (r & 8) + 7 - (r & 7);
            break;
        case dpp_bcast15:
            s  = row - 1;
            ok = row > 0;
            break; // last lane of the previous row
        case dpp_bcast31:
            s  = (l & ~31) - 1;
            ok = l >= 32;
            break;
        case dpp_share:
            s = row + inst.dppv[0];
            break;
        case dpp_xmask:
            s = row + (r ^ inst.dppv[0]);
            break;
        case dpp_8:
            s = (l & ~7) | inst.dppv[l & 7];
            break;
        }
        if(!ok)
            s = l;
        if(ok && !inst.dpp_fi && !(ex >> s & 1))
            ok = false;
        if(inst.dpp == dpp_8 && !inst.dpp_fi && !(ex >> s & 1))
            ok = false;
        m[l] = s;
        if(ok)
            valid |= 1ull << l;
        bool e = inst.dpp == dpp_8 ||
                 ((inst.dpp_row_mask >> (l >> 4) & 1) && (inst.dpp_bank_mask >> (r >> 2) & 1));
        if(e)
            en |= 1ull << l;
    }
}
template <int W>
static void read_first_lane(Wave& w, const Instruction& inst)
{
    uint64_t e = active_lanes<W>(w);
    int l      = e ? __builtin_ctzll(e) : 0;
    uint32_t x =
        inst.src[0].kind == Kind::vector ? w.vgpr[inst.src[0].reg][l] : read_scalar(w, inst.src[0]);
    if(inst.dst[0].reg != reg_null)
        w.sgpr[inst.dst[0].reg] = x;
}
template <int W>
static void read_lane(Wave& w, const Instruction& inst)
{
    uint32_t l = read_scalar(w, inst.src[1]) & (W - 1);
    w.sgpr[inst.dst[0].reg] =
        inst.src[0].kind == Kind::vector ? w.vgpr[inst.src[0].reg][l] : read_scalar(w, inst.src[0]);
}
template <int W>
static void write_lane(Wave& w, const Instruction& inst)
{
    uint32_t l                 = read_scalar(w, inst.src[1]) & (W - 1);
    w.vgpr[inst.dst[0].reg][l] = read_scalar(w, inst.src[0]);
}
template <int W, int HI>
static void masked_bit_count(Wave& w, const Instruction& inst)
{
    Lanes<uint32_t, W> a, b, r;
    fetch<W, uint32_t>(w, inst, 0, a.a);
    fetch<W, uint32_t>(w, inst, 1, b.a);
    for(int l = 0; l < W; l++)
    {
        uint32_t tm;
        if(HI)
            tm = l >= 32 ? (uint32_t)((1ull << (l - 32)) - 1) : 0;
        else
            tm = l >= 32 ? ~0u : (uint32_t)((1ull << l) - 1);
        r.a[l] = b.a[l] + __builtin_popcount(a.a[l] & tm);
    }
    store<W, uint32_t>(w, inst, r.a);
}
template <int W>
static void swap_registers(Wave& w, const Instruction& inst)
{
    uint64_t m = active_lanes<W>(w);
    for(int l = 0; l < W; l++)
        if(m >> l & 1)
            std::swap(w.vgpr[inst.dst[0].reg][l], w.vgpr[inst.src[0].reg][l]);
}
template <int W, bool X>
static void permlane16(Wave& w, const Instruction& inst)
{
    Lanes<uint32_t, W> a, r;
    fetch<W, uint32_t>(w, inst, 0, a.a);
    uint32_t lo = read_scalar(w, inst.src[1]), hi = read_scalar(w, inst.src[2]);
    uint64_t e = active_lanes<W>(w), m = e;
    bool fi = inst.op_sel & 1, bc = inst.op_sel & 2;
    for(int l = 0; l < W; l++)
    {
        int k = l & 15, sel = (k < 8 ? lo >> (4 * k) : hi >> (4 * (k - 8))) & 15,
            s   = ((l & ~15) ^ (X ? 16 : 0)) | sel;
        bool ok = fi || (e >> s & 1);
        if(ok)
            r.a[l] = a.a[s];
        else
        {
            r.a[l] = 0;
            if(!bc)
                m &= ~(1ull << l);
        }
    }
    write_masked<W>(w.vgpr[inst.dst[0].reg], r.a, m);
}
template <int W>
static void permlane16var(Wave& w, const Instruction& inst)
{
    Lanes<uint32_t, W> a, b, r;
    fetch<W, uint32_t>(w, inst, 0, a.a);
    fetch<W, uint32_t>(w, inst, 1, b.a);
    bool X = std::strstr(inst.mnemonic, "x16") != nullptr;
    for(int l = 0; l < W; l++)
        r.a[l] = a.a[((l & ~15) ^ (X ? 16 : 0)) | (b.a[l] & 15)];
    write_masked<W>(w.vgpr[inst.dst[0].reg], r.a, active_lanes<W>(w));
}
template <int W>
static void permlane64(Wave& w, const Instruction& inst)
{
    Lanes<uint32_t, W> a, r;
    fetch<W, uint32_t>(w, inst, 0, a.a);
    for(int l = 0; l < W; l++)
        r.a[l] = W == 64 ? a.a[l ^ 32] : a.a[l];
    write_masked<W>(w.vgpr[inst.dst[0].reg], r.a, active_lanes<W>(w));
}
template <int W>
static void movrels(Wave& w, const Instruction& inst)
{
    write_masked<W>(w.vgpr[inst.dst[0].reg],
                    w.vgpr[inst.src[0].reg + (w.sgpr[reg_m0] & 0xff)],
                    active_lanes<W>(w));
}
template <int W>
static void movreld(Wave& w, const Instruction& inst)
{
    Lanes<uint32_t, W> a;
    fetch<W, uint32_t>(w, inst, 0, a.a);
    write_masked<W>(w.vgpr[inst.dst[0].reg + (w.sgpr[reg_m0] & 0xff)], a.a, active_lanes<W>(w));
}
template <int W>
static void movrelsd(Wave& w, const Instruction& inst)
{
    write_masked<W>(w.vgpr[inst.dst[0].reg + (w.sgpr[reg_m0] & 0xff)],
                    w.vgpr[inst.src[0].reg + (w.sgpr[reg_m0] & 0xff)],
                    active_lanes<W>(w));
}
template <int W>
static void movrelsd2(Wave& w, const Instruction& inst)
{
    write_masked<W>(w.vgpr[inst.dst[0].reg + (w.sgpr[reg_m0] >> 16 & 0xff)],
                    w.vgpr[inst.src[0].reg + (w.sgpr[reg_m0] & 0xff)],
                    active_lanes<W>(w));
}
template <int OP>
static void scalar_transcendental(Wave& w, const Instruction& inst)
{
    float a = as_f32(read_scalar(w, inst.src[0]));
    if(inst.src[0].abs)
        a = std::fabs(a);
    if(inst.src[0].neg)
        a = -a;
    float r = OP == 0   ? exp2f(a)
              : OP == 1 ? log2f(a)
              : OP == 2 ? 1.f / a
              : OP == 3 ? (float)(1.0 / std::sqrt((double)a))
                        : sqrtf(a);
    r       = output_modifiers(inst, r);
    if(inst.dst[0].reg != reg_null)
        w.sgpr[inst.dst[0].reg] = as_bits(r);
}
#define BOTH(n, nd, f) add(n, nd, f<32>, f<64>)
void register_vector_lanes()
{

    BOTH("v_readfirstlane_b32", 1, read_first_lane);
    BOTH("v_readlane_b32", 1, read_lane);
    BOTH("v_writelane_b32", 1, write_lane);
    add("v_mbcnt_lo_u32_b32", 1, masked_bit_count<32, 0>, masked_bit_count<64, 0>);
    add("v_mbcnt_hi_u32_b32", 1, masked_bit_count<32, 1>, masked_bit_count<64, 1>);
    BOTH("v_swap_b32", 1, swap_registers);
    add("v_permlane16_b32", 1, permlane16<32, false>, permlane16<64, false>);
    add("v_permlanex16_b32", 1, permlane16<32, true>, permlane16<64, true>);
    BOTH("v_permlane16_var_b32", 1, permlane16var);
    BOTH("v_permlanex16_var_b32", 1, permlane16var);
    BOTH("v_permlane64_b32", 1, permlane64);
    BOTH("v_movrels_b32", 1, movrels);
    BOTH("v_movreld_b32", 1, movreld);
    BOTH("v_movrelsd_b32", 1, movrelsd);
    BOTH("v_movrelsd_2_b32", 1, movrelsd2);
    add("v_s_exp_f32", 1, scalar_transcendental<0>, scalar_transcendental<0>);
    add("v_s_log_f32", 1, scalar_transcendental<1>, scalar_transcendental<1>);
    add("v_s_rcp_f32", 1, scalar_transcendental<2>, scalar_transcendental<2>);
    add("v_s_rsq_f32", 1, scalar_transcendental<3>, scalar_transcendental<3>);
    add("v_s_sqrt_f32", 1, scalar_transcendental<4>, scalar_transcendental<4>);
}
} // namespace emu
