// Vector instructions of f32 and f64, their divisions and conversions.

#include "handlers.hpp"
#include "vector_operation.hpp"
#include <cmath>

namespace emu {
static inline uint32_t f32_to_i32(float x)
{
    return (uint32_t)(x != x               ? 0
                      : x >= 2147483648.f  ? 0x7fffffff
                      : x <= -2147483648.f ? (int32_t)0x80000000
                                           : (int32_t)x);
}
static inline uint32_t f32_to_u32(float x)
{
    return !(x > 0) ? 0 : x >= 4294967296.f ? 0xffffffffu : (uint32_t)x;
}
static inline uint32_t f64_to_i32(double x)
{
    return (uint32_t)(x != x               ? 0
                      : x >= 2147483647.0  ? 0x7fffffff
                      : x <= -2147483648.0 ? (int32_t)0x80000000
                                           : (int32_t)x);
}
static inline uint32_t f64_to_u32(double x)
{
    return !(x > 0) ? 0 : x >= 4294967295.0 ? 0xffffffffu : (uint32_t)x;
}
static inline int exponent(float x) { return as_bits(x) >> 23 & 0xff; }
static inline int exponent(double x) { return as_bits(x) >> 52 & 0x7ff; }
static inline bool is_denormal(float x) { return exponent(x) == 0 && (as_bits(x) & 0x7fffff); }
static inline bool is_denormal(double x)
{
    return exponent(x) == 0 && (as_bits(x) & 0xfffffffffffffull);
}
template <class T>
struct DivisionScale
{
    static constexpr int hi = sizeof(T) == 4 ? 96 : 768, sc = sizeof(T) == 4 ? 64 : 128,
                         tiny = sizeof(T) == 4 ? 23 : 53;
};
template <int W, class T>
static void div_scale(Wave& w, const Instruction& inst)
{
    Lanes<T, W> a, b, c, r;
    uint64_t vm = 0;
    fetch<W, T>(w, inst, 0, a.a);
    fetch<W, T>(w, inst, 1, b.a);
    fetch<W, T>(w, inst, 2, c.a);
    for(int l = 0; l < W; l++)
    {
        T s0 = a.a[l], s1 = b.a[l], s2 = c.a[l], d = s0;
        bool v = false;
        int e1, e2;
        if constexpr(sizeof(T) == 4)
        {
            e1 = exponent(s1);
            e2 = exponent(s2);
        }
        else
        {
            e1 = exponent(s1);
            e2 = exponent(s2);
        }
        if(s2 == 0 || s1 == 0)
            d = (T)NAN;
        else if(e2 - e1 >= DivisionScale<T>::hi)
        {
            v = true;
            if(s0 == s1)
                d = std::ldexp(s0, DivisionScale<T>::sc);
        }
        else if(is_denormal(s1))
            d = std::ldexp(s0, DivisionScale<T>::sc);
        else if(is_denormal((T)(1 / s1)) && is_denormal((T)(s2 / s1)))
        {
            v = true;
            if(s0 == s1)
                d = std::ldexp(s0, DivisionScale<T>::sc);
        }
        else if(is_denormal((T)(1 / s1)))
            d = std::ldexp(s0, -DivisionScale<T>::sc);
        else if(is_denormal((T)(s2 / s1)))
        {
            v = true;
            if(s0 == s2)
                d = std::ldexp(s0, DivisionScale<T>::sc);
        }
        else if(e2 <= DivisionScale<T>::tiny)
            d = std::ldexp(s0, DivisionScale<T>::sc);
        r.a[l] = d;
        if(v)
            vm |= 1ull << l;
    }
    uint64_t e = active_lanes<W>(w);
    store<W, T>(w, inst, r.a);
    if(inst.dst[1].kind == Kind::scalar && inst.dst[1].reg != reg_null)
    {
        if(W == 64)
            w.sgpr64(inst.dst[1].reg, vm & e);
        else
            w.sgpr[inst.dst[1].reg] = (uint32_t)(vm & e);
    }
}
template <int W, class T>
static void div_fmas(Wave& w, const Instruction& inst)
{
    Lanes<T, W> a, b, c, r;
    fetch<W, T>(w, inst, 0, a.a);
    fetch<W, T>(w, inst, 1, b.a);
    fetch<W, T>(w, inst, 2, c.a);
    uint64_t v = w.vcc();
    for(int l = 0; l < W; l++)
    {
        T x = std::fma(a.a[l], b.a[l], c.a[l]);
        if(v >> l & 1)
        {
            bool big;
            if constexpr(sizeof(T) == 4)
                big = exponent(c.a[l]) > 127;
            else
                big = exponent(c.a[l]) > 1023;
            x = std::ldexp(x, big ? DivisionScale<T>::sc : -DivisionScale<T>::sc);
        }
        r.a[l] = x;
    }
    store<W, T>(w, inst, r.a);
}
template <class T>
static T div_fixup(T s0, T s1, T s2)
{
    bool sg = std::signbit(s1) ^ std::signbit(s2);
    T inf   = (T)INFINITY;
    if(is_nan(s2))
        return s2;
    if(is_nan(s1))
        return s1;
    if(s1 == 0 && s2 == 0)
        return (T)NAN;
    if(std::isinf(s1) && std::isinf(s2))
        return (T)NAN;
    if(s1 == 0 || std::isinf(s2))
        return sg ? -inf : inf;
    if(std::isinf(s1) || s2 == 0)
        return sg ? (T)-0.0 : (T)0.0;
    int e1, e2;
    if constexpr(sizeof(T) == 4)
    {
        e1 = exponent(s1);
        e2 = exponent(s2);
        if(e2 - e1 < -150)
        {
            T u = as_f32(1u);
            return sg ? -u : u;
        }
    }
    else
    {
        e1 = exponent(s1);
        e2 = exponent(s2);
        if(e2 - e1 < -1075)
        {
            T u = as_f64(1ull);
            return sg ? -u : u;
        }
    }
    if(is_nan(s0))
        return sg ? -inf : inf;
    T r = std::fabs(s0);
    return sg ? -r : r;
}

void register_vector_float()
{
    // f32
    vector_op<float, float, float>("v_add_f32", [](float a, float b) { return a + b; });
    vector_op<float, float, float>("v_sub_f32", [](float a, float b) { return a - b; });
    vector_op<float, float, float>("v_subrev_f32", [](float a, float b) { return b - a; });
    vector_op<float, float, float>("v_mul_f32", [](float a, float b) { return a * b; });
    vector_op<float, float, float>(
        "v_mul_legacy_f32", [](float a, float b) { return (a == 0 || b == 0) ? 0.f : a * b; });
    alias("v_mul_dx9_zero_f32", "v_mul_legacy_f32");
    vector_op<float, float, float>("v_min_f32", [](float a, float b) { return min_number(a, b); });
    vector_op<float, float, float>("v_max_f32", [](float a, float b) { return max_number(a, b); });
    alias("v_min_num_f32", "v_min_f32");
    alias("v_max_num_f32", "v_max_f32");
    vector_op<float, float, float>("v_minimum_f32", [](float a, float b) {
        return is_nan(a) ? a : is_nan(b) ? b : min_number(a, b);
    });
    vector_op<float, float, float>("v_maximum_f32", [](float a, float b) {
        return is_nan(a) ? a : is_nan(b) ? b : max_number(a, b);
    });
    vector_op<float, float, float, float>(
        "v_fma_f32", [](float a, float b, float c) { return fma_f32(a, b, c); });
    vector_op_accumulating<float, float, float, float>(
        "v_fmac_f32", [](float a, float b, float c) { return fma_f32(a, b, c); });
    alias("v_fmaak_f32", "v_fma_f32");
    alias("v_fmamk_f32", "v_fma_f32");
    vector_op<float, float, float, float>("v_mad_f32", [](float a, float b, float c) {
        float p = a * b;
        return p + c;
    });
    vector_op_accumulating<float, float, float, float>("v_mac_f32", [](float a, float b, float c) {
        float p = a * b;
        return p + c;
    });
    alias("v_madak_f32", "v_mad_f32");
    alias("v_madmk_f32", "v_mad_f32");
    vector_op<float, float, float, float>("v_fma_legacy_f32", [](float a, float b, float c) {
        return (a == 0 || b == 0) ? c : fma_f32(a, b, c);
    });
    alias("v_fma_dx9_zero_f32", "v_fma_legacy_f32");
    vector_op<float, float, float, float>(
        "v_min3_f32", [](float a, float b, float c) { return min_number(min_number(a, b), c); });
    vector_op<float, float, float, float>(
        "v_max3_f32", [](float a, float b, float c) { return max_number(max_number(a, b), c); });
    alias("v_min3_num_f32", "v_min3_f32");
    alias("v_max3_num_f32", "v_max3_f32");
    vector_op<float, float, float, float>(
        "v_med3_f32", [](float a, float b, float c) { return median_number(a, b, c); });
    alias("v_med3_num_f32", "v_med3_f32");
    vector_op<float, float, float, float>(
        "v_maxmin_f32", [](float a, float b, float c) { return min_number(max_number(a, b), c); });
    vector_op<float, float, float, float>(
        "v_minmax_f32", [](float a, float b, float c) { return max_number(min_number(a, b), c); });
    alias("v_maxmin_num_f32", "v_maxmin_f32");
    alias("v_minmax_num_f32", "v_minmax_f32");
    vector_op<float, float>("v_rcp_f32", [](float a) { return 1.f / a; });
    alias("v_rcp_iflag_f32", "v_rcp_f32");
    vector_op<float, float>("v_rsq_f32",
                            [](float a) { return (float)(1.0 / std::sqrt((double)a)); });
    vector_op<float, float>("v_sqrt_f32", [](float a) { return std::sqrt(a); });
    vector_op<float, float>("v_exp_f32", [](float a) { return std::exp2(a); });
    vector_op<float, float>("v_log_f32", [](float a) { return std::log2(a); });
    vector_op<float, float>("v_sin_f32",
                            [](float a) { return (float)std::sin((double)a * 6.283185307179586); });
    vector_op<float, float>("v_cos_f32",
                            [](float a) { return (float)std::cos((double)a * 6.283185307179586); });
    vector_op<float, float>("v_fract_f32", [](float a) {
        float r = a - std::floor(a);
        return r > 0x1.fffffep-1f ? 0x1.fffffep-1f : r;
    });
    vector_op<float, float>("v_trunc_f32", [](float a) { return std::trunc(a); });
    vector_op<float, float>("v_ceil_f32", [](float a) { return std::ceil(a); });
    vector_op<float, float>("v_floor_f32", [](float a) { return std::floor(a); });
    vector_op<float, float>("v_rndne_f32", [](float a) { return std::rint(a); });
    vector_op<float, float, int32_t>("v_ldexp_f32",
                                     [](float a, int32_t b) { return std::ldexp(a, b); });
    vector_op<float, float>("v_frexp_mant_f32", [](float a) {
        int e;
        return (is_nan(a) || std::isinf(a)) ? a : std::frexp(a, &e);
    });
    vector_op<int32_t, float>("v_frexp_exp_i32_f32", [](float a) {
        int e = 0;
        if(is_nan(a) || std::isinf(a) || a == 0)
            return 0;
        std::frexp(a, &e);
        return e;
    });
    add("v_div_scale_f32", 2, div_scale<32, float>, div_scale<64, float>);
    add("v_div_scale_f64", 2, div_scale<32, double>, div_scale<64, double>);
    add("v_div_fmas_f32", 1, div_fmas<32, float>, div_fmas<64, float>);
    add("v_div_fmas_f64", 1, div_fmas<32, double>, div_fmas<64, double>);
    vector_op<float, float, float, float>(
        "v_div_fixup_f32", [](float a, float b, float c) { return div_fixup<float>(a, b, c); });
    vector_op<double, double, double, double>(
        "v_div_fixup_f64", [](double a, double b, double c) { return div_fixup<double>(a, b, c); });

    // f64
    vector_op<double, double, double>("v_add_f64", [](double a, double b) { return a + b; });
    vector_op<double, double, double>("v_mul_f64", [](double a, double b) { return a * b; });
    vector_op<double, double, double>("v_min_f64",
                                      [](double a, double b) { return min_number(a, b); });
    vector_op<double, double, double>("v_max_f64",
                                      [](double a, double b) { return max_number(a, b); });
    alias("v_min_num_f64", "v_min_f64");
    alias("v_max_num_f64", "v_max_f64");
    vector_op<double, double, double, double>(
        "v_fma_f64", [](double a, double b, double c) { return __builtin_fma(a, b, c); });
    vector_op_accumulating<double, double, double, double>(
        "v_fmac_f64", [](double a, double b, double c) { return __builtin_fma(a, b, c); });
    vector_op<double, double>("v_rcp_f64", [](double a) { return 1.0 / a; });
    vector_op<double, double>("v_rsq_f64", [](double a) { return 1.0 / std::sqrt(a); });
    vector_op<double, double>("v_sqrt_f64", [](double a) { return std::sqrt(a); });
    vector_op<double, double>("v_trunc_f64", [](double a) { return std::trunc(a); });
    vector_op<double, double>("v_ceil_f64", [](double a) { return std::ceil(a); });
    vector_op<double, double>("v_floor_f64", [](double a) { return std::floor(a); });
    vector_op<double, double>("v_rndne_f64", [](double a) { return std::rint(a); });
    vector_op<double, double>("v_fract_f64", [](double a) {
        double r = a - std::floor(a);
        return r > 0x1.fffffffffffffp-1 ? 0x1.fffffffffffffp-1 : r;
    });
    vector_op<double, double, int32_t>("v_ldexp_f64",
                                       [](double a, int32_t b) { return std::ldexp(a, b); });
    vector_op<double, double>("v_frexp_mant_f64", [](double a) {
        int e;
        return (is_nan(a) || std::isinf(a)) ? a : std::frexp(a, &e);
    });
    vector_op<int32_t, double>("v_frexp_exp_i32_f64", [](double a) {
        int e = 0;
        if(is_nan(a) || std::isinf(a) || a == 0)
            return 0;
        std::frexp(a, &e);
        return e;
    });

    // conversions
    vector_op<float, int32_t>("v_cvt_f32_i32", [](int32_t a) { return (float)a; });
    vector_op<float, uint32_t>("v_cvt_f32_u32", [](uint32_t a) { return (float)a; });
    vector_op<uint32_t, float>("v_cvt_i32_f32", [](float a) { return f32_to_i32(a); });
    vector_op<uint32_t, float>("v_cvt_u32_f32", [](float a) { return f32_to_u32(a); });
    vector_op<uint32_t, float>("v_cvt_rpi_i32_f32",
                               [](float a) { return f32_to_i32(std::floor(a + 0.5f)); });
    alias("v_cvt_nearest_i32_f32", "v_cvt_rpi_i32_f32");
    vector_op<uint32_t, float>("v_cvt_flr_i32_f32",
                               [](float a) { return f32_to_i32(std::floor(a)); });
    alias("v_cvt_floor_i32_f32", "v_cvt_flr_i32_f32");
    vector_op<double, int32_t>("v_cvt_f64_i32", [](int32_t a) { return (double)a; });
    vector_op<double, uint32_t>("v_cvt_f64_u32", [](uint32_t a) { return (double)a; });
    vector_op<uint32_t, double>("v_cvt_i32_f64", [](double a) { return f64_to_i32(a); });
    vector_op<uint32_t, double>("v_cvt_u32_f64", [](double a) { return f64_to_u32(a); });
    vector_op<float, double>("v_cvt_f32_f64", [](double a) { return (float)a; });
    vector_op<double, float>("v_cvt_f64_f32", [](float a) { return (double)a; });
    vector_op<float, uint32_t>("v_cvt_f32_ubyte0", [](uint32_t a) { return (float)(a & 0xff); });
    vector_op<float, uint32_t>("v_cvt_f32_ubyte1",
                               [](uint32_t a) { return (float)(a >> 8 & 0xff); });
    vector_op<float, uint32_t>("v_cvt_f32_ubyte2",
                               [](uint32_t a) { return (float)(a >> 16 & 0xff); });
    vector_op<float, uint32_t>("v_cvt_f32_ubyte3", [](uint32_t a) { return (float)(a >> 24); });
    vector_op<uint32_t, float, uint32_t, uint32_t>("v_cvt_pk_u8_f32",
                                                   [](float a, uint32_t b, uint32_t c) {
                                                       uint32_t x = f32_to_u32(std::rint(a));
                                                       if(x > 255)
                                                           x = 255;
                                                       int s = (b & 3) * 8;
                                                       return (c & ~(0xffu << s)) | x << s;
                                                   });
}
} // namespace emu
