#pragma once
// The element types of tensors. As clients expect, this header also provides their limits,
// vector_type, Sequence, Number and type traits.
#include "ck/utility/bfloat16.hpp"
#include "ck/utility/float8.hpp"
#include "ck/utility/half.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/numeric_limits.hpp"
#include "ck/utility/sequence.hpp"
#include "ck/utility/type.hpp"
#include "ck/utility/vector_type.hpp"

namespace ck {

/// A compute type, not a storage type: f32 data that matrix instructions multiply with 10 explicit
/// mantissa bits.
struct tf32_t
{};

/// A list of types.
template <class... T>
struct TypeList
{};

/// The types that elements of a convolution's tensors have.
using TensorElementTypes =
    TypeList<double, float, half_t, bhalf_t, std::int8_t, f8_t, bf8_t, f8_ocp_t, bf8_ocp_t>;

/// The name of a type in messages, type strings and instance names.
template <class T>
inline constexpr const char* type_name = nullptr;
template <>
inline constexpr const char* type_name<double> = "f64";
template <>
inline constexpr const char* type_name<float> = "f32";
template <>
inline constexpr const char* type_name<half_t> = "f16";
template <>
inline constexpr const char* type_name<bhalf_t> = "bf16";
template <>
inline constexpr const char* type_name<f8_t> = "f8";
template <>
inline constexpr const char* type_name<bf8_t> = "bf8";
template <>
inline constexpr const char* type_name<f8_ocp_t> = "f8_ocp";
template <>
inline constexpr const char* type_name<bf8_ocp_t> = "bf8_ocp";
template <>
inline constexpr const char* type_name<std::int8_t> = "i8";
template <>
inline constexpr const char* type_name<std::int32_t> = "i32";
template <>
inline constexpr const char* type_name<tf32_t> = "tf32";

} // namespace ck
