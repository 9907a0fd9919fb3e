// Indices of scalar registers: s0 to s105 have their own numbers, special ones are numbered here.
#pragma once

namespace emu {

enum : int
{
    reg_vcc           = 106,
    reg_ttmp          = 108,
    reg_m0            = 124,
    reg_null          = 125,
    reg_exec          = 126,
    reg_flatscr       = 128,
    reg_xnack         = 130,
    reg_shared_base   = 132,
    reg_shared_limit  = 134,
    reg_private_base  = 136,
    reg_private_limit = 138,
    scalar_registers  = 144
};

} // namespace emu
