// Specs: what is refused, by field, value and rule; sizes; ConvParam.
#include "ck/library/utility/convolution_parameter.hpp"

#include "conv/convolution.hpp"
#include <functional>
#include <limits>

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
         "backward weight has a scale, but no bias"}};
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
    spec.x_type   = DataType::f64; // with others of f32
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
            EXPECT_NE(std::string(refused.what()).find(c.kernel + ": " + c.why_not),
                      std::string::npos);
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

} // namespace ck::conv_test
