// From a spec to the family of its kernels, and their argument.
#include "conv/resolve.hpp"

#include "ck/tensor_operation/gpu/element/combined_element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <cstdint>
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
    return type == DataType::f8 || type == DataType::bf8 || type == DataType::f8_ocp ||
           type == DataType::bf8_ocp;
}

std::string in_words(const Epilogue& e, bool accumulates)
{
    constexpr const char* activations[] = {"", "relu", "silu", "gelu"};
    std::string s                       = e.scale == 1 ? "sum" : "scale * sum";
    s += e.bias ? " + bias" : "";
    s += e.residual == Residual::before_activation ? " + residual" : "";
    if(e.activation != Activation::none)
        s = std::string(activations[static_cast<int>(e.activation)]) + '(' + s + ')';
    s += e.residual == Residual::after_activation ? " + residual" : "";
    s += accumulates ? " + what is there" : "";
    return s;
}

} // namespace

Operation
operation_of(const Epilogue& e, bool accumulates, Slot result, DataType operand, DataType stored)
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

    if(all.empty() && (plain || relu))
    {
        // Eight-bit types have operations of their own.
        if(is_float8(operand) && is_float8(stored) && (scaled || relu))
            return relu ? made("ConvScaleRelu", ew::ConvScaleRelu{e.scale, 1.f, 1.f}, {})
                        : made("ConvScale", ew::ConvScale{e.scale, 1.f, 1.f}, {});
        if(is_float8(operand) && stored == DataType::f32)
            return relu ? made("ScaleScaleRelu",
                               ew::ScaleScaleRelu{ew::Scale{e.scale}, ew::Scale{1.f}, ew::Relu{}},
                               {})
                        : made("ScaleScalePass",
                               ew::ScaleScalePass{
                                   ew::Scale{e.scale}, ew::Scale{1.f}, ew::PassThrough{}},
                               {});
        if(stored == DataType::i8 && relu && e.scale >= 0)
            return made(
                "Activation_Mul_Clamp<Relu>", ew::Activation_Mul_Clamp<ew::Relu>{e.scale}, {});
    }
    if(plain && all.empty())
        return scaled ? made("Scale", ew::Scale{e.scale}, {})
                      : made("PassThrough", pass_through, {});
    if(plain && all.size() == 1)
        return made("Bilinear", ew::Bilinear{e.scale, 1.f}, all);
    if(relu && before.size() == 1 && after.empty() && !scaled)
        return made("AddRelu", ew::AddRelu{}, all);
    if(relu && before.size() == 1 && after.size() == 1 && !scaled)
        return made("AddReluAdd", ew::AddReluAdd{}, all);
    if(relu && before.size() == 2 && after.empty())
        return made("ScaleAddScaleAddRelu", ew::ScaleAddScaleAddRelu{e.scale, 1.f}, all);
    throw Refused("ck::ConvSpec: the epilogue is " + in_words(e, accumulates) +
                  ", but no kernel of the library computes it; there are: scale * sum; scale * sum "
                  "+ one of bias, residual and what is there (beta); relu(sum + bias), then + "
                  "residual or what is there; relu(scale * sum + bias + residual); of eight-bit "
                  "types relu(scale * sum)");
}

Resolved resolve(const ConvSpec& spec)
{
    Resolved r{sizes_of(spec), {}, {}, {}, {}, {}};
    if(spec.bias_gradient)
        throw Refused(
            "ck::ConvSpec: bias_gradient is set, but no kernel of the library computes it "
            "with dW; sum dY over images and pixels");
    const Sizes& z    = r.sizes;
    const Slot result = z.result();
    const bool weight = z.direction == Direction::backward_weight;
    const Slot a      = z.direction == Direction::forward ? z.input : z.output;
    const Slot b      = weight ? z.input : slot_w;
    const auto type   = [&](Slot slot) { return std::string(name(type_of(spec, slot))); };

    Operation operation = operation_of(
        spec.epilogue, spec.beta == 1, result, type_of(spec, a), type_of(spec, result));
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
                 operation.name};
    if(spec.compute)
    {
        f.compute_a = f.compute_b = name(*spec.compute);
        if(spec.compute == DataType::f8 && z.direction != Direction::forward)
            f.compute_a = name(DataType::bf8); // gradients want range
    }
    for(const Slot slot : {slot_x, slot_w, slot_y})
        r.uses[slot] = {true, bytes_of_tensor(spec, z, slot)};
    const TensorLengths lengths = z.lengths(result);
    for(const Slot slot : operation.d)
    {
        f.d += (f.d.empty() ? "" : " ") + type(result);
        TensorStrides strides = z.strides(result);
        if(slot == slot_bias)
            strides = {lengths[2], 0, 1, 0, 0, 0};
        if(slot != result)
            r.uses[slot] = {true,
                            slot == slot_bias ? static_cast<std::size_t>(lengths[0] * lengths[2]) *
                                                    bytes_of_element(type_of(spec, result))
                                              : r.uses[result].bytes};
        r.d_strides.push_back(strides);
    }
    r.d         = std::move(operation.d);
    r.operation = std::move(operation.object);
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
    argument.workspace                          = pointer(slot_workspace);
    argument.split_k                            = -1; // as many as end first
    for(std::size_t i = 0; i < d.size(); ++i)
        argument.d.push_back({pointer(d[i]), d_strides[i]});
    return argument;
}

} // namespace ck::conv
