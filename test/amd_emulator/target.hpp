// The AMD target that is emulated: what differs between targets, as data.
#pragma once

#include <cstdint>
#include <string>

namespace emu {

/// The number before minor version and stepping: gfx90a is of 9, gfx1100 of 11.
enum Generation
{
    gfx9  = 9,
    gfx10 = 10,
    gfx11 = 11,
    gfx12 = 12
};

struct Target
{
    std::string name      = "gfx90a";
    Generation generation = gfx9;
    int major = 9, minor = 0, step = 10;
    int wave     = 64; // lanes, as the host is told
    int cus      = 104;
    uint32_t lds = 65536; // bytes
    bool gfx908 = false, gfx90a = false, gfx950 = false;
    bool gfx940     = false; // gfx940, gfx941, gfx942 and gfx950
    bool packed_tid = true;  // v0 = x | y << 10 | z << 20
    bool sramecc    = false; // a load of 16 bits clears the other half of its register
    bool fp8_ocp    = false; // eight-bit floats are OCP's, not FNUZ
};

/// The target that runs; set before the first code object is loaded.
extern Target target;

/// The target of a name such as gfx90a:sramecc+; false for what is not a name of a target.
bool target_from_name(const std::string& name, Target& found);

} // namespace emu
