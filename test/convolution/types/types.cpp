// Element types beyond f16, bf16 and f32 through the kernel, in every direction: int8, eight-bit
// floats, and data that are rounded to eight-bit floats before they are multiplied. Exact: sums of
// few enough bits, whatever their order.
//
// Labels: not sanitized
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/conv/operation/conv_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include "placed_memory.hpp"
#include "tables/dl.hpp"
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace ck::test {
namespace {

using tensor_operation::device::BackwardDataDirection;
using tensor_operation::device::BackwardWeightDirection;
using tensor_operation::device::ConvOperation;
using tensor_operation::device::ForwardDirection;
using tensor_operation::device::lengths_of;
using tensor_operation::device::Role;
using tensor_operation::device::strides_of;
using tensor_operation::element_wise::Add_Activation_Mul_Clamp;
using tensor_operation::element_wise::PassThrough;
using tensor_operation::element_wise::Scale;

using i8  = std::int8_t;
using i32 = std::int32_t;

/// Quarters in [-8, 8], of which eight-bit floats hold some; `whole`: integers among them.
template <class T>
std::vector<T> values(const ConvProblem& p, Role role, bool whole)
{
    std::vector<T> v(static_cast<std::size_t>(element_count(lengths_of(p, role))));
    auto random = static_cast<std::uint32_t>(role) + 1;
    for(T& x : v)
    {
        random             = random * 1664525u + 1013904223u;
        const auto quarter = static_cast<float>((random >> 16) % 65) - 32;
        x                  = type_convert<T>(whole ? std::trunc(quarter / 4) : quarter / 4);
    }
    return v;
}

long_index_t offset(const TensorStrides& s,
                    const long_index_t g,
                    const long_index_t x,
                    const long_index_t y,
                    const Spatial& z)
{
    return g * s[0] + x * s[1] + y * s[2] + z[0] * s[3] + z[1] * s[4] + z[2] * s[5];
}

/// The sums of a direction by definition, for each element of C: every product of an element of X,
/// one of W and one of Y once.
std::vector<double> sums_of(const ConvProblem& p,
                            Role a_role,
                            const std::vector<double>& a,
                            Role b_role,
                            const std::vector<double>& b,
                            Role c_role)
{
    std::vector<double> c(static_cast<std::size_t>(element_count(lengths_of(p, c_role))));
    const Spatial out = p.output();
    for(long_index_t g = 0; g < p.groups; ++g)
        for(long_index_t n = 0; n < p.batch; ++n)
            for(long_index_t at = 0; at < out[0] * out[1] * out[2]; ++at)
                for(long_index_t tap = 0; tap < p.filter[0] * p.filter[1] * p.filter[2]; ++tap)
                {
                    const Spatial o{at / (out[1] * out[2]), at / out[2] % out[1], at % out[2]};
                    const Spatial f{tap / (p.filter[1] * p.filter[2]),
                                    tap / p.filter[2] % p.filter[1],
                                    tap % p.filter[2]};
                    Spatial i{};
                    bool inside = true;
                    for(std::size_t d = 0; d < 3; ++d)
                    {
                        i[d]   = o[d] * p.stride[d] + f[d] * p.dilation[d] - p.pad_low[d];
                        inside = inside && i[d] >= 0 && i[d] < p.input[d];
                    }
                    for(long_index_t k = 0; inside && k < p.out_channels; ++k)
                        for(long_index_t channel = 0; channel < p.in_channels; ++channel)
                        {
                            const auto where = [&](Role role) {
                                const TensorStrides& s = strides_of(p, role);
                                return static_cast<std::size_t>(
                                    role == Role::input    ? offset(s, g, n, channel, i)
                                    : role == Role::filter ? offset(s, g, k, channel, f)
                                                           : offset(s, g, n, k, o));
                            };
                            c[where(c_role)] += a[where(a_role)] * b[where(b_role)];
                        }
                }
    return c;
}

/// What is multiplied: the data, rounded to the type that the operands are computed in.
template <class Compute, class T>
std::vector<double> rounded(const std::vector<T>& data)
{
    using Type =
        std::conditional_t<std::is_same_v<Compute, tf32_t>, float, Compute>; // quarters fit
    std::vector<double> r;
    for(const T& x : data)
        r.push_back(type_convert<double>(type_convert<Type>(x)));
    return r;
}

/// Channels of whole loads; then several tiles with rows, columns and slices that are cut short.
std::vector<ConvProblem> problems_of(const GemmTuning& tuning)
{
    const long_index_t one = std::max({tuning.a_vector, tuning.b_vector, tuning.c_vector});
    return {make_packed_problem<2>(2, 2, one, one, {1, 2}, {5, 4}, {1, 1}, {1, 1}, {0, 1}, {0, 0}),
            make_packed_problem<2>(1,
                                   3,
                                   (80 / one + 1) * one,
                                   (36 / one + 1) * one,
                                   {3, 2},
                                   {7, 6},
                                   {2, 1},
                                   {1, 2},
                                   {2, 0},
                                   {0, 2})};
}

/// D: of the tensor that the operation takes in addition to the sums. problems: where they are not
/// those of the tuning.
template <class Direction,
          class A,
          class B,
          class C,
          GemmTuning tuning,
          class OperationC = PassThrough,
          class ComputeA   = void,
          class ComputeB   = void,
          class D          = void>
void expect_right(const OperationC& operation = {}, const std::vector<ConvProblem>& problems = {})
{
    constexpr bool has_d = !std::is_void_v<D>;
    using Ds             = std::conditional_t<has_d, Tuple<D>, Tuple<>>;
    using Op             = ConvOperation<
        Direction,
        grid::GemmTypes<A, B, C, PassThrough, PassThrough, OperationC, Ds, ComputeA, ComputeB>,
        tuning>;
    using Accumulator    = typename arch::MatrixTypes<tuning.instruction>::Accumulator;
    constexpr bool whole = std::is_same_v<A, std::int8_t>;
    // Without a compute type, that of the instruction is used.
    using Types    = arch::MatrixTypes<tuning.instruction>;
    using RoundedA = std::conditional_t<std::is_void_v<ComputeA>, typename Types::A, ComputeA>;
    using RoundedB = std::conditional_t<std::is_void_v<ComputeB>, typename Types::B, ComputeB>;
    for(const ConvProblem& p : problems.empty() ? problems_of(tuning) : problems)
    {
        const std::vector<A> a = values<A>(p, Direction::a, whole);
        const std::vector<B> b = values<B>(p, Direction::b, whole);
        std::vector<C> got(static_cast<std::size_t>(element_count(lengths_of(p, Direction::c))),
                           type_convert<C>(-77.f)); // NaN would be 0 in integers
        using Added                = std::conditional_t<has_d, D, i8>;
        const std::vector<Added> d = values<Added>(p, Direction::c, whole);
        constexpr auto of_a        = static_cast<std::size_t>(tuning.a_vector),
                       of_b        = static_cast<std::size_t>(tuning.b_vector),
                       of_c = static_cast<std::size_t>(tuning.c_vector); // elements in an access
        const PlacedMemory device_a = on_device(a, of_a * sizeof(A)),
                           device_b = on_device(b, of_b * sizeof(B)),
                           device_d = on_device(d, of_c * sizeof(Added));
        PlacedMemory device_c       = on_device(got, of_c * sizeof(C));
        typename Op::Argument argument{};
        argument.problem     = p;
        argument.valid       = validate(p);
        argument.a           = static_cast<const A*>(device_a.GetDeviceBuffer());
        argument.b           = static_cast<const B*>(device_b.GetDeviceBuffer());
        argument.c           = static_cast<C*>(device_c.GetDeviceBuffer());
        argument.operation_c = operation;
        if constexpr(has_d)
            argument.d[0] = {device_d.GetDeviceBuffer(), strides_of(p, Direction::c)};
        CK_SKIP_WITHOUT(Op::Kernel::requirement, Op::supports(argument).reason);
        ASSERT_EQ(Op::supports(argument).reason, "");
        Op::run(argument, {});
        device_c.FromDevice(got.data());

        const std::vector<double> sums = sums_of(p,
                                                 Direction::a,
                                                 rounded<RoundedA>(a),
                                                 Direction::b,
                                                 rounded<RoundedB>(b),
                                                 Direction::c);
        int wrong                      = 0;
        for(std::size_t i = 0; i < got.size(); ++i)
        {
            C expected;
            if constexpr(has_d)
                operation(expected, static_cast<Accumulator>(sums[i]), d[i]);
            else
                operation(expected, static_cast<Accumulator>(sums[i]));
            if(!(type_convert<double>(got[i]) == type_convert<double>(expected)) && ++wrong <= 3)
                ADD_FAILURE() << "element " << i << " is " << type_convert<double>(got[i])
                              << ", not " << type_convert<double>(expected);
        }
        EXPECT_EQ(wrong, 0) << "of " << got.size();
    }
}

constexpr GemmTuning tuning(arch::Matrix id,
                            index_t ab,
                            index_t c,
                            Pipeline pipeline = Pipeline::single_buffer,
                            index_t k         = 64)
{
    return {.block_tile  = {64, 64, k},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = id,
            .a_vector    = ab,
            .b_vector    = ab,
            .c_vector    = c,
            .pipeline    = pipeline};
}

using enum arch::Matrix;

// As many elements of 32 bits as of eight in one access: 64 bytes of D here, of C with WMMA of
// gfx12.
TEST(Int8, ForwardMfmaWithBias)
{
    using Requantize = Add_Activation_Mul_Clamp<PassThrough>;
    expect_right<ForwardDirection,
                 i8,
                 i8,
                 i8,
                 tuning(mfma_i32_32x32x8_i8, 16, 16),
                 Requantize,
                 void,
                 void,
                 i32>(Requantize{0x1p-4f});
}
TEST(Int8, ForwardMfmaOfGfx942)
{
    expect_right<ForwardDirection,
                 i8,
                 i8,
                 i32,
                 tuning(mfma_i32_16x16x32_i8, 8, 4, Pipeline::double_buffer)>();
}
TEST(Int8, ForwardMfmaOfGfx950)
{
    expect_right<ForwardDirection, i8, i8, i32, tuning(mfma_i32_32x32x32_i8, 16, 4)>();
}
TEST(Int8, ForwardWmmaOfGfx11)
{
    expect_right<ForwardDirection, i8, i8, i8, tuning(wmma_gfx11_i32_16x16x16_iu8, 16, 8)>();
}
TEST(Int8, ForwardWmmaOfGfx12)
{
    expect_right<ForwardDirection, i8, i8, float, tuning(wmma_gfx12_i32_16x16x16_iu8, 4, 16)>();
}
TEST(Int8, ForwardDotProductsForAnyChannels)
{
    expect_right<ForwardDirection,
                 i8,
                 i8,
                 i8,
                 tuning(dot_i32_8x4x4_i8, 1, 1, Pipeline::single_buffer, 32)>();
}
// W is contiguous along its rows: transposed in registers.
TEST(Int8, BackwardDataMfma)
{
    expect_right<BackwardDataDirection, i8, i8, i32, tuning(mfma_i32_16x16x16_i8, 4, 4)>();
}
// Both operands are.
TEST(Int8, BackwardWeightMfmaOfGfx942)
{
    expect_right<BackwardWeightDirection, i8, i8, i32, tuning(mfma_i32_32x32x16_i8, 4, 4)>();
}
TEST(Int8, BackwardWeightWmma)
{
    expect_right<BackwardWeightDirection, i8, i8, i32, tuning(wmma_gfx11_i32_16x16x16_iu8, 4, 4)>();
}

/// Groups of one channel, filters of such taps; more groups than a block has, and few.
std::vector<ConvProblem> depthwise(long_index_t y, long_index_t x)
{
    const auto problem = [&](long_index_t groups, Spatial image) {
        return make_packed_problem<2>(groups,
                                      2,
                                      1,
                                      1,
                                      {y, x},
                                      {image[0], image[1]},
                                      {1, 1},
                                      {1, 1},
                                      {y / 2, x / 2},
                                      {y / 2, x / 2},
                                      PackedOrder::group_inside);
    };
    return {problem(72, {9, 11}), problem(8, {4, 5})};
}
constexpr auto window = [](Direction direction, arch::Matrix instruction) {
    return tables::sliding_window(direction, instruction, Window{3, 3, 1, 4, 4, 3}, 1);
};

TEST(Int8, DepthwiseByWindows)
{
    expect_right<ForwardDirection, i8, i8, i8, window(Direction::forward, dot_i32_8x4x4_i8)>(
        {}, depthwise(3, 3));
    expect_right<BackwardDataDirection,
                 i8,
                 i8,
                 i8,
                 window(Direction::backward_data, dot_i32_8x4x4_i8)>({}, depthwise(3, 3));
}
TEST(Int8, DepthwiseByLongFiltersAndDirectly)
{
    expect_right<ForwardDirection, i8, i8, i8, tables::long_filter(dot_i32_8x4x4_i8, 8, 2)>(
        {}, depthwise(5, 9));
    expect_right<ForwardDirection, i8, i8, i8, tables::depthwise(dot_i32_8x4x4_i8, 8)>(
        {}, depthwise(5, 3));
}
TEST(Float8, DepthwiseByThreads)
{
    expect_right<ForwardDirection,
                 f8_ocp_t,
                 f8_ocp_t,
                 f8_ocp_t,
                 window(Direction::forward, dot_f32_8x4x2_bf16)>({}, depthwise(3, 3));
    expect_right<ForwardDirection,
                 f8_ocp_t,
                 f8_ocp_t,
                 f8_ocp_t,
                 tables::long_filter(dot_f32_8x4x2_bf16, 8, 2)>({}, depthwise(5, 9));
    expect_right<ForwardDirection, f8_t, f8_t, f8_t, tables::depthwise(dot_f32_8x4x2_bf16, 8)>(
        {}, depthwise(5, 3));
}

TEST(Float8, ForwardOfMixedTypes)
{
    expect_right<ForwardDirection, f8_t, bf8_t, f8_t, tuning(mfma_f32_32x32x16_fp8_bf8, 16, 8)>();
}
TEST(Float8, BackwardDataOfMixedTypes)
{
    expect_right<BackwardDataDirection,
                 bf8_t,
                 f8_t,
                 float,
                 tuning(mfma_f32_16x16x32_bf8_fp8, 4, 4)>();
}
// 64 reduction elements in one instruction, two loads of 16 bytes from LDS.
TEST(Float8, ForwardOfMixedOcpTypes)
{
    expect_right<ForwardDirection,
                 f8_ocp_t,
                 bf8_ocp_t,
                 f8_ocp_t,
                 tuning(mfma_f32_32x32x64_e4m3_e5m2, 16, 8, Pipeline::double_buffer, 128)>();
}
TEST(Float8, BackwardDataOfMixedOcpTypes)
{
    expect_right<BackwardDataDirection,
                 bf8_ocp_t,
                 f8_ocp_t,
                 float,
                 tuning(mfma_f32_16x16x32_e5m2_e4m3, 4, 4)>();
}
TEST(Float8, ForwardOfMixedOcpTypesByWmma)
{
    expect_right<ForwardDirection,
                 f8_ocp_t,
                 bf8_ocp_t,
                 f8_ocp_t,
                 tuning(wmma_gfx12_f32_16x16x16_e4m3_e5m2, 16, 8)>();
}
TEST(Float8, BackwardWeightOfOcpTypesByWmma)
{
    expect_right<BackwardWeightDirection,
                 f8_ocp_t,
                 f8_ocp_t,
                 float,
                 tuning(wmma_gfx12_f32_16x16x16_e4m3_e4m3, 4, 4)>();
}
TEST(Float8, MultipliedAsBf16)
{
    expect_right<ForwardDirection,
                 f8_t,
                 bf8_t,
                 bf8_t,
                 tuning(mfma_f32_32x32x8_bf16_1k, 8, 8, Pipeline::single_buffer, 32)>();
}
TEST(Float8, MultipliedAsBf16ByWmma)
{
    expect_right<ForwardDirection,
                 bf8_t,
                 bf8_t,
                 half_t,
                 tuning(wmma_gfx12_f32_16x16x16_bf16, 8, 8, Pipeline::single_buffer, 32)>();
}

TEST(ComputeType, HalvesRoundedForTheInstruction)
{
    expect_right<ForwardDirection,
                 half_t,
                 half_t,
                 half_t,
                 tuning(mfma_f32_16x16x32_bf8_fp8, 8, 8)>(); // the instruction's own types
}
TEST(ComputeType, HalvesRoundedOnTargetsWithoutFloat8)
{
    expect_right<BackwardDataDirection,
                 half_t,
                 half_t,
                 float,
                 tuning(wmma_gfx11_f32_16x16x16_bf16, 4, 4, Pipeline::single_buffer, 32),
                 PassThrough,
                 bf8_t,
                 f8_t>();
}
TEST(ComputeType, FloatsByXf32)
{
    expect_right<ForwardDirection,
                 float,
                 float,
                 float,
                 tuning(mfma_f32_32x32x4_xf32, 4, 4, Pipeline::single_buffer, 16),
                 PassThrough,
                 tf32_t,
                 tf32_t>();
}

#if !defined(CK_LANGUAGE_HIP)
TEST(Int8, ForwardMmaWithAsynchronousCopies)
{
    expect_right<ForwardDirection,
                 i8,
                 i8,
                 i8,
                 tuning(mma_i32_16x8x32_s8, 16, 16, Pipeline::async_copies),
                 Scale>(Scale{0x1p-4f});
}
TEST(Int8, BackwardDataMma)
{
    expect_right<BackwardDataDirection,
                 i8,
                 i8,
                 i8,
                 tuning(mma_i32_16x8x32_s8, 8, 8, Pipeline::double_buffer)>();
}
TEST(Int8, BackwardDataMmaOfPairs)
{
    expect_right<BackwardDataDirection,
                 i8,
                 i8,
                 i8,
                 tuning(mma_i32_16x8x32_s8, 16, 16, Pipeline::async_copies)>();
}
TEST(Int8, BackwardWeightMmaOfPairs)
{
    expect_right<BackwardWeightDirection,
                 i8,
                 i8,
                 i8,
                 tuning(mma_i32_16x8x32_s8, 16, 4, Pipeline::async_copies)>();
}
TEST(Int8, BackwardWeightMmaOfPairsIn32Bits)
{
    expect_right<BackwardWeightDirection,
                 i8,
                 i8,
                 i32,
                 tuning(mma_i32_16x8x32_s8, 16, 4, Pipeline::async_copies, 128)>();
}
TEST(ComputeType, HalvesRoundedForMma)
{
    expect_right<BackwardWeightDirection,
                 half_t,
                 half_t,
                 float,
                 tuning(mma_f32_16x8x16_bf16, 4, 4, Pipeline::single_buffer, 32),
                 PassThrough,
                 f8_t,
                 bf8_t>();
}
#endif

} // namespace
} // namespace ck::test
