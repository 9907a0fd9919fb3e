// The residue classes against the definition of backward data, product by product.
#include "ck/tensor_operation/operator_transform/backward_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <type_traits>
#include <vector>

namespace ck {
namespace {

static_assert(std::is_trivially_copyable_v<BackwardData> && std::is_aggregate_v<BackwardData>);
static_assert(std::is_trivially_copyable_v<BackwardData::Class>);
static_assert(BackwardData::Class::A::structure.checked_count() == 3,
              "only the windows over dY are checked");
static_assert(BackwardData::Class::B::structure.checked_count() == 0);
static_assert(BackwardData::Class::C::structure.checked_count() == 0);

/// One product of the sum: offsets within one group of dX, dY and W.
using Product = std::array<long_index_t, 3>;

std::string text(const ConvProblem& p)
{
    std::string s = "rank " + std::to_string(p.rank) + " NKC " + std::to_string(p.batch) + ' ' +
                    std::to_string(p.out_channels) + ' ' + std::to_string(p.in_channels);
    const auto add = [&](const char* name, const Spatial& v) {
        s += std::string(", ") + name;
        for(const long_index_t value : v)
            s += ' ' + std::to_string(value);
    };
    add("input", p.input), add("filter", p.filter), add("stride", p.stride),
        add("dilation", p.dilation);
    add("pad", p.pad_low), add("and", p.pad_high);
    return s;
}

template <class F>
void for_each(const Spatial& lengths, F&& f)
{
    Spatial i{};
    for(i[0] = 0; i[0] < lengths[0]; ++i[0])
        for(i[1] = 0; i[1] < lengths[1]; ++i[1])
            for(i[2] = 0; i[2] < lengths[2]; ++i[2])
                f(i);
}

long_index_t
offset(const TensorStrides& s, long_index_t first, long_index_t second, const Spatial& i)
{
    return first * s[1] + second * s[2] + i[0] * s[3] + i[1] * s[4] + i[2] * s[5];
}

std::vector<Product> products_by_definition(const ConvProblem& p)
{
    std::vector<Product> products;
    for_each(p.output(), [&](const Spatial& o) {
        for_each(p.filter, [&](const Spatial& y) {
            Spatial in{};
            for(std::size_t d = 0; d < 3; ++d)
            {
                in[d] = o[d] * p.stride[d] + y[d] * p.dilation[d] - p.pad_low[d];
                if(in[d] < 0 || in[d] >= p.input[d])
                    return;
            }
            for(long_index_t n = 0; n < p.batch; ++n)
                for(long_index_t k = 0; k < p.out_channels; ++k)
                    for(long_index_t c = 0; c < p.in_channels; ++c)
                        products.push_back({offset(p.input_strides, n, c, in),
                                            offset(p.output_strides, n, k, o),
                                            offset(p.filter_strides, k, c, y)});
        });
    });
    return products;
}

struct Computed
{
    std::vector<Product> products;
    std::vector<long_index_t> written; // offsets in dX
};

/// What a kernel does that is launched for `images` images with numbers made for chunks of `batch`.
Computed computed_by_classes(const ConvProblem& p, index_t batch, index_t images)
{
    Computed r;
    const BackwardData transform = BackwardData::make(p, batch);
    index_t most_rows            = 0;
    index_t most_taps            = -1;
    for(index_t number = 0; number < transform.class_count(); ++number)
    {
        const BackwardData::Class cls = transform.make_class(number, images);
        EXPECT_TRUE(cls.a.divisible() && cls.b.divisible() && cls.c.divisible());
        const index_t rows = cls.a.extent<0>();
        EXPECT_EQ(rows, cls.c.extent<0>());
        EXPECT_LE(rows, transform.max_rows());
        EXPECT_EQ(cls.tap_count, cls.a.extent<1>());
        EXPECT_EQ(cls.tap_count, cls.b.extent<1>());
        EXPECT_EQ(cls.a.extent<2>(), p.out_channels);
        EXPECT_EQ(cls.b.extent<2>(), p.out_channels);
        EXPECT_EQ(cls.b.extent<0>(), p.in_channels);
        EXPECT_EQ(cls.c.extent<1>(), p.in_channels);
        most_rows = std::max(most_rows, rows);
        if(number == 0)
            most_taps = cls.tap_count;
        EXPECT_LE(cls.tap_count, most_taps) << "the first class has the most taps";

        for(index_t row = 0; row < rows; ++row)
        {
            for(index_t c = 0; c < p.in_channels; ++c)
                r.written.push_back(cls.c(row, c).offset);
            for(index_t tap = 0; tap < cls.tap_count; ++tap)
                for(index_t k = 0; k < p.out_channels; ++k)
                {
                    const Place dy = cls.a(row, tap, k);
                    if(!dy.valid)
                        continue;
                    for(index_t c = 0; c < p.in_channels; ++c)
                    {
                        const Place w = cls.b(c, tap, k);
                        EXPECT_TRUE(w.valid);
                        r.products.push_back({cls.c(row, c).offset, dy.offset, w.offset});
                    }
                }
        }
        EXPECT_FALSE(cls.a(rows, 0, 0).valid || cls.c(rows, 0).valid) << "rows end";
        EXPECT_FALSE(cls.a(0, cls.tap_count, 0).valid) << "taps end";
    }
    if(images == batch)
    {
        EXPECT_EQ(most_rows, transform.max_rows());
    }
    return r;
}

void expect_equal(ConvProblem p, index_t batch)
{
    Computed computed = computed_by_classes(p, batch, static_cast<index_t>(p.batch));
    std::vector<Product> by_definition = products_by_definition(p);
    std::sort(computed.products.begin(), computed.products.end());
    std::sort(by_definition.begin(), by_definition.end());
    ASSERT_EQ(computed.products.size(), by_definition.size()) << text(p);
    ASSERT_TRUE(computed.products == by_definition) << text(p);

    std::vector<long_index_t> elements;
    for_each(p.input, [&](const Spatial& i) {
        for(long_index_t n = 0; n < p.batch; ++n)
            for(long_index_t c = 0; c < p.in_channels; ++c)
                elements.push_back(offset(p.input_strides, n, c, i));
    });
    std::sort(elements.begin(), elements.end());
    std::sort(computed.written.begin(), computed.written.end());
    ASSERT_TRUE(computed.written == elements) << "every element of dX is written once: " << text(p);
}

struct Random
{
    std::mt19937 engine;
    long_index_t operator()(long_index_t low, long_index_t high)
    {
        return low + static_cast<long_index_t>(engine() % static_cast<unsigned>(high - low + 1));
    }
};

/// Strides of memory in any order of dimensions, with gaps.
TensorStrides scattered_strides(const TensorLengths& lengths, Random& random)
{
    std::array<std::size_t, 6> order{0, 1, 2, 3, 4, 5};
    std::shuffle(order.begin(), order.end(), random.engine);
    TensorStrides strides{};
    long_index_t next = random(1, 2);
    for(const std::size_t d : order)
    {
        strides[d] = next;
        next       = next * std::max<long_index_t>(lengths[d], 1) + random(0, 3);
    }
    return strides;
}

ConvProblem random_problem(index_t rank, Random& random)
{
    ConvProblem p;
    p.rank         = rank;
    p.groups       = random(1, 3);
    p.batch        = random(1, 2);
    p.out_channels = random(1, 3);
    p.in_channels  = random(1, 2);
    for(std::size_t d = 3 - static_cast<std::size_t>(rank); d < 3; ++d)
    {
        p.input[d]    = random(1, rank == 3 ? 5 : 9);
        p.filter[d]   = random(1, rank == 3 ? 4 : 5);
        p.stride[d]   = random(1, 4);
        p.dilation[d] = random(1, 4);
        p.pad_low[d]  = random(0, 1) ? random(0, 2) : random(0, 7);
        p.pad_high[d] = random(0, 1) ? random(0, 2) : random(0, 7);
    }
    set_packed_strides(p, random(0, 1) ? PackedOrder::group_first : PackedOrder::group_inside);
    if(random(0, 2) == 0)
    {
        p.input_strides  = scattered_strides(p.input_lengths(), random);
        p.filter_strides = scattered_strides(p.filter_lengths(), random);
        p.output_strides = scattered_strides(p.output_lengths(), random);
    }
    return p;
}

void expect_random_problems_equal(index_t rank, int count)
{
    Random random{std::mt19937(static_cast<unsigned>(rank))};
    int with_products = 0;
    for(int i = 0; i < count; ++i)
    {
        const ConvProblem p = random_problem(rank, random);
        ASSERT_TRUE(validate(p)) << validate(p).reason;
        ASSERT_NO_FATAL_FAILURE(expect_equal(p, static_cast<index_t>(p.batch + random(0, 2))));
        ASSERT_FALSE(::testing::Test::HasFailure()) << text(p);
        with_products += !products_by_definition(p).empty();
    }
    EXPECT_GT(with_products, count / 4) << "problems must have something to compare";
}

TEST(BackwardData, random_problems_1d) { expect_random_problems_equal(1, 3000); }
TEST(BackwardData, random_problems_2d) { expect_random_problems_equal(2, 400); }
TEST(BackwardData, random_problems_3d) { expect_random_problems_equal(3, 250); }

TEST(BackwardData, every_stride_dilation_filter_and_pad_of_one_dimension)
{
    for(long_index_t stride = 1; stride <= 6; ++stride)
        for(long_index_t dilation = 1; dilation <= 6; ++dilation)
            for(long_index_t filter = 1; filter <= 4; ++filter)
                for(long_index_t pad = 0; pad <= 7; ++pad)
                    for(const long_index_t input : {1, 5, 8})
                        ASSERT_NO_FATAL_FAILURE(expect_equal(
                            make_packed_problem<1>(
                                1, 1, 1, 1, {filter}, {input}, {stride}, {dilation}, {pad}, {3}),
                            1));
}

TEST(BackwardData, empty_output_and_empty_batch)
{
    ConvProblem p =
        make_packed_problem<2>(1, 2, 2, 2, {5, 5}, {3, 3}, {2, 2}, {2, 2}, {0, 0}, {0, 0});
    ASSERT_EQ(p.output()[1], 0);
    expect_equal(p, 2);
    EXPECT_TRUE(products_by_definition(p).empty());
    EXPECT_EQ(computed_by_classes(p, 2, 2).written.size(), 2u * 2 * 9) << "zeros are written";
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

TEST(BackwardData, stride_one_has_one_class_with_all_taps)
{
    const ConvProblem p = make_packed_problem<3>(
        1, 2, 2, 2, {3, 2, 3}, {4, 4, 4}, {1, 1, 1}, {1, 2, 1}, {1, 1, 1}, {1, 1, 1});
    const BackwardData transform = BackwardData::make(p, 2);
    ASSERT_EQ(transform.class_count(), 1);
    EXPECT_EQ(transform.make_class(0, 2).tap_count, 18);
    EXPECT_EQ(transform.max_rows(), 128);
}

TEST(BackwardData, parts_move_on_their_own)
{
    const ConvProblem p =
        make_packed_problem<2>(1, 2, 3, 2, {3, 3}, {7, 6}, {2, 2}, {1, 1}, {1, 1}, {1, 1});
    const BackwardData transform = BackwardData::make(p, 2);
    for(index_t number = 0; number < transform.class_count(); ++number)
    {
        const auto cls = transform.make_class(number, 2);
        for(index_t row = 0; row < cls.a.extent<0>() + 3; ++row)
        {
            const auto row_part = cls.a.part<0>(row);
            for(index_t tap = 0; tap < cls.tap_count; ++tap)
            {
                const auto window = combine(row_part, cls.a.part<1>(tap));
                for(index_t k = 0; k < 3; ++k)
                {
                    const auto sum    = combine(window, cls.a.part<2>(k));
                    const Place place = cls.a(row, tap, k);
                    EXPECT_EQ(cls.a.inside(sum), place.valid);
                    EXPECT_EQ(sum.offset, place.offset);
                }
            }
        }
    }
}

} // namespace
} // namespace ck
