// Tensors of more than 2 GiB and 2^31 elements, whose batches are computed in sub-batches, because
// offsets have 32 bits: images far apart in memory on every platform, and packed ones on a device
// with enough memory.
//
// Labels: not sanitized, not on AMD, compiled alone
#include "convolution/lattice/large.hpp"

#include "ck/library/utility/parallel_for.hpp"

#include <gtest/gtest.h>

#include "convolution/backward_weight/weight.hpp"
#include <atomic>
#include <string>
#include <vector>

namespace ck::test {
namespace {

constexpr GemmTuning tuning{.block_tile  = {32, 32, 32},
                            .wave_m      = 16,
                            .wave_n      = 16,
                            .instruction = arch::Matrix::dot_f32_8x4x2_f16,
                            .a_vector    = 4,
                            .b_vector    = 4,
                            .c_vector    = 4};

// What names the operation is a template with its tuning as a default: nvcc cannot spell its type
// elsewhere.

template <GemmTuning value>
using Op = typename Case<2, half_t, float, value>::Op::Operation;

template <class O>
typename O::Argument
make_argument(const ConvProblem& p, const half_t* dy, const half_t* x, float* dw, index_t split_k)
{
    typename O::Argument a{};
    a.problem = p;
    a.a       = dy;
    a.b       = x;
    a.c       = dw;
    a.split_k = split_k;
    O::make_plan(a);
    return a;
}

/// Memory on the device full of NaN.
class Floats
{
public:
    explicit Floats(std::size_t bytes)
    {
        HIP_CHECK_ERROR(hipMalloc(&base, bytes));
        HIP_CHECK_ERROR(hipMemset(base, 0xff, bytes));
    }
    ~Floats() { static_cast<void>(hipFree(base)); }
    Floats(const Floats&)            = delete;
    Floats& operator=(const Floats&) = delete;
    float* base                      = nullptr;
};

/// dW at an element: all tensors are value_at.
double expected(const ConvProblem& p, const TensorLengths& w)
{
    const auto [g, k, c, z, y, x] = w;
    const Spatial out             = p.output();
    std::atomic<long_index_t> sum{0};
    utils::parallel_for(
        static_cast<std::size_t>(p.batch),
        1,
        out[1] * out[2] < 1 << 16 ? 1 : utils::host_threads(),
        [&, g = g, k = k, c = c, y = y, x = x](std::size_t begin, std::size_t end) {
            long_index_t partial = 0;
            for(auto n = static_cast<long_index_t>(begin); n < static_cast<long_index_t>(end); ++n)
                for(long_index_t ho = 0; ho < out[1]; ++ho)
                    for(long_index_t wo = 0; wo < out[2]; ++wo)
                    {
                        const long_index_t h = ho * p.stride[1] + y * p.dilation[1] - p.pad_low[1];
                        const long_index_t v = wo * p.stride[2] + x * p.dilation[2] - p.pad_low[2];
                        if(h < 0 || v < 0 || h >= p.input[1] || v >= p.input[2])
                            continue;
                        partial += static_cast<long_index_t>(
                            value_at(place_of(p.output_strides, {g, n, k, 0, ho, wo})) *
                            value_at(place_of(p.input_strides, {g, n, c, 0, h, v})));
                    }
            sum += partial;
        });
    return static_cast<double>(sum);
}

/// Computes dW with NaNs in it and in the workspace before, and compares the elements that `choose`
/// accepts, exactly.
template <class Choose, GemmTuning value = tuning>
void expect_right(const ConvProblem& p,
                  const half_t* dy,
                  const half_t* x,
                  index_t split_k,
                  int sub_batches,
                  const Choose& choose)
{
    using O = Op<value>;
    SCOPED_TRACE(testing::Message() << "split_k " << split_k);
    const long_index_t size = element_count(p.filter_lengths());
    const Floats dw(static_cast<std::size_t>(size) * sizeof(float));
    const auto argument = make_argument<O>(p, dy, x, dw.base, split_k);
    ASSERT_EQ(O::supports(argument, true).reason, "");
    EXPECT_EQ(math::integer_divide_ceil(
                  p.batch, long_index_t{O::Direction::largest_batch(p, O::element_bytes)}),
              sub_batches);
    const Floats workspace(O::workspace_size(argument));
    O::run(argument, {}, workspace.base);
    HIP_CHECK_ERROR(hipDeviceSynchronize());

    std::vector<float> row(static_cast<std::size_t>(p.in_channels)); // C is contiguous
    TensorLengths rows = p.filter_lengths();
    rows[2]            = 1;
    int wrong = 0, compared = 0;
    for_each_element(rows, [&](TensorLengths element) {
        bool read = false;
        for(; element[2] < p.in_channels; ++element[2])
        {
            if(!choose(element))
                continue;
            if(!read)
                HIP_CHECK_ERROR(
                    hipMemcpy(row.data(),
                              dw.base + place_of(p.filter_strides, element) - element[2],
                              row.size() * sizeof(float),
                              hipMemcpyDeviceToHost));
            read = true;
            ++compared;
            const double want = expected(p, element);
            const float got   = row[static_cast<std::size_t>(element[2])];
            if(!(got == static_cast<float>(want)) && ++wrong <= 4)
                ADD_FAILURE() << "dW[g " << element[0] << ", k " << element[1] << ", y "
                              << element[4] << ", x " << element[5] << ", c " << element[2]
                              << "] is " << got << ", not " << want;
        }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(compared, 0);
}

bool all_elements(const TensorLengths&) { return true; }

/// Images of X are 2^31 bytes apart, those of dY as far or near; groups further. All else is small.
void expect_right_far_apart(long_index_t dy_image)
{
    if(!arch::emulated && !has_room())
        GTEST_SKIP() << "needs the host, or a GPU with 16 GiB of free memory";
    ConvProblem p =
        make_packed_problem<2>(2, 3, 36, 8, {3, 2}, {5, 6}, {2, 1}, {1, 2}, {1, 1}, {1, 0});
    p.input_strides[1]  = long_index_t{1} << 30;
    p.input_strides[0]  = (long_index_t{1} << 31) + 8;
    p.output_strides[1] = dy_image;
    p.output_strides[0] = 3 * dy_image;
    const auto size     = [](const TensorLengths& lengths, const TensorStrides& strides) {
        TensorLengths last = lengths;
        for(long_index_t& i : last)
            --i;
        return place_of(strides, last) + 1;
    };
    const Memory x(size(p.input_lengths(), p.input_strides), false),
        dy(size(p.output_lengths(), p.output_strides), false);
    fill(x, p.input_lengths(), p.input_strides);
    fill(dy, p.output_lengths(), p.output_strides);
    for(const index_t split : {1, 2, -1})
        expect_right(p, dy.x, x.x, split, 3, all_elements);
}

TEST(BackwardWeightLarge, ImagesOfXFarApart) { expect_right_far_apart(1 << 20); }
TEST(BackwardWeightLarge, ImagesOfBothFarApart) { expect_right_far_apart(1 << 29); }

/// Why not, with a workspace.
template <class O>
std::string why_not(const ConvProblem& p)
{
    return O::supports(make_argument<O>(p, nullptr, nullptr, nullptr, 1), true).reason;
}

template <GemmTuning value = tuning>
std::size_t workspace_size(const ConvProblem& p, index_t split_k)
{
    using O = Op<value>;
    return O::workspace_size(make_argument<O>(p, nullptr, nullptr, nullptr, split_k));
}

template <GemmTuning value = tuning>
void expect_limits()
{
    using O          = Op<value>;
    const auto image = [](long_index_t height) {
        return make_packed_problem<2>(
            1, 2, 8, 64, {1, 1}, {height, 1 << 12}, {1, 1 << 12}, {1, 1}, {0, 0}, {0, 0});
    };
    const std::string reason = why_not<O>(image(1 << 12)); // 2^12 x 2^12 x 64 halves
    EXPECT_NE(reason.find("X spans 2147483648 bytes"), std::string::npos) << reason;
    ConvProblem many = image((1 << 12) - 1);
    EXPECT_EQ(why_not<O>(many), "");
    many.batch = 100; // any number of images: 200 GiB in sub-batches of one
    set_packed_strides(many);
    EXPECT_EQ(why_not<O>(many), "");
    EXPECT_EQ(workspace_size(many, 1), std::size_t{100} * 8 * 64 * sizeof(float));
    const std::string alone =
        O::supports(make_argument<O>(many, nullptr, nullptr, nullptr, 1), false).reason;
    EXPECT_NE(alone.find("into 100 sub-batches"), std::string::npos) << alone;

    const auto filter = [](long_index_t k) {
        return make_packed_problem<2>(
            1, 1, k, 1 << 13, {2, 2}, {64, 64}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
    };
    const std::string wide = why_not<O>(filter(1 << 14)); // x 2^15 floats
    EXPECT_NE(wide.find("dW spans 2147483648 bytes"), std::string::npos) << wide;
    const ConvProblem largest = filter((1 << 14) - 4);
    EXPECT_EQ(why_not<O>(largest), "");
    // 63 x 63 pixels, in slices of 32: two for each part
    EXPECT_EQ(workspace_size(largest, 100), std::size_t{63} * 4 * ((1 << 14) - 4) * (1 << 15));
}

TEST(BackwardWeightLarge, WhatOffsetsCannotReachIsRefused) { expect_limits(); }

TEST(BackwardWeightLarge, PackedTensorsBeyondTwoGigabytesAndTwoToThe31Elements)
{
    if(!has_room())
        GTEST_SKIP() << "needs a GPU with 16 GiB of free memory";

    // X: 2.2e9 elements, 4.4 GB; dY half of it. A sub-batch holds 32 images.
    const ConvProblem p =
        make_packed_problem<2>(1, 67, 32, 64, {3, 3}, {717, 717}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    const long_index_t x_size = element_count(p.input_lengths());
    ASSERT_GT(x_size, long_index_t{1} << 31);
    const Memory x(x_size, false), dy(element_count(p.output_lengths()), false);
    expect_right(p, dy.x, x.x, -1, 3, [](const TensorLengths& w) { // 18 elements, each tap twice
        const long_index_t tap = w[4] * 3 + w[5];
        return (w[1] == tap || w[1] == 31 - tap) && w[2] == 2 * w[1] + 1;
    });
}

TEST(BackwardWeightLarge, PartsBeyondTwoToThe31Elements)
{
    if(!has_room())
        GTEST_SKIP() << "needs a GPU with 16 GiB of free memory";

    // dW: 3e8 floats, 1.2 GB; 8 partial sums of it. 256 pixels.
    const ConvProblem p =
        make_packed_problem<2>(1, 4, 8192, 4096, {3, 3}, {8, 8}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    const Memory x(element_count(p.input_lengths()), false),
        dy(element_count(p.output_lengths()), false);
    ASSERT_EQ(workspace_size(p, 8), std::size_t{4} * 8 * 8192 * 4096 * 9);
    expect_right(p, dy.x, x.x, 8, 1, [](const TensorLengths& w) {
        return (w[1] % 1000 == 0 || w[1] == 8191) && (w[2] % 100 == w[5] || w[2] == 4095);
    });
}

} // namespace
} // namespace ck::test
