// Floats of eight bits: FNUZ (gfx940) and OCP (gfx950, gfx12).
#pragma once

#include "number_formats.hpp"
#include "target.hpp"
#include <cmath>
#include <cstdint>

namespace emu {
inline float fp8_to_f32(uint8_t x, bool bf8, bool ocp)
{
    int mb = bf8 ? 2 : 3, eb = bf8 ? 5 : 4;
    int s = x >> 7, e = x >> mb & ((1 << eb) - 1), m = x & ((1 << mb) - 1);
    float sg = s ? -1.f : 1.f;
    if(!ocp)
    {
        if(x == 0x80)
            return NAN;
        int bias = bf8 ? 16 : 8;
        if(e == 0)
            return sg * std::ldexp((float)m, 1 - bias - mb);
        return sg * std::ldexp((float)(m | 1 << mb), e - bias - mb);
    }
    int bias = bf8 ? 15 : 7;
    if(bf8 && e == 31)
        return m ? NAN : sg * INFINITY;
    if(!bf8 && e == 15 && m == 7)
        return NAN;
    if(e == 0)
        return sg * std::ldexp((float)m, 1 - bias - mb);
    return sg * std::ldexp((float)(m | 1 << mb), e - bias - mb);
}
inline const float* fp8_table(bool bf8)
{
    static float t[2][256];
    static bool done[2];
    if(!done[bf8])
    {
        for(int i = 0; i < 256; i++)
            t[bf8][i] = fp8_to_f32(i, bf8, target.fp8_ocp);
        done[bf8] = true;
    }
    return t[bf8];
}
// round to nearest even; saturates to the largest finite value when `sat`, otherwise overflow ->
// NaN/Inf
inline uint8_t f32_to_fp8(float f, bool bf8, bool ocp, bool sat, bool sr = false, uint32_t rnd = 0)
{
    int mb       = bf8 ? 2 : 3;
    uint8_t s    = std::signbit(f) ? 0x80 : 0;
    uint8_t nan  = ocp ? (uint8_t)(s | 0x7f) : 0x80;
    float maxv   = bf8 ? 57344.f : ocp ? 448.f : 240.f;
    uint8_t maxc = ocp ? (bf8 ? 0x7b : 0x7e) : 0x7f;
    if(is_nan(f))
        return nan;
    uint8_t ovf = sat ? (uint8_t)(s | maxc) : ocp && bf8 ? (uint8_t)(s | 0x7c) : nan;
    float a     = std::fabs(f);
    if(std::isinf(a))
        return ovf;
    if(a == 0)
        return ocp ? s : 0;
    int bias = ocp ? (bf8 ? 15 : 7) : (bf8 ? 16 : 8);
    int e;
    std::frexp(a, &e);
    e -= 1; // a = 1.x * 2^e
    int emin = 1 - bias;
    int q    = (e < emin ? emin : e) - mb; // quantum 2^q
    double v = std::ldexp((double)a, -q), r;
    if(sr)
    {
        double fl = std::floor(v);
        r         = (v - fl) * 4294967296.0 + (double)rnd >= 4294967296.0 ? fl + 1 : fl;
    }
    else
        r = std::nearbyint(v);
    double val = std::ldexp(r, q);
    if(val > maxv)
        return ovf;
    if(r == 0)
        return ocp ? s : 0;
    uint32_t n = (uint32_t)r;
    int ex;
    if(n < (1u << mb))
        ex = 0; // subnormal
    else
    {
        int sh = 0;
        while(n >= (2u << mb))
        {
            n >>= 1;
            sh++;
        }
        ex = q + sh + mb + bias;
    }
    return s | (uint8_t)(ex << mb | (n & ((1 << mb) - 1)));
}
} // namespace emu
