// Buffer descriptors: a base, a stride and a number of records in four scalar registers.
#pragma once

#include "target.hpp"
#include "wave.hpp"
#include <cstdint>

namespace emu {

struct Descriptor
{
    uint64_t base;
    uint32_t stride, nrec, w3;
    bool swz, tid;
    uint32_t istride;
};
inline Descriptor buffer_descriptor(Wave& w, const Operand& o)
{
    uint32_t a = w.sgpr[o.reg], b = w.sgpr[o.reg + 1], c = w.sgpr[o.reg + 2], d = w.sgpr[o.reg + 3];
    Descriptor s;
    s.base = (uint64_t)(b & 0xffff) << 32 | a;
    if(s.base >> 47)
        s.base |= 0xffff000000000000ull;
    s.stride  = b >> 16 & 0x3fff;
    s.nrec    = c;
    s.w3      = d;
    s.swz     = target.generation >= gfx11 ? (b >> 30 & 3) != 0 : b >> 31;
    s.tid     = d >> 23 & 1;
    s.istride = 8u << (d >> 21 & 3);
    return s;
}

} // namespace emu
