// Bytes of one lane in each address space, checked, and the formats of loads and stores.
#pragma once

#include "lds_races.hpp"
#include "memory_map.hpp"
#include "options.hpp"
#include "target.hpp"
#include "timing/accesses.hpp"
#include "wave.hpp"
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace emu {
enum Space
{
    space_global,
    space_flat,
    space_scratch,
    space_lds
};
/// Where M0 has loads to LDS write. The manuals give it 16 bits; CDNA4's, whose LDS has 160 KiB,
/// name no width, and 18 are taken.
inline uint32_t lds_base_in_m0(const Wave& w)
{
    return w.sgpr[reg_m0] & (target.gfx950 ? 0x3ffff : 0xffff);
}
inline uint8_t*
lds_pointer(Wave& w, const Instruction& inst, int lane, uint64_t a, uint32_t n, Access kind)
{
    if(a + n > w.wg->lds_size)
    {
        char t[128];
        snprintf(t,
                 sizeof t,
                 "LDS access out of range: offset %lu size %u, allocated %u",
                 (unsigned long)a,
                 n,
                 w.wg->lds_size);
        if(options().strict)
            fault(w, inst, t, lane, a);
        warn_once(w, inst, t);
        return nullptr;
    }
    if(options().race)
        check_lds_race(w, inst, (uint32_t)a, n, kind);
    timing::note_access(lane, a, n);
    return w.wg->lds.data() + a;
}
inline uint8_t* scratch_pointer(Wave& w, const Instruction& inst, int lane, uint64_t a)
{
    if(a >= w.scratch_per_lane || !w.scratch)
        fault(w, inst, "scratch access out of range", lane, a);
    return w.scratch + (a & ~3ull) * w.W + lane * 4 + (a & 3);
}
template <int SP>
inline void
read_memory(Wave& w, const Instruction& inst, int lane, uint64_t a, uint32_t n, void* out)
{
    if constexpr(SP == space_lds)
    {
        uint8_t* p = lds_pointer(w, inst, lane, a, n, Access::read);
        if(p)
            std::memcpy(out, p, n);
        else
            std::memset(out, 0, n);
        return;
    }
    else if constexpr(SP == space_scratch)
    {
        for(uint32_t i = 0; i < n; i++)
            ((uint8_t*)out)[i] = *scratch_pointer(w, inst, lane, a + i);
        return;
    }
    else
    {
        if constexpr(SP == space_flat)
        {
            if((uint32_t)(a >> 32) == shared_aperture)
                return read_memory<space_lds>(w, inst, lane, (uint32_t)a, n, out);
            if((uint32_t)(a >> 32) == private_aperture)
                return read_memory<space_scratch>(w, inst, lane, (uint32_t)a, n, out);
        }
        if(options().memory_check && !mem_ok(a, n))
            fault(w, inst, "memory access fault (read)", lane, a);
        timing::note_access(lane, a, n);
        std::memcpy(out, (const void*)a, n);
    }
}
template <int SP>
inline void
write_memory(Wave& w, const Instruction& inst, int lane, uint64_t a, uint32_t n, const void* in)
{
    if constexpr(SP == space_lds)
    {
        uint8_t* p = lds_pointer(w, inst, lane, a, n, Access::write);
        if(p)
            std::memcpy(p, in, n);
        return;
    }
    else if constexpr(SP == space_scratch)
    {
        for(uint32_t i = 0; i < n; i++)
            *scratch_pointer(w, inst, lane, a + i) = ((const uint8_t*)in)[i];
        return;
    }
    else
    {
        if constexpr(SP == space_flat)
        {
            if((uint32_t)(a >> 32) == shared_aperture)
                return write_memory<space_lds>(w, inst, lane, (uint32_t)a, n, in);
            if((uint32_t)(a >> 32) == private_aperture)
                return write_memory<space_scratch>(w, inst, lane, (uint32_t)a, n, in);
        }
        if(options().memory_check && !mem_ok(a, n))
            fault(w, inst, "memory access fault (write)", lane, a);
        timing::note_access(lane, a, n);
        std::memcpy((void*)a, in, n);
    }
}
enum Format : int
{
    format_u8,
    format_i8,
    format_u16,
    format_i16,
    format_d16,
    format_d16hi,
    format_u8d16,
    format_u8d16hi,
    format_i8d16,
    format_i8d16hi,
    format_dw
};
struct FormatInfo
{
    Format f;
    int bytes;
};
/// The format of a mnemonic's end, such as dwordx2 or d16_hi_b16; false for none.
bool parse_format(const std::string& text, FormatInfo& found);
/// Writes a loaded value of less than 32 bits to its register.
void write_small(uint32_t& d, Format f, uint32_t x);
/// The value of less than 32 bits that a store takes from a register.
uint32_t read_small(uint32_t d, Format f);
} // namespace emu
