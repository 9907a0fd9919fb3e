// Every family of the library through a spec, in 1D to 3D and both layouts; and epilogues.
#include "conv/convolution.hpp"
#include "conv/fields.hpp"
#include "conv/resolve.hpp"

namespace ck::conv_test {
namespace {

DataType type_of_name(const std::string& name)
{
    for(std::size_t i = 0; i < conv::names_of<DataType>.size(); ++i)
        if(conv::names_of<DataType>[i] == name)
            return static_cast<DataType>(i);
    throw std::invalid_argument("no type " + name);
}

/// Families that no spec says: operands of two tensors each, and eight-bit results with biases or
/// scales of other types.
bool is_beyond(const Family& f)
{
    if(f.a.find(' ') != std::string::npos || f.operation_c == "ConvInvscale" ||
       f.operation_c == "ConvScaleAdd")
        return true;
    return f.c == "i8" &&
           (f.operation_c == "ScaleAddScaleAddRelu" ||
            f.operation_c.find("Mul2") != std::string::npos || f.operation_c.starts_with("Add_") ||
            f.operation_c == "Activation_Mul_Clamp<PassThrough>");
}

/// What a spec must say for the family.
ConvSpec spec_of(const Family& f, std::size_t rank)
{
    ConvSpec s    = spec_of_rank(rank);
    s.direction   = f.direction;
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
    else if(o.find("Relu") != std::string::npos)
        e.activation = Activation::relu;
    return s;
}

} // namespace

TEST(Families, AreReachedByASpecAndRight)
{
    std::size_t reached = 0, beyond = 0;
    for(const Family& family : families())
    {
        if(is_beyond(family))
        {
            ++beyond;
            continue;
        }
        ++reached;
        for(std::size_t rank = 1; rank <= 3; ++rank)
            for(const Layout layout : {Layout::channels_last, Layout::channels_first})
            {
                ConvSpec spec = spec_of(family, rank);
                spec.layout   = layout;
                ASSERT_EQ(conv::resolve(spec).family, family) << to_string(spec);
                const ConvPlan p = plan(spec);
                EXPECT_NE(p.explain().find("packed once"), std::string::npos);
                EXPECT_EQ(Convolution(spec).mistakes(p), 0u)
                    << to_string(spec) << ", " << p.kernel();
            }
    }
    std::printf("%zu families reached, %zu beyond specs\n", reached, beyond);
    EXPECT_GE(reached, 3u);
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
                    const std::string named = start + kernel.name;
                    try
                    {
                        const ConvPlan p = deserialize(named);
                        EXPECT_EQ(p.kernel(), kernel.name);
                        EXPECT_NE(p.explain().find("packed once"), std::string::npos) << named;
                        EXPECT_EQ(c.mistakes(p), 0u) << named;
                        ++ran;
                    }
                    catch(const Refused&) // a kernel for other channels
                    {}
                }
            }
    EXPECT_GE(ran, 3);
}

TEST(Epilogues, AreRight)
{
    struct Case
    {
        Epilogue epilogue;
        float beta;
        Direction direction;
    };
    constexpr Direction forward = Direction::forward, backward = Direction::backward_data;
    const Case cases[]{
        {{.bias = true}, 0, forward},
        {{.scale = 3, .bias = true}, 0, forward},
        {{.residual = Residual::before_activation}, 0, forward},
        {{.residual = Residual::after_activation}, 0, backward},
        {{.bias = true}, 0, backward},
        {{.scale = 2}, 1, backward},
        {{.scale = -1}, 1, Direction::backward_weight},
        {{.bias = true, .activation = Activation::relu}, 0, forward},
        {{.bias = true, .activation = Activation::relu}, 1, forward},
        {{.residual = Residual::before_activation, .activation = Activation::relu}, 0, forward}};
    int ran = 0;
    for(const Case& c : cases)
        for(const DataType type : {DataType::f16, DataType::f32})
            for(const bool transposed : {false, true})
            {
                ConvSpec spec   = spec_of_rank(2);
                spec.type       = type;
                spec.direction  = c.direction;
                spec.epilogue   = c.epilogue;
                spec.beta       = c.beta;
                spec.transposed = transposed;
                try
                {
                    const ConvPlan p = plan(spec);
                    EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << p.explain();
                    ++ran;
                }
                catch(const Refused& refused)
                {
                    EXPECT_NE(std::string(refused.what())
                                  .find("the library has no kernels of the "
                                        "family"),
                              std::string::npos)
                        << refused.what();
                    // relu with a bias is f16's, forward's
                    EXPECT_TRUE(c.epilogue.activation == Activation::relu || !has_kernels(spec));
                }
            }
    EXPECT_GE(ran, 1);
}

TEST(Epilogues, ResidualMayBeTheResult)
{
    ConvSpec spec = spec_of_rank(2);
    spec.type     = DataType::f16;
    spec.epilogue = {.residual = Residual::after_activation};
    if(!has_kernels(spec))
        GTEST_SKIP();
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
    for(const Activation activation : {Activation::silu, Activation::gelu})
    {
        ConvSpec spec            = spec_of_rank(2);
        spec.epilogue.bias       = true;
        spec.epilogue.activation = activation;
        try
        {
            plan(spec);
            FAIL();
        }
        catch(const Refused& refused)
        {
            const std::string what = refused.what();
            EXPECT_NE(
                what.find(activation == Activation::silu ? "silu(sum + bias)" : "gelu(sum + bias)"),
                std::string::npos)
                << what;
            EXPECT_NE(what.find("there are: scale * sum;"), std::string::npos) << what;
        }
    }
    ConvSpec spec      = spec_of_rank(2);
    spec.direction     = Direction::backward_weight;
    spec.bias_gradient = true;
    EXPECT_THROW(plan(spec), Refused);
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
                    spec.output_padding.push_back(1); // of W, whose stride is 2
                    if(!has_kernels(spec))
                        continue;
                    EXPECT_EQ(Convolution(spec).mistakes(plan(spec)), 0u) << to_string(spec);
                    ++ran;
                }
    EXPECT_GE(ran, 18);
}

} // namespace ck::conv_test
