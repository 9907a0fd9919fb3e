// Checks specs, and computes the sizes of their tensors.
#include "ck/convolution/transposed.hpp"

#include "conv/fields.hpp"
#include "conv/resolve.hpp"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ck::conv {

namespace {

[[noreturn]] void refuse(const std::string& reason) { throw Refused("ck::ConvSpec: " + reason); }

std::string text(std::size_t n) { return std::to_string(n); }

void require(const Support& s)
{
    if(!s)
        refuse(s.reason);
}

/// Refuses a value beyond the last enumerator, which a caller may have made from a number.
template <class Enum>
void require_known(const char* field, Enum value, Enum last)
{
    if(static_cast<int>(value) < 0 || value > last)
        refuse(std::string(field) + " is " + std::to_string(static_cast<int>(value)) +
               ", but must be one of the enumerators, 0 to " +
               std::to_string(static_cast<int>(last)));
}

void require_enumerators(const ConvSpec& s)
{
    require_known("direction", s.direction, Direction::backward_weight);
    require_known("layout", s.layout, Layout::strided);
    require_known("epilogue.residual", s.epilogue.residual, Residual::after_activation);
    require_known("epilogue.activation", s.epilogue.activation, Activation::sigmoid);
    for(const auto& [field, type] : {std::pair{"type", std::optional(s.type)},
                                     {"x_type", s.x_type},
                                     {"w_type", s.w_type},
                                     {"y_type", s.y_type},
                                     {"quantization.residual_type", s.quantization.residual_type}})
        if(type)
        {
            require_known(field, *type, DataType::u8);
            if(*type == DataType::tf32)
                refuse(std::string(field) +
                       " is tf32, which no tensor has: say f32, and tf32 as `compute`");
        }
    if(s.compute)
        require_known("compute", *s.compute, DataType::u8);
}

void require_counts(const ConvSpec& s)
{
    const std::size_t rank = s.input.size();
    if(rank < 1 || rank > 3)
        refuse("input has " + text(rank) + " lengths, but must have 1, 2 or 3");
    const auto as_many = [&](const char* field, std::size_t count, bool needed) {
        if(count != rank && (needed || count != 0))
            refuse(std::string(field) + " has " + text(count) + " values, but input has " +
                   text(rank) + (needed ? "" : " (or leave it empty, for the default)"));
    };
    as_many("filter", s.filter.size(), true);
    as_many("strides", s.strides.size(), false);
    as_many("dilations", s.dilations.size(), false);
    as_many("pads", s.pads.size(), false);
    as_many("output_padding", s.output_padding.size(), false);
    if(!s.transposed && !s.output_padding.empty())
        refuse("output_padding is given, but only a transposed convolution has it");
    const bool strided = s.layout == Layout::strided;
    for(const auto& [field, strides] : {std::pair{"x_strides", &s.x_strides},
                                        {"w_strides", &s.w_strides},
                                        {"y_strides", &s.y_strides}})
        if(strides->size() != (strided ? rank + 3 : 0))
            refuse(std::string(field) + " has " + text(strides->size()) +
                   (strided ? " values, but must have " + text(rank + 3) +
                                  ": three, and one for each length of input"
                            : " values, but only Layout::strided has strides: must be empty"));
}

void require_values(const ConvSpec& s)
{
    if(!(s.beta == 0 || s.beta == 1))
        refuse("beta is " + std::to_string(s.beta) + ", but must be 0 or 1");
    if(!std::isfinite(s.epilogue.scale))
        refuse("epilogue.scale is " + std::to_string(s.epilogue.scale) + ", but must be finite");
    const Epilogue& e = s.epilogue;
    if(e.activation == Activation::clamp ? !(e.least <= e.most) : e.least != 0 || e.most != 0)
        refuse("epilogue.least is " + std::to_string(e.least) + " and epilogue.most is " +
               std::to_string(e.most) +
               (e.activation == Activation::clamp ? ", but must be numbers in ascending order"
                                                  : ", but only Activation::clamp has limits"));
    if(e.activation == Activation::leaky_relu ? !std::isfinite(e.slope) : e.slope != 0)
        refuse("epilogue.slope is " + std::to_string(e.slope) +
               (e.activation == Activation::leaky_relu
                    ? ", but must be finite"
                    : ", but only Activation::leaky_relu has a slope"));
    if(s.alignment == 0 || s.alignment > 16 || (s.alignment & (s.alignment - 1)) != 0)
        refuse("alignment is " + text(s.alignment) + ", but must be 1, 2, 4, 8 or 16");
    for(const Slot slot : {slot_x, slot_w, slot_y})
        if(const std::size_t bytes = bytes_of_element(type_of(s, slot)); s.alignment < bytes)
            refuse("alignment is " + text(s.alignment) + ", but an element of " + slot_names[slot] +
                   ", " + name(type_of(s, slot)) + ", has " + text(bytes) + " bytes");
    if(s.direction == Direction::backward_weight)
    {
        if(s.epilogue.bias || s.epilogue.residual != Residual::none ||
           s.epilogue.activation != Activation::none)
            refuse("epilogue: backward weight has a scale, but no bias, residual or activation");
    }
    else if(s.bias_gradient)
        refuse(std::string("bias_gradient is set, but only backward weight has one, not ") +
               name(s.direction));
}

bool is_integer(DataType type) { return type == DataType::i8 || type == DataType::u8; }

/// Refuses a zero point that is not a number of its type, or that a float has.
void require_zero_point(const char* field, int zero, DataType type)
{
    const int least = type == DataType::i8 ? -128 : 0, most = type == DataType::i8   ? 127
                                                              : type == DataType::u8 ? 255
                                                                                     : 0;
    if(zero < least || zero > most)
        refuse(std::string("quantization.") + field + " is " + std::to_string(zero) +
               ", but a zero point of " + name(type) + " must be " +
               (least == most ? "0" : std::to_string(least) + " to " + std::to_string(most)));
}

/// The tensor that a direction writes.
Slot result_of(Direction direction)
{
    return direction == Direction::forward         ? slot_y
           : direction == Direction::backward_data ? slot_x
                                                   : slot_w;
}

/// Refuses types of operands, result and residual that are not among the given ones.
void require_types(const ConvSpec& s,
                   bool (*of_operand)(DataType),
                   bool (*of_result)(DataType),
                   const char* kind,
                   const char* operands,
                   const char* results)
{
    const Slot result = result_of(s.direction);
    for(const Slot slot : {slot_x, slot_w, slot_y, slot_residual})
    {
        const bool read     = slot != result && slot != slot_residual;
        const DataType type = type_of(s, slot);
        if(!(read ? of_operand : of_result)(type))
            refuse(std::string("the type of ") + slot_names[slot] + " is " + name(type) + ", but " +
                   (read ? "operands" : "the result and the residual") + " of " + kind + " are " +
                   (read ? operands : results));
    }
}

bool is_float_of_sums(DataType type)
{
    return type == DataType::f16 || type == DataType::bf16 || type == DataType::f32;
}

/// What a quantized convolution of integers has and one of floats lacks, and the other way round.
void require_float8(const ConvSpec& s)
{
    const Quantization& q = s.quantization;
    require_types(s,
                  is_ocp_float8,
                  is_float_of_sums,
                  "a quantized convolution of eight-bit floats",
                  "f8_ocp or bf8_ocp",
                  "f16, bf16 or f32");
    if(q.x_zero_point != 0 || q.w_zero_point != 0 || q.y_zero_point != 0 ||
       q.residual_zero_point != 0 || q.residual_scale != 1)
        refuse("quantization has a zero point or a residual_scale, but those are of integers, not "
               "of eight-bit floats");
    if(s.epilogue.residual == Residual::none && q.residual_type)
        refuse("quantization.residual_type is given, but epilogue.residual is none");
    if(q.channel_scale && s.direction != Direction::forward)
        refuse(std::string("quantization.channel_scale is true and direction is ") +
               name(s.direction) + ", but only forward has a scale for each channel: scale dY");
    if(s.bias_gradient)
        refuse("bias_gradient is set, but a quantized convolution has none: sum dY before it is "
               "rounded to eight bits");
}

void require_integers(const ConvSpec& s)
{
    const Quantization& q = s.quantization;
    if(s.direction != Direction::forward || s.transposed)
        refuse(std::string("quantization.enabled is true and ") +
               (s.transposed ? "transposed is set"
                             : std::string("direction is ") + name(s.direction)) +
               ", but quantized convolutions of integers are forward and not transposed");
    require_types(
        s,
        is_integer,
        [](DataType type) { return is_integer(type) || is_float_of_sums(type); },
        "a quantized convolution of integers",
        "i8 or u8 (and of one of eight-bit floats f8_ocp or bf8_ocp)",
        "i8, u8, f16, bf16 or f32");
    if(q.tensor_scales || q.amax)
        refuse(std::string("quantization.") + (q.amax ? "amax" : "tensor_scales") +
               " is true, but only quantized convolutions of eight-bit floats have " +
               (q.amax ? "one" : "them"));
    if(q.channel_scale && s.epilogue.scale != 1)
        refuse("epilogue.scale is " + std::to_string(s.epilogue.scale) +
               ", but with quantization.channel_scale the scales are a tensor: must be 1");
    const Activation activation = s.epilogue.activation;
    if(activation != Activation::none && activation != Activation::relu &&
       activation != Activation::clamp)
        refuse("epilogue.activation is " + name_of(activation) +
               ", but a quantized convolution has none, relu or clamp");
    require_zero_point("x_zero_point", q.x_zero_point, type_of(s, slot_x));
    require_zero_point("w_zero_point", q.w_zero_point, type_of(s, slot_w));
    require_zero_point("y_zero_point", q.y_zero_point, type_of(s, slot_y));
    if(s.epilogue.residual == Residual::none &&
       (q.residual_type || q.residual_scale != 1 || q.residual_zero_point != 0))
        refuse("quantization has a residual_type, residual_scale or residual_zero_point, but "
               "epilogue.residual is none");
    require_zero_point("residual_zero_point", q.residual_zero_point, type_of(s, slot_residual));
    if(!std::isfinite(q.residual_scale))
        refuse("quantization.residual_scale is " + std::to_string(q.residual_scale) +
               ", but must be finite");
}

/// Refuses a quantized convolution that is not as Quantization says, and its fields in others.
void require_quantization(const ConvSpec& s)
{
    const Quantization& q = s.quantization;
    if(!q.enabled)
    {
        if(q != Quantization{})
            refuse("quantization.enabled is false, but another field of quantization is not its "
                   "default: set enabled");
        for(const Slot slot : {slot_x, slot_w, slot_y})
            if(type_of(s, slot) == DataType::u8)
                refuse(std::string("the type of ") + slot_names[slot] +
                       " is u8, but only quantized convolutions (quantization.enabled) have it");
        if(s.compute == DataType::u8)
            refuse("compute is u8, to which no kernel rounds operands");
        return;
    }
    if(s.compute)
        refuse(std::string("compute is ") + name(*s.compute) +
               ", but a quantized convolution multiplies its operands as they are");
    if(s.beta != 0)
        refuse("beta is 1, but a quantized convolution overwrites its result: pass what is there "
               "as the residual");
    if(is_scaled_float8(s))
        require_float8(s);
    else
        require_integers(s);
    if(s.alignment < 4)
        refuse("alignment is " + text(s.alignment) +
               ", but a quantized convolution's bias and scales have elements of 4 bytes");
}

template <class Problem>
Problem problem_of(const ConvSpec& s)
{
    Problem p;
    p.rank           = static_cast<index_t>(s.input.size());
    p.groups         = s.groups;
    p.batch          = s.n;
    p.out_channels   = s.k;
    p.in_channels    = s.c;
    p.input          = to_spatial(s.input, 1);
    p.filter         = to_spatial(s.filter, 1);
    p.stride         = to_spatial(s.strides, 1);
    p.dilation       = to_spatial(s.dilations, 1);
    const auto first = 3 - s.pads.size();
    for(std::size_t i = 0; i < s.pads.size(); ++i)
    {
        p.pad_low[first + i]  = s.pads[i].low;
        p.pad_high[first + i] = s.pads[i].high;
    }
    return p;
}

void set_strides(ConvProblem& p, const ConvSpec& s)
{
    if(s.layout == Layout::channels_last)
        set_packed_strides(p);
    else if(s.layout == Layout::channels_first)
    {
        using ck::detail::packed_strides;
        p.input_strides  = packed_strides(p.input_lengths(), {1, 0, 2, 3, 4, 5});
        p.filter_strides = packed_strides(p.filter_lengths(), {0, 1, 2, 3, 4, 5});
        p.output_strides = packed_strides(p.output_lengths(), {1, 0, 2, 3, 4, 5});
    }
    else
    {
        const auto strides = [](const Strides& from) {
            return to_tensor_strides(std::vector<long_index_t>(from.begin(), from.end()));
        };
        p.input_strides  = strides(s.transposed ? s.y_strides : s.x_strides);
        p.filter_strides = strides(s.w_strides);
        p.output_strides = strides(s.transposed ? s.x_strides : s.y_strides);
    }
}

/// Returns the direction of kernels that computes a direction of a transposed convolution.
Direction direction_of_transposed(Direction direction)
{
    switch(direction)
    {
    case Direction::forward:
        return Direction::backward_data;
    case Direction::backward_data:
        return Direction::forward;
    case Direction::backward_weight:
        break;
    }
    return Direction::backward_weight;
}

} // namespace

bool is_scaled_float8(const ConvSpec& spec)
{
    const auto is_read = [&](Slot slot) { return slot != result_of(spec.direction); };
    return spec.quantization.enabled &&
           std::ranges::any_of(std::array{slot_x, slot_w, slot_y}, [&](Slot slot) {
               return is_read(slot) && is_ocp_float8(type_of(spec, slot));
           });
}

DataType type_of(const ConvSpec& spec, Slot slot)
{
    const std::optional<DataType>& own = slot == slot_x   ? spec.x_type
                                         : slot == slot_w ? spec.w_type
                                                          : spec.y_type;
    if(slot == slot_residual)
        return spec.quantization.residual_type.value_or(type_of(spec, result_of(spec.direction)));
    return own.value_or(spec.type);
}

std::size_t bytes_of_element(DataType type)
{
    switch(type)
    {
    case DataType::f64:
        return 8;
    case DataType::f32:
    case DataType::tf32:
        return 4;
    case DataType::f16:
    case DataType::bf16:
        return 2;
    case DataType::i8:
    case DataType::f8:
    case DataType::bf8:
    case DataType::f8_ocp:
    case DataType::bf8_ocp:
    case DataType::u8:
        break;
    }
    return 1;
}

Slot Sizes::result() const
{
    switch(direction)
    {
    case Direction::forward:
        return output;
    case Direction::backward_data:
        return input;
    case Direction::backward_weight:
        break;
    }
    return slot_w;
}

TensorLengths Sizes::lengths(Slot slot) const
{
    return slot == slot_w  ? problem.filter_lengths()
           : slot == input ? problem.input_lengths()
                           : problem.output_lengths();
}

const TensorStrides& Sizes::strides(Slot slot) const
{
    return slot == slot_w  ? problem.filter_strides
           : slot == input ? problem.input_strides
                           : problem.output_strides;
}

Sizes sizes_of(const ConvSpec& spec)
{
    require_enumerators(spec);
    require_counts(spec);
    require_values(spec);
    require_quantization(spec);
    Sizes sizes{};
    // Without strides first: with sizes out of range, strides could overflow.
    if(spec.transposed)
    {
        auto p           = problem_of<ConvTranspose>(spec);
        p.output_padding = to_spatial(spec.output_padding, 0);
        require(validate(p));
        sizes = {p.convolution(), direction_of_transposed(spec.direction), slot_y, slot_x};
    }
    else
    {
        sizes = {problem_of<ConvProblem>(spec), spec.direction, slot_x, slot_y};
        require(validate(sizes.problem));
    }
    set_strides(sizes.problem, spec);
    if(spec.layout == Layout::strided)
        require(validate(sizes.problem));
    return sizes;
}

std::size_t bytes_of_tensor(const ConvSpec& spec, const Sizes& sizes, Slot slot)
{
    const TensorLengths lengths  = sizes.lengths(slot);
    const TensorStrides& strides = sizes.strides(slot);
    if(element_count(lengths) == 0)
        return 0;
    long_index_t last = 0;
    for(std::size_t i = 0; i < lengths.size(); ++i)
        last += (lengths[i] - 1) * strides[i];
    return static_cast<std::size_t>(last + 1) * bytes_of_element(type_of(spec, slot));
}

} // namespace ck::conv

namespace ck {

Extents ConvSpec::output() const
{
    const conv::Sizes sizes = conv::sizes_of(*this);
    const TensorLengths y   = sizes.lengths(conv::slot_y);
    Extents output;
    for(std::size_t i = 6 - input.size(); i < 6; ++i)
        output.push_back(y[i]);
    return output;
}

std::size_t ConvSpec::x_bytes() const
{
    return conv::bytes_of_tensor(*this, conv::sizes_of(*this), conv::slot_x);
}
std::size_t ConvSpec::w_bytes() const
{
    return conv::bytes_of_tensor(*this, conv::sizes_of(*this), conv::slot_w);
}
std::size_t ConvSpec::y_bytes() const
{
    return conv::bytes_of_tensor(*this, conv::sizes_of(*this), conv::slot_y);
}

} // namespace ck
