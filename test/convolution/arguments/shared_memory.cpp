// Results that share memory with operands, or whose elements share memory with each other.
//
// Labels: emulated on one target
#include "convolution/arguments/arguments.hpp"

namespace ck::test {
namespace {

template <class Op>
class SharedMemory : public testing::Test
{};
using All = testing::Types<ForwardOp, BackwardDataOp, BackwardWeightOp>;
TYPED_TEST_SUITE(SharedMemory, All);

/// Which of X, W, Y is the result.
template <class Op>
std::size_t result_of()
{
    return std::is_same_v<Op, ForwardOp> ? 2 : std::is_same_v<Op, BackwardDataOp> ? 0 : 1;
}

TYPED_TEST(SharedMemory, OfTheResultAndAnOperandIsRefused)
{
    const ConvProblem p =
        make_packed_problem<1>(1, 2, 2, 2, {3}, {8}, {1}, {1}, {1}, {1}); // 32, 12, 32 floats
    Floats all(std::vector<float>(200, 1.f));
    const std::size_t result   = result_of<TypeParam>();
    const long_index_t size[3] = {32, 12, 32};
    for(std::size_t other = 0; other < 3; ++other)
        for(long_index_t away = -40; away <= 40; ++away)
        {
            if(other == result)
                continue;
            float* at[3] = {all + 0l, all + 0l, all + 0l};
            for(std::size_t i = 0, n = 0; i < 3; ++i)
                at[i] = i == result  ? all + 60l
                        : i == other ? all + 60l + away
                                     : all + 150l + 0 * n;
            const Support s = supports<TypeParam>(argument_of<TypeParam>(p, at[0], at[1], at[2]));
            const bool meet = away < size[result] && -away < size[other];
            EXPECT_EQ(static_cast<bool>(s), !meet) << away << ": " << s.reason;
            if(!s)
                expect_refused(s, {"shares memory with"});
        }
}

TYPED_TEST(SharedMemory, OfSlicesOfLargerPixelsIsNone)
{
    // Pixels of six floats: X has channels 0 and 1, Y 3 and 4 of them.
    ConvProblem p    = make_packed_problem<1>(1, 2, 2, 2, {1}, {5}, {1}, {1}, {0}, {0});
    p.input_strides  = {2, 30, 1, 30, 30, 6};
    p.output_strides = {2, 30, 1, 30, 30, 6};
    std::vector<float> values(60, 7.f);
    for(std::size_t i = 0; i < 10; ++i)
        for(const std::size_t channel : {0, 1, 3, 4})
            values[6 * i + channel] = 1;
    Floats pixels(values), w({1, 2, 3, 4});
    const auto a = argument_of<TypeParam>(p, pixels + 0l, w, pixels + 3l);
    ASSERT_EQ(supports<TypeParam>(a).reason, "");
    run<TypeParam>(a);
    const std::vector<float> after = pixels.read(), filter = w.read();
    for(std::size_t i = 0; i < 10; ++i)
    {
        EXPECT_EQ(after[6 * i + 2], 7);
        EXPECT_EQ(after[6 * i + 5], 7);
    }
    const auto two = [&](std::size_t at) { return std::vector<float>{after[at], after[at + 1]}; };
    if(result_of<TypeParam>() == 2)
        EXPECT_EQ(two(3), (std::vector<float>{3, 7}));
    else if(result_of<TypeParam>() == 0)
        EXPECT_EQ(two(0), (std::vector<float>{4, 6}));
    else
        EXPECT_EQ(filter, (std::vector<float>{10, 10, 10, 10}));
    const auto meet = argument_of<TypeParam>(p, pixels + 0l, w, pixels + 1l);
    if(result_of<TypeParam>() != 1) // X and Y may: both are read
        expect_refused(supports<TypeParam>(meet), {"shares memory"});
    else
        EXPECT_EQ(supports<TypeParam>(meet).reason, "");
}

template <class Op>
class InPlace : public testing::Test
{};
using WithD = testing::Types<ForwardAdd, BackwardDataAdd, BackwardWeightAdd>;
TYPED_TEST_SUITE(InPlace, WithD);

/// The argument whose result is at `c` and whose D tensor is at `d`.
template <class Op>
typename Op::Argument added(const ConvProblem& p, float* zeros, float* c, float* d)
{
    constexpr bool weight  = std::is_same_v<Op, BackwardWeightAdd>,
                   forward = std::is_same_v<Op, ForwardAdd>;
    auto a                 = argument_of<Op>(
        p, !weight && !forward ? c : zeros, weight ? c : zeros, forward ? c : zeros);
    a.d[0] = {d, weight ? p.filter_strides : forward ? p.output_strides : p.input_strides};
    return a;
}

TYPED_TEST(InPlace, DInThePlaceOfTheResultIsExact)
{
    const ConvProblem p =
        make_packed_problem<2>(1, 3, 5, 5, {3, 2}, {7, 6}, {1, 1}, {1, 1}, {1, 1}, {1, 0});
    const std::size_t elements = std::is_same_v<TypeParam, BackwardWeightAdd> ? 150 : 630;
    Floats zeros(std::vector<float>(630, 0.f)), c(counting(elements));
    const auto a = added<TypeParam>(p, zeros, c, c);
    ASSERT_EQ(supports<TypeParam>(a).reason, "");
    run<TypeParam>(a);
    EXPECT_EQ(c.read(), counting(elements));
}

TYPED_TEST(InPlace, DBesideThePlaceOfTheResultIsRefused)
{
    const ConvProblem p =
        make_packed_problem<2>(1, 3, 5, 5, {3, 2}, {7, 6}, {1, 1}, {1, 1}, {1, 1}, {1, 0});
    Floats zeros(std::vector<float>(630, 0.f)), c(counting(1400));
    expect_refused(supports<TypeParam>(added<TypeParam>(p, zeros, c + 0l, c + 1l)),
                   {"shares memory with D0"});
    auto repeated            = added<TypeParam>(p, zeros, c, c);
    repeated.d[0].strides[2] = 0;
    expect_refused(supports<TypeParam>(repeated), {"shares memory with D0"});
    EXPECT_EQ(supports<TypeParam>(added<TypeParam>(p, zeros, c + 0l, c + 700l)).reason, "");
}

TEST(WrittenElements, OfMergedGroupsAreTheCallers)
{
    // Groups that are computed as one: the parts of their sums are packed, dW is not.
    ConvProblem p = make_packed_problem<1>(2, 3, 1, 1, {1}, {4}, {1}, {1}, {0}, {0});
    Floats x(counting(24)), y(counting(24)), w(counting(2));
    p.filter_strides = {0, 1, 1, 1, 1, 1};
    expect_refused(supports<BackwardWeightOp>(argument_of<BackwardWeightOp>(p, x, w, y)),
                   {"a stride of dW", "is 0"});
    p                   = make_packed_problem<1>(2, 3, 8, 1, {1}, {4}, {1}, {1}, {0}, {0});
    p.filter_strides[1] = 0;
    expect_refused(
        supports<BackwardWeightOp>(argument_of<BackwardWeightOp>(p, nullptr, nullptr, nullptr)),
        {"a stride of dW", "is 0"});
}

TYPED_TEST(SharedMemory, AnAddressBetweenElementsIsRefused)
{
    const ConvProblem p = make_packed_problem<1>(2, 2, 2, 2, {3}, {8}, {1}, {1}, {1}, {1});
    Floats x(counting(64)), w(counting(24)), y(counting(64));
    for(std::size_t i = 0; i < 3; ++i)
    {
        const float* at[3] = {x, w, y};
        at[i] = reinterpret_cast<const float*>(reinterpret_cast<const char*>(at[i]) + 1);
        expect_refused(supports<TypeParam>(argument_of<TypeParam>(p, at[0], at[1], at[2])),
                       {"not a multiple of the 4 bytes of an element"});
    }
}

} // namespace
} // namespace ck::test
