// Vector instructions whose result or operand is a mask of lanes: carries, comparisons, selection.

#include "handlers.hpp"
#include "vector_operation.hpp"
#include <cmath>
#include <string>

namespace emu {
template <int W>
static inline void write_lane_mask(Wave& w, const Operand& o, uint64_t x)
{
    if(o.kind != Kind::scalar || o.reg == reg_null)
        return;
    if(W == 64)
        w.sgpr64(o.reg, x);
    else
        w.sgpr[o.reg] = (uint32_t)x;
}
template <int W>
static inline uint64_t read_lane_mask(Wave& w, const Operand& o)
{
    if(o.kind == Kind::scalar)
        return W == 64 ? read_scalar64(w, o) : read_scalar(w, o);
    if(o.kind == Kind::constant)
        return (uint64_t)o.imm;
    return read_scalar(w, o);
}

// carry: op 0 add, 1 sub, 2 subrev; cin
template <int W, int OP, bool CIN>
static void carry(Wave& w, const Instruction& inst)
{
    Lanes<uint32_t, W> a, b, r;
    uint64_t c = 0, ci = CIN ? read_lane_mask<W>(w, inst.src[2]) : 0;
    fetch<W, uint32_t>(w, inst, 0, a.a);
    fetch<W, uint32_t>(w, inst, 1, b.a);
    for(int l = 0; l < W; l++)
    {
        uint64_t x = a.a[l], y = b.a[l], k = ci >> l & 1, t;
        if(OP == 0)
            t = x + y + k;
        else if(OP == 1)
            t = x - y - k;
        else
            t = y - x - k;
        r.a[l] = (uint32_t)t;
        c |= (t >> 32 & 1) << l;
    }
    uint64_t e = active_lanes<W>(w);
    store<W, uint32_t>(w, inst, r.a);
    write_lane_mask<W>(w, inst.dst[1], c & e);
}
template <int OP, bool CIN>
static void carry_operation(const char* n)
{
    add(n, 2, carry<32, OP, CIN>, carry<64, OP, CIN>);
}

template <int W, class T, class T2>
static void multiply_add_64(Wave& w, const Instruction& inst)
{
    Lanes<T, W> a, b;
    Lanes<T2, W> c;
    Lanes<T2, W> r;
    uint64_t cy = 0;
    fetch<W, T>(w, inst, 0, a.a);
    fetch<W, T>(w, inst, 1, b.a);
    fetch<W, T2>(w, inst, 2, c.a);
    for(int l = 0; l < W; l++)
    {
        T2 p   = (T2)a.a[l] * (T2)b.a[l], t;
        bool o = __builtin_add_overflow(p, c.a[l], &t);
        r.a[l] = t;
        if(o)
            cy |= 1ull << l;
    }
    uint64_t e = active_lanes<W>(w);
    store<W, T2>(w, inst, r.a);
    write_lane_mask<W>(w, inst.dst[1], cy & e);
}

template <int W>
static void cndmask(Wave& w, const Instruction& inst)
{
    Lanes<float, W> a, b;
    Lanes<uint32_t, W> r;
    fetch<W, float>(w, inst, 0, a.a);
    fetch<W, float>(w, inst, 1, b.a);
    uint64_t m        = inst.n_src > 2 ? read_lane_mask<W>(w, inst.src[2]) : w.vcc();
    const uint32_t *x = (const uint32_t*)a.a, *y = (const uint32_t*)b.a;
    for(int l = 0; l < W; l++)
        r.a[l] = (m >> l & 1) ? y[l] : x[l];
    store<W, uint32_t>(w, inst, r.a);
}
template <int W>
static void cndmask16(Wave& w, const Instruction& inst)
{
    Lanes<uint16_t, W> a, b, r;
    fetch<W, uint16_t>(w, inst, 0, a.a);
    fetch<W, uint16_t>(w, inst, 1, b.a);
    uint64_t m = inst.n_src > 2 ? read_lane_mask<W>(w, inst.src[2]) : w.vcc();
    for(int l = 0; l < W; l++)
        r.a[l] = (m >> l & 1) ? b.a[l] : a.a[l];
    store<W, uint16_t>(w, inst, r.a);
}

template <int W, class T, class F, bool X>
struct Compare
{
    static void run(Wave& w, const Instruction& inst)
    {
        Lanes<T, W> a, b;
        fetch<W, T>(w, inst, 0, a.a);
        fetch<W, T>(w, inst, 1, b.a);
        uint64_t m = 0;
        for(int l = 0; l < W; l++)
            m |= (uint64_t)(F{}(a.a[l], b.a[l]) ? 1 : 0) << l;
        m &= write_mask<W>(w, inst);
        if(inst.n_dst)
            write_lane_mask<W>(w, inst.dst[0], m);
        if(X)
            w.set_exec(m);
    }
};
template <class T, class F>
static void compare_as(const std::string& op, const char* ty, F)
{
    table()["v_cmp_" + op + "_" + ty] =
        Entry{&Compare<32, T, F, false>::run, &Compare<64, T, F, false>::run, 1};
    table()["v_cmpx_" + op + "_" + ty] =
        Entry{&Compare<32, T, F, true>::run, &Compare<64, T, F, true>::run, 1};
}
template <class F>
static void compare_integers(const char* op, F f)
{
    compare_as<int32_t>(op, "i32", f);
    compare_as<uint32_t>(op, "u32", f);
    compare_as<int64_t>(op, "i64", f);
    compare_as<uint64_t>(op, "u64", f);
    compare_as<int16_t>(op, "i16", f);
    compare_as<uint16_t>(op, "u16", f);
}
template <class F>
static void compare_floats(const char* op, F f)
{
    compare_as<float>(op, "f32", f);
    compare_as<double>(op, "f64", f);
    compare_as<half>(op, "f16", f);
}

template <class T>
static inline bool in_class(T x, uint32_t m)
{
    bool neg = std::signbit((double)x);
    if(is_nan(x))
    {
        bool q;
        if constexpr(sizeof(T) == 4)
            q = as_bits(x) >> 22 & 1;
        else if constexpr(sizeof(T) == 2)
            q = as_bits(x) >> 9 & 1;
        else
            q = as_bits(x) >> 51 & 1;
        return m >> (q ? 1 : 0) & 1;
    }
    double d = (double)x;
    int b;
    if(std::isinf(d))
        b = neg ? 2 : 9;
    else if(d == 0)
        b = neg ? 5 : 6;
    else
    {
        bool dn;
        if constexpr(sizeof(T) == 4)
            dn = std::fabs(d) < 0x1p-126;
        else if constexpr(sizeof(T) == 2)
            dn = std::fabs(d) < 0x1p-14;
        else
            dn = std::fabs(d) < 0x1p-1022;
        b = dn ? (neg ? 4 : 7) : (neg ? 3 : 8);
    }
    return m >> b & 1;
}
template <int W, class T, bool X>
static void compare_class(Wave& w, const Instruction& inst)
{
    Lanes<T, W> a;
    Lanes<uint32_t, W> b;
    fetch<W, T>(w, inst, 0, a.a);
    fetch<W, uint32_t>(w, inst, 1, b.a);
    uint64_t m = 0;
    for(int l = 0; l < W; l++)
        m |= (uint64_t)in_class(a.a[l], b.a[l]) << l;
    m &= write_mask<W>(w, inst);
    if(inst.n_dst)
        write_lane_mask<W>(w, inst.dst[0], m);
    if(X)
        w.set_exec(m);
}
#define BOTH(n, nd, f) add(n, nd, f<32>, f<64>)
void register_vector_compare()
{
    for(auto n : {"v_add_co_u32"})
        carry_operation<0, false>(n);
    carry_operation<1, false>("v_sub_co_u32");
    carry_operation<2, false>("v_subrev_co_u32");
    for(auto n : {"v_addc_co_u32", "v_add_co_ci_u32"})
        carry_operation<0, true>(n);
    for(auto n : {"v_subb_co_u32", "v_sub_co_ci_u32"})
        carry_operation<1, true>(n);
    for(auto n : {"v_subbrev_co_u32", "v_subrev_co_ci_u32"})
        carry_operation<2, true>(n);
    add("v_mad_u64_u32",
        2,
        multiply_add_64<32, uint32_t, uint64_t>,
        multiply_add_64<64, uint32_t, uint64_t>);
    alias("v_mad_co_u64_u32", "v_mad_u64_u32");
    add("v_mad_i64_i32",
        2,
        multiply_add_64<32, int32_t, int64_t>,
        multiply_add_64<64, int32_t, int64_t>);
    alias("v_mad_co_i64_i32", "v_mad_i64_i32");
    BOTH("v_cndmask_b32", 1, cndmask);
    BOTH("v_cndmask_b16", 1, cndmask16);

    compare_integers("eq", [](auto a, auto b) { return a == b; });
    compare_integers("ne", [](auto a, auto b) { return a != b; });
    compare_integers("lt", [](auto a, auto b) { return a < b; });
    compare_integers("le", [](auto a, auto b) { return a <= b; });
    compare_integers("gt", [](auto a, auto b) { return a > b; });
    compare_integers("ge", [](auto a, auto b) { return a >= b; });
    compare_integers("t", [](auto, auto) { return true; });
    compare_integers("f", [](auto, auto) { return false; });
    compare_floats("eq", [](auto a, auto b) { return a == b; });
    compare_floats("neq", [](auto a, auto b) { return !(a == b); });
    compare_floats("lt", [](auto a, auto b) { return a < b; });
    compare_floats("le", [](auto a, auto b) { return a <= b; });
    compare_floats("gt", [](auto a, auto b) { return a > b; });
    compare_floats("ge", [](auto a, auto b) { return a >= b; });
    compare_floats("lg", [](auto a, auto b) { return a < b || a > b; });
    compare_floats("nlg", [](auto a, auto b) { return !(a < b || a > b); });
    compare_floats("nlt", [](auto a, auto b) { return !(a < b); });
    compare_floats("nle", [](auto a, auto b) { return !(a <= b); });
    compare_floats("ngt", [](auto a, auto b) { return !(a > b); });
    compare_floats("nge", [](auto a, auto b) { return !(a >= b); });
    compare_floats("o", [](auto a, auto b) { return a == a && b == b; });
    compare_floats("u", [](auto a, auto b) { return !(a == a && b == b); });
    compare_floats("tru", [](auto, auto) { return true; });
    compare_floats("t", [](auto, auto) { return true; });
    compare_floats("f", [](auto, auto) { return false; });
    add("v_cmp_class_f32", 1, compare_class<32, float, false>, compare_class<64, float, false>);
    add("v_cmpx_class_f32", 1, compare_class<32, float, true>, compare_class<64, float, true>);
    add("v_cmp_class_f64", 1, compare_class<32, double, false>, compare_class<64, double, false>);
    add("v_cmpx_class_f64", 1, compare_class<32, double, true>, compare_class<64, double, true>);
    add("v_cmp_class_f16", 1, compare_class<32, half, false>, compare_class<64, half, false>);
    add("v_cmpx_class_f16", 1, compare_class<32, half, true>, compare_class<64, half, true>);
}
} // namespace emu
