// Element-wise operations on each of the three tensors, including those that do not map 0 to 0:
// elements outside dY and beyond the channels must not contribute.
//
// Labels: not sanitized, not emulated
#include <gtest/gtest.h>

#include "convolution/lattice/instance_of.hpp"
#include "devices.hpp"

namespace ck::test {
namespace {

using namespace tensor_operation::element_wise;
using arch::Matrix;

/// y = 3 - x
struct ThreeMinus
{
    template <class Y, class X>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X& x) const
    {
        y = type_convert<Y>(3.f - type_convert<float>(x));
    }
};

/// What an operation does to a number.
template <class Operation>
std::function<float(float)> on_floats(Operation operation)
{
    return [operation](float x) {
        float y;
        operation(y, x);
        return y;
    };
}

template <class T, GemmTuning tuning, class InOp, class WeiOp, class OutOp>
void compute(InOp in, WeiOp wei, OutOp out)
{
    CK_SKIP_WITHOUT(instruction_of(tuning).requirement,
                    device::check_device(tuning, current_target()).reason);
    std::size_t ran = 0;
    const Fit fit{tuning.a_vector,
                  math::max(tuning.b_vector, tuning.c_vector),
                  tuning.block_tile.m,
                  tuning.block_tile.n,
                  tuning.block_tile.k};
    for(const auto& [name, p] : problems(fit, 5))
        if(is_plain(p))
            with_rank(p.rank, [&, &p = p, &name = name](auto rank) {
                SCOPED_TRACE(name + ": " + text(p));
                using Op = Operation<rank, T, tuning, InOp, WeiOp, OutOp>;
                const Tensors tensors(
                    Direction::backward_data,
                    p,
                    type_of<T>,
                    Data::integers,
                    {.output = on_floats(out), .filter = on_floats(wei), .input = on_floats(in)});
                const auto argument = make_argument<Op>(
                    p, tensors.input(), tensors.filter(), tensors.output(), in, wei, out);
                ASSERT_TRUE(Op{}.IsSupportedArgument(argument.get()))
                    << Op{}.WhyNotSupported(argument.get());
                Op{}.MakeInvokerPointer()->Run(argument.get());
                HIP_CHECK_ERROR(hipDeviceSynchronize());
                EXPECT_EQ(tensors.mistakes(false), "");
                ++ran;
            });
    EXPECT_GE(ran, 20u);
}

constexpr GemmTuning xdl{.block_tile  = {64, 64, 32},
                         .wave_m      = 32,
                         .wave_n      = 32,
                         .instruction = Matrix::mfma_f32_32x32x8_f16,
                         .a_vector    = 8,
                         .b_vector    = 4,
                         .c_vector    = 8,
                         .pipeline    = Pipeline::double_buffer};
constexpr GemmTuning wmma{.block_tile  = {32, 32, 32},
                          .wave_m      = 16,
                          .wave_n      = 32,
                          .instruction = Matrix::wmma_gfx12_f32_16x16x16_bf16,
                          .a_vector    = 2,
                          .b_vector    = 1,
                          .c_vector    = 4};
constexpr GemmTuning mma{.block_tile  = {64, 32, 32},
                         .wave_m      = 32,
                         .wave_n      = 16,
                         .instruction = Matrix::mma_f32_16x8x16_bf16,
                         .a_vector    = 4,
                         .b_vector    = 2,
                         .c_vector    = 2,
                         .pipeline    = Pipeline::double_buffer};
constexpr GemmTuning dl{.block_tile  = {32, 32, 16},
                        .wave_m      = 16,
                        .wave_n      = 16,
                        .instruction = Matrix::dot_f32_8x4x1_f32,
                        .a_vector    = 1,
                        .b_vector    = 1,
                        .c_vector    = 1};

TEST(BackwardDataElementWise, XdlScalesAllThree)
{
    compute<half_t, xdl>(Scale{0.5f}, Scale{-2.f}, Scale{3.f});
}
TEST(BackwardDataElementWise, WmmaFilterOperationThatDoesNotKeepZero)
{
    compute<bhalf_t, wmma>(Scale{2.f}, ThreeMinus{}, PassThrough{});
}
TEST(BackwardDataElementWise, MmaOperationsThatDoNotKeepZero)
{
    compute<bhalf_t, mma>(ThreeMinus{}, ThreeMinus{}, ThreeMinus{});
}
TEST(BackwardDataElementWise, DlOutputOperationThatDoesNotKeepZeroAndRelu)
{
    compute<float, dl>(Relu{}, PassThrough{}, ThreeMinus{});
}

} // namespace
} // namespace ck::test
