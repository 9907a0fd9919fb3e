// Vector instructions of integers of 32 and 64 bits, and moves.

#include "handlers.hpp"
#include "vector_operation.hpp"
#include <algorithm>

namespace emu {
template <class T>
static inline T median(T a, T b, T c)
{
    T mx = std::max(std::max(a, b), c);
    return mx == a ? std::max(b, c) : mx == b ? std::max(a, c) : std::max(a, b);
}
// gfx950: each bit of the result is one of bitop3's, whose number the sources' bits are, src0's the
// highest.
template <int W, class T>
static void look_up_bits(Wave& w, const Instruction& inst)
{
    Lanes<T, W> a, b, c, r;
    fetch<W, T>(w, inst, 0, a.a);
    fetch<W, T>(w, inst, 1, b.a);
    fetch<W, T>(w, inst, 2, c.a);
    for(int l = 0; l < W; l++)
    {
        r.a[l] = 0;
        for(int i = 0; i < 8; i++)
            if(inst.bitop3 >> i & 1)
                r.a[l] |= (a.a[l] ^ (i & 4 ? T(0) : T(~0))) & (b.a[l] ^ (i & 2 ? T(0) : T(~0))) &
                          (c.a[l] ^ (i & 1 ? T(0) : T(~0)));
    }
    store<W, T>(w, inst, r.a);
}

void register_vector_integer()
{
    add("v_bitop3_b32", 1, look_up_bits<32, uint32_t>, look_up_bits<64, uint32_t>);
    add("v_bitop3_b16", 1, look_up_bits<32, uint16_t>, look_up_bits<64, uint16_t>);
    vector_op<uint32_t, uint32_t>("v_mov_b32", [](uint32_t a) { return a; });
    vector_op<uint64_t, uint64_t>("v_mov_b64", [](uint64_t a) { return a; });
    vector_op<uint32_t, uint32_t>("v_not_b32", [](uint32_t a) { return ~a; });
    vector_op<uint32_t, uint32_t>("v_bfrev_b32",
                                  [](uint32_t a) { return __builtin_bitreverse32(a); });
    vector_op<uint32_t, uint32_t>("v_ffbh_u32",
                                  [](uint32_t a) { return a ? (uint32_t)__builtin_clz(a) : ~0u; });
    vector_op<uint32_t, uint32_t>("v_ffbl_b32",
                                  [](uint32_t a) { return a ? (uint32_t)__builtin_ctz(a) : ~0u; });
    vector_op<uint32_t, uint32_t>("v_ffbh_i32", [](uint32_t a) {
        return (a == 0 || a == ~0u) ? ~0u : (uint32_t)__builtin_clz((int32_t)a < 0 ? ~a : a);
    });
    alias("v_clz_i32_u32", "v_ffbh_u32");
    alias("v_ctz_i32_b32", "v_ffbl_b32");
    alias("v_cls_i32", "v_ffbh_i32");
    alias("v_accvgpr_read_b32", "v_mov_b32");
    alias("v_accvgpr_write_b32", "v_mov_b32");
    alias("v_accvgpr_mov_b32", "v_mov_b32");
    alias("v_accvgpr_read", "v_mov_b32");
    alias("v_accvgpr_write", "v_mov_b32"); // integer
    vector_op<uint32_t, uint32_t, uint32_t>("v_add_u32",
                                            [](uint32_t a, uint32_t b) { return a + b; });
    vector_op<uint32_t, uint32_t, uint32_t>("v_add_u32 clamp", [](uint32_t a, uint32_t b) {
        return a > UINT32_MAX - b ? UINT32_MAX : a + b;
    });
    vector_op<uint32_t, uint32_t, uint32_t>(
        "v_sub_u32 clamp", [](uint32_t a, uint32_t b) { return a < b ? 0 : a - b; });
    alias("v_add_nc_u32 clamp", "v_add_u32 clamp");
    alias("v_sub_nc_u32 clamp", "v_sub_u32 clamp");
    alias("v_add_nc_u32", "v_add_u32");
    alias("v_add_i32", "v_add_u32");
    alias("v_add_nc_i32", "v_add_u32");
    vector_op<uint32_t, uint32_t, uint32_t>("v_sub_u32",
                                            [](uint32_t a, uint32_t b) { return a - b; });
    alias("v_sub_nc_u32", "v_sub_u32");
    alias("v_sub_i32", "v_sub_u32");
    alias("v_sub_nc_i32", "v_sub_u32");
    vector_op<uint32_t, uint32_t, uint32_t>("v_subrev_u32",
                                            [](uint32_t a, uint32_t b) { return b - a; });
    alias("v_subrev_nc_u32", "v_subrev_u32");
    vector_op<uint32_t, uint32_t, uint32_t>("v_mul_lo_u32",
                                            [](uint32_t a, uint32_t b) { return a * b; });
    alias("v_mul_lo_i32", "v_mul_lo_u32");
    vector_op<uint32_t, uint32_t, uint32_t>(
        "v_mul_hi_u32", [](uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); });
    vector_op<uint32_t, uint32_t, uint32_t>("v_mul_hi_i32", [](uint32_t a, uint32_t b) {
        return (uint32_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
    });
    vector_op<uint32_t, uint32_t, uint32_t>(
        "v_mul_u32_u24", [](uint32_t a, uint32_t b) { return (a & 0xffffff) * (b & 0xffffff); });
    vector_op<uint32_t, uint32_t, uint32_t>("v_mul_hi_u32_u24", [](uint32_t a, uint32_t b) {
        return (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 32);
    });
    vector_op<uint32_t, uint32_t, uint32_t>("v_mul_i32_i24", [](uint32_t a, uint32_t b) {
        return (uint32_t)(((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8));
    });
    vector_op<uint32_t, uint32_t, uint32_t>("v_mul_hi_i32_i24", [](uint32_t a, uint32_t b) {
        return (uint32_t)((int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8) >> 32);
    });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_mad_u32_u24",
        [](uint32_t a, uint32_t b, uint32_t c) { return (a & 0xffffff) * (b & 0xffffff) + c; });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_mad_i32_i24", [](uint32_t a, uint32_t b, uint32_t c) {
            return (uint32_t)(((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8)) + c;
        });
    vector_op<uint32_t, uint32_t, uint32_t>("v_lshlrev_b32",
                                            [](uint32_t a, uint32_t b) { return b << (a & 31); });
    vector_op<uint32_t, uint32_t, uint32_t>("v_lshrrev_b32",
                                            [](uint32_t a, uint32_t b) { return b >> (a & 31); });
    vector_op<int32_t, uint32_t, int32_t>("v_ashrrev_i32",
                                          [](uint32_t a, int32_t b) { return b >> (a & 31); });
    vector_op<uint32_t, uint32_t, uint32_t>("v_lshl_b32",
                                            [](uint32_t a, uint32_t b) { return a << (b & 31); });
    vector_op<uint64_t, uint32_t, uint64_t>("v_lshlrev_b64",
                                            [](uint32_t a, uint64_t b) { return b << (a & 63); });
    vector_op<uint64_t, uint32_t, uint64_t>("v_lshrrev_b64",
                                            [](uint32_t a, uint64_t b) { return b >> (a & 63); });
    vector_op<int64_t, uint32_t, int64_t>("v_ashrrev_i64",
                                          [](uint32_t a, int64_t b) { return b >> (a & 63); });
    vector_op<uint32_t, uint32_t, uint32_t>("v_and_b32",
                                            [](uint32_t a, uint32_t b) { return a & b; });
    vector_op<uint32_t, uint32_t, uint32_t>("v_or_b32",
                                            [](uint32_t a, uint32_t b) { return a | b; });
    vector_op<uint32_t, uint32_t, uint32_t>("v_xor_b32",
                                            [](uint32_t a, uint32_t b) { return a ^ b; });
    vector_op<uint32_t, uint32_t, uint32_t>("v_xnor_b32",
                                            [](uint32_t a, uint32_t b) { return ~(a ^ b); });
    vector_op<uint32_t, uint32_t, uint32_t>("v_min_u32",
                                            [](uint32_t a, uint32_t b) { return a < b ? a : b; });
    vector_op<uint32_t, uint32_t, uint32_t>("v_max_u32",
                                            [](uint32_t a, uint32_t b) { return a > b ? a : b; });
    vector_op<int32_t, int32_t, int32_t>("v_min_i32",
                                         [](int32_t a, int32_t b) { return a < b ? a : b; });
    vector_op<int32_t, int32_t, int32_t>("v_max_i32",
                                         [](int32_t a, int32_t b) { return a > b ? a : b; });
    vector_op<uint32_t, uint32_t, uint32_t>(
        "v_bfm_b32", [](uint32_t a, uint32_t b) { return ((1u << (a & 31)) - 1) << (b & 31); });
    vector_op<uint32_t, uint32_t, uint32_t>("v_bcnt_u32_b32", [](uint32_t a, uint32_t b) {
        return (uint32_t)__builtin_popcount(a) + b;
    });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>("v_bfe_u32",
                                                      [](uint32_t a, uint32_t b, uint32_t c) {
                                                          uint32_t o = b & 31, n = c & 31;
                                                          return n ? (a >> o) & ((1u << n) - 1) : 0;
                                                      });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_bfe_i32", [](uint32_t a, uint32_t b, uint32_t c) {
            uint32_t o = b & 31, n = c & 31;
            if(!n)
                return 0u;
            uint32_t x = (int32_t)a >> o;
            return (uint32_t)((int32_t)(x << (32 - n)) >> (32 - n));
        });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_bfi_b32", [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | (~a & c); });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_alignbit_b32", [](uint32_t a, uint32_t b, uint32_t c) {
            return (uint32_t)(((uint64_t)a << 32 | b) >> (c & 31));
        });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_alignbyte_b32", [](uint32_t a, uint32_t b, uint32_t c) {
            return (uint32_t)(((uint64_t)a << 32 | b) >> (8 * (c & 3)));
        });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_perm_b32", [](uint32_t a, uint32_t b, uint32_t c) {
            uint64_t x = (uint64_t)a << 32 | b;
            uint32_t r = 0;
            for(int i = 0; i < 4; i++)
            {
                uint32_t s = c >> (8 * i) & 0xff, v;
                if(s >= 13)
                    v = 0xff;
                else if(s == 12)
                    v = 0;
                else if(s >= 8)
                    v = (x >> (16 * (s - 8) + 15) & 1) ? 0xff : 0;
                else
                    v = x >> (8 * s) & 0xff;
                r |= v << (8 * i);
            }
            return r;
        });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_add3_u32", [](uint32_t a, uint32_t b, uint32_t c) { return a + b + c; });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_lshl_add_u32", [](uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) + c; });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_add_lshl_u32", [](uint32_t a, uint32_t b, uint32_t c) { return (a + b) << (c & 31); });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_lshl_or_b32", [](uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) | c; });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_and_or_b32", [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | c; });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_or3_b32", [](uint32_t a, uint32_t b, uint32_t c) { return a | b | c; });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_xad_u32", [](uint32_t a, uint32_t b, uint32_t c) { return (a ^ b) + c; });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_xor3_b32", [](uint32_t a, uint32_t b, uint32_t c) { return a ^ b ^ c; });
    vector_op<uint64_t, uint64_t, uint32_t, uint64_t>(
        "v_lshl_add_u64", [](uint64_t a, uint32_t b, uint64_t c) { return (a << (b & 7)) + c; });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_min3_u32",
        [](uint32_t a, uint32_t b, uint32_t c) { return std::min(std::min(a, b), c); });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_max3_u32",
        [](uint32_t a, uint32_t b, uint32_t c) { return std::max(std::max(a, b), c); });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_med3_u32", [](uint32_t a, uint32_t b, uint32_t c) { return median(a, b, c); });
    vector_op<int32_t, int32_t, int32_t, int32_t>(
        "v_min3_i32", [](int32_t a, int32_t b, int32_t c) { return std::min(std::min(a, b), c); });
    vector_op<int32_t, int32_t, int32_t, int32_t>(
        "v_max3_i32", [](int32_t a, int32_t b, int32_t c) { return std::max(std::max(a, b), c); });
    vector_op<int32_t, int32_t, int32_t, int32_t>(
        "v_med3_i32", [](int32_t a, int32_t b, int32_t c) { return median(a, b, c); });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_maxmin_u32",
        [](uint32_t a, uint32_t b, uint32_t c) { return std::min(std::max(a, b), c); });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_minmax_u32",
        [](uint32_t a, uint32_t b, uint32_t c) { return std::max(std::min(a, b), c); });
    vector_op<int32_t, int32_t, int32_t, int32_t>(
        "v_maxmin_i32",
        [](int32_t a, int32_t b, int32_t c) { return std::min(std::max(a, b), c); });
    vector_op<int32_t, int32_t, int32_t, int32_t>(
        "v_minmax_i32",
        [](int32_t a, int32_t b, int32_t c) { return std::max(std::min(a, b), c); });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_sad_u32",
        [](uint32_t a, uint32_t b, uint32_t c) { return (a > b ? a - b : b - a) + c; });
    vector_op<uint32_t, uint32_t, uint32_t, uint32_t>(
        "v_sad_u8", [](uint32_t a, uint32_t b, uint32_t c) {
            for(int i = 0; i < 4; i++)
            {
                int x = a >> (8 * i) & 255, y = b >> (8 * i) & 255;
                c += x > y ? x - y : y - x;
            }
            return c;
        });
    vector_op<uint32_t, uint16_t, uint16_t, uint32_t>(
        "v_mad_u32_u16", [](uint16_t a, uint16_t b, uint32_t c) { return (uint32_t)a * b + c; });
    vector_op<uint32_t, int16_t, int16_t, uint32_t>(
        "v_mad_i32_i16",
        [](int16_t a, int16_t b, uint32_t c) { return (uint32_t)((int32_t)a * (int32_t)b) + c; });
}
} // namespace emu
