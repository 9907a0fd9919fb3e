// Scalar operations made of a function of operands.
#pragma once

#include "instruction.hpp"
#include "lanes.hpp"

namespace emu {
inline void write_scalar(Wave& w, const Operand& o, uint32_t x)
{
    if(o.kind == Kind::scalar && o.reg != reg_null)
        w.sgpr[o.reg] = x;
}
inline void write_scalar64(Wave& w, const Operand& o, uint64_t x)
{
    if(o.kind == Kind::scalar)
        w.sgpr64(o.reg, x);
}

template <class F>
struct Scalar1
{
    static void run(Wave& w, const Instruction& inst)
    {
        write_scalar(w, inst.dst[0], F{}(w, read_scalar(w, inst.src[0])));
    }
};
template <class F>
struct Scalar2
{
    static void run(Wave& w, const Instruction& inst)
    {
        write_scalar(
            w, inst.dst[0], F{}(w, read_scalar(w, inst.src[0]), read_scalar(w, inst.src[1])));
    }
};
template <class F>
struct Scalar64_1
{
    static void run(Wave& w, const Instruction& inst)
    {
        write_scalar64(w, inst.dst[0], F{}(w, read_scalar64(w, inst.src[0])));
    }
};
template <class F>
struct Scalar64_2
{
    static void run(Wave& w, const Instruction& inst)
    {
        write_scalar64(
            w, inst.dst[0], F{}(w, read_scalar64(w, inst.src[0]), read_scalar64(w, inst.src[1])));
    }
};
template <class F>
void scalar_1(const char* n, F)
{
    add(n, 1, &Scalar1<F>::run, &Scalar1<F>::run);
}
template <class F>
void scalar_2(const char* n, F)
{
    add(n, 1, &Scalar2<F>::run, &Scalar2<F>::run);
}
template <class F>
void scalar64_1(const char* n, F)
{
    add(n, 1, &Scalar64_1<F>::run, &Scalar64_1<F>::run);
}
template <class F>
void scalar64_2(const char* n, F)
{
    add(n, 1, &Scalar64_2<F>::run, &Scalar64_2<F>::run);
}
inline void add_scalar(const char* n, int nd, Handler f) { add(n, nd, f, f); }

} // namespace emu
