// D tensors: null addresses, strides that make no sense, more than 2 GiB.
//
// Labels: emulated on one target
#include "convolution/arguments/arguments.hpp"
#include "convolution/lattice/large.hpp"

namespace ck::test {
namespace {

template <class Op>
class DTensors : public testing::Test
{};
using WithD = testing::Types<ForwardAdd, BackwardDataAdd, BackwardWeightAdd>;
TYPED_TEST_SUITE(DTensors, WithD);

/// A problem whose three tensors have four elements each but one: the filter of backward weight,
/// X or Y of the others are the result.
template <class Op>
ConvProblem four_results()
{
    if constexpr(std::is_same_v<Op, BackwardWeightAdd>)
        return make_packed_problem<1>(1, 1, 1, 4, {1}, {1}, {1}, {1}, {0}, {0});
    else
        return row_of(4);
}

/// The dimension in which the result of four_results() has its four elements.
template <class Op>
constexpr std::size_t along = std::is_same_v<Op, BackwardWeightAdd> ? 2 : 5;

template <class Op>
typename Op::Argument with_d(const float* d, long_index_t stride, float* const (&tensors)[3])
{
    typename Op::Argument a =
        argument_of<Op>(four_results<Op>(), tensors[0], tensors[1], tensors[2]);
    a.d[0]                    = {d, {}};
    a.d[0].strides[along<Op>] = stride;
    return a;
}

TYPED_TEST(DTensors, AtNullAreAnErrorOfTheRunAlone)
{
    Floats x(counting(4)), w(counting(4)), y(counting(4));
    const auto a = with_d<TypeParam>(nullptr, 1, {x, w, y});
    EXPECT_EQ(supports<TypeParam>(a).reason, "") << "addresses may come later";
    try
    {
        run<TypeParam>(a);
        ADD_FAILURE() << "ran without a D tensor";
    }
    catch(const std::runtime_error& error)
    {
        EXPECT_STREQ(error.what(), "the address of D0 is null, but it has elements");
    }
}

TYPED_TEST(DTensors, OfAnyPositiveStrideAreAdded)
{
    Floats d({4, 3, 2, 1, 8, 9, 10}), zeros({0, 0, 0, 0}), more({0, 0, 0, 0});
    Floats result({-1, -1, -1, -1});
    float* tensors[3]     = {zeros, more, result};
    constexpr bool weight = std::is_same_v<TypeParam, BackwardWeightAdd>;
    std::swap(tensors[2], tensors[weight ? 1 : std::is_same_v<TypeParam, ForwardAdd> ? 2 : 0]);
    for(const auto& [stride, expected] :
        {std::pair{1, std::vector<float>{4, 3, 2, 1}}, {2, {4, 2, 8, 10}}, {0, {4, 4, 4, 4}}})
    {
        const auto a = with_d<TypeParam>(d, stride, {tensors[0], tensors[1], tensors[2]});
        ASSERT_EQ(supports<TypeParam>(a).reason, "");
        run<TypeParam>(a);
        EXPECT_EQ(result.read(), expected) << "stride " << stride;
    }
}

TYPED_TEST(DTensors, HaveStridesThatAreNotNegativeAndFitInto64Bits)
{
    Floats x(counting(4)), w(counting(4)), y(counting(4)), d(counting(4));
    for(const long_index_t stride : {-1ll, -4ll, -9223372036854775807ll - 1})
        expect_refused(supports<TypeParam>(with_d<TypeParam>(d, stride, {x, w, y})),
                       {"of the D0 is " + std::to_string(stride), "must not be negative"});
    for(const long_index_t stride : {1ll << 60, 1ll << 62, 9223372036854775807ll})
        expect_refused(supports<TypeParam>(with_d<TypeParam>(d, stride, {x, w, y})),
                       {"D0", "beyond offset 2^60"});
    expect_refused(supports<TypeParam>(with_d<TypeParam>(d, 1ll << 33, {x, w, y})),
                   {"D0 spans", "2^31"});
}

TEST(DTensorsOfGroups, HaveAStrideToo)
{
    ConvProblem p = row_of(2);
    p.groups      = 2;
    set_packed_strides(p);
    Floats x(counting(4)), w(counting(2)), y(counting(4)), d(counting(4));
    auto a = argument_of<ForwardAdd>(p, x, w, y);
    a.d[0] = {d, {-2, 0, 0, 0, 0, 1}};
    expect_refused(ForwardAdd::supports(a), {"the stride of G of the D0 is -2"});
    a.d[0].strides[0] = 9223372036854775807;
    expect_refused(ForwardAdd::supports(a), {"D0", "2^60"});
}

TEST(DTensorsOfManyImages, AreReadInSubBatches)
{
    // 1024 images of 64 x 112 x 112: 3.1 GiB of X, Y and D each.
    const ConvProblem p =
        make_packed_problem<2>(1, 1024, 64, 64, {3, 3}, {112, 112}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    auto plain = argument_of<ForwardOp>(p, nullptr, nullptr, nullptr);
    EXPECT_EQ(ForwardOp::supports(plain).reason, "");
    auto a = argument_of<ForwardAdd>(p, nullptr, nullptr, nullptr);
    a.d[0] = {nullptr, p.output_strides};
    EXPECT_EQ(ForwardAdd::supports(a).reason, "");
    a.d[0].strides[1] = long_index_t{1} << 40; // images far apart
    EXPECT_EQ(ForwardAdd::supports(a).reason, "");
    a.d[0].strides[3 + 1] = long_index_t{1} << 30;
    expect_refused(ForwardAdd::supports(a), {"D0 spans", "in an image"});
}

TEST(DTensorsOfManyImages, MakeSubBatchesOfTheirOwn)
{
    // Only D's images are 1 GiB apart: X and Y would be one sub-batch.
    const ConvProblem p        = make_packed_problem<1>(1, 5, 1, 1, {1}, {3}, {1}, {1}, {0}, {0});
    constexpr long_index_t far = long_index_t{1} << 28; // floats
    if constexpr(!arch::emulated)
        GTEST_SKIP() << "addresses without memory are the host's";
    const Memory memory(2 * 5 * far, false);
    auto* const d = reinterpret_cast<float*>(memory.x);
    for(long_index_t n = 0; n < 5; ++n)
        for(long_index_t w = 0; w < 3; ++w)
            d[n * far + w] = static_cast<float>(10 * n + w);
    Floats x(std::vector<float>(15, 1.f)), w({100.f}), y(std::vector<float>(15, -1.f));
    auto a = argument_of<ForwardAdd>(p, x, w, y);
    a.d[0] = {d, {0, far, 0, 0, 0, 1}};
    ASSERT_EQ(ForwardAdd::supports(a).reason, "");
    EXPECT_EQ(ForwardAdd::make_params(a).sub_batch_size, 2);
    run<ForwardAdd>(a);
    for(std::size_t i = 0; i < 15; ++i)
        EXPECT_EQ(y.read()[i], static_cast<float>(100 + 10 * (i / 3) + i % 3));
}

} // namespace
} // namespace ck::test
