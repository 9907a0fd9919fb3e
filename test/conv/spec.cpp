// Specs: what is refused, by field, value and rule; sizes; ConvParam.
#include "ck/library/utility/convolution_parameter.hpp"

#include "conv/convolution.hpp"
#include "conv/prepared.hpp"
#include <functional>
#include <iterator>
#include <limits>
#include <random>

namespace ck::conv_test {
namespace {

std::string refusal(const ConvSpec& spec)
{
    try
    {
        static_cast<void>(spec.output());
    }
    catch(const Refused& refused)
    {
        return refused.what();
    }
    return "";
}

} // namespace

TEST(Spec, IsRefusedByFieldValueAndRule)
{
    struct Case
    {
        std::function<void(ConvSpec&)> spoil;
        const char* why;
    };
    constexpr long_index_t big = std::numeric_limits<long_index_t>::max();
    const Case cases[]{
        {[](ConvSpec& s) { s.input = {}; }, "input has 0 lengths, but must have 1, 2 or 3"},
        {[](ConvSpec& s) {
             s.input = {1, 1, 1, 1};
         },
         "input has 4 lengths"},
        {[](ConvSpec& s) { s.filter = {3}; }, "filter has 1 values, but input has 2"},
        {[](ConvSpec& s) {
             s.strides = {1, 1, 1};
         },
         "strides has 3 values, but input has 2"},
        {[](ConvSpec& s) {
             s.pads = {{1, 1}};
         },
         "pads has 1 values, but input has 2"},
        {[](ConvSpec& s) {
             s.strides = {1, 0};
         },
         "the stride in W of a 2D convolution is 0, but must be at least 1"},
        {[](ConvSpec& s) {
             s.dilations = {-1, 1};
         },
         "the dilation in H of a 2D convolution is -1"},
        {[](ConvSpec& s) { s.groups = 0; }, "the number of groups G is 0, but must be at least 1"},
        {[](ConvSpec& s) { s.n = -1; }, "the batch N is -1, but must be at least 0"},
        {[](ConvSpec& s) { s.k = big; }, "but must be below 2^31"},
        {[](ConvSpec& s) {
             s.pads = {{big, big}, {0, 0}};
         },
         "the left pad in H"},
        {[](ConvSpec& s) { s.type = DataType::tf32; }, "type is tf32, which no tensor has"},
        {[](ConvSpec& s) { s.type = static_cast<DataType>(77); }, "type is 77, but must be one of"},
        {[](ConvSpec& s) { s.direction = static_cast<Direction>(-1); }, "direction is -1"},
        {[](ConvSpec& s) { s.direction = static_cast<Direction>(3); }, "direction is 3"},
        {[](ConvSpec& s) { s.layout = static_cast<Layout>(3); },
         "layout is 3, but must be one of the enumerators, 0 to 2"},
        {[](ConvSpec& s) { s.epilogue.residual = static_cast<Residual>(3); },
         "epilogue.residual is 3, but must be one of"},
        {[](ConvSpec& s) { s.epilogue.activation = static_cast<Activation>(9); },
         "epilogue.activation is 9, but must be one of"},
        {[](ConvSpec& s) { s.x_type = static_cast<DataType>(-1); }, "x_type is -1, but must be"},
        {[](ConvSpec& s) { s.w_type = static_cast<DataType>(77); }, "w_type is 77, but must be"},
        {[](ConvSpec& s) { s.y_type = static_cast<DataType>(77); }, "y_type is 77, but must be"},
        {[](ConvSpec& s) { s.y_type = DataType::tf32; }, "y_type is tf32, which no tensor has"},
        {[](ConvSpec& s) { s.y_type = static_cast<DataType>(11); }, "y_type is 11, but must be"},
        {[](ConvSpec& s) { s.quantization.residual_type = static_cast<DataType>(11); },
         "quantization.residual_type is 11, but must be one of the enumerators, 0 to 10"},
        {[](ConvSpec& s) { s.w_type = DataType::u8; },
         "the type of w is u8, but only quantized convolutions"},
        {[](ConvSpec& s) { s.compute = DataType::u8; }, "compute is u8, to which no kernel"},
        {[](ConvSpec& s) { s.quantization.channel_scale = true; },
         "quantization.enabled is false, but another field"},
        {[](ConvSpec& s) { s.quantization.enabled = true; },
         "the type of x is f32, but operands of a quantized convolution of integers are i8 or u8"},
        {[](ConvSpec& s) { s.compute = static_cast<DataType>(77); }, "compute is 77, but must be"},
        {[](ConvSpec& s) { s.beta = .5f; }, "beta is 0.500000, but must be 0 or 1"},
        {[](ConvSpec& s) { s.beta = std::nanf(""); }, "beta is nan"},
        {[](ConvSpec& s) { s.epilogue.scale = std::numeric_limits<float>::infinity(); },
         "epilogue.scale is inf, but must be finite"},
        {[](ConvSpec& s) { s.alignment = 3; }, "alignment is 3, but must be 1, 2, 4, 8 or 16"},
        {[](ConvSpec& s) { s.alignment = 2; },
         "alignment is 2, but an element of x, f32, has 4 bytes"},
        {[](ConvSpec& s) {
             s.output_padding = {1, 1};
         },
         "only a transposed convolution has it"},
        {[](ConvSpec& s) {
             s.transposed     = true;
             s.output_padding = {0, 9};
         },
         "the output padding in W of a 2D transposed convolution is 9"},
        {[](ConvSpec& s) { s.x_strides = {1}; }, "only Layout::strided has strides"},
        {[](ConvSpec& s) { s.layout = Layout::strided; },
         "x_strides has 0 values, but must have 5"},
        {[](ConvSpec& s) {
             s.layout    = Layout::strided;
             s.x_strides = s.w_strides = s.y_strides = {1, 1, 1, -1, 1};
         },
         "the stride of H of the input tensor is -1"},
        {[](ConvSpec& s) { s.bias_gradient = true; }, "only backward weight has one, not forward"},
        {[](ConvSpec& s) {
             s.direction     = Direction::backward_weight;
             s.epilogue.bias = true;
         },
         "backward weight has a scale, but no bias"},
        {[](ConvSpec& s) {
             s.direction         = Direction::backward_weight;
             s.epilogue.residual = Residual::after_activation;
         },
         "backward weight has a scale, but no bias, residual"},
        {[](ConvSpec& s) {
             s.direction           = Direction::backward_weight;
             s.epilogue.activation = Activation::relu;
         },
         "backward weight has a scale, but no bias, residual or activation"}};
    for(const Case& c : cases)
    {
        ConvSpec spec = spec_of_rank(2);
        EXPECT_EQ(refusal(spec), "");
        c.spoil(spec);
        EXPECT_NE(refusal(spec).find(c.why), std::string::npos) << refusal(spec) << "\n" << c.why;
        EXPECT_THROW(plan(spec), Refused);
    }
}

TEST(Spec, IsRefusedWithEveryKernelsReason)
{
    ConvSpec spec = spec_of_rank(2);
    spec.x_type   = DataType::f64; // mixed with f32
    try
    {
        plan(spec);
        FAIL();
    }
    catch(const Refused& refused)
    {
        EXPECT_NE(std::string(refused.what()).find("the library has no kernels of the family"),
                  std::string::npos)
            << refused.what();
        EXPECT_TRUE(refused.candidates().empty());
    }
    spec           = spec_of_rank(2);
    spec.layout    = Layout::strided;
    spec.x_strides = spec.w_strides = spec.y_strides = {0, 0, 0, 0, 0}; // Y's elements are one
    if(!has_kernels(spec_of_rank(2)))
        GTEST_SKIP() << no_kernels;
    try
    {
        plan(spec);
        FAIL();
    }
    catch(const Refused& refused)
    {
        EXPECT_FALSE(refused.candidates().empty());
        for(const Candidate& c : refused.candidates())
        {
            EXPECT_NE(c.why_not, "");
            const std::string all = refused.what();
            EXPECT_TRUE(c.why_not.starts_with("the device is ") || // one line for all of them
                        all.find(c.kernel + ": " + c.why_not) != std::string::npos);
        }
    }
}

TEST(Spec, HasOutputAndBytes)
{
    ConvSpec spec = spec_of_rank(3);
    EXPECT_EQ(spec.output(), (Extents{4, 4, 4}));
    EXPECT_EQ(spec.x_bytes(), 4u * 2 * 2 * 8 * 5 * 4 * 7);
    EXPECT_EQ(spec.w_bytes(), 4u * 2 * 16 * 8 * 2 * 1 * 3);
    EXPECT_EQ(spec.y_bytes(), 4u * 2 * 2 * 16 * 4 * 4 * 4);
    spec.transposed = true;
    spec.type       = DataType::f16;
    EXPECT_EQ(spec.output(), (Extents{5 + 2 - 1, 4, 6 * 2 + 3 - 3}));
    EXPECT_EQ(spec.x_bytes(), 2u * 2 * 2 * 8 * 5 * 4 * 7);
}

TEST(Spec, ComesFromConvParamAndBack)
{
    using utils::conv::ConvParam;
    const ConvParam param(
        3, 2, 3, 4, 5, {1, 2, 3}, {7, 8, 9}, {2, 1, 3}, {1, 3, 1}, {1, 0, -1}, {0, 2, 1});
    const ConvSpec spec = make_spec(param, Direction::backward_data, DataType::bf16);
    EXPECT_EQ(spec.direction, Direction::backward_data);
    EXPECT_EQ(spec.type, DataType::bf16);
    const ConvParam back = to_conv_param(spec);
    EXPECT_EQ(make_spec(back, Direction::backward_data, DataType::bf16), spec);
    EXPECT_EQ(back.output_spatial_lengths_, param.output_spatial_lengths_);
    EXPECT_EQ(back.input_left_pads_, param.input_left_pads_);
    EXPECT_EQ(back.input_right_pads_, param.input_right_pads_);
    EXPECT_EQ((std::vector{back.G_, back.N_, back.K_, back.C_}),
              (std::vector{param.G_, param.N_, param.K_, param.C_}));

    ConvSpec transposed   = spec;
    transposed.transposed = true;
    EXPECT_THROW(to_conv_param(transposed), Refused);
    const ConvSpec defaults{.input = {5}, .filter = {3}}; // strides and pads left out
    EXPECT_EQ(to_conv_param(defaults).output_spatial_lengths_, std::vector<long_index_t>{3});
}

// A missing pad is refused, not taken as 0.
TEST(Spec, OfConvParamHasAPadOnEachSide)
{
    const auto why = [](std::size_t left, std::size_t right) -> std::string {
        utils::conv::ConvParam param(2, 1, 1, 1, 1, {3, 3}, {5, 5}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
        param.input_left_pads_.resize(left);
        param.input_right_pads_.resize(right);
        try
        {
            make_spec(param);
        }
        catch(const Refused& refused)
        {
            return refused.what();
        }
        return "";
    };
    EXPECT_EQ(why(2, 2), "");
    EXPECT_EQ(why(2, 1), "ck::make_spec: there are 2 left pads, but 1 right ones");
    EXPECT_EQ(why(0, 2), "ck::make_spec: there are 0 left pads, but 2 right ones");
    EXPECT_EQ(why(3, 0), "ck::make_spec: there are 3 left pads, but 0 right ones");
}

namespace {

/// Bytes of a packed tensor of these lengths, exactly where they are below 2^64.
long double bytes_of(std::initializer_list<long_index_t> lengths, std::size_t element)
{
    long double bytes = static_cast<long double>(element);
    for(const long_index_t length : lengths)
        bytes *= static_cast<long double>(length);
    return bytes;
}

} // namespace

// Any numbers: a refusal, or sizes that are no remainders of 2^64; and so is every workspace.
TEST(Spec, HasSizesThatDoNotWrap)
{
    constexpr long_index_t numbers[]{0,
                                     1,
                                     2,
                                     7,
                                     (1 << 15) + 1,
                                     1 << 20,
                                     (1 << 30) - 1,
                                     1 << 30,
                                     (long_index_t{1} << 31) - 1,
                                     long_index_t{1} << 31,
                                     (long_index_t{1} << 32) + 3,
                                     long_index_t{1} << 62,
                                     std::numeric_limits<long_index_t>::max(),
                                     std::numeric_limits<long_index_t>::min(),
                                     -1,
                                     -(long_index_t{1} << 31)};
    std::mt19937 random(7);
    const auto number = [&] {
        return random() % 2 == 0 ? static_cast<long_index_t>(random() % 4 + 1)
                                 : numbers[random() % std::size(numbers)];
    };
    int refused = 0, sound = 0, planned = 0;
    for(int i = 0; i < 20000; ++i)
    {
        ConvSpec s{.direction = static_cast<Direction>(random() % 3),
                   .type      = random() % 2 == 0 ? DataType::f16 : DataType::f32,
                   .layout    = static_cast<Layout>(random() % 2),
                   .groups    = number(),
                   .n         = number(),
                   .k         = number(),
                   .c         = number(),
                   .input     = {number(), number()},
                   .filter    = {number(), number()}};
        if(random() % 2 == 0)
            s.pads = {{number(), number()}, {number(), number()}};
        if(random() % 2 == 0)
            s.strides = {number(), number()};
        if(random() % 2 == 0)
            s.dilations = {number(), number()};
        s.transposed = random() % 4 == 0;
        try
        {
            const Extents o           = s.output();
            const std::size_t element = s.type == DataType::f16 ? 2 : 4;
            const auto expect = [&](std::size_t bytes, std::initializer_list<long_index_t> of) {
                EXPECT_EQ(static_cast<long double>(bytes), bytes_of(of, element)) << to_string(s);
            };
            expect(s.x_bytes(), {s.groups, s.n, s.c, s.input[0], s.input[1]});
            expect(s.w_bytes(), {s.groups, s.k, s.c, s.filter[0], s.filter[1]});
            expect(s.y_bytes(), {s.groups, s.n, s.k, o[0], o[1]});
            ++sound;
            if(planned >= 200)
                continue;
            ++planned;
            for(const Candidate& c : conv::candidates_of(conv::resolve(s), s, {}))
                EXPECT_LT(c.workspace, std::size_t{1} << 62) << c.kernel << ", " << to_string(s);
        }
        catch(const Refused&)
        {
            ++refused;
        }
    }
    std::printf("%d sound, %d refused\n", sound, refused);
    EXPECT_GE(sound, 200);
    EXPECT_GE(refused, 1000);
}

// Their channels are filled up to vectors: bytes would be those modulo 2^64.
TEST(Spec, OfTensorsThatNoDeviceHoldsIsNotCopied)
{
    const ConvSpec spec{.type   = DataType::f16,
                        .layout = Layout::channels_first,
                        .n      = 1 << 28,
                        .input  = {1 << 15, 1 << 15},
                        .filter = {1, 1}};
    if(kernels_of(conv::resolve(spec).family).empty())
        GTEST_SKIP() << no_kernels;
    const conv::Resolved resolved = conv::resolve(spec);
    std::array<std::uintptr_t, conv::slot_count> at{};
    at[conv::slot_workspace]    = 16;
    const ConvArgument argument = resolved.argument(at);
    int copies                  = 0;
    for(const ConvKernel& kernel : layout_converted_kernels_of(resolved.family))
    {
        EXPECT_EQ(kernel.supports(argument).reason,
                  "a tensor has 288230376151711744 elements, but copies are made of at most 2^50");
        EXPECT_EQ(kernel.workspace_size(argument), 0u);
        ++copies;
    }
    EXPECT_GE(copies, 1);
}

// Their addresses in launches would be taken for those of the next tensor.
TEST(Spec, OfTensorsThatNoDeviceHoldsIsNotPlanned)
{
    ConvSpec spec{.type = DataType::f16, .k = 64, .c = 64, .input = {512, 512}, .filter = {1, 1}};
    const auto why = [&]() -> std::string {
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
    spec.n = (1 << 17) - 1;
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    EXPECT_EQ(why(), "");
    spec.n = 1 << 17;
    EXPECT_EQ(why(), "ck::ConvSpec: x has 4398046511104 bytes, but plans are for less than 2^42");
    spec.n = 1 << 20;
    EXPECT_NE(why().find(" bytes, but plans are for less than 2^42"), std::string::npos) << why();
}

} // namespace ck::conv_test
