#pragma once
// Rounds two floats to halves that share a register.
#include "ck/arch/target.hpp"
#include "ck/utility/type_convert.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>

namespace ck::arch {

/// Rounds each like type_convert, to nearest even. gfx908, gfx90a, gfx942: the second conversion
/// writes the upper half of the register with the first. The compiler would merge two registers
/// with a third instruction, and v_cvt_pkrtz_f16_f32 rounds towards zero. `low` and `high` must be
/// results of the same matrix instruction or of none: the compiler waits for a result before the
/// first conversion, which it knows. The pair must go to LDS: on gfx942 a vector instruction that
/// reads it must not be the next one, and the compiler does not know that about this asm.
CK_DEVICE CK_INLINE Vector<half_t, 2> round_pair(float low, float high)
{
#if defined(CK_LANGUAGE_HIP) && defined(__HIP_DEVICE_COMPILE__)
    if constexpr(compiling_for == Target::gfx908 || compiling_for == Target::gfx90a ||
                 compiling_for == Target::gfx942)
    {
        std::uint32_t pair = __builtin_bit_cast(std::uint16_t, type_convert<half_t>(low));
        asm("v_cvt_f16_f32_sdwa %0, %1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD"
            : "+v"(pair)
            : "v"(high));
        return __builtin_bit_cast(Vector<half_t, 2>, pair);
    }
#endif
    Vector<half_t, 2> pair;
    pair[0] = type_convert<half_t>(low);
    pair[1] = type_convert<half_t>(high);
    return pair;
}

} // namespace ck::arch
