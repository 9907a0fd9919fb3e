// Scalar comparisons, and operations that make a mask of lanes and EXEC.

#include "handlers.hpp"
#include "scalar_operation.hpp"
#include <initializer_list>
#include <string>

namespace emu {
template <class T, class F>
struct ScalarCompare
{
    static void run(Wave& w, const Instruction& inst)
    {
        w.scc = F{}((T)read_scalar(w, inst.src[0]), (T)read_scalar(w, inst.src[1]));
    }
};
template <class T, class F>
struct ScalarCompareF32
{
    static void run(Wave& w, const Instruction& inst)
    {
        w.scc = F{}(as_f32(read_scalar(w, inst.src[0])), as_f32(read_scalar(w, inst.src[1])));
    }
};
template <class T, class F>
struct ScalarCompareConstant
{
    static void run(Wave& w, const Instruction& inst)
    {
        T b   = std::is_signed_v<T> ? (T)(int32_t)inst.simm16 : (T)(uint16_t)inst.simm16;
        w.scc = F{}((T)read_scalar(w, inst.src[0]), b);
    }
};
template <class F>
void scalar_compare(const char* op, F)
{
    std::string o = op;
    for(std::string p : {"s_cmp_"})
    {
        table()[p + o + "_i32"] =
            Entry{&ScalarCompare<int32_t, F>::run, &ScalarCompare<int32_t, F>::run, 0};
        table()[p + o + "_u32"] =
            Entry{&ScalarCompare<uint32_t, F>::run, &ScalarCompare<uint32_t, F>::run, 0};
        table()[p + o + "_f32"] =
            Entry{&ScalarCompareF32<float, F>::run, &ScalarCompareF32<float, F>::run, 0};
    }
    table()["s_cmpk_" + o + "_i32"] =
        Entry{&ScalarCompareConstant<int32_t, F>::run, &ScalarCompareConstant<int32_t, F>::run, 0};
    table()["s_cmpk_" + o + "_u32"] = Entry{
        &ScalarCompareConstant<uint32_t, F>::run, &ScalarCompareConstant<uint32_t, F>::run, 0};
}

template <class F>
struct SaveExec64
{
    static void run(Wave& w, const Instruction& inst)
    {
        uint64_t s = read_scalar64(w, inst.src[0]), e = w.sgpr64(reg_exec);
        uint64_t r = F{}(s, e);
        write_scalar64(w, inst.dst[0], e);
        w.sgpr64(reg_exec, r);
        w.scc = r != 0;
    }
};
template <class F>
struct SaveExec32
{
    static void run(Wave& w, const Instruction& inst)
    {
        uint32_t s = read_scalar(w, inst.src[0]), e = w.sgpr[reg_exec];
        uint32_t r = (uint32_t)F{}((uint64_t)s, (uint64_t)e);
        write_scalar(w, inst.dst[0], e);
        w.sgpr[reg_exec] = r;
        w.scc            = r != 0;
    }
};
template <class F>
struct WrExec64
{
    static void run(Wave& w, const Instruction& inst)
    {
        uint64_t s = read_scalar64(w, inst.src[0]);
        uint64_t r = F{}(s, w.sgpr64(reg_exec));
        write_scalar64(w, inst.dst[0], r);
        w.sgpr64(reg_exec, r);
        w.scc = r != 0;
    }
};
template <class F>
struct WrExec32
{
    static void run(Wave& w, const Instruction& inst)
    {
        uint32_t s = read_scalar(w, inst.src[0]);
        uint32_t r = (uint32_t)F{}((uint64_t)s, (uint64_t)w.sgpr[reg_exec]);
        write_scalar(w, inst.dst[0], r);
        w.sgpr[reg_exec] = r;
        w.scc            = r != 0;
    }
};
template <class F>
void saveexec(std::initializer_list<const char*> names, F)
{
    for(std::string n : names)
    {
        table()["s_" + n + "_saveexec_b64"] = Entry{&SaveExec64<F>::run, &SaveExec64<F>::run, 1};
        table()["s_" + n + "_saveexec_b32"] = Entry{&SaveExec32<F>::run, &SaveExec32<F>::run, 1};
        table()["s_" + n + "_wrexec_b64"]   = Entry{&WrExec64<F>::run, &WrExec64<F>::run, 1};
        table()["s_" + n + "_wrexec_b32"]   = Entry{&WrExec32<F>::run, &WrExec32<F>::run, 1};
    }
}
void register_scalar_compare()
{
    scalar_compare("eq", [](auto a, auto b) { return a == b; });
    scalar_compare("lg", [](auto a, auto b) { return a < b || a > b; });
    scalar_compare("gt", [](auto a, auto b) { return a > b; });
    scalar_compare("ge", [](auto a, auto b) { return a >= b; });
    scalar_compare("lt", [](auto a, auto b) { return a < b; });
    scalar_compare("le", [](auto a, auto b) { return a <= b; });
    scalar_compare("neq", [](auto a, auto b) { return !(a == b); });
    scalar_compare("nlt", [](auto a, auto b) { return !(a < b); });
    scalar_compare("nle", [](auto a, auto b) { return !(a <= b); });
    scalar_compare("ngt", [](auto a, auto b) { return !(a > b); });
    scalar_compare("nge", [](auto a, auto b) { return !(a >= b); });
    scalar_compare("nlg", [](auto a, auto b) { return !(a < b || a > b); });
    scalar_compare("o", [](auto a, auto b) { return a == a && b == b; });
    scalar_compare("u", [](auto a, auto b) { return !(a == a && b == b); });
    add_scalar("s_cmp_eq_u64", 0, [](Wave& w, const Instruction& inst) {
        w.scc = read_scalar64(w, inst.src[0]) == read_scalar64(w, inst.src[1]);
    });
    add_scalar("s_cmp_lg_u64", 0, [](Wave& w, const Instruction& inst) {
        w.scc = read_scalar64(w, inst.src[0]) != read_scalar64(w, inst.src[1]);
    });
    add_scalar("s_bitcmp0_b32", 0, [](Wave& w, const Instruction& inst) {
        w.scc = !(read_scalar(w, inst.src[0]) >> (read_scalar(w, inst.src[1]) & 31) & 1);
    });
    add_scalar("s_bitcmp1_b32", 0, [](Wave& w, const Instruction& inst) {
        w.scc = read_scalar(w, inst.src[0]) >> (read_scalar(w, inst.src[1]) & 31) & 1;
    });
    add_scalar("s_bitcmp0_b64", 0, [](Wave& w, const Instruction& inst) {
        w.scc = !(read_scalar64(w, inst.src[0]) >> (read_scalar(w, inst.src[1]) & 63) & 1);
    });
    add_scalar("s_bitcmp1_b64", 0, [](Wave& w, const Instruction& inst) {
        w.scc = read_scalar64(w, inst.src[0]) >> (read_scalar(w, inst.src[1]) & 63) & 1;
    });

    saveexec({"and"}, [](uint64_t s, uint64_t e) { return s & e; });
    saveexec({"or"}, [](uint64_t s, uint64_t e) { return s | e; });
    saveexec({"xor"}, [](uint64_t s, uint64_t e) { return s ^ e; });
    saveexec({"nand"}, [](uint64_t s, uint64_t e) { return ~(s & e); });
    saveexec({"nor"}, [](uint64_t s, uint64_t e) { return ~(s | e); });
    saveexec({"xnor"}, [](uint64_t s, uint64_t e) { return ~(s ^ e); });
    saveexec({"andn2", "and_not1"}, [](uint64_t s, uint64_t e) { return s & ~e; });
    saveexec({"andn1", "and_not0"}, [](uint64_t s, uint64_t e) { return ~s & e; });
    saveexec({"orn2", "or_not1"}, [](uint64_t s, uint64_t e) { return s | ~e; });
    saveexec({"orn1", "or_not0"}, [](uint64_t s, uint64_t e) { return ~s | e; });
}
} // namespace emu
