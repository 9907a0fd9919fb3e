// Converts a spec to the family of its kernels and their argument.
#include "conv/resolve.hpp"

#include "ck/tensor_operation/gpu/element/combined_element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/element/quantization_operation.hpp"

#include "conv/fields.hpp"
#include "rewrites/quantized.hpp"
#include "rewrites/scaled_float8.hpp"
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace ck::conv {

namespace {

namespace ew = tensor_operation::element_wise;

const ew::PassThrough pass_through{};

template <class Object>
Operation made(std::string name, const Object& object, std::vector<Slot> d)
{
    return {std::move(name), std::make_shared<const Object>(object), std::move(d)};
}

bool is_float8(DataType type)
{
    return type == DataType::f8 || type == DataType::bf8 || is_ocp_float8(type);
}

std::string in_words(const Epilogue& e, bool accumulates)
{
    std::string s = e.scale == 1 ? "sum" : "scale * sum";
    s += e.bias ? " + bias" : "";
    s += e.residual == Residual::before_activation ? " + residual" : "";
    if(e.activation != Activation::none)
        s = name_of(e.activation) + '(' + s + ')';
    s += e.residual == Residual::after_activation ? " + residual" : "";
    s += accumulates ? " + what is there" : "";
    return s;
}

/// Reads d tensors, the first `before` of them before the activation.
ew::ConvEpilogue conv_epilogue(const Epilogue& e, std::size_t before, std::size_t d)
{
    using Op         = ew::ConvEpilogue;
    const auto place = [&](std::size_t i) {
        return i < before ? Op::Place::before : i < d ? Op::Place::after : Op::Place::nowhere;
    };
    Op op;
    op.scale  = e.scale;
    op.place1 = place(0);
    op.place2 = place(1);
    switch(e.activation)
    {
    case Activation::none:
        break;
    case Activation::relu:
        op.activation = Op::Activation::clamp;
        op.most       = std::numeric_limits<float>::infinity();
        break;
    case Activation::silu:
        op.activation = Op::Activation::silu;
        break;
    case Activation::gelu:
        op.activation = Op::Activation::gelu;
        break;
    case Activation::clamp:
        op.activation = Op::Activation::clamp;
        op.least      = e.least;
        op.most       = e.most;
        break;
    case Activation::leaky_relu:
        op.activation = Op::Activation::leaky_relu;
        op.least      = e.slope;
        break;
    case Activation::hard_swish:
        op.activation = Op::Activation::hard_swish;
        break;
    case Activation::hard_sigmoid:
        op.activation = Op::Activation::hard_sigmoid;
        break;
    case Activation::sigmoid:
        op.activation = Op::Activation::sigmoid;
        break;
    }
    return op;
}

using tensor_operation::device::instance::Quantize;

Quantize quantize_of(const ConvSpec& spec)
{
    using Op              = ew::QuantizedEpilogue;
    const Quantization& q = spec.quantization;
    const Epilogue& e     = spec.epilogue;
    Quantize r;
    r.x_zero                  = q.x_zero_point;
    r.w_zero                  = q.w_zero_point;
    r.scale                   = e.scale;
    r.has_scales              = q.channel_scale;
    r.has_bias                = e.bias;
    r.has_residual            = e.residual != Residual::none;
    r.epilogue.zero           = q.y_zero_point;
    r.epilogue.place          = e.residual == Residual::before_activation  ? Op::Place::before
                                : e.residual == Residual::after_activation ? Op::Place::after
                                                                           : Op::Place::nowhere;
    r.epilogue.residual_scale = q.residual_scale;
    r.epilogue.residual_zero  = q.residual_zero_point;
    if(e.activation == Activation::relu)
        r.epilogue.least = 0;
    if(e.activation == Activation::clamp)
    {
        r.epilogue.least = e.least;
        r.epilogue.most  = e.most;
    }
    return r;
}

using tensor_operation::device::instance::ScaleFloat8;

/// The slot of an operand's scale.
Slot scale_slot(Slot operand)
{
    return operand == slot_x ? slot_x_scale : operand == slot_w ? slot_w_scale : slot_y_scale;
}

/// a_scale, b_scale: the slots of the operands' scales. W's is in slot_scale if each channel has
/// its own.
ScaleFloat8 scale_float8_of(const ConvSpec& spec, Slot a_scale, Slot b_scale)
{
    using Op              = ew::ConvEpilogue;
    const Quantization& q = spec.quantization;
    const Epilogue& e     = spec.epilogue;
    const auto has_scale  = [&](Slot slot) {
        return q.tensor_scales && !(slot == slot_w_scale && q.channel_scale);
    };
    ScaleFloat8 r;
    r.has_a_scale       = has_scale(a_scale);
    r.has_b_scale       = has_scale(b_scale);
    r.has_channel_scale = q.channel_scale;
    r.has_bias          = e.bias;
    r.has_residual      = e.residual != Residual::none;
    r.has_amax          = q.amax;
    r.epilogue          = conv_epilogue(e, 0, 0);
    r.epilogue.place1   = e.bias ? Op::Place::before : Op::Place::nowhere;
    r.epilogue.place2   = e.residual == Residual::before_activation  ? Op::Place::before
                          : e.residual == Residual::after_activation ? Op::Place::after
                                                                     : Op::Place::nowhere;
    return r;
}

/// For int8 results, which are rounded to nearest; Composable Kernel's operations do not round so.
ew::Requantize requantize(const Epilogue& e)
{
    ew::Requantize op;
    op.scale = e.scale;
    if(e.activation == Activation::relu)
        op.least = 0;
    if(e.activation == Activation::clamp)
    {
        op.least = e.least;
        op.most  = e.most;
    }
    return op;
}

} // namespace

std::vector<Operation>
operations_of(const Epilogue& e, bool accumulates, Slot result, DataType operand, DataType stored)
{
    std::vector<Slot> before, after;
    if(e.bias)
        before.push_back(slot_bias);
    if(e.residual == Residual::before_activation)
        before.push_back(slot_residual);
    if(e.residual == Residual::after_activation)
        after.push_back(slot_residual);
    if(accumulates)
        after.push_back(result);
    std::vector<Slot> all = before;
    all.insert(all.end(), after.begin(), after.end());
    const bool scaled = e.scale != 1, plain = e.activation == Activation::none,
               relu = e.activation == Activation::relu;

    std::vector<Operation> r;
    if(all.empty() && (plain || relu))
    {
        // Eight-bit types have their own operations.
        if(is_float8(operand) && is_float8(stored) && (scaled || relu))
            r.push_back(relu ? made("ConvScaleRelu", ew::ConvScaleRelu{e.scale, 1.f, 1.f}, {})
                             : made("ConvScale", ew::ConvScale{e.scale, 1.f, 1.f}, {}));
        else if(is_float8(operand) && stored == DataType::f32)
        {
            if(plain && !scaled) // only OCP's, with sums in f32
                r.push_back(made("PassThrough", pass_through, {}));
            r.push_back(
                relu ? made("ScaleScaleRelu",
                            ew::ScaleScaleRelu{ew::Scale{e.scale}, ew::Scale{1.f}, ew::Relu{}},
                            {})
                     : made("ScaleScalePass",
                            ew::ScaleScalePass{
                                ew::Scale{e.scale}, ew::Scale{1.f}, ew::PassThrough{}},
                            {}));
        }
        if(r.empty() && plain && (stored != DataType::i8 || !scaled))
            r.push_back(scaled ? made("Scale", ew::Scale{e.scale}, {})
                               : made("PassThrough", pass_through, {}));
    }
    if(stored == DataType::i8 && r.empty() && all.size() <= 1 && (plain || after.empty()) &&
       (plain || relu || e.activation == Activation::clamp))
        r.push_back(made("Requantize", requantize(e), all));
    if(plain && all.size() == 1 && stored != DataType::i8)
        r.push_back(made("Bilinear", ew::Bilinear{e.scale, 1.f}, all));
    if(relu && before.size() == 1 && after.empty() && !scaled)
        r.push_back(made("AddRelu", ew::AddRelu{}, all));
    if(relu && before.size() == 1 && after.size() == 1 && !scaled)
        r.push_back(made("AddReluAdd", ew::AddReluAdd{}, all));
    if(relu && before.size() == 2 && after.empty())
        r.push_back(made("ScaleAddScaleAddRelu", ew::ScaleAddScaleAddRelu{e.scale, 1.f}, all));
    if(all.size() <= 2 && bytes_of_element(stored) > 1)
        r.push_back(made("ConvEpilogue", conv_epilogue(e, before.size(), all.size()), all));
    if(r.empty())
        throw Refused(
            "ck::ConvSpec: the epilogue is " + in_words(e, accumulates) + ", with a result of " +
            name(stored) + ", but no kernel of the library computes it; there are: of " +
            "floating-point results of 16 bits and more scale, activation and two of bias, "
            "residual and what is there (beta); of f8 scale, relu; of i8 scale, relu, clamp and "
            "one of bias, residual and what is there, before the activation");
    return r;
}

Resolved resolve(const ConvSpec& spec)
{
    Resolved r{sizes_of(spec), {}, {}, {}, {}, {}, {}};
    const Sizes& z    = r.sizes;
    const Slot result = z.result();
    const bool weight = z.direction == Direction::backward_weight;
    const Slot a      = z.direction == Direction::forward ? z.input : z.output;
    const Slot b      = weight ? z.input : slot_w;
    const auto type   = [&](Slot slot) { return std::string(name(type_of(spec, slot))); };

    Family& f = r.family;
    f         = {z.direction,
                 type(a),
                 type(b),
                 type(result),
                 "",
                 type(a),
                 type(b),
                 "PassThrough",
                 "PassThrough",
                 ""};
    if(spec.compute)
    {
        f.compute_a = f.compute_b = name(*spec.compute);
        if(spec.compute == DataType::f8 && z.direction != Direction::forward)
            f.compute_a = name(DataType::bf8); // gradients need range
    }
    for(const Slot slot : {slot_x, slot_w, slot_y})
        r.uses[slot] = {true, bytes_of_tensor(spec, z, slot)};
    const TensorLengths lengths = z.lengths(result);
    const std::size_t channel_bytes =
        static_cast<std::size_t>(lengths[0] * lengths[2]) * bytes_of_element(type_of(spec, result));
    const TensorStrides channels{lengths[2], 0, 1, 0, 0, 0};
    if(spec.epilogue.bias)
        r.uses[slot_bias] = {true, channel_bytes};
    if(spec.epilogue.residual != Residual::none)
        r.uses[slot_residual] = {true,
                                 r.uses[result].bytes / bytes_of_element(type_of(spec, result)) *
                                     bytes_of_element(type_of(spec, slot_residual))};
    if(spec.quantization.enabled)
    {
        const auto of_channels = static_cast<std::size_t>(lengths[0] * lengths[2]) * 4;
        const auto use         = [&](bool exists,
                             Slot slot,
                             const std::string& name,
                             std::size_t bytes,
                             const TensorStrides& strides) {
            if(!exists)
                return;
            f.d += (f.d.empty() ? "" : " ") + name;
            r.uses[slot] = {true, bytes};
            r.d.push_back(slot);
            r.d_strides.push_back(strides);
        };
        const auto use_residual = [&](bool exists) {
            use(exists,
                slot_residual,
                name(type_of(spec, slot_residual)),
                r.uses[slot_residual].bytes,
                z.strides(result));
        };
        if(is_scaled_float8(spec))
        {
            const ScaleFloat8 how = scale_float8_of(spec, scale_slot(a), scale_slot(b));
            const auto use_one    = [&](bool exists, Slot slot) {
                use(exists, slot, "f32", sizeof(float), TensorStrides{});
            };
            use_one(how.has_a_scale, scale_slot(a));
            use_one(how.has_b_scale, scale_slot(b));
            use(how.has_channel_scale, slot_scale, "f32", of_channels, channels);
            use(how.has_bias, slot_bias, "f32", of_channels, channels);
            use_residual(how.has_residual);
            use_one(how.has_amax, slot_amax);
            f.operation_c = tensor_operation::device::instance::scaled_float8_operation;
            r.operation   = std::make_shared<const ScaleFloat8>(how);
            return r;
        }
        const Quantize how = quantize_of(spec);
        use(how.has_scales, slot_scale, "f32", of_channels, channels);
        use(how.has_bias, slot_bias, "i32", of_channels, channels);
        use_residual(how.has_residual);
        f.compute_a = f.compute_b = name(DataType::i8);
        f.operation_c             = tensor_operation::device::instance::quantized_operation;
        r.operation               = std::make_shared<const Quantize>(how);
        return r;
    }

    if(spec.bias_gradient)
    {
        r.bias_gradient = BiasGradient::make(
            type_of(spec, slot_y), type_of(spec, slot_w), z.lengths(slot_y), z.strides(slot_y));
        r.uses[slot_bias] = {true,
                             r.bias_gradient->channels() * bytes_of_element(type_of(spec, slot_w))};
    }

    std::optional<Family> first;
    for(Operation& operation : operations_of(
            spec.epilogue, spec.beta == 1, result, type_of(spec, a), type_of(spec, result)))
    {
        r.d.clear();
        r.d_strides.clear();
        f.d.clear();
        const auto read = [&](Slot slot, const TensorStrides& strides) {
            f.d += (f.d.empty() ? "" : " ") + type(result);
            r.d.push_back(slot);
            r.d_strides.push_back(strides);
        };
        for(const Slot slot : operation.d)
            read(slot, slot == slot_bias ? channels : z.strides(result));
        while(operation.name == "ConvEpilogue" && r.d.size() < 2) // read, but not used
            if(!r.d.empty())
                read(r.d[0], r.d_strides[0]);
            else if(spec.layout != Layout::strided && result != slot_w &&
                    type(slot_w) == type(result) && r.uses[slot_w].bytes >= channel_bytes)
                read(slot_w, channels); // from the cache
            else
                read(result, z.strides(result));
        f.operation_c = operation.name;
        r.operation   = std::move(operation.object);
        if(!kernels_of(f).empty())
            return r;
        if(!first)
            first = f;
    }
    f = *first;
    return r;
}

ConvArgument Resolved::argument(const std::array<std::uintptr_t, slot_count>& at) const
{
    const auto pointer = [&](Slot slot) { return reinterpret_cast<void*>(at[slot]); };
    const bool weight  = sizes.direction == Direction::backward_weight;
    ConvArgument argument{};
    argument.problem = sizes.problem;
    argument.a = {pointer(sizes.direction == Direction::forward ? sizes.input : sizes.output)};
    argument.b = {pointer(weight ? sizes.input : slot_w)};
    argument.c = pointer(sizes.result());
    argument.operation_a = argument.operation_b = &pass_through;
    argument.operation_c                        = operation.get();
    argument.saturates                          = true;
    argument.whole_sums                         = whole_sums;
    argument.workspace                          = pointer(slot_workspace);
    argument.split_k                            = -1; // the fastest number of parts
    for(std::size_t i = 0; i < d.size(); ++i)
        argument.d.push_back({pointer(d[i]), d_strides[i]});
    return argument;
}

} // namespace ck::conv
