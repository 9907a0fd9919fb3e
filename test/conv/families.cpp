// Every family of the library through a spec, in 1D to 3D and both layouts; and epilogues.
#include "conv/convolution.hpp"
#include "conv/fields.hpp"
#include "conv/resolve.hpp"
#include "rewrites/quantized.hpp"
#include <set>

namespace ck::conv_test {
namespace {

DataType type_of_name(const std::string& name)
{
    for(std::size_t i = 0; i < conv::names_of<DataType>.size(); ++i)
        if(conv::names_of<DataType>[i] == name)
            return static_cast<DataType>(i);
    throw std::invalid_argument("no type " + name);
}

/// Families that no spec says: operands of two tensors each, and int8 results by operations that do
/// not round to the nearest, most of them with biases or scales of other types.
bool is_beyond(const Family& f)
{
    if(f.a.find(' ') != std::string::npos || f.operation_c == "ConvInvscale" ||
       f.operation_c == "ConvScaleAdd")
        return true;
    for(const char* const of_2025 :
        {"Clamp", "AddClamp", "BiasNormalizeInInferClamp", "DynamicUnaryOp"})
        if(f.operation_c == of_2025)
            return true;
    return f.c == "i8" && f.operation_c != "PassThrough" && f.operation_c != "Requantize";
}

/// Whether the family's kernels store the sums of quantized convolutions.
bool is_of_sums(const Family& f) { return f.c == "i32"; }

/// What a spec must say for the family.
ConvSpec spec_of(const Family& f, std::size_t rank)
{
    ConvSpec s  = spec_of_rank(rank);
    s.direction = f.direction;
    if(is_of_sums(f))
    {
        s.type                 = DataType::i8;
        s.quantization.enabled = true;
        return s;
    }
    const auto in = [](const std::string& name) { return std::optional(type_of_name(name)); };
    s.x_type      = in(f.direction == Direction::forward         ? f.a
                  : f.direction == Direction::backward_data ? f.c
                                                            : f.b);
    s.w_type      = in(f.direction == Direction::backward_weight ? f.c : f.b);
    s.y_type      = in(f.direction == Direction::forward ? f.c : f.a);
    if(f.compute_a != f.a)
        s.compute = f.compute_b == "f8" ? DataType::f8 : type_of_name(f.compute_a);
    const std::string& o = f.operation_c;
    Epilogue& e          = s.epilogue;
    if(o == "Scale" || o == "ConvScale" || o == "ScaleScalePass")
        e.scale = 2;
    else if(o == "Requantize")
    {
        e.scale = .5f;
        s.beta  = f.d.empty() ? 0 : 1;
        if(f.d.empty() && f.direction != Direction::backward_weight)
            e.activation = Activation::relu;
    }
    else if(o == "Bilinear")
        s.beta = 1;
    else if(o == "AddRelu")
        e = {.bias = true, .activation = Activation::relu};
    else if(o == "AddReluAdd")
        e = {.bias = true, .residual = Residual::after_activation, .activation = Activation::relu};
    else if(o == "ScaleAddScaleAddRelu")
        e = {.scale      = 2,
             .bias       = true,
             .residual   = Residual::before_activation,
             .activation = Activation::relu};
    else if(o == "ConvEpilogue")
        e = {.scale      = 2,
             .bias       = true,
             .residual   = Residual::after_activation,
             .activation = Activation::clamp,
             .least      = -20,
             .most       = 30};
    else if(o.find("Relu") != std::string::npos)
        e.activation = Activation::relu;
    return s;
}

} // namespace

TEST(Families, AreReachedByASpecAndRight)
{
    std::size_t reached = 0;
    std::set<std::string> beyond; // of both eight-bit formats
    for(const Family& family : families())
    {
        if(is_beyond(family))
        {
            beyond.insert(family.a.substr(0, family.a.find("_ocp")) + ' ' + family.d + ' ' +
                          family.operation_c);
            continue;
        }
        ++reached;
        for(std::size_t rank = 1; rank <= 3; ++rank)
            for(const Layout layout : {Layout::channels_last, Layout::channels_first})
            {
                ConvSpec spec    = spec_of(family, rank);
                spec.layout      = layout;
                const Family own = conv::resolve(spec).family;
                ASSERT_EQ(is_of_sums(family) ? family_of_sums(own) : own, family)
                    << to_string(spec);
                const ConvPlan p = plan(spec);
                EXPECT_EQ(Convolution(spec).mistakes(p), 0u)
                    << to_string(spec) << ", " << p.kernel();
            }
    }
    std::printf("%zu families reached, %zu beyond specs\n", reached, beyond.size());
    EXPECT_GE(reached, 3u);
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_EQ(beyond.size(), 32u); // docs/one_call.md lists them
#endif
}

TEST(Families, EveryKernelIsPackedAndRight)
{
    int ran = 0;
    for(const Family& family : families())
        if(!is_beyond(family))
            for(const long_index_t channels : {8, 64})
            {
                ConvSpec spec = spec_of(family, 2);
                if(channels == 64)
                {
                    spec.groups = 1;
                    spec.k = spec.c = channels;
                }
                const std::string any   = plan(spec).serialize();
                const std::string start = any.substr(0, any.find(" kernel=") + 8);
                Convolution c(spec);
                for(const ConvKernel& kernel : kernels_of(family))
                {
                    const std::string kernels = is_of_sums(family)
                                                    ? "Quantized<" + kernel.name + ">"
                                                    : kernel.name,
                                      named   = start + kernels;
                    try
                    {
                        const ConvPlan p = deserialize(named);
                        EXPECT_EQ(p.kernel(), kernels);
                        EXPECT_EQ(c.mistakes(p), 0u) << named;
                        ++ran;
                    }
                    catch(const Refused&) // a kernel for other channels
                    {}
                }
            }
    EXPECT_GE(ran, 3);
}

// All activations with every choice of two of bias, residual and what is there, and a scale.
TEST(Epilogues, AreRight)
{
    int ran        = 0;
    const auto run = [&](const ConvSpec& spec) {
        if(!has_kernels(spec))
            return;
        const ConvPlan p = plan(spec);
        EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << p.explain();
        ++ran;
    };
    for(const DataType type : {DataType::f16, DataType::bf16, DataType::f32, DataType::f64})
        for(const Direction direction : {Direction::forward, Direction::backward_data})
            for(int activation = 0; activation <= static_cast<int>(Activation::sigmoid);
                ++activation)
                for(int residual = 0; residual < 3; ++residual)
                    for(int flags = 0; flags < 8; ++flags) // bits: bias, beta, scale
                    {
                        ConvSpec spec  = spec_of_rank(2);
                        spec.type      = type;
                        spec.direction = direction;
                        spec.epilogue  = {.scale      = (flags & 4) != 0 ? .5f : 1.f,
                                          .bias       = (flags & 1) != 0,
                                          .residual   = static_cast<Residual>(residual),
                                          .activation = static_cast<Activation>(activation)};
                        if(spec.epilogue.activation == Activation::clamp)
                            spec.epilogue.least = -7.5f, spec.epilogue.most = 16;
                        if(spec.epilogue.activation == Activation::leaky_relu)
                            spec.epilogue.slope = .1f;
                        spec.beta       = (flags & 2) != 0 ? 1 : 0;
                        spec.transposed = (residual + activation) % 2 == 0;
                        spec.layout     = Layout((activation + flags) % 2);
                        if((flags & 3) == 3 && residual != 0)
                            EXPECT_THROW(plan(spec), Refused); // three
                        else
                            run(spec);
                    }
    ConvSpec weight  = spec_of_rank(2);
    weight.direction = Direction::backward_weight;
    for(const DataType type : {DataType::f16, DataType::bf16, DataType::f32})
        for(const DataType result : {type, DataType::f32})
        {
            weight.type   = type;
            weight.w_type = result;
            weight.beta   = 1;
            run(weight);
        }
    EXPECT_GE(ran, 3);
}

// Tensors that are read in place of a missing one may hold anything.
TEST(Epilogues, LookAtNoOtherTensor)
{
    int ran = 0;
    for(const Layout layout : {Layout::channels_last, Layout::strided})
    {
        ConvSpec spec            = spec_of_rank(2);
        spec.type                = DataType::f16;
        spec.epilogue.activation = Activation::relu;
        if(layout == Layout::strided)
        {
            spec.layout           = layout;
            spec.groups           = 1;
            const auto of_lengths = [](const TensorLengths& l) {
                const TensorStrides s = strides_of(Layout::channels_last, l, false);
                return Strides{s[0], s[1], s[2], s[4], s[5]};
            };
            ConvSpec last  = spec;
            last.layout    = Layout::channels_last;
            spec.x_strides = of_lengths(Convolution::x_lengths(last));
            spec.w_strides = of_lengths(Convolution::w_lengths(last));
            spec.y_strides = of_lengths(Convolution::y_lengths(last));
        }
        if(!has_kernels(spec))
            continue;
        Convolution c(spec); // the result is NaN before
        EXPECT_EQ(c.mistakes(plan(spec)), 0u);
        ++ran;
    }
    if(ran == 0)
        GTEST_SKIP() << no_kernels;
}

TEST(Epilogues, ResidualMayBeTheResult)
{
    ConvSpec spec = spec_of_rank(2);
    spec.type     = DataType::f16;
    spec.epilogue = {.residual = Residual::after_activation};
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const ConvPlan p = plan(spec);
    Convolution apart(spec), in_place(spec);
    EXPECT_EQ(apart.mistakes(p), 0u);
    ConvTensors t = in_place.tensors(p);
    in_place.y.memory.ToDevice(in_place.residual.bytes.data(), in_place.residual.bytes.size());
    t.residual = t.y;
    p.run(t);
    in_place.y.read();
    EXPECT_EQ(in_place.y.bytes, apart.y.bytes);
}

TEST(Epilogues, AreRefusedWithWhatThereIs)
{
    const auto why = [](const ConvSpec& spec) -> std::string {
        try
        {
            plan(spec);
        }
        catch(const Refused& refused)
        {
            return refused.what();
        }
        return "";
    };
    ConvSpec spec            = spec_of_rank(2);
    spec.epilogue.bias       = true;
    spec.epilogue.residual   = Residual::before_activation;
    spec.epilogue.activation = Activation::silu;
    spec.beta                = 1;
    EXPECT_NE(why(spec).find("silu(sum + bias + residual) + what is there, with a result of f32"),
              std::string::npos)
        << why(spec);
    EXPECT_NE(why(spec).find("there are: of floating-point results"), std::string::npos);
    spec      = spec_of_rank(2);
    spec.type = DataType::i8;
    for(const Activation activation : {Activation::silu,
                                       Activation::gelu,
                                       Activation::leaky_relu,
                                       Activation::hard_swish,
                                       Activation::hard_sigmoid,
                                       Activation::sigmoid})
    {
        spec.epilogue.activation = activation;
        EXPECT_NE(why(spec).find("with a result of i8"), std::string::npos) << why(spec);
    }
    spec.epilogue = {.activation = Activation::clamp, .least = 2, .most = 1};
    EXPECT_NE(why(spec).find("epilogue.least is 2.000000 and epilogue.most is 1.000000, but must "
                             "be numbers in ascending order"),
              std::string::npos)
        << why(spec);
    spec.epilogue = {.activation = Activation::relu, .most = 6};
    EXPECT_NE(why(spec).find("only Activation::clamp has limits"), std::string::npos);
    spec.epilogue = {.activation = Activation::leaky_relu, .slope = INFINITY};
    EXPECT_NE(why(spec).find("epilogue.slope is inf, but must be finite"), std::string::npos);
    spec.epilogue = {.activation = Activation::hard_swish, .slope = .5f};
    EXPECT_NE(why(spec).find("epilogue.slope is 0.500000, but only Activation::leaky_relu has a "
                             "slope"),
              std::string::npos);
    spec.epilogue = {.activation = Activation{9}};
    EXPECT_NE(why(spec).find("epilogue.activation is 9, but must be one of the enumerators, 0 to "
                             "8"),
              std::string::npos);
}

TEST(Transposed, IsRightInAllDirections)
{
    int ran = 0;
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
        for(const DataType type : {DataType::f32, DataType::f16, DataType::bf16})
            for(std::size_t rank = 1; rank <= 3; ++rank)
                for(const Layout layout : {Layout::channels_last, Layout::channels_first})
                {
                    ConvSpec spec   = spec_of_rank(rank);
                    spec.transposed = true;
                    spec.direction  = direction;
                    spec.type       = type;
                    spec.layout     = layout;
                    for(std::size_t i = 1; i < rank; ++i)
                        spec.output_padding.push_back(0);
                    spec.output_padding.push_back(1); // output padding of W, whose stride is 2
                    if(!has_kernels(spec))
                        continue;
                    EXPECT_EQ(Convolution(spec).mistakes(plan(spec)), 0u) << to_string(spec);
                    ++ran;
                }
    EXPECT_GE(ran, 18);
}

} // namespace ck::conv_test
