#pragma once
// A residual whose type is known at run time.
#include "ck/utility/type_convert.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace ck::grid {

/// Types of a residual.
enum class ResidualType : std::int32_t
{
    none,
    i8,
    u8,
    f16,
    bf16,
    f32
};

/// The type of a name; `none` for others.
inline ResidualType residual_type_of(std::string_view name)
{
    using enum ResidualType;
    for(const auto& [of, type] :
        {std::pair{"i8", i8}, {"u8", u8}, {"f16", f16}, {"bf16", bf16}, {"f32", f32}})
        if(name == of)
            return type;
    return none;
}

/// Element `at` of a residual; 0 if there is none. Exact.
CK_DEVICE CK_INLINE float residual_at(const void* residual, ResidualType type, long_index_t at)
{
    switch(type)
    {
    case ResidualType::none:
        break;
    case ResidualType::i8:
        return static_cast<const std::int8_t*>(residual)[at];
    case ResidualType::u8:
        return static_cast<const std::uint8_t*>(residual)[at];
    case ResidualType::f16:
        return type_convert<float>(static_cast<const half_t*>(residual)[at]);
    case ResidualType::bf16:
        return type_convert<float>(static_cast<const bhalf_t*>(residual)[at]);
    case ResidualType::f32:
        return static_cast<const float*>(residual)[at];
    }
    return 0;
}

} // namespace ck::grid
