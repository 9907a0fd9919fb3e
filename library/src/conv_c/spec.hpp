#pragma once
// Specs and options of the C interface, as those of C++.
#include "conv_c/status.hpp"
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

namespace ck::conv_c {

template <class List>
List list(const std::int64_t* values, int count)
{
    List r;
    for(int i = 0; i < count; ++i)
        r.push_back(values[i]);
    return r;
}

inline std::optional<ck::DataType> optional_type(int type)
{
    if(type == CK_CONV_OWN)
        return std::nullopt;
    return static_cast<ck::DataType>(type);
}

inline ck::ConvSpec cpp_spec(const ck_conv_spec& given)
{
    ck_conv_spec c{}; // fields that an older caller's struct lacks have their defaults
    c.residual_scale = 1;
    c.residual_type  = CK_CONV_OWN;
    std::memcpy(&c, &given, given.size);
    if(c.rank < 1 || c.rank > 3)
        throw ck::Refused("ck_conv_spec: rank is " + std::to_string(c.rank) +
                          ", but must be 1, 2 or 3");
    for(const auto& [field, value] : {std::pair{"transposed", c.transposed},
                                      {"bias", c.bias},
                                      {"bias_gradient", c.bias_gradient},
                                      {"quantized", c.quantized},
                                      {"channel_scale", c.channel_scale},
                                      {"tensor_scales", c.tensor_scales},
                                      {"amax", c.amax}})
        require_flag("ck_conv_spec", field, value);
    const auto extents = [&](const std::int64_t* values) {
        return list<ck::Extents>(values, c.rank);
    };
    const bool strided = c.layout == CK_CONV_STRIDED;
    for(const auto& [field, values] : {std::pair{"x_strides", c.x_strides},
                                       {"w_strides", c.w_strides},
                                       {"y_strides", c.y_strides}})
        for(int i = 0; i < 6 && !strided; ++i)
            if(values[i] != 0)
                throw ck::Refused(std::string("ck_conv_spec: ") + field + '[' + std::to_string(i) +
                                  "] is " + std::to_string(values[i]) +
                                  ", but must be 0: only CK_CONV_STRIDED has strides");
    const auto strides = [&](const std::int64_t* values) {
        return list<ck::Strides>(values, strided ? c.rank + 3 : 0);
    };
    ck::ConvSpec s{.direction     = static_cast<ck::Direction>(c.direction),
                   .type          = static_cast<ck::DataType>(c.type),
                   .x_type        = optional_type(c.x_type),
                   .w_type        = optional_type(c.w_type),
                   .y_type        = optional_type(c.y_type),
                   .compute       = optional_type(c.compute),
                   .layout        = static_cast<ck::Layout>(c.layout),
                   .groups        = c.groups,
                   .n             = c.n,
                   .k             = c.k,
                   .c             = c.c,
                   .input         = extents(c.input),
                   .filter        = extents(c.filter),
                   .strides       = extents(c.strides),
                   .dilations     = extents(c.dilations),
                   .transposed    = c.transposed != 0,
                   .x_strides     = strides(c.x_strides),
                   .w_strides     = strides(c.w_strides),
                   .y_strides     = strides(c.y_strides),
                   .beta          = c.beta,
                   .epilogue      = {c.scale,
                                     c.bias != 0,
                                     static_cast<ck::Residual>(c.residual),
                                     static_cast<ck::Activation>(c.activation),
                                     c.clamp_least,
                                     c.clamp_most,
                                     c.leaky_slope},
                   .bias_gradient = c.bias_gradient != 0,
                   .alignment     = c.alignment,
                   .quantization  = {c.quantized != 0,
                                     c.channel_scale != 0,
                                     c.x_zero_point,
                                     c.w_zero_point,
                                     c.y_zero_point,
                                     c.residual_scale,
                                     c.residual_zero_point,
                                     optional_type(c.residual_type),
                                     c.tensor_scales != 0,
                                     c.amax != 0}};
    for(int i = 0; i < c.rank; ++i)
        s.pads.push_back({c.pad_low[i], c.pad_high[i]});
    const auto padding = extents(c.output_padding);
    bool any           = false;
    for(const ck::long_index_t value : padding)
        any = any || value != 0;
    if(s.transposed || any)
        s.output_padding = padding;
    return s;
}

/// Sizes of the struct in this version of the header and in earlier ones, whose fields are its
/// first ones.
inline bool is_spec_size(std::size_t size)
{
    return size == sizeof(ck_conv_spec) || size == offsetof(ck_conv_spec, leaky_slope) ||
           size == offsetof(ck_conv_spec, quantized) || size == offsetof(ck_conv_spec, clamp_least);
}

inline const char* wrong_spec(const ck_conv_spec* spec)
{
    if(spec == nullptr)
        return "the spec is null";
    return is_spec_size(spec->size)
               ? nullptr
               : "the spec's size is not sizeof(ck_conv_spec) of this library: call "
                 "ck_conv_spec_init(), and build with its header";
}

/// The same for options.
inline bool is_options_size(std::size_t size)
{
    return size == sizeof(ck_conv_options) || size == offsetof(ck_conv_options, batch_invariant);
}

inline ck::PlanOptions cpp_options(const ck_conv_options* given)
{
    ck::PlanOptions o;
    if(given == nullptr)
        return o;
    ck_conv_options c{}; // fields that an older caller's struct lacks are 0
    std::memcpy(&c, given, given->size);
    require_flag("ck_conv_options", "batch_invariant", c.batch_invariant);
    if(c.workspace_limit != SIZE_MAX)
        o.workspace_limit = c.workspace_limit;
    if(c.allow != nullptr)
        o.allow = c.allow;
    if(c.forbid != nullptr)
        o.forbid = c.forbid;
    o.batch_invariant = c.batch_invariant != 0;
    return o;
}

} // namespace ck::conv_c
