#pragma once
// PassThrough to int8 for kernels whose callers choose, at run time, what is beyond the ends of the
// range.
#include "ck/utility/type_convert.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace ck::tensor_operation::element_wise {

/// y = x for an int8 y: the low eight bits, as PassThrough, or saturated.
struct PassThroughInt8
{
    /// The low eight bits.
    PassThroughInt8() = default;
    /// Saturated, if `saturates`.
    CK_HOST_DEVICE constexpr explicit PassThroughInt8(bool saturates)
        : least(saturates ? -128 : std::numeric_limits<std::int32_t>::min()),
          most(saturates ? 127 : std::numeric_limits<std::int32_t>::max())
    {}

    /// Converts x to y's type.
    template <class X>
    CK_HOST_DEVICE constexpr void operator()(std::int8_t& y, const X& x) const
    {
        if constexpr(std::is_same_v<X, std::int32_t>)
        { // a maximum and a minimum: nvcc 13 takes no more instructions than for constants
            const std::int32_t above = x < least ? least : x;
            y                        = static_cast<std::int8_t>(above > most ? most : above);
        }
        else
            y = most == 127 ? saturated<std::int8_t>(x) : type_convert<std::int8_t>(x);
    }

    /// Between these limits x is first clamped; all of int32, if y has its low eight bits.
    std::int32_t least = std::numeric_limits<std::int32_t>::min();
    std::int32_t most  = std::numeric_limits<std::int32_t>::max(); ///< upper limit
};

} // namespace ck::tensor_operation::element_wise
