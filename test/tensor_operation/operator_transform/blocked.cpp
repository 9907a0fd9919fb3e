// Transforms of tensors in blocks of channels against the definition, product by product; and what
// they store: every element and every padding lane once.
//
// Cases not sanitized: Blocked.IsTheDefinition
#include "ck/tensor_operation/operator_transform/blocked.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/operator_transform/products.hpp"
#include <type_traits>

namespace ck {
namespace {

static_assert(std::is_trivially_copyable_v<Blocked<BackwardDataByPixel>>);
static_assert(Forward::Phase::A::structure.bounds == 0);

/// A tensor as the definition numbers it, packed, and where its elements are.
struct Tensor
{
    BlockedMemory memory;
    TensorLengths lengths;

    long_index_t operator()(long_index_t first, long_index_t channel, const Spatial& at) const
    {
        return memory.blocks ? memory.offset(first, channel, at)
                             : offset(memory.strides, first, channel, at);
    }
};

struct Case
{
    ConvProblem p;
    ConvBlocks blocks;
    Tensor x, w, y;
};

Case random_case(index_t rank, Random& random)
{
    Case t;
    t.p              = random_problem(rank, random);
    t.p.groups       = 1;
    t.p.in_channels  = random(1, 21);
    t.p.out_channels = random(1, 18);
    set_packed_strides(t.p);
    const auto c0 = [&] { return index_t{4} << random(0, 2); };
    t.x           = {{t.p.input_strides, {}, 0, 0}, t.p.input_lengths()};
    t.w           = {{t.p.filter_strides, {}, 0, 0}, t.p.filter_lengths()};
    t.y           = {{t.p.output_strides, {}, 0, 0}, t.p.output_lengths()};
    const auto in = random(1, 7);
    if(in & 1)
        t.x.memory = ndc1hwc0(t.x.lengths, c0());
    if(in & 2)
        t.w.memory = fractal_z_3d(t.w.lengths, c0());
    if(in & 4)
        t.y.memory = ndc1hwc0(t.y.lengths, c0());
    t.p.input_strides  = t.x.memory.strides;
    t.p.filter_strides = t.w.memory.strides;
    t.p.output_strides = t.y.memory.strides;
    t.blocks           = {t.x.memory.blocks, t.w.memory.blocks, t.y.memory.blocks, t.w.memory.rows};
    return t;
}

std::vector<Product> by_definition(const Case& t)
{
    std::vector<Product> products;
    for_each(t.p.output(), [&](const Spatial& o) {
        for_each(t.p.filter, [&](const Spatial& f) {
            Spatial in{};
            for(std::size_t d = 0; d < 3; ++d)
            {
                in[d] = o[d] * t.p.stride[d] + f[d] * t.p.dilation[d] - t.p.pad_low[d];
                if(in[d] < 0 || in[d] >= t.p.input[d])
                    return;
            }
            for(long_index_t n = 0; n < t.p.batch; ++n)
                for(long_index_t k = 0; k < t.p.out_channels; ++k)
                    for(long_index_t c = 0; c < t.p.in_channels; ++c)
                        products.push_back({t.x(n, c, in), t.y(n, k, o), t.w(k, c, f)});
        });
    });
    return products;
}

/// order: where a product has the offsets of A, B and C.
template <class Transform>
void expect_equal(const Case& t, const Tensor& result, const std::array<std::size_t, 3>& order)
{
    const auto batch     = static_cast<index_t>(t.p.batch);
    const auto transform = Transform::make(t.p, t.blocks, batch);
    std::vector<Product> products;
    std::vector<long_index_t> written, zeros;
    for(index_t number = 0; number < transform.phase_count(); ++number)
    {
        const auto phase = transform.make_phase(number, batch);
        EXPECT_TRUE(phase.a.divisible() && phase.b.divisible() && phase.c.divisible());
        EXPECT_LE(phase.c.template extent<0>(), transform.max_rows());
        EXPECT_EQ(phase.c.template extent<1>(), transform.columns);
        const auto columns = transform.describe_columns(phase, 0);
        for(index_t row = 0; row < phase.c.template extent<0>(); ++row)
            for(index_t column = 0; column < phase.c.template extent<1>(); ++column)
            {
                if(!columns.exists(column))
                {
                    EXPECT_LE(columns.real(row, column), 0);
                    continue;
                }
                const long_index_t dest =
                    phase.c.template part<0>(row).offset + columns.offset(column);
                const bool real = columns.real(row, column) > 0;
                (real ? written : zeros).push_back(dest);
                const auto add = [&](const Place& a, const Place& b) {
                    if(!a.valid || !b.valid)
                        return;
                    Product product{};
                    product[order[0]] = a.offset;
                    product[order[1]] = b.offset;
                    product[order[2]] = dest;
                    if(real)
                        products.push_back(product);
                };
                if constexpr(Transform::Tops::of_filter)
                    for(index_t i = 0; i < phase.a.template extent<1>(); ++i)
                        add(phase.a(row, i), phase.b(column, i));
                else
                    for(index_t tap = 0; tap < phase.tap_count; ++tap)
                        for(index_t k = 0; k < phase.a.template extent<2>(); ++k)
                            add(phase.a(row, tap, k), phase.b(column, tap, k));
            }
    }
    auto definition = by_definition(t);
    std::sort(products.begin(), products.end());
    std::sort(definition.begin(), definition.end());
    ASSERT_TRUE(products == definition) << text(t.p);

    std::vector<long_index_t> elements;
    for_each({result.lengths[3], result.lengths[4], result.lengths[5]}, [&](const Spatial& i) {
        for(long_index_t first = 0; first < result.lengths[1]; ++first)
            for(long_index_t c = 0; c < result.lengths[2]; ++c)
                elements.push_back(result(first, c, i));
    });
    std::sort(elements.begin(), elements.end());
    std::sort(written.begin(), written.end());
    ASSERT_TRUE(written == elements) << text(t.p);
    if(!result.memory.blocks)
    {
        EXPECT_TRUE(zeros.empty()) << "a packed result has no padding";
        return;
    }
    written.insert(written.end(), zeros.begin(), zeros.end());
    std::sort(written.begin(), written.end());
    ASSERT_EQ(written.size(), static_cast<std::size_t>(result.memory.elements)) << text(t.p);
    for(std::size_t i = 0; i < written.size(); ++i)
        ASSERT_EQ(written[i], static_cast<long_index_t>(i)) << text(t.p);
}

TEST(Blocked, IsTheDefinition)
{
    Random random{std::mt19937(11)};
    for(index_t rank = 1; rank <= 3; ++rank)
        for(int i = 0; i < 12; ++i)
        {
            const Case t = random_case(rank, random);
            ASSERT_TRUE(validate(t.p)) << validate(t.p).reason;
            ASSERT_NO_FATAL_FAILURE((expect_equal<Blocked<Forward>>(t, t.y, {0, 2, 1})));
            ASSERT_NO_FATAL_FAILURE(
                (expect_equal<Blocked<BackwardDataByPixel>>(t, t.x, {1, 2, 0})));
            ASSERT_NO_FATAL_FAILURE((expect_equal<Blocked<BackwardWeight>>(t, t.w, {1, 0, 2})));
        }
}

} // namespace
} // namespace ck
