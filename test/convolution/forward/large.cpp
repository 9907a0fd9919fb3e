// Batches that are computed in chunks because 32-bit offsets end: with small chunks anywhere, and
// with tensors beyond 2 GiB and 2^31 elements on a device that has the memory.
//
// Labels: not sanitized, not on AMD
#include "convolution/lattice/large.hpp"

#include <gtest/gtest.h>

#include "convolution/forward/instance.hpp"

namespace ck::test {
namespace {

constexpr GemmTuning tuning{.block_tile  = {32, 32, 32},
                            .wave_m      = 32,
                            .wave_n      = 32,
                            .instruction = arch::Matrix::dot_f32_8x4x2_f16,
                            .a_vector    = 8,
                            .b_vector    = 8,
                            .c_vector    = 4};
using Op        = Operation<2, half_t, tuning>;
using GroupedOp = GroupedOperation<2, half_t, tuning>;

// What names the operation is a template with it as a default: nvcc cannot spell its type
// elsewhere.

/// As the operation launches it, but with chunks of `images` whatever would fit.
template <class O = Op>
typename O::Kernel::Params in_chunks(const ConvProblem& p, index_t images, const Tensors& t)
{
    typename O::Operation::Argument argument{};
    argument.problem = p;
    argument.a       = static_cast<const half_t*>(t.input());
    argument.b       = static_cast<const half_t*>(t.filter());
    argument.c       = static_cast<half_t*>(t.output());
    auto r           = O::Operation::make_params(argument);
    EXPECT_EQ(r.chunk_batch, p.batch);
    EXPECT_EQ(r.tiles.chunks, 1);

    r.transform = Forward::make(p, images);
    r.tiles.row_tiles =
        make_divisor(math::integer_divide_ceil(r.transform.max_rows(), tuning.block_tile.m));
    r.tiles.chunks     = math::integer_divide_ceil(static_cast<index_t>(p.batch), images);
    r.a_distance.chunk = p.input_strides[1] * images;
    r.c_distance.chunk = p.output_strides[1] * images;
    r.chunk_batch      = images;
    return r;
}

template <class O = Op>
void expect_same_in_chunks()
{
    const ConvProblem p =
        make_packed_problem<2>(1, 7, 68, 8, {3, 2}, {7, 9}, {2, 1}, {1, 2}, {1, 1}, {1, 0});
    for(index_t images = 1; images <= 7; ++images) // the last chunk full or not
    {
        const Tensors tensors(Direction::forward, p, Type::f16, Data::integers);
        const auto params = in_chunks<O>(p, images, tensors);
        HIP_CHECK_ERROR(arch::launch<typename O::Kernel>(
            static_cast<index_t>(params.tiles.size()), nullptr, params));
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        EXPECT_EQ(tensors.mistakes(false), "") << "chunks of " << images;
    }
}

TEST(ForwardLarge, ChunksOfAnySizeGiveTheSameResult) { expect_same_in_chunks(); }

template <class O = Op>
void expect_largest_chunks()
{
    // 717 x 717 x 64 halves are 65.8 MB: 32 images stay below 2^31 bytes.
    const ConvProblem p =
        make_packed_problem<2>(1, 67, 64, 32, {3, 3}, {717, 717}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
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

TEST(ForwardLarge, ChunksAreAsLargeAsOffsetsAllow) { expect_largest_chunks(); }

template <class O = GroupedOp>
void run_on(const ConvProblem& p, const half_t* x, const half_t* w, half_t* y)
{
    const auto argument = make_grouped_argument<O, long_index_t, 2>(p, x, w, y);
    ASSERT_TRUE(O{}.IsSupportedArgument(argument.get())) << O{}.WhyNotSupported(argument.get());
    O{}.MakeInvokerPointer()->Run(argument.get());
    HIP_CHECK_ERROR(hipDeviceSynchronize());
}

template <class O = GroupedOp>
std::string why_not(const ConvProblem& p)
{
    return O{}.WhyNotSupported(
        make_grouped_argument<O, long_index_t, 2>(p, nullptr, nullptr, nullptr).get());
}

TEST(ForwardLarge, OneImageOrFilterBeyondTwoGigabytesIsRefused)
{
    const auto image = [](long_index_t height) {
        return make_packed_problem<2>(
            1, 2, 8, 64, {1, 1}, {height, 1 << 12}, {1, 1 << 12}, {1, 1}, {0, 0}, {0, 0});
    };
    const std::string reason = why_not(image(1 << 12)); // 2^12 x 2^12 x 64 halves
    EXPECT_NE(reason.find("X spans 2147483648 bytes"), std::string::npos) << reason;
    EXPECT_EQ(why_not(image((1 << 12) - 1)), "");
    ConvProblem many = image((1 << 12) - 1);
    many.batch       = 100; // any number of images: 200 GiB in chunks
    set_packed_strides(many);
    EXPECT_EQ(why_not(many), "");
    many.groups = 3; // 600 GiB
    set_packed_strides(many, PackedOrder::group_first);
    EXPECT_EQ(why_not(many), "");
}

TEST(ForwardLarge, TensorsBeyondTwoGigabytesAndTwoToThe31Elements)
{
    if(!has_room())
        GTEST_SKIP() << "needs a GPU with 16 GiB of free memory";

    // Y: 2.2e9 elements, 4.4 GB; X half of it. A chunk holds 32 images.
    const ConvProblem p =
        make_packed_problem<2>(1, 67, 64, 32, {3, 3}, {717, 717}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    const long_index_t y_size = element_count(p.output_lengths());
    ASSERT_GT(y_size, long_index_t{1} << 31);
    const Memory x(element_count(p.input_lengths()), false),
        w(element_count(p.filter_lengths()), false), y(y_size, true);
    run_on(p, x.x, w.x, y.x);

    std::vector<half_t> pixel(static_cast<std::size_t>(p.out_channels));
    std::size_t wrong = 0;
    const auto check  = [&](long_index_t n, long_index_t ho, long_index_t wo) {
        const long_index_t at =
            n * p.output_strides[1] + ho * p.output_strides[4] + wo * p.output_strides[5];
        HIP_CHECK_ERROR(hipMemcpy(
            pixel.data(), y.x + at, pixel.size() * sizeof(half_t), hipMemcpyDeviceToHost));
        for(long_index_t k = 0; k < p.out_channels; ++k)
        {
            double sum = 0;
            for(long_index_t i = 0; i < 3; ++i)
                for(long_index_t j = 0; j < 3; ++j)
                {
                    const long_index_t h = ho + i - 1, v = wo + j - 1;
                    if(h < 0 || v < 0 || h >= p.input[1] || v >= p.input[2])
                        continue;
                    for(long_index_t c = 0; c < p.in_channels; ++c)
                        sum += double{value_at(n * p.input_strides[1] + h * p.input_strides[4] +
                                               v * p.input_strides[5] + c)} *
                               value_at(k * p.filter_strides[1] + i * p.filter_strides[4] +
                                        j * p.filter_strides[5] + c);
                }
            const float got = type_convert<float>(pixel[static_cast<std::size_t>(k)]);
            if(!(got == rounded(Type::f16, sum)) && ++wrong <= 4)
                ADD_FAILURE() << "Y[" << n << ", " << ho << ", " << wo << ", k " << k << "] is "
                              << got << ", not " << sum;
        }
    };
    for(long_index_t n = 0; n < p.batch; ++n) // the corners of each image, and places within
    {
        for(const long_index_t h : {0, 716})
            for(const long_index_t v : {0, 716})
                check(n, h, v);
        for(long_index_t i = 0; i < 20; ++i)
            check(n, (n * 131 + i * 37) % 717, (n * 17 + i * 241) % 717);
    }
    EXPECT_EQ(wrong, 0u);
}

} // namespace
} // namespace ck::test
