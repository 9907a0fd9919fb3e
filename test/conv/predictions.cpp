// Predicted times of kernels that run between other launches: those of the launches are added.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include "conv/convolution.hpp"
#include "conv/prepared.hpp"
#include "rewrites/piece_bytes.hpp"
#include <map>
#include <string_view>

namespace ck::conv_test {
namespace {

using tensor_operation::device::predicted_transposition;
using tensor_operation::device::instance::PieceBytes;

/// Clock cycles by the names of the kernels that have a model and begin so.
std::map<std::string, double> cycles_of(const ConvSpec& spec, std::string_view name)
{
    std::map<std::string, double> all;
    for(const Candidate& c : conv::candidates_of(conv::resolve(spec), spec, {}))
        if(c.predicted > 0 && c.kernel.starts_with(name))
            all[c.kernel] = c.predicted;
    return all;
}

/// Expects that kernels of both specs take longer for the second one, by these cycles.
void expect_more(const ConvSpec& less, const ConvSpec& more, double cycles, const char* what)
{
    [[maybe_unused]] int compared = 0;
    const auto those_of_less      = cycles_of(less, "Quantized<");
    for(const auto& [kernel, time] : cycles_of(more, "Quantized<"))
        if(const auto of_less = those_of_less.find(kernel); of_less != those_of_less.end())
        {
            EXPECT_NEAR(time - of_less->second, cycles, 1e-9 * time) << what << ": " << kernel;
            ++compared;
        }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(compared, 1) << what;
#endif
}

} // namespace

TEST(Predictions, OfQuantizedConvolutionsIncludeCopiesAndSums)
{
    ConvSpec spec{.type   = DataType::i8,
                  .n      = 8,
                  .k      = 64,
                  .c      = 128,
                  .input  = {14, 14},
                  .filter = {3, 3},
                  .pads   = {{1, 1}, {1, 1}}};
    spec.quantization.enabled = true;
    if(cycles_of(spec, "Quantized<").empty())
        GTEST_SKIP() << no_kernels;
    const auto x = static_cast<double>(spec.x_bytes()), w = static_cast<double>(spec.w_bytes()),
               y                 = static_cast<double>(spec.y_bytes());
    ConvSpec of                  = spec;
    of.x_type                    = DataType::u8;
    of.quantization.x_zero_point = 128; // is 0 in the copy
    expect_more(spec, of, predicted_transposition(2 * x), "a signed copy of X");
    of                           = spec;
    of.w_type                    = DataType::u8;
    of.quantization.w_zero_point = 128;
    expect_more(spec, of, predicted_transposition(2 * w), "a signed copy of W");
    of                           = spec;
    of.quantization.x_zero_point = 1;
    expect_more(
        spec, of, predicted_transposition(w) + predicted_transposition(0), "sums of filters");
    of                           = spec;
    of.quantization.w_zero_point = 1;
    expect_more(
        spec, of, predicted_transposition(x) + predicted_transposition(y / 64), "sums of windows");
    of        = spec;
    of.y_type = DataType::f32;
    expect_more(
        spec, of, predicted_transposition(8 * y) - predicted_transposition(5 * y), "a wider Y");
    of.epilogue.residual = Residual::before_activation;
    expect_more(spec,
                of,
                predicted_transposition(12 * y) - predicted_transposition(5 * y),
                "a wider Y and a residual");
}

/// Each piece but the first is added to the sum of those before it; the sum is stored as dW.
TEST(Predictions, OfPiecesOfBackwardWeightIncludeTheirSum)
{
    ConvSpec spec{.direction = Direction::backward_weight,
                  .type      = DataType::f32,
                  .layout    = Layout::channels_first,
                  .n         = 4,
                  .k         = 16,
                  .c         = 24,
                  .input     = {16, 32},
                  .filter    = {1, 2},
                  .pads      = {{0, 0}, {1, 0}}};
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const PieceBytes one_image(static_cast<long_index_t>(spec.x_bytes() / 4));
    const auto of_four    = cycles_of(spec, "CutImage<");
    spec.n                = 8;
    const auto dw         = static_cast<double>(spec.w_bytes());
    const double addition = predicted_transposition(3 * dw),
                 store    = predicted_transposition(2 * dw);
    int compared          = 0;
    for(const auto& [kernel, time] : cycles_of(spec, "CutImage<"))
        if(const auto four = of_four.find(kernel); four != of_four.end())
        {
            EXPECT_NEAR(2 * four->second - time, store - addition, 1e-9 * time) << kernel;
            ++compared;
        }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(compared, 1);
#endif
}

} // namespace ck::conv_test
