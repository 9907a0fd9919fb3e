// The table of convolutions.
#include "operations.hpp"

namespace ck::profiler {

namespace {

using namespace tensor_operation::device;

constexpr Types f32{"f32", "f32", "f32", "f32", "", ""};
constexpr Types f16{"f16", "f16", "f16", "f16", "", ""};
constexpr Types bf16{"bf16", "bf16", "bf16", "bf16", "", ""};
constexpr Types i8{"i8", "i8", "i8", "i8", "", ""};
constexpr Types f64{"f64", "f64", "f64", "f64", "", ""};
constexpr Types tf32{"tf32", "f32", "f32", "f32", "tf32", "tf32"};

std::vector<ConvOperation> make_operations()
{
    const std::vector<Types> f8{{"f8", "f8", "f8", "f8", "", ""},
                                {"bf8", "bf8", "bf8", "f8", "", ""},
                                {"f8_bf8", "f8", "bf8", "f8", "", ""},
                                {"bf8_f8", "bf8", "f8", "f8", "", ""}};
    const std::vector<Types> ocp{{"f8_ocp", "f8_ocp", "f8_ocp", "f8_ocp", "", ""},
                                 {"bf8_ocp", "bf8_ocp", "bf8_ocp", "f8_ocp", "", ""},
                                 {"f8_bf8_ocp", "f8_ocp", "bf8_ocp", "f8_ocp", "", ""},
                                 {"bf8_f8_ocp", "bf8_ocp", "f8_ocp", "f8_ocp", "", ""}};
    const auto with = [](std::vector<Types> all, const auto&... more) {
        (all.insert(all.end(), more.begin(), more.end()), ...);
        return all;
    };
    const std::vector<Types> packed{f32, f16, bf16, i8};
    const std::vector<Types> clamped{f32, f16, bf16, tf32};
    const std::vector<Types> forward =
        with({f32, f16, bf16, i8},
             f8,
             std::vector<Types>{tf32, {"f16_as_f8", "f16", "f16", "f16", "f8", "f8"}, f64},
             ocp);
    const std::vector<Types> data{
        f32, f16, bf16, tf32, i8, {"f16_as_bf8_f8", "f16", "f16", "f16", "bf8", "f8"}, f64};
    const std::vector<Types> weight{f32,
                                    f16,
                                    {"bf16_f32", "bf16", "f32", "bf16", "", ""},
                                    {"f16_as_bf8_f8", "f16", "f16", "f16", "bf8", "f8"},
                                    i8,
                                    bf16,
                                    tf32,
                                    f64};
    constexpr auto fwd = Direction::forward, bwd_data = Direction::backward_data,
                   bwd_weight   = Direction::backward_weight;
    constexpr const char* plain = "PassThrough";
    constexpr auto* abd         = &grouped_forward_names;
    return {
        {"conv_fwd",
         "Convolution Forward",
         "",
         &packed_forward_names,
         fwd,
         plain,
         0,
         false,
         packed},
        {"conv_fwd_bias_relu",
         "Convolution Forward + Bias + ReLU",
         "",
         &packed_forward_bias_names,
         fwd,
         "AddRelu",
         1,
         false,
         {f16}},
        {"conv_fwd_bias_relu_add",
         "Convolution Forward + Bias + ReLU + Add",
         "",
         &packed_forward_bias_add_names,
         fwd,
         "AddReluAdd",
         2,
         false,
         {f16}},
        {"conv_bwd_data",
         "Convolution Backward Data",
         "",
         &packed_backward_data_names,
         bwd_data,
         plain,
         0,
         false,
         packed},
        {"grouped_conv_fwd", "Grouped Convolution Forward", "", abd, fwd, plain, 0, true, forward},
        {"grouped_conv_fwd_clamp",
         "Grouped Convolution Forward + Clamp",
         "",
         abd,
         fwd,
         "Clamp",
         0,
         true,
         clamped},
        {"grouped_conv_fwd_bias_clamp",
         "Grouped Convolution Forward + Bias + Clamp",
         "",
         abd,
         fwd,
         "AddClamp",
         1,
         true,
         clamped},
        {"grouped_conv_fwd_outelementop",
         "Grouped Convolution Forward + Elementwise Operation on Y",
         "convscale",
         abd,
         fwd,
         "ConvScale",
         0,
         true,
         f8},
        {"grouped_conv_fwd_outelementop",
         "Grouped Convolution Forward + Elementwise Operation on Y",
         "convinvscale",
         abd,
         fwd,
         "ConvInvscale",
         0,
         true,
         {f8[0]}},
        {"grouped_conv_bwd_data",
         "Grouped Convolution Backward Data",
         "",
         &grouped_backward_data_names,
         bwd_data,
         plain,
         0,
         true,
         data},
        {"grouped_conv_bwd_weight",
         "Grouped Convolution Backward Weight",
         "",
         &grouped_backward_weight_names,
         bwd_weight,
         plain,
         0,
         true,
         weight}};
}

} // namespace

std::span<const ConvOperation> conv_operations()
{
    static const std::vector<ConvOperation> all = make_operations();
    return all;
}

const ConvOperation* find_conv_operation(const std::string& name, const std::string& variant)
{
    for(const ConvOperation& operation : conv_operations())
        if(name == operation.name && (variant.empty() || variant == operation.variant))
            return &operation;
    return nullptr;
}

const Types& find_types(const ConvOperation& operation, const std::string& name)
{
    std::string all;
    for(const Types& types : operation.types)
    {
        if(name == types.name)
            return types;
        all += std::string(all.empty() ? "" : ", ") + types.name;
    }
    throw WrongArgument("the type is '" + name + "', but " + operation.name + " takes one of " +
                        all);
}

tensor_operation::device::instance::Family family_of(const ConvOperation& operation,
                                                     const Types& types)
{
    const bool forward = operation.direction == Direction::forward;
    const bool weight  = operation.direction == Direction::backward_weight;
    const char* a      = forward ? types.x : types.y;
    const char* b      = weight ? types.x : types.w;
    const char* c      = forward ? types.y : weight ? types.w : types.x;
    std::string d;
    for(int i = 0; i < operation.d_tensors; ++i)
        d += (i == 0 ? "" : " ") + std::string(c);
    const auto or_else = [](const char* compute, const char* operand) {
        return std::string(*compute == '\0' ? operand : compute);
    };
    return {operation.direction,
            a,
            b,
            c,
            d,
            or_else(types.compute_a, a),
            or_else(types.compute_b, b),
            "PassThrough",
            "PassThrough",
            operation.epilogue};
}

} // namespace ck::profiler
