// Batches that are computed in sub-batches, because offsets have 32 bits: with small sub-batches on
// every platform, and with tensors of more than 2 GiB and 2^31 elements on a device with enough
// memory.
//
// Labels: not sanitized, not on AMD, compiled alone
#include "convolution/lattice/large.hpp"

#include <gtest/gtest.h>

#include "convolution/lattice/instance_of.hpp"

namespace ck::test {
namespace {

constexpr bool forward = tested_direction == Direction::forward;

constexpr GemmTuning tuning{.block_tile  = {32, 32, 32},
                            .wave_m      = 32,
                            .wave_n      = 32,
                            .instruction = arch::Matrix::dot_f32_8x4x2_f16,
                            .a_vector    = 8,
                            .b_vector    = forward ? 8 : 4,
                            .c_vector    = 4};
using Op = Operation<2, half_t, tuning>;

// Forward makes Y from X, backward data dX from dY: here `to` from `from`, each with its channels.

/// 67 images of 717 x 717 pixels, 3x3.
ConvProblem large_problem()
{
    const long_index_t from = 32, to = 64;
    return make_packed_problem<2>(1,
                                  67,
                                  forward ? to : from,
                                  forward ? from : to,
                                  {3, 3},
                                  {717, 717},
                                  {1, 1},
                                  {1, 1},
                                  {1, 1},
                                  {1, 1});
}

const TensorStrides& from_strides(const ConvProblem& p)
{
    return forward ? p.input_strides : p.output_strides;
}
const TensorStrides& to_strides(const ConvProblem& p)
{
    return forward ? p.output_strides : p.input_strides;
}

// What names the operation is a template with it as a default: nvcc cannot spell its type
// elsewhere.

/// As the operation launches it, but with sub-batches of `images` whatever would fit.
template <class O = Op>
typename O::Kernel::Params in_sub_batches(const ConvProblem& p, index_t images, const Tensors& t)
{
    typename O::Operation::Argument argument{};
    argument.problem = p;
    argument.a       = static_cast<const half_t*>(forward ? t.input() : t.output());
    argument.b       = static_cast<const half_t*>(t.filter());
    argument.c       = static_cast<half_t*>(forward ? t.output() : t.input());
    auto r           = O::Operation::make_params(argument);
    EXPECT_EQ(r.sub_batch_size, p.batch);
    EXPECT_EQ(r.tiles.sub_batches, 1);

    r.transform = decltype(r.transform)::make(p, images);
    r.tiles.row_tiles =
        make_divisor(math::integer_divide_ceil(r.transform.max_rows(), tuning.block_tile.m));
    r.tiles.sub_batches    = math::integer_divide_ceil(static_cast<index_t>(p.batch), images);
    r.a_distance.sub_batch = from_strides(p)[1] * images;
    r.c_distance.sub_batch = to_strides(p)[1] * images;
    r.sub_batch_size       = images;
    return r;
}

template <class O = Op>
void expect_same_in_sub_batches()
{
    const ConvProblem p = make_packed_problem<2>(
        1, 7, forward ? 68 : 8, forward ? 8 : 68, {3, 2}, {7, 9}, {2, 1}, {1, 2}, {1, 1}, {1, 0});
    for(index_t images = 1; images <= 7; ++images) // the last sub-batch full or not
    {
        const Tensors tensors(tested_direction, p, Type::f16, Data::integers);
        const auto params = in_sub_batches<O>(p, images, tensors);
        HIP_CHECK_ERROR(arch::launch<typename O::Kernel>(
            static_cast<index_t>(params.tiles.size()), nullptr, params));
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        EXPECT_EQ(tensors.mistakes(false), "") << "sub-batches of " << images;
    }
}

TEST(Large, SubBatchesOfAnySizeGiveTheSameResult) { expect_same_in_sub_batches(); }

template <class O = Op>
void expect_largest_sub_batches()
{
    // 717 x 717 x 64 halves are 65.8 MB: 32 images stay below 2^31 bytes.
    const ConvProblem p = large_problem();
    typename O::Operation::Argument argument{};
    argument.problem = p;
    const auto r     = O::Operation::make_params(argument);
    EXPECT_EQ(r.sub_batch_size, 32);
    EXPECT_EQ(r.tiles.sub_batches, 3);
    EXPECT_EQ(r.tiles.row_tiles.value, math::integer_divide_ceil(32 * 717 * 717, 32));
    EXPECT_EQ(r.tiles.column_tiles.value, 2);
    EXPECT_EQ(r.a_distance.sub_batch, long_index_t{32} * 717 * 717 * 32);
    EXPECT_EQ(r.b_distance.sub_batch, 0);
    EXPECT_EQ(r.c_distance.sub_batch, long_index_t{32} * 717 * 717 * 64);
}

TEST(Large, SubBatchesAreAsLargeAsOffsetsAllow) { expect_largest_sub_batches(); }

/// By the operation with 64-bit lengths where the direction has one.
template <index_t rank = 2>
void run_on(const ConvProblem& p, half_t* x, const half_t* w, half_t* y)
{
    const auto run = [](auto op, const auto& argument) {
        ASSERT_TRUE(op.IsSupportedArgument(argument.get())) << op.WhyNotSupported(argument.get());
        op.MakeInvokerPointer()->Run(argument.get());
        HIP_CHECK_ERROR(hipDeviceSynchronize());
    };
    if constexpr(forward)
    {
        using O = GroupedOperation<rank, half_t, tuning>;
        run(O{}, make_grouped_argument<O, rank>(p, x, w, y));
    }
    else
    {
        using O = Operation<rank, half_t, tuning>;
        run(O{}, make_argument<O>(p, x, w, y));
    }
}

/// The result by definition, as an integer.
double large_result(const ConvProblem& p,
                    long_index_t image,
                    long_index_t row,
                    long_index_t column,
                    long_index_t channel)
{
    const Spatial from_lengths       = forward ? p.input : p.output();
    const long_index_t from_channels = forward ? p.in_channels : p.out_channels;
    const TensorStrides& from        = from_strides(p);
    double sum                       = 0;
    for(long_index_t y = 0; y < 3; ++y)
        for(long_index_t x = 0; x < 3; ++x)
        {
            const long_index_t from_row    = forward ? row + y - 1 : row + 1 - y,
                               from_column = forward ? column + x - 1 : column + 1 - x;
            if(from_row < 0 || from_column < 0 || from_row >= from_lengths[1] ||
               from_column >= from_lengths[2])
                continue;
            for(long_index_t i = 0; i < from_channels; ++i)
            {
                const long_index_t k = forward ? channel : i, c = forward ? i : channel;
                sum += double{value_at(image * from[1] + from_row * from[4] +
                                       from_column * from[5] + i)} *
                       value_at(k * p.filter_strides[1] + y * p.filter_strides[4] +
                                x * p.filter_strides[5] + c);
            }
        }
    return sum;
}

TEST(Large, TensorsBeyondTwoGigabytesAndTwoToThe31Elements)
{
    if(!has_room())
        GTEST_SKIP() << "needs a GPU with 16 GiB of free memory";

    // The result: 2.2e9 elements, 4.4 GB; what it is made from half of it. A sub-batch holds 32
    // images.
    const ConvProblem p       = large_problem();
    const long_index_t x_size = element_count(p.input_lengths()),
                       y_size = element_count(p.output_lengths());
    ASSERT_GT(forward ? y_size : x_size, long_index_t{1} << 31);
    const Memory x(x_size, !forward), w(element_count(p.filter_lengths()), false),
        y(y_size, forward);
    run_on(p, x.x, w.x, y.x);

    const half_t* const result = forward ? y.x : x.x;
    std::vector<half_t> pixel(static_cast<std::size_t>(forward ? p.out_channels : p.in_channels));
    std::size_t wrong = 0;
    const auto check  = [&](long_index_t n, long_index_t row, long_index_t column) {
        const TensorStrides& to = to_strides(p);
        const long_index_t at   = n * to[1] + row * to[4] + column * to[5];
        HIP_CHECK_ERROR(hipMemcpy(
            pixel.data(), result + at, pixel.size() * sizeof(half_t), hipMemcpyDeviceToHost));
        for(std::size_t i = 0; i < pixel.size(); ++i)
        {
            const double want = large_result(p, n, row, column, static_cast<long_index_t>(i));
            const float got   = type_convert<float>(pixel[i]);
            if(!(got == rounded(Type::f16, want)) && ++wrong <= 4)
                ADD_FAILURE() << "[" << n << ", " << row << ", " << column << ", channel " << i
                              << "] is " << got << ", not " << want;
        }
    };
    for(long_index_t n = 0; n < p.batch; ++n) // the corners of each image, and places within
    {
        for(const long_index_t row : {0, 716})
            for(const long_index_t column : {0, 716})
                check(n, row, column);
        for(long_index_t i = 0; i < 20; ++i)
            check(n, (n * 131 + i * 37) % 717, (n * 17 + i * 241) % 717);
    }
    EXPECT_EQ(wrong, 0u);
}

} // namespace
} // namespace ck::test
