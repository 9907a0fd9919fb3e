// Predicted times of kernels that run between other launches: those of the launches are added.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include "conv/convolution.hpp"
#include "conv/prepared.hpp"
#include "rewrites/im2col_launches.hpp"
#include "rewrites/piece_bytes.hpp"
#include "tensor_operation_instance/calibration.hpp"
#include <map>

namespace ck::conv_test {
namespace {

using tensor_operation::device::predicted_transfer;
using tensor_operation::device::predicted_transposition;
using tensor_operation::device::instance::Im2colCopy;
using tensor_operation::device::instance::PieceBytes;

/// 8 images of 14x14 pixels, 128 to 64 channels, 3x3.
ConvSpec images(DataType type)
{
    return {.type   = type,
            .n      = 8,
            .k      = 64,
            .c      = 128,
            .input  = {14, 14},
            .filter = {3, 3},
            .pads   = {{1, 1}, {1, 1}}};
}

/// Fails if a complete library has compared nothing; of another one, the test is then skipped.
void expect_compared(int count, const char* what)
{
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(count, 1) << what;
#else
    if(count == 0)
        GTEST_SKIP() << what << ": " << no_kernels;
#endif
}

/// A spec, and the rewrite that its kernels are for: the begin of their names, or none.
struct Rewritten
{
    ConvSpec spec;
    std::string rewrite;
};

/// Clock cycles of the kernels of the rewrite that have a model, by the names of the kernels that
/// they run.
std::map<std::string, double> cycles_of(const Rewritten& of)
{
    const tensor_operation::device::instance::OneCalibration built_in(nullptr);
    std::map<std::string, double> all;
    for(const Candidate& c : conv::candidates_of(conv::resolve(of.spec), of.spec, {}))
        if(c.predicted > 0 && c.kernel.starts_with(of.rewrite))
            all[c.kernel.substr(of.rewrite.size(),
                                c.kernel.size() - of.rewrite.size() - !of.rewrite.empty())] =
                c.predicted;
    return all;
}

/// Expects that kernels of both take longer for the second, by these cycles.
void expect_more(const Rewritten& less, const Rewritten& more, double cycles, const char* what)
{
    int compared             = 0;
    const auto those_of_less = cycles_of(less);
    for(const auto& [kernel, time] : cycles_of(more))
        if(const auto of_less = those_of_less.find(kernel); of_less != those_of_less.end())
        {
            EXPECT_NEAR(time - of_less->second, cycles, 1e-9 * time) << what << ": " << kernel;
            ++compared;
        }
    expect_compared(compared, what);
}

} // namespace

TEST(Predictions, OfQuantizedConvolutionsIncludeCopiesAndSums)
{
    ConvSpec spec             = images(DataType::i8);
    spec.quantization.enabled = true;
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const auto expect = [&](const ConvSpec& more, double cycles, const char* what) {
        expect_more({spec, "Quantized<"}, {more, "Quantized<"}, cycles, what);
    };
    const auto x = static_cast<double>(spec.x_bytes()), w = static_cast<double>(spec.w_bytes()),
               y                 = static_cast<double>(spec.y_bytes());
    ConvSpec of                  = spec;
    of.x_type                    = DataType::u8;
    of.quantization.x_zero_point = 128; // is 0 in the copy
    expect(of, predicted_transposition(2 * x), "a signed copy of X");
    of                           = spec;
    of.w_type                    = DataType::u8;
    of.quantization.w_zero_point = 128;
    expect(of, predicted_transposition(2 * w), "a signed copy of W");
    of                           = spec;
    of.quantization.x_zero_point = 1;
    expect(of, predicted_transposition(w) + predicted_transposition(0), "sums of filters");
    of                           = spec;
    of.quantization.w_zero_point = 1;
    expect(of, predicted_transposition(x) + predicted_transposition(y / 64), "sums of windows");
    of        = spec;
    of.y_type = DataType::f32;
    expect(of, predicted_transposition(8 * y) - predicted_transposition(5 * y), "a wider Y");
    of.epilogue.residual = Residual::before_activation;
    expect(of,
           predicted_transposition(12 * y) - predicted_transposition(5 * y),
           "a wider Y and a residual");
}

TEST(Predictions, OfScaledFloatsIncludeScales)
{
    ConvSpec spec                   = images(DataType::f8_ocp);
    spec.y_type                     = DataType::bf16;
    spec.quantization.enabled       = true;
    spec.quantization.tensor_scales = true;
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const auto expect = [&](const ConvSpec& more, double cycles, const char* what) {
        expect_more({spec, "Scaled<"}, {more, "Scaled<"}, cycles, what);
    };
    const auto y         = static_cast<double>(spec.y_bytes() / 2); // elements
    ConvSpec of          = spec;
    of.quantization.amax = true;
    expect(of, predicted_transposition(0), "the largest magnitude");
    of        = spec;
    of.y_type = DataType::f32;
    expect(of, predicted_transposition(8 * y) - predicted_transposition(6 * y), "a wider Y");
    of                            = spec;
    of.epilogue.residual          = Residual::before_activation;
    of.quantization.residual_type = DataType::f32;
    expect(of, predicted_transposition(10 * y) - predicted_transposition(6 * y), "a residual");
}

TEST(Predictions, OfEpiloguesIncludeTheResidual)
{
    ConvSpec spec = images(DataType::f16);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    ConvSpec with           = spec;
    with.epilogue           = {.bias = true, .activation = Activation::relu};
    ConvSpec added          = with;
    added.epilogue.residual = Residual::before_activation;
    expect_more({spec, ""}, {with, "FusedEpilogue<"}, 0, "a fused bias and activation");
    expect_more({with, "FusedEpilogue<"},
                {added, "FusedEpilogue<"},
                predicted_transfer(static_cast<double>(spec.y_bytes())),
                "a fused residual");
    // A second launch always takes longer, and longer with a residual.
    const auto expect_longer = [](const Rewritten& less, const Rewritten& more, const char* what) {
        const auto times = cycles_of(less);
        int compared     = 0;
        for(const auto& [kernel, time] : cycles_of(more))
            if(const auto of_less = times.find(kernel); of_less != times.end())
            {
                EXPECT_GT(time, of_less->second) << what << ": " << kernel;
                ++compared;
            }
        expect_compared(compared, what);
    };
    expect_longer({spec, ""}, {with, "SeparateEpilogue<"}, "a separate bias and activation");
    expect_longer({with, "SeparateEpilogue<"}, {added, "SeparateEpilogue<"}, "a separate residual");
}

/// Patches of 3 pixels of one channel are rows of a matrix, filled up to vectors.
TEST(Predictions, OfPatchesIncludeTheirCopies)
{
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
    {
        ConvSpec spec{.direction = direction,
                      .type      = DataType::f16,
                      .n         = 8,
                      .k         = 64,
                      .c         = 1,
                      .input     = {32, 33},
                      .filter    = {1, 3},
                      .strides   = {1, 3}};
        if(!has_kernels(spec))
            GTEST_SKIP() << name(direction) << ": " << no_kernels;
        const ConvProblem p = conv::resolve(spec).argument({}).problem;
        const auto windows  = Im2colCopy::of_windows(p, 2);
        const auto filters  = Im2colCopy::of_filters(p, 2, windows.pitch);
        ConvSpec product    = spec;
        product.c           = windows.pitch;
        product.input       = {32, 11};
        product.filter      = {1, 1};
        product.strides     = {};
        expect_more({product, ""},
                    {spec, "Im2col<"},
                    predicted_copy(windows, direction != Direction::backward_data) +
                        predicted_copy(filters, direction != Direction::backward_weight),
                    name(direction));
    }
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
    const auto of_four    = cycles_of({spec, "CutImage<"});
    spec.n                = 8;
    const auto dw         = static_cast<double>(spec.w_bytes());
    const double addition = predicted_transposition(3 * dw),
                 store    = predicted_transposition(2 * dw);
    int compared          = 0;
    for(const auto& [kernel, time] : cycles_of({spec, "CutImage<"}))
        if(const auto four = of_four.find(kernel); four != of_four.end())
        {
            EXPECT_NEAR(2 * four->second - time, store - addition, 1e-9 * time) << kernel;
            ++compared;
        }
    expect_compared(compared, "pieces");
}

} // namespace ck::conv_test
