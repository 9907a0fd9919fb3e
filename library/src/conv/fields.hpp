#pragma once
// The fields of a spec by name, for code that reads or writes all of them.
#include "ck/conv.hpp"

#include <string>
#include <string_view>

namespace ck::conv {

/// The names of an enumeration's values, in order.
template <class Enum>
inline constexpr std::array<std::string_view, 0> names_of{};
template <>
inline constexpr std::array<std::string_view, 3> names_of<Direction>{
    "forward", "backward_data", "backward_weight"};
template <>
inline constexpr std::array<std::string_view, 11> names_of<DataType>{
    "f64", "f32", "f16", "bf16", "i8", "f8", "bf8", "f8_ocp", "bf8_ocp", "tf32", "u8"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<Layout>{
    "channels_last", "channels_first", "strided"};
template <>
inline constexpr std::array<std::string_view, 9> names_of<Activation>{
    "none", "relu", "silu", "gelu", "clamp", "leaky_relu", "hard_swish", "hard_sigmoid", "sigmoid"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<Residual>{
    "none", "before_activation", "after_activation"};

/// The name of an enumeration's value.
template <class Enum>
std::string name_of(Enum value)
{
    return std::string(names_of<Enum>[static_cast<std::size_t>(value)]);
}

/// Calls f(name, field) for each field. Spec: ConvSpec, const or not.
template <class Spec, class F>
void for_each_field(Spec& s, const F& f)
{
    f("direction", s.direction);
    f("type", s.type);
    f("x_type", s.x_type);
    f("w_type", s.w_type);
    f("y_type", s.y_type);
    f("compute", s.compute);
    f("layout", s.layout);
    f("groups", s.groups);
    f("n", s.n);
    f("k", s.k);
    f("c", s.c);
    f("input", s.input);
    f("filter", s.filter);
    f("strides", s.strides);
    f("dilations", s.dilations);
    f("pads", s.pads);
    f("transposed", s.transposed);
    f("output_padding", s.output_padding);
    f("x_strides", s.x_strides);
    f("w_strides", s.w_strides);
    f("y_strides", s.y_strides);
    f("beta", s.beta);
    f("scale", s.epilogue.scale);
    f("bias", s.epilogue.bias);
    f("residual", s.epilogue.residual);
    f("activation", s.epilogue.activation);
    f("least", s.epilogue.least);
    f("most", s.epilogue.most);
    f("slope", s.epilogue.slope);
    f("bias_gradient", s.bias_gradient);
    f("alignment", s.alignment);
    f("quantized", s.quantization.enabled);
    f("channel_scale", s.quantization.channel_scale);
    f("x_zero_point", s.quantization.x_zero_point);
    f("w_zero_point", s.quantization.w_zero_point);
    f("y_zero_point", s.quantization.y_zero_point);
    f("residual_scale", s.quantization.residual_scale);
    f("residual_zero_point", s.quantization.residual_zero_point);
    f("residual_type", s.quantization.residual_type);
    f("tensor_scales", s.quantization.tensor_scales);
    f("amax", s.quantization.amax);
}

} // namespace ck::conv
