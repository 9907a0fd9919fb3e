// Batches that are computed in chunks because 32-bit offsets end: with small chunks anywhere, and
// with tensors beyond 2 GiB and 2^31 elements on a device that has the memory.
//
// Labels: not sanitized, not on AMD
#include "convolution/lattice/large.hpp"

#include <gtest/gtest.h>

#include "convolution/backward_data/instance.hpp"

namespace ck::test {
namespace {

constexpr GemmTuning tuning{.block_tile  = {32, 32, 32},
                            .wave_m      = 32,
                            .wave_n      = 32,
                            .instruction = arch::Matrix::dot_f32_8x4x2_f16,
                            .a_vector    = 8,
                            .b_vector    = 4,
                            .c_vector    = 4};
using Op = Operation<2, half_t, tuning>;

// What names the operation is a template with it as a default: nvcc cannot spell its type
// elsewhere.

/// As the operation launches it, but with chunks of `images` whatever would fit.
template <class O = Op>
typename O::Kernel::Params in_chunks(const ConvProblem& p, index_t images, const Tensors& t)
{
    typename O::Operation::Argument argument{};
    argument.problem = p;
    argument.a       = static_cast<const half_t*>(t.output());
    argument.b       = static_cast<const half_t*>(t.filter());
    argument.c       = static_cast<half_t*>(t.input());
    auto r           = O::Operation::make_params(argument);
    EXPECT_EQ(r.chunk_batch, p.batch);
    EXPECT_EQ(r.tiles.chunks, 1);

    r.transform = BackwardDataByPixel::make(p, images);
    r.tiles.row_tiles =
        make_divisor(math::integer_divide_ceil(r.transform.max_rows(), tuning.block_tile.m));
    r.tiles.chunks     = math::integer_divide_ceil(static_cast<index_t>(p.batch), images);
    r.a_distance.chunk = p.output_strides[1] * images;
    r.c_distance.chunk = p.input_strides[1] * images;
    r.chunk_batch      = images;
    return r;
}

template <class O = Op>
void expect_same_in_chunks()
{
    const ConvProblem p =
        make_packed_problem<2>(1, 7, 8, 68, {3, 2}, {7, 9}, {2, 1}, {1, 2}, {1, 1}, {1, 0});
    for(index_t images = 1; images <= 7; ++images) // the last chunk full or not
    {
        const Tensors tensors(Direction::backward_data, p, Type::f16, Data::integers);
        const auto params = in_chunks<O>(p, images, tensors);
        HIP_CHECK_ERROR(arch::launch<typename O::Kernel>(
            static_cast<index_t>(params.tiles.size()), nullptr, params));
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        EXPECT_EQ(tensors.mistakes(false), "") << "chunks of " << images;
    }
}

TEST(BackwardDataLarge, ChunksOfAnySizeGiveTheSameResult) { expect_same_in_chunks(); }

template <class O = Op>
void expect_largest_chunks()
{
    // 717 x 717 x 64 halves are 65.8 MB: 32 images stay below 2^31 bytes.
    const ConvProblem p =
        make_packed_problem<2>(1, 67, 32, 64, {3, 3}, {717, 717}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    typename O::Operation::Argument argument{};
    argument.problem = p;
    const auto r     = O::Operation::make_params(argument);
    EXPECT_EQ(r.chunk_batch, 32);
    EXPECT_EQ(r.tiles.chunks, 3);
    EXPECT_EQ(r.tiles.row_tiles.value, math::integer_divide_ceil(32 * 717 * 717, 32));
    EXPECT_EQ(r.tiles.column_tiles.value, 2);
    EXPECT_EQ(r.a_distance.chunk, long_index_t{32} * 717 * 717 * 32);
    EXPECT_EQ(r.b_distance.chunk, 0);
    EXPECT_EQ(r.c_distance.chunk, long_index_t{32} * 717 * 717 * 64);
}

TEST(BackwardDataLarge, ChunksAreAsLargeAsOffsetsAllow) { expect_largest_chunks(); }

template <class O = Op>
void run_on(const ConvProblem& p, half_t* dx, const half_t* w, const half_t* dy)
{
    const auto argument = make_argument<O>(p, dx, w, dy);
    ASSERT_TRUE(O{}.IsSupportedArgument(argument.get())) << O{}.WhyNotSupported(argument.get());
    O{}.MakeInvokerPointer()->Run(argument.get());
    HIP_CHECK_ERROR(hipDeviceSynchronize());
}

TEST(BackwardDataLarge, TensorsBeyondTwoGigabytesAndTwoToThe31Elements)
{
    if(!has_room())
        GTEST_SKIP() << "needs a GPU with 16 GiB of free memory";

    // dX: 2.2e9 elements, 4.4 GB; dY half of it. A chunk holds 32 images.
    const ConvProblem p =
        make_packed_problem<2>(1, 67, 32, 64, {3, 3}, {717, 717}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    const long_index_t dx_size = element_count(p.input_lengths());
    ASSERT_GT(dx_size, long_index_t{1} << 31);
    const Memory dx(dx_size, true), w(element_count(p.filter_lengths()), false),
        dy(element_count(p.output_lengths()), false);
    run_on(p, dx.x, w.x, dy.x);

    const Spatial out = p.output();
    std::vector<half_t> pixel(static_cast<std::size_t>(p.in_channels));
    std::size_t wrong = 0;
    const auto check  = [&](long_index_t n, long_index_t h, long_index_t x) {
        const long_index_t at =
            (n * p.input_strides[1] + h * p.input_strides[4] + x * p.input_strides[5]);
        HIP_CHECK_ERROR(hipMemcpy(
            pixel.data(), dx.x + at, pixel.size() * sizeof(half_t), hipMemcpyDeviceToHost));
        for(long_index_t c = 0; c < p.in_channels; ++c)
        {
            double sum = 0;
            for(long_index_t y = 0; y < 3; ++y)
                for(long_index_t z = 0; z < 3; ++z)
                {
                    const long_index_t ho = h + 1 - y, wo = x + 1 - z;
                    if(ho < 0 || wo < 0 || ho >= out[1] || wo >= out[2])
                        continue;
                    for(long_index_t k = 0; k < p.out_channels; ++k)
                        sum += double{value_at(n * p.output_strides[1] + ho * p.output_strides[4] +
                                               wo * p.output_strides[5] + k)} *
                               value_at(k * p.filter_strides[1] + y * p.filter_strides[4] +
                                        z * p.filter_strides[5] + c);
                }
            const float got = type_convert<float>(pixel[static_cast<std::size_t>(c)]);
            if(!(got == rounded(Type::f16, sum)) && ++wrong <= 4)
                ADD_FAILURE() << "dX[" << n << ", " << h << ", " << x << ", c " << c << "] is "
                              << got << ", not " << sum;
        }
    };
    for(long_index_t n = 0; n < p.batch; ++n) // the corners of each image, and places within
    {
        for(const long_index_t h : {0, 716})
            for(const long_index_t x : {0, 716})
                check(n, h, x);
        for(long_index_t i = 0; i < 20; ++i)
            check(n, (n * 131 + i * 37) % 717, (n * 17 + i * 241) % 717);
    }
    EXPECT_EQ(wrong, 0u);
}

} // namespace
} // namespace ck::test
