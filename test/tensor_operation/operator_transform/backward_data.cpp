// The phases against the definition of backward data, product by product.
#include "ck/tensor_operation/operator_transform/backward_data_by_pixel.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/operator_transform/products.hpp"
#include <algorithm>
#include <type_traits>
#include <vector>

namespace ck {
namespace {

static_assert(std::is_trivially_copyable_v<BackwardData> && std::is_aggregate_v<BackwardData>);
static_assert(std::is_trivially_copyable_v<BackwardData::Phase>);
static_assert(BackwardData::Phase::A::structure.checked_count() == 3,
              "only the windows over dY are checked");
static_assert(BackwardData::Phase::B::structure.checked_count() == 0);
static_assert(BackwardData::Phase::C::structure.checked_count() == 0);

struct Computed
{
    std::vector<Product> products;
    std::vector<long_index_t> written; // offsets in dX
};

bool numbered_by_pixel(const BackwardDataByPixel& b)
{
    return b.of_pixels[0].common.value + b.of_pixels[1].common.value + b.of_pixels[2].common.value >
           0;
}
bool numbered_by_pixel(const BackwardData&) { return false; }

/// What a kernel does that is launched for `images` images with numbers made for sub-batches of
/// `batch`.
template <class Transform = BackwardDataByPixel>
Computed computed_by_phases(const ConvProblem& p, index_t batch, index_t images)
{
    Computed r;
    const Transform transform = Transform::make(p, batch);
    index_t most_rows         = 0;
    index_t most_taps         = -1;
    for(index_t number = 0; number < transform.phase_count(); ++number)
    {
        const BackwardData::Phase phase = transform.make_phase(number, images);
        EXPECT_TRUE(phase.a.divisible() && phase.b.divisible() && phase.c.divisible());
        const index_t rows = phase.a.extent<0>();
        EXPECT_EQ(rows, phase.c.extent<0>());
        EXPECT_LE(rows, transform.max_rows());
        EXPECT_EQ(phase.tap_count, phase.a.extent<1>());
        EXPECT_EQ(phase.tap_count, phase.b.extent<1>());
        EXPECT_EQ(phase.a.extent<2>(), p.out_channels);
        EXPECT_EQ(phase.b.extent<2>(), p.out_channels);
        EXPECT_EQ(phase.b.extent<0>(), p.in_channels);
        EXPECT_EQ(phase.c.extent<1>(), p.in_channels);
        most_rows = std::max(most_rows, rows);
        if(number == 0)
            most_taps = phase.tap_count;
        if(!numbered_by_pixel(transform))
        {
            EXPECT_LE(phase.tap_count, most_taps) << "the first phase has the most taps";
        }

        for(index_t row = 0; row < rows; ++row)
        {
            for(index_t c = 0; c < p.in_channels; ++c)
                r.written.push_back(phase.c(row, c).offset);
            for(index_t tap = 0; tap < phase.tap_count; ++tap)
                for(index_t k = 0; k < p.out_channels; ++k)
                {
                    const Place dy = phase.a(row, tap, k);
                    if(!dy.valid)
                        continue;
                    for(index_t c = 0; c < p.in_channels; ++c)
                    {
                        const Place w = phase.b(c, tap, k);
                        EXPECT_TRUE(w.valid);
                        r.products.push_back({phase.c(row, c).offset, dy.offset, w.offset});
                    }
                }
        }
        EXPECT_FALSE(phase.a(rows, 0, 0).valid || phase.c(rows, 0).valid) << "rows end";
        EXPECT_FALSE(phase.a(0, phase.tap_count, 0).valid) << "taps end";
    }
    if(images == batch)
    {
        EXPECT_EQ(most_rows, transform.max_rows());
    }
    return r;
}

void expect_equal_computed(const ConvProblem& p, const Computed& computed)
{
    expect_same_products(computed.products, p);
    expect_each_written_once(computed.written, p.input_lengths(), p.input_strides, p);
}
void expect_equal(const ConvProblem& p, index_t batch)
{
    const auto images = static_cast<index_t>(p.batch);
    expect_equal_computed(p, computed_by_phases(p, batch, images));
    if(p.stride[0] < 100 && p.stride[1] < 100 && p.stride[2] < 100)
        expect_equal_computed(p, computed_by_phases<BackwardData>(p, batch, images));
}

TEST(BackwardData, random_problems_1d) { expect_random_problems_equal(1, 3000, expect_equal); }
TEST(BackwardData, random_problems_2d) { expect_random_problems_equal(2, 400, expect_equal); }
TEST(BackwardData, random_problems_3d) { expect_random_problems_equal(3, 250, expect_equal); }

TEST(BackwardData, every_stride_dilation_filter_and_pad_of_one_dimension)
{
    for(const long_index_t stride : {1, 2, 3, 4, 5, 6, 9, 12})
        for(long_index_t dilation = 1; dilation <= 6; ++dilation)
            for(long_index_t filter = 1; filter <= 4; ++filter)
                for(long_index_t pad = -3; pad <= 7; ++pad)
                    for(const long_index_t input : {1, 5, 8})
                        ASSERT_NO_FATAL_FAILURE(expect_equal(
                            make_packed_problem<1>(
                                1, 1, 1, 1, {filter}, {input}, {stride}, {dilation}, {pad}, {3}),
                            1));
}

TEST(BackwardData, strides_longer_than_the_input_have_a_phase_for_each_pixel)
{
    for(const auto& [stride, dilation] : {std::pair{1000ll, 999ll},
                                          {999ll, 1000ll},
                                          {1024ll, 512ll},
                                          {1000ll, 1ll},
                                          {46341ll, 46340ll},
                                          {2147483647ll, 400000ll},
                                          {1000000007ll, 1ll}})
        for(long_index_t y = 0; y < 3; ++y) // tap that meets pixel 2 in the second window
        {
            const long_index_t pad = std::min(stride + dilation * y - 2, 1ll << 29);
            const ConvProblem p    = make_packed_problem<1>(
                1, 1, 2, 1, {3}, {5}, {stride}, {dilation}, {pad}, {2 * dilation});
            ASSERT_NO_FATAL_FAILURE(expect_equal(p, 1));
            EXPECT_EQ(BackwardDataByPixel::make(p, 1).phase_count(), 5);
        }
    // Long dilations and strides of long inputs, whose product does not fit into 32 bits.
    ASSERT_NO_FATAL_FAILURE(expect_equal(
        make_packed_problem<1>(1, 1, 1, 1, {2}, {70000}, {40000}, {30001}, {7}, {0}), 1));
}

TEST(BackwardData, empty_output_and_empty_batch)
{
    ConvProblem p =
        make_packed_problem<2>(1, 2, 2, 2, {5, 5}, {3, 3}, {2, 2}, {2, 2}, {0, 0}, {0, 0});
    ASSERT_EQ(p.output()[1], 0);
    expect_equal(p, 2);
    EXPECT_TRUE(products_by_definition(p).empty());
    EXPECT_EQ(computed_by_phases(p, 2, 2).written.size(), 2u * 2 * 9) << "zeros are written";
    p.batch = 0;
    expect_equal(p, 1);
}

TEST(BackwardData, a_filter_that_is_broadcast)
{
    ConvProblem p =
        make_packed_problem<2>(1, 2, 3, 2, {3, 3}, {5, 4}, {2, 1}, {1, 2}, {1, 1}, {1, 2});
    p.filter_strides[1] = 0;
    p.output_strides[4] = 0;
    expect_equal(p, 2);
}

TEST(BackwardData, stride_one_has_one_phase_with_all_taps)
{
    const ConvProblem p = make_packed_problem<3>(
        1, 2, 2, 2, {3, 2, 3}, {4, 4, 4}, {1, 1, 1}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1});
    const BackwardData transform = BackwardData::make(p, 2);
    ASSERT_EQ(transform.phase_count(), 1);
    EXPECT_EQ(transform.make_phase(0, 2).tap_count, 18);
    EXPECT_EQ(transform.max_rows(), 128);
}

TEST(BackwardData, parts_move_on_their_own)
{
    const ConvProblem p =
        make_packed_problem<2>(1, 2, 3, 2, {3, 3}, {7, 6}, {2, 2}, {1, 1}, {1, 1}, {1, 1});
    const BackwardData transform = BackwardData::make(p, 2);
    for(index_t number = 0; number < transform.phase_count(); ++number)
    {
        const auto phase = transform.make_phase(number, 2);
        for(index_t row = 0; row < phase.a.extent<0>() + 3; ++row)
        {
            const auto row_part = phase.a.part<0>(row);
            for(index_t tap = 0; tap < phase.tap_count; ++tap)
            {
                const auto window = combine(row_part, phase.a.part<1>(tap));
                for(index_t k = 0; k < 3; ++k)
                {
                    const auto sum    = combine(window, phase.a.part<2>(k));
                    const Place place = phase.a(row, tap, k);
                    EXPECT_EQ(phase.a.inside(sum), place.valid);
                    EXPECT_EQ(sum.offset, place.offset);
                }
            }
        }
    }
}

} // namespace
} // namespace ck
