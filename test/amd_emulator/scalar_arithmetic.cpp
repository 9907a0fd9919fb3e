// Scalar arithmetic of integers, bits and (gfx12) floats.

#include "handlers.hpp"
#include "scalar_operation.hpp"
#include <cmath>
#include <string>

namespace emu {
static uint32_t f32_to_i32(float x)
{
    if(x != x)
        return 0;
    if(x >= 2147483648.f)
        return 0x7fffffff;
    if(x < -2147483648.f)
        return 0x80000000u;
    return (uint32_t)(int32_t)x;
}
static uint32_t f32_to_u32(float x)
{
    if(!(x > 0))
        return 0;
    if(x >= 4294967296.f)
        return 0xffffffffu;
    return (uint32_t)x;
}
namespace {
/// Both widths of an operation of bits; SCC: the result is not 0.
template <class F>
void logic(const std::string& name, F)
{
    constexpr auto of = [](Wave& w, auto a, auto b) {
        const auto result = F{}(a, b);
        w.scc             = result != 0;
        return result;
    };
    scalar_2(("s_" + name + "_b32").c_str(), of);
    scalar64_2(("s_" + name + "_b64").c_str(), of);
}

template <class T, auto f>
void shift(Wave& w, const Instruction& inst)
{
    const auto a      = static_cast<T>(read_scalar64<T>(w, inst.src[0]));
    const auto result = static_cast<uint64_t>(f(a, read_scalar(w, inst.src[1]) & 63));
    w.scc             = result != 0;
    write_scalar64(w, inst.dst[0], result);
}
} // namespace

void register_scalar_arithmetic()
{
    scalar_1("s_mov_b32", [](Wave&, uint32_t a) { return a; });
    add_scalar("s_mov_b64", 1, [](Wave& w, const Instruction& inst) {
        write_scalar64(w, inst.dst[0], read_scalar64(w, inst.src[0]));
    });
    add_scalar("s_movk_i32", 1, [](Wave& w, const Instruction& inst) {
        write_scalar(w, inst.dst[0], (int32_t)inst.simm16);
    });
    add_scalar("s_cmovk_i32", 1, [](Wave& w, const Instruction& inst) {
        if(w.scc)
            write_scalar(w, inst.dst[0], (int32_t)inst.simm16);
    });
    add_scalar("s_cmov_b32", 1, [](Wave& w, const Instruction& inst) {
        if(w.scc)
            write_scalar(w, inst.dst[0], read_scalar(w, inst.src[0]));
    });
    add_scalar("s_cmov_b64", 1, [](Wave& w, const Instruction& inst) {
        if(w.scc)
            write_scalar64(w, inst.dst[0], read_scalar64(w, inst.src[0]));
    });
    add_scalar("s_addk_i32", 1, [](Wave& w, const Instruction& inst) {
        int32_t a = read_scalar(w, inst.dst[0]), r;
        w.scc     = __builtin_add_overflow(a, (int32_t)inst.simm16, &r);
        write_scalar(w, inst.dst[0], r);
    });
    alias("s_addk_co_i32", "s_addk_i32");
    add_scalar("s_mulk_i32", 1, [](Wave& w, const Instruction& inst) {
        write_scalar(w, inst.dst[0], read_scalar(w, inst.dst[0]) * (uint32_t)(int32_t)inst.simm16);
    });
    scalar_1("s_not_b32", [](Wave& w, uint32_t a) {
        a     = ~a;
        w.scc = a != 0;
        return a;
    });
    scalar64_1("s_not_b64", [](Wave& w, uint64_t a) {
        a     = ~a;
        w.scc = a != 0;
        return a;
    });
    scalar_1("s_wqm_b32", [](Wave& w, uint32_t a) {
        uint32_t r = 0;
        for(int i = 0; i < 8; i++)
            if(a >> (4 * i) & 15)
                r |= 15u << (4 * i);
        w.scc = r != 0;
        return r;
    });
    scalar64_1("s_wqm_b64", [](Wave& w, uint64_t a) {
        uint64_t r = 0;
        for(int i = 0; i < 16; i++)
            if(a >> (4 * i) & 15)
                r |= 15ull << (4 * i);
        w.scc = r != 0;
        return r;
    });
    scalar_1("s_brev_b32", [](Wave&, uint32_t a) { return __builtin_bitreverse32(a); });
    scalar64_1("s_brev_b64", [](Wave&, uint64_t a) { return __builtin_bitreverse64(a); });
    scalar_1("s_bcnt1_i32_b32", [](Wave& w, uint32_t a) {
        uint32_t r = __builtin_popcount(a);
        w.scc      = r != 0;
        return r;
    });
    scalar_1("s_bcnt0_i32_b32", [](Wave& w, uint32_t a) {
        uint32_t r = __builtin_popcount(~a);
        w.scc      = r != 0;
        return r;
    });
    add_scalar("s_bcnt1_i32_b64", 1, [](Wave& w, const Instruction& inst) {
        uint32_t r = __builtin_popcountll(read_scalar64(w, inst.src[0]));
        w.scc      = r != 0;
        write_scalar(w, inst.dst[0], r);
    });
    add_scalar("s_bcnt0_i32_b64", 1, [](Wave& w, const Instruction& inst) {
        uint32_t r = __builtin_popcountll(~read_scalar64(w, inst.src[0]));
        w.scc      = r != 0;
        write_scalar(w, inst.dst[0], r);
    });
    scalar_1("s_ff1_i32_b32",
             [](Wave&, uint32_t a) { return a ? (uint32_t)__builtin_ctz(a) : ~0u; });
    scalar_1("s_ff0_i32_b32",
             [](Wave&, uint32_t a) { return ~a ? (uint32_t)__builtin_ctz(~a) : ~0u; });
    add_scalar("s_ff1_i32_b64", 1, [](Wave& w, const Instruction& inst) {
        uint64_t a = read_scalar64(w, inst.src[0]);
        write_scalar(w, inst.dst[0], a ? __builtin_ctzll(a) : ~0u);
    });
    add_scalar("s_ff0_i32_b64", 1, [](Wave& w, const Instruction& inst) {
        uint64_t a = ~read_scalar64(w, inst.src[0]);
        write_scalar(w, inst.dst[0], a ? __builtin_ctzll(a) : ~0u);
    });
    scalar_1("s_flbit_i32_b32",
             [](Wave&, uint32_t a) { return a ? (uint32_t)__builtin_clz(a) : ~0u; });
    add_scalar("s_flbit_i32_b64", 1, [](Wave& w, const Instruction& inst) {
        uint64_t a = read_scalar64(w, inst.src[0]);
        write_scalar(w, inst.dst[0], a ? __builtin_clzll(a) : ~0u);
    });
    scalar_1("s_flbit_i32", [](Wave&, uint32_t a) {
        if(a == 0 || a == ~0u)
            return ~0u;
        return (uint32_t)__builtin_clz((int32_t)a < 0 ? ~a : a);
    });
    add_scalar("s_flbit_i32_i64", 1, [](Wave& w, const Instruction& inst) {
        uint64_t a = read_scalar64(w, inst.src[0]);
        write_scalar(w,
                     inst.dst[0],
                     (a == 0 || a == ~0ull) ? ~0u : __builtin_clzll((int64_t)a < 0 ? ~a : a));
    });
    alias("s_ctz_i32_b32", "s_ff1_i32_b32");
    alias("s_ctz_i32_b64", "s_ff1_i32_b64");
    alias("s_clz_i32_u32", "s_flbit_i32_b32");
    alias("s_clz_i32_u64", "s_flbit_i32_b64");
    alias("s_cls_i32", "s_flbit_i32");
    alias("s_cls_i32_i64", "s_flbit_i32_i64");
    scalar_1("s_sext_i32_i8", [](Wave&, uint32_t a) { return (uint32_t)(int32_t)(int8_t)a; });
    scalar_1("s_sext_i32_i16", [](Wave&, uint32_t a) { return (uint32_t)(int32_t)(int16_t)a; });
    scalar_1("s_abs_i32", [](Wave& w, uint32_t a) {
        uint32_t r = (int32_t)a < 0 ? 0u - a : a;
        w.scc      = r != 0;
        return r;
    });
    add_scalar("s_bitset0_b32", 1, [](Wave& w, const Instruction& inst) {
        write_scalar(w,
                     inst.dst[0],
                     read_scalar(w, inst.dst[0]) & ~(1u << (read_scalar(w, inst.src[0]) & 31)));
    });
    add_scalar("s_bitset1_b32", 1, [](Wave& w, const Instruction& inst) {
        write_scalar(w,
                     inst.dst[0],
                     read_scalar(w, inst.dst[0]) | (1u << (read_scalar(w, inst.src[0]) & 31)));
    });
    add_scalar("s_bitset0_b64", 1, [](Wave& w, const Instruction& inst) {
        write_scalar64(w,
                       inst.dst[0],
                       read_scalar64(w, inst.dst[0]) &
                           ~(1ull << (read_scalar(w, inst.src[0]) & 63)));
    });
    add_scalar("s_bitset1_b64", 1, [](Wave& w, const Instruction& inst) {
        write_scalar64(w,
                       inst.dst[0],
                       read_scalar64(w, inst.dst[0]) |
                           (1ull << (read_scalar(w, inst.src[0]) & 63)));
    });
    add_scalar("s_bitreplicate_b64_b32", 1, [](Wave& w, const Instruction& inst) {
        uint32_t a = read_scalar(w, inst.src[0]);
        uint64_t r = 0;
        for(int i = 0; i < 32; i++)
            if(a >> i & 1)
                r |= 3ull << (2 * i);
        write_scalar64(w, inst.dst[0], r);
    });
    add_scalar("s_quadmask_b64", 1, [](Wave& w, const Instruction& inst) {
        uint64_t a = read_scalar64(w, inst.src[0]), r = 0;
        for(int i = 0; i < 16; i++)
            if(a >> (4 * i) & 15)
                r |= 1ull << i;
        w.scc = r != 0;
        write_scalar64(w, inst.dst[0], r);
    });
    add_scalar("s_movrels_b32", 1, [](Wave& w, const Instruction& inst) {
        write_scalar(w, inst.dst[0], w.sgpr[inst.src[0].reg + w.sgpr[reg_m0]]);
    });
    add_scalar("s_movrels_b64", 1, [](Wave& w, const Instruction& inst) {
        write_scalar64(w, inst.dst[0], w.sgpr64(inst.src[0].reg + w.sgpr[reg_m0]));
    });
    add_scalar("s_movreld_b32", 1, [](Wave& w, const Instruction& inst) {
        w.sgpr[inst.dst[0].reg + w.sgpr[reg_m0]] = read_scalar(w, inst.src[0]);
    });
    add_scalar("s_movreld_b64", 1, [](Wave& w, const Instruction& inst) {
        w.sgpr64(inst.dst[0].reg + w.sgpr[reg_m0], read_scalar64(w, inst.src[0]));
    });

    scalar_2("s_add_u32", [](Wave& w, uint32_t a, uint32_t b) {
        uint64_t r = (uint64_t)a + b;
        w.scc      = r >> 32;
        return (uint32_t)r;
    });
    scalar_2("s_sub_u32", [](Wave& w, uint32_t a, uint32_t b) {
        w.scc = b > a;
        return a - b;
    });
    scalar_2("s_add_i32", [](Wave& w, uint32_t a, uint32_t b) {
        int32_t r;
        w.scc = __builtin_add_overflow((int32_t)a, (int32_t)b, &r);
        return (uint32_t)r;
    });
    scalar_2("s_sub_i32", [](Wave& w, uint32_t a, uint32_t b) {
        int32_t r;
        w.scc = __builtin_sub_overflow((int32_t)a, (int32_t)b, &r);
        return (uint32_t)r;
    });
    scalar_2("s_addc_u32", [](Wave& w, uint32_t a, uint32_t b) {
        uint64_t r = (uint64_t)a + b + w.scc;
        w.scc      = r >> 32;
        return (uint32_t)r;
    });
    scalar_2("s_subb_u32", [](Wave& w, uint32_t a, uint32_t b) {
        uint64_t r = (uint64_t)a - b - w.scc;
        w.scc      = (uint64_t)b + w.scc > a;
        return (uint32_t)r;
    });
    alias("s_add_co_u32", "s_add_u32");
    alias("s_sub_co_u32", "s_sub_u32");
    alias("s_add_co_i32", "s_add_i32");
    alias("s_sub_co_i32", "s_sub_i32");
    alias("s_add_co_ci_u32", "s_addc_u32");
    alias("s_sub_co_ci_u32", "s_subb_u32");
    scalar64_2("s_add_nc_u64", [](Wave&, uint64_t a, uint64_t b) { return a + b; });
    scalar64_2("s_sub_nc_u64", [](Wave&, uint64_t a, uint64_t b) { return a - b; });
    scalar64_2("s_mul_u64", [](Wave&, uint64_t a, uint64_t b) { return a * b; });
    alias("s_add_u64", "s_add_nc_u64");
    alias("s_sub_u64", "s_sub_nc_u64");
    scalar_2("s_min_i32", [](Wave& w, uint32_t a, uint32_t b) {
        w.scc = (int32_t)a < (int32_t)b;
        return w.scc ? a : b;
    });
    scalar_2("s_min_u32", [](Wave& w, uint32_t a, uint32_t b) {
        w.scc = a < b;
        return w.scc ? a : b;
    });
    scalar_2("s_max_i32", [](Wave& w, uint32_t a, uint32_t b) {
        w.scc = (int32_t)a >= (int32_t)b;
        return w.scc ? a : b;
    });
    scalar_2("s_max_u32", [](Wave& w, uint32_t a, uint32_t b) {
        w.scc = a >= b;
        return w.scc ? a : b;
    });
    scalar_2("s_cselect_b32", [](Wave& w, uint32_t a, uint32_t b) { return w.scc ? a : b; });
    scalar64_2("s_cselect_b64", [](Wave& w, uint64_t a, uint64_t b) { return w.scc ? a : b; });
    logic("and", [](auto a, auto b) { return a & b; });
    logic("or", [](auto a, auto b) { return a | b; });
    logic("xor", [](auto a, auto b) { return a ^ b; });
    logic("nand", [](auto a, auto b) { return ~(a & b); });
    logic("nor", [](auto a, auto b) { return ~(a | b); });
    logic("xnor", [](auto a, auto b) { return ~(a ^ b); });
    for(const char* name : {"andn2", "and_not1"})
        logic(name, [](auto a, auto b) { return a & ~b; });
    for(const char* name : {"orn2", "or_not1"})
        logic(name, [](auto a, auto b) { return a | ~b; });
    scalar_2("s_lshl_b32", [](Wave& w, uint32_t a, uint32_t b) {
        uint32_t r = a << (b & 31);
        w.scc      = r != 0;
        return r;
    });
    scalar_2("s_lshr_b32", [](Wave& w, uint32_t a, uint32_t b) {
        uint32_t r = a >> (b & 31);
        w.scc      = r != 0;
        return r;
    });
    scalar_2("s_ashr_i32", [](Wave& w, uint32_t a, uint32_t b) {
        uint32_t r = (int32_t)a >> (b & 31);
        w.scc      = r != 0;
        return r;
    });
    add_scalar("s_lshl_b64", 1, shift<uint64_t, [](uint64_t a, uint32_t n) { return a << n; }>);
    add_scalar("s_lshr_b64", 1, shift<uint64_t, [](uint64_t a, uint32_t n) { return a >> n; }>);
    add_scalar("s_ashr_i64", 1, shift<int64_t, [](int64_t a, uint32_t n) { return a >> n; }>);
    scalar_2("s_bfm_b32",
             [](Wave&, uint32_t a, uint32_t b) { return ((1u << (a & 31)) - 1) << (b & 31); });
    add_scalar("s_bfm_b64", 1, [](Wave& w, const Instruction& inst) {
        uint32_t a = read_scalar(w, inst.src[0]) & 63, b = read_scalar(w, inst.src[1]) & 63;
        write_scalar64(w, inst.dst[0], ((1ull << a) - 1) << b);
    });
    scalar_2("s_mul_i32", [](Wave&, uint32_t a, uint32_t b) { return a * b; });
    scalar_2("s_mul_hi_u32",
             [](Wave&, uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); });
    scalar_2("s_mul_hi_i32", [](Wave&, uint32_t a, uint32_t b) {
        return (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
    });
    scalar_2("s_bfe_u32", [](Wave& w, uint32_t a, uint32_t b) {
        uint32_t o = b & 31, n = b >> 16 & 0x7f;
        uint32_t r = n == 0 ? 0 : n >= 32 ? a >> o : (a >> o) & ((1u << n) - 1);
        w.scc      = r != 0;
        return r;
    });
    scalar_2("s_bfe_i32", [](Wave& w, uint32_t a, uint32_t b) {
        uint32_t o = b & 31, n = b >> 16 & 0x7f;
        uint32_t r;
        if(!n)
            r = 0;
        else if(o + n >= 32)
            r = (int32_t)a >> o;
        else
            r = (int32_t)(a << (32 - o - n)) >> (32 - n);
        w.scc = r != 0;
        return r;
    });
    add_scalar("s_bfe_u64", 1, [](Wave& w, const Instruction& inst) {
        uint64_t a = read_scalar64(w, inst.src[0]);
        uint32_t b = read_scalar(w, inst.src[1]), o = b & 63, n = b >> 16 & 0x7f;
        uint64_t r = n == 0 ? 0 : n >= 64 ? a >> o : (a >> o) & ((1ull << n) - 1);
        w.scc      = r != 0;
        write_scalar64(w, inst.dst[0], r);
    });
    add_scalar("s_bfe_i64", 1, [](Wave& w, const Instruction& inst) {
        uint64_t a = read_scalar64(w, inst.src[0]);
        uint32_t b = read_scalar(w, inst.src[1]), o = b & 63, n = b >> 16 & 0x7f;
        uint64_t r;
        if(!n)
            r = 0;
        else if(o + n >= 64)
            r = (int64_t)a >> o;
        else
            r = (int64_t)(a << (64 - o - n)) >> (64 - n);
        w.scc = r != 0;
        write_scalar64(w, inst.dst[0], r);
    });
    scalar_2("s_absdiff_i32", [](Wave& w, uint32_t a, uint32_t b) {
        int32_t d  = (int32_t)(a - b);
        uint32_t r = d < 0 ? 0u - (uint32_t)d : (uint32_t)d;
        w.scc      = r != 0;
        return r;
    });
    scalar_2("s_lshl1_add_u32", [](Wave& w, uint32_t a, uint32_t b) {
        uint64_t r = ((uint64_t)a << 1) + b;
        w.scc      = r >> 32 != 0;
        return (uint32_t)r;
    });
    scalar_2("s_lshl2_add_u32", [](Wave& w, uint32_t a, uint32_t b) {
        uint64_t r = ((uint64_t)a << 2) + b;
        w.scc      = r >> 32 != 0;
        return (uint32_t)r;
    });
    scalar_2("s_lshl3_add_u32", [](Wave& w, uint32_t a, uint32_t b) {
        uint64_t r = ((uint64_t)a << 3) + b;
        w.scc      = r >> 32 != 0;
        return (uint32_t)r;
    });
    scalar_2("s_lshl4_add_u32", [](Wave& w, uint32_t a, uint32_t b) {
        uint64_t r = ((uint64_t)a << 4) + b;
        w.scc      = r >> 32 != 0;
        return (uint32_t)r;
    });
    scalar_2("s_pack_ll_b32_b16",
             [](Wave&, uint32_t a, uint32_t b) { return (a & 0xffff) | b << 16; });
    scalar_2("s_pack_lh_b32_b16",
             [](Wave&, uint32_t a, uint32_t b) { return (a & 0xffff) | (b & 0xffff0000u); });
    scalar_2("s_pack_hh_b32_b16",
             [](Wave&, uint32_t a, uint32_t b) { return a >> 16 | (b & 0xffff0000u); });
    scalar_2("s_pack_hl_b32_b16", [](Wave&, uint32_t a, uint32_t b) {
        return a >> 16 | b << 16;
    }); // scalar float (gfx11.5 / gfx12)
    auto f2 = [](const char* n, auto f) {
        using F = decltype(f);
        scalar_2(n, [](Wave&, uint32_t a, uint32_t b) {
            return as_bits((float)F{}(as_f32(a), as_f32(b)));
        });
    };
    f2("s_add_f32", [](float a, float b) { return a + b; });
    f2("s_sub_f32", [](float a, float b) { return a - b; });
    f2("s_mul_f32", [](float a, float b) { return a * b; });
    f2("s_min_num_f32", [](float a, float b) { return min_number(a, b); });
    f2("s_max_num_f32", [](float a, float b) { return max_number(a, b); });
    f2("s_min_f32", [](float a, float b) { return min_number(a, b); });
    f2("s_max_f32", [](float a, float b) { return max_number(a, b); });
    f2("s_minimum_f32", [](float a, float b) {
        return is_nan(a) ? a : is_nan(b) ? b : min_number(a, b);
    });
    f2("s_maximum_f32", [](float a, float b) {
        return is_nan(a) ? a : is_nan(b) ? b : max_number(a, b);
    });
    add_scalar("s_fmac_f32", 1, [](Wave& w, const Instruction& inst) {
        write_scalar(w,
                     inst.dst[0],
                     as_bits(fma_f32(as_f32(read_scalar(w, inst.src[0])),
                                     as_f32(read_scalar(w, inst.src[1])),
                                     as_f32(read_scalar(w, inst.dst[0])))));
    });
    add_scalar("s_fmaak_f32", 1, [](Wave& w, const Instruction& inst) {
        write_scalar(w,
                     inst.dst[0],
                     as_bits(fma_f32(as_f32(read_scalar(w, inst.src[0])),
                                     as_f32(read_scalar(w, inst.src[1])),
                                     as_f32(read_scalar(w, inst.src[2])))));
    });
    alias("s_fmamk_f32", "s_fmaak_f32");
    scalar_1("s_cvt_f32_i32", [](Wave&, uint32_t a) { return as_bits((float)(int32_t)a); });
    scalar_1("s_cvt_f32_u32", [](Wave&, uint32_t a) { return as_bits((float)a); });
    scalar_1("s_cvt_i32_f32", [](Wave&, uint32_t a) { return f32_to_i32(as_f32(a)); });
    scalar_1("s_cvt_u32_f32", [](Wave&, uint32_t a) { return f32_to_u32(as_f32(a)); });
    scalar_1("s_cvt_f16_f32", [](Wave&, uint32_t a) { return (uint32_t)as_bits((half)as_f32(a)); });
    scalar_1("s_cvt_f32_f16",
             [](Wave&, uint32_t a) { return as_bits((float)as_f16((uint16_t)a)); });
    scalar_1("s_cvt_hi_f32_f16",
             [](Wave&, uint32_t a) { return as_bits((float)as_f16((uint16_t)(a >> 16))); });
    scalar_2("s_cvt_pk_rtz_f16_f32", [](Wave&, uint32_t a, uint32_t b) {
        return (uint32_t)f32_to_f16_toward_zero(as_f32(a)) |
               (uint32_t)f32_to_f16_toward_zero(as_f32(b)) << 16;
    });
    scalar_1("s_floor_f32", [](Wave&, uint32_t a) { return as_bits(floorf(as_f32(a))); });
    scalar_1("s_ceil_f32", [](Wave&, uint32_t a) { return as_bits(ceilf(as_f32(a))); });
    scalar_1("s_trunc_f32", [](Wave&, uint32_t a) { return as_bits(truncf(as_f32(a))); });
    scalar_1("s_rndne_f32", [](Wave&, uint32_t a) { return as_bits(rintf(as_f32(a))); });
}
} // namespace emu
