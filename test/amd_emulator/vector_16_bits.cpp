// Vector instructions of 16 bits, and conversions between them and 32 bits.

#include "handlers.hpp"
#include "vector_operation.hpp"
#include <algorithm>
#include <cmath>

namespace emu {
template <class T>
static T median(T a, T b, T c)
{
    T mx = std::max(std::max(a, b), c);
    return mx == a ? std::max(b, c) : mx == b ? std::max(a, c) : std::max(a, b);
}
void register_vector_16_bits()
{
    vector_op<uint16_t, uint16_t>("v_mov_b16", [](uint16_t a) { return a; });
    vector_op<uint16_t, uint16_t>("v_not_b16", [](uint16_t a) { return (uint16_t)~a; });
    vector_op<half, half, half>("v_add_f16", [](half a, half b) { return a + b; });
    vector_op<half, half, half>("v_sub_f16", [](half a, half b) { return a - b; });
    vector_op<half, half, half>("v_subrev_f16", [](half a, half b) { return b - a; });
    vector_op<half, half, half>("v_mul_f16", [](half a, half b) { return a * b; });
    vector_op<half, half, half>("v_min_f16", [](half a, half b) { return min_number(a, b); });
    vector_op<half, half, half>("v_max_f16", [](half a, half b) { return max_number(a, b); });
    alias("v_min_num_f16", "v_min_f16");
    alias("v_max_num_f16", "v_max_f16");
    vector_op<half, half, half, half>("v_fma_f16",
                                      [](half a, half b, half c) { return fma_f16(a, b, c); });
    vector_op_accumulating<half, half, half, half>(
        "v_fmac_f16", [](half a, half b, half c) { return fma_f16(a, b, c); });
    alias("v_fmaak_f16", "v_fma_f16");
    alias("v_fmamk_f16", "v_fma_f16");
    vector_op<half, half, half, half>("v_mad_f16", [](half a, half b, half c) {
        half p = a * b;
        return (half)(p + c);
    });
    vector_op_accumulating<half, half, half, half>("v_mac_f16", [](half a, half b, half c) {
        half p = a * b;
        return (half)(p + c);
    });
    vector_op<half, half, half, half>(
        "v_min3_f16", [](half a, half b, half c) { return min_number(min_number(a, b), c); });
    vector_op<half, half, half, half>(
        "v_max3_f16", [](half a, half b, half c) { return max_number(max_number(a, b), c); });
    vector_op<half, half, half, half>(
        "v_med3_f16", [](half a, half b, half c) { return median_number(a, b, c); });
    vector_op<half, half, half, half>(
        "v_maxmin_f16", [](half a, half b, half c) { return min_number(max_number(a, b), c); });
    vector_op<half, half, half, half>(
        "v_minmax_f16", [](half a, half b, half c) { return max_number(min_number(a, b), c); });
    alias("v_min3_num_f16", "v_min3_f16");
    alias("v_max3_num_f16", "v_max3_f16");
    alias("v_med3_num_f16", "v_med3_f16");
    alias("v_maxmin_num_f16", "v_maxmin_f16");
    alias("v_minmax_num_f16", "v_minmax_f16");
    vector_op<half, half>("v_rcp_f16", [](half a) { return (half)(1.f / (float)a); });
    vector_op<half, half>("v_sqrt_f16", [](half a) { return (half)std::sqrt((float)a); });
    vector_op<half, half>("v_rsq_f16", [](half a) { return (half)(1.f / std::sqrt((float)a)); });
    vector_op<half, half>("v_exp_f16", [](half a) { return (half)std::exp2((float)a); });
    vector_op<half, half>("v_log_f16", [](half a) { return (half)std::log2((float)a); });
    vector_op<half, half>("v_floor_f16", [](half a) { return (half)std::floor((float)a); });
    vector_op<half, half>("v_ceil_f16", [](half a) { return (half)std::ceil((float)a); });
    vector_op<half, half>("v_trunc_f16", [](half a) { return (half)std::trunc((float)a); });
    vector_op<half, half>("v_rndne_f16", [](half a) { return (half)std::rint((float)a); });
    vector_op<half, half>("v_fract_f16",
                          [](half a) { return (half)((float)a - std::floor((float)a)); });
    vector_op<half, half, int16_t>("v_ldexp_f16", [](half a, int16_t b) {
        const int exponent = std::clamp<int>(b, -64, 64); // enough for 0 and for Inf; exact as f32
        return (half)((float)a * as_f32((uint32_t)(127 + exponent) << 23));
    });
    vector_op<half, half>("v_frexp_mant_f16", [](half a) {
        int e;
        return (half)std::frexp((float)a, &e);
    });
    vector_op<int16_t, half>("v_frexp_exp_i16_f16", [](half a) {
        int e = 0;
        if(a == (half)0 || is_nan(a) || std::isinf((float)a))
            return (int16_t)0;
        std::frexp((float)a, &e);
        return (int16_t)e;
    });
    vector_op<half, half, half, half>("v_div_fixup_f16", [](half q, half d, half n) {
        bool sg = std::signbit((float)d) ^ std::signbit((float)n);
        float D = (float)d, N = (float)n, r;
        if(is_nan(N))
            r = N;
        else if(is_nan(D))
            r = D;
        else if(D == 0 && N == 0)
            r = NAN;
        else if(std::isinf(D) && std::isinf(N))
            r = NAN;
        else if(D == 0 || std::isinf(N))
            r = sg ? -INFINITY : INFINITY;
        else if(std::isinf(D) || N == 0)
            r = sg ? -0.f : 0.f;
        else
            r = sg ? -std::fabs((float)q) : std::fabs((float)q);
        return (half)r;
    });
    vector_op<uint16_t, uint16_t, uint16_t>(
        "v_add_u16", [](uint16_t a, uint16_t b) { return (uint16_t)(a + b); });
    vector_op<uint16_t, uint16_t, uint16_t>(
        "v_sub_u16", [](uint16_t a, uint16_t b) { return (uint16_t)(a - b); });
    vector_op<uint16_t, uint16_t, uint16_t>(
        "v_subrev_u16", [](uint16_t a, uint16_t b) { return (uint16_t)(b - a); });
    vector_op<uint16_t, uint16_t, uint16_t>(
        "v_mul_lo_u16", [](uint16_t a, uint16_t b) { return (uint16_t)((uint32_t)a * b); });
    for(auto n : {"v_add_nc_u16", "v_add_nc_i16", "v_add_i16"})
        alias(n, "v_add_u16");
    for(auto n : {"v_sub_nc_u16", "v_sub_nc_i16", "v_sub_i16"})
        alias(n, "v_sub_u16");
    vector_op<uint16_t, uint16_t, uint16_t>(
        "v_lshlrev_b16", [](uint16_t a, uint16_t b) { return (uint16_t)(b << (a & 15)); });
    vector_op<uint16_t, uint16_t, uint16_t>(
        "v_lshrrev_b16", [](uint16_t a, uint16_t b) { return (uint16_t)(b >> (a & 15)); });
    vector_op<int16_t, uint16_t, int16_t>(
        "v_ashrrev_i16", [](uint16_t a, int16_t b) { return (int16_t)(b >> (a & 15)); });
    vector_op<uint16_t, uint16_t, uint16_t>(
        "v_and_b16", [](uint16_t a, uint16_t b) { return (uint16_t)(a & b); });
    vector_op<uint16_t, uint16_t, uint16_t>(
        "v_or_b16", [](uint16_t a, uint16_t b) { return (uint16_t)(a | b); });
    vector_op<uint16_t, uint16_t, uint16_t>(
        "v_xor_b16", [](uint16_t a, uint16_t b) { return (uint16_t)(a ^ b); });
    vector_op<uint16_t, uint16_t, uint16_t>("v_min_u16",
                                            [](uint16_t a, uint16_t b) { return std::min(a, b); });
    vector_op<uint16_t, uint16_t, uint16_t>("v_max_u16",
                                            [](uint16_t a, uint16_t b) { return std::max(a, b); });
    vector_op<int16_t, int16_t, int16_t>("v_min_i16",
                                         [](int16_t a, int16_t b) { return std::min(a, b); });
    vector_op<int16_t, int16_t, int16_t>("v_max_i16",
                                         [](int16_t a, int16_t b) { return std::max(a, b); });
    vector_op<uint16_t, uint16_t, uint16_t, uint16_t>(
        "v_mad_u16",
        [](uint16_t a, uint16_t b, uint16_t c) { return (uint16_t)((uint32_t)a * b + c); });
    alias("v_mad_i16", "v_mad_u16");
    alias("v_mad_legacy_u16", "v_mad_u16");
    alias("v_mad_legacy_i16", "v_mad_u16");
    vector_op<uint16_t, uint16_t, uint16_t, uint16_t>(
        "v_min3_u16",
        [](uint16_t a, uint16_t b, uint16_t c) { return std::min(std::min(a, b), c); });
    vector_op<uint16_t, uint16_t, uint16_t, uint16_t>(
        "v_max3_u16",
        [](uint16_t a, uint16_t b, uint16_t c) { return std::max(std::max(a, b), c); });
    vector_op<uint16_t, uint16_t, uint16_t, uint16_t>(
        "v_med3_u16", [](uint16_t a, uint16_t b, uint16_t c) { return median(a, b, c); });
    vector_op<int16_t, int16_t, int16_t, int16_t>(
        "v_min3_i16", [](int16_t a, int16_t b, int16_t c) { return std::min(std::min(a, b), c); });
    vector_op<int16_t, int16_t, int16_t, int16_t>(
        "v_max3_i16", [](int16_t a, int16_t b, int16_t c) { return std::max(std::max(a, b), c); });
    vector_op<int16_t, int16_t, int16_t, int16_t>(
        "v_med3_i16", [](int16_t a, int16_t b, int16_t c) { return median(a, b, c); });
    vector_op<uint32_t, half, half>("v_pack_b32_f16", [](half a, half b) {
        return (uint32_t)as_bits(a) | (uint32_t)as_bits(b) << 16;
    });
    // 16-bit conversions
    vector_op<half, float>("v_cvt_f16_f32", [](float a) { return (half)a; });
    vector_op<float, half>("v_cvt_f32_f16", [](half a) { return (float)a; });
    vector_op<half, uint16_t>("v_cvt_f16_u16", [](uint16_t a) { return (half)(float)a; });
    vector_op<half, int16_t>("v_cvt_f16_i16", [](int16_t a) { return (half)(float)a; });
    vector_op<uint16_t, half>("v_cvt_u16_f16", [](half a) {
        float x = (float)a;
        return (uint16_t)(!(x > 0) ? 0 : x >= 65535.f ? 65535 : (uint32_t)x);
    });
    vector_op<int16_t, half>("v_cvt_i16_f16", [](half a) {
        float x = (float)a;
        return (int16_t)(x != x ? 0 : x >= 32767.f ? 32767 : x <= -32768.f ? -32768 : (int32_t)x);
    });
    vector_op<uint32_t, uint16_t>("v_cvt_u32_u16", [](uint16_t a) { return (uint32_t)a; });
    vector_op<uint32_t, int16_t>("v_cvt_i32_i16", [](int16_t a) { return (uint32_t)(int32_t)a; });
    vector_op<uint32_t, float, float>("v_cvt_pkrtz_f16_f32", [](float a, float b) {
        return (uint32_t)f32_to_f16_toward_zero(a) | (uint32_t)f32_to_f16_toward_zero(b) << 16;
    });
    alias("v_cvt_pk_rtz_f16_f32", "v_cvt_pkrtz_f16_f32");
    vector_op<uint32_t, float, float>("v_cvt_pk_f16_f32", [](float a, float b) { // gfx950
        return (uint32_t)as_bits((half)a) | (uint32_t)as_bits((half)b) << 16;
    });
    vector_op<uint32_t, float, float>("v_cvt_pk_bf16_f32", [](float a, float b) {
        return (uint32_t)f32_to_bf16(a) | (uint32_t)f32_to_bf16(b) << 16;
    });
    vector_op<uint32_t, uint32_t, uint32_t>("v_cvt_pk_u16_u32", [](uint32_t a, uint32_t b) {
        return std::min(a, 65535u) | std::min(b, 65535u) << 16;
    });
    vector_op<uint32_t, int32_t, int32_t>("v_cvt_pk_i16_i32", [](int32_t a, int32_t b) {
        return ((uint32_t)std::max(-32768, std::min(32767, a)) & 0xffff) |
               (uint32_t)std::max(-32768, std::min(32767, b)) << 16;
    });
    vector_op<uint32_t, float, float>("v_cvt_pknorm_i16_f32", [](float a, float b) {
        auto f = [](float x) {
            x = std::min(1.f, std::max(-1.f, x));
            return (uint32_t)(int32_t)std::rint(x * 32767.f) & 0xffff;
        };
        return f(a) | f(b) << 16;
    });
    vector_op<uint32_t, float, float>("v_cvt_pknorm_u16_f32", [](float a, float b) {
        auto f = [](float x) {
            x = std::min(1.f, std::max(0.f, x));
            return (uint32_t)std::rint(x * 65535.f) & 0xffff;
        };
        return f(a) | f(b) << 16;
    });
}
} // namespace emu
