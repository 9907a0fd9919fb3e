// Atomic operations: their names, and what they compute.
#pragma once

#include "memory_access.hpp"
#include <cstdint>
#include <mutex>
#include <string>

namespace emu {
enum Atomic : int
{
    atomic_add,
    atomic_sub,
    atomic_rsub,
    atomic_smin,
    atomic_umin,
    atomic_smax,
    atomic_umax,
    atomic_and,
    atomic_or,
    atomic_xor,
    atomic_inc,
    atomic_dec,
    atomic_swap,
    atomic_cmpswap,
    atomic_fadd,
    atomic_fmin,
    atomic_fmax,
    atomic_pkf16,
    atomic_pkbf16,
    atomic_mskor,
    atomic_none
};
/// Held for an atomic of a wave: workgroups run in parallel.
extern std::mutex atomics_mutex;
/// What memory holds after the operation; `wide`: 64 bits.
uint64_t apply_atomic(Atomic op, bool wide, uint64_t old, uint64_t source, uint64_t compare);
bool parse_atomic(std::string text, Atomic& op, bool& wide);
template <int SP>
inline uint64_t atomic_of_lane(Wave& w,
                               const Instruction& inst,
                               int l,
                               uint64_t a,
                               Atomic op,
                               bool q,
                               uint64_t src,
                               uint64_t cmp)
{
    uint64_t o = 0;
    if constexpr(SP == space_flat)
    {
        if((uint32_t)(a >> 32) == shared_aperture)
            return atomic_of_lane<space_lds>(w, inst, l, (uint32_t)a, op, q, src, cmp);
    }
    if constexpr(SP == space_lds)
    {
        uint8_t* p = lds_pointer(w, inst, l, a, q ? 8 : 4, Access::atomic);
        if(!p)
            return 0;
        std::memcpy(&o, p, q ? 8 : 4);
        uint64_t r = apply_atomic(op, q, o, src, cmp);
        std::memcpy(p, &r, q ? 8 : 4);
    }
    else
    {
        read_memory<SP>(w, inst, l, a, q ? 8 : 4, &o);
        uint64_t r = apply_atomic(op, q, o, src, cmp);
        write_memory<SP>(w, inst, l, a, q ? 8 : 4, &r);
    }
    return o;
}
} // namespace emu
