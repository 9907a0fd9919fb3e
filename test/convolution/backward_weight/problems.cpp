// Many problems for one kernel that takes any number of channels and runs on every device.
//
// Cases not sanitized: BackwardWeightProblems.TheSameBitsInEveryRun
// Cases not sanitized: BackwardWeightProblems.SmallGroupsAreMerged
// Cases not sanitized: BackwardWeightProblems.PixelsLast
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"

#include "convolution/backward_weight/weight.hpp"
#include <limits>

namespace ck::test {
namespace {

constexpr GemmTuning tuning = dl_tuning(arch::Matrix::dot_f32_8x4x2_f16);
using Plain                 = Case<2, half_t, float, tuning>;
using ByPixels              = Case<2, half_t, half_t, tuning, true>;
using Scaled                = Case<2, half_t, float, tuning, false, Scale, Scale, Scale>;

ConvParam problem(index_t g, index_t n, index_t k, index_t c)
{
    return {2, g, n, k, c, {3, 2}, {9, 8}, {2, 1}, {1, 2}, {1, 1}, {0, 2}};
}

/// The number of groups that were computed as one.
template <class C>
index_t expect_right(const ConvParam& p, Order order, index_t split)
{
    SCOPED_TRACE(testing::Message() << p << ", split_k " << split);
    Tensors<C> t(p, order);
    typename C::Op op;
    const auto argument = t.argument(split);
    EXPECT_EQ(differences(computed(op, argument, t.w), t.expected()), 0u);
    return argument.plan.merged_groups;
}

TEST(BackwardWeightProblems, SmallGroupsAreMerged)
{
    for(const index_t g : {1, 3, 8, 32})
        for(const index_t k : {1, 2, 4})
            for(const index_t c : {1, 2, 4}) // 6 taps, 32 columns in a tile
                for(const index_t split : {1, 2})
                    EXPECT_EQ(expect_right<Plain>(problem(g, 2, k, c), channels_last, split) > 1,
                              g > 1 && (c < 4 || g > 3))
                        << "G " << g << ", K " << k << ", C " << c;
}
TEST(BackwardWeightProblems, GroupsApartAreMergedOnlyIfTheirChannelsHaveOneDistance)
{
    for(const index_t k : {1, 3})
        for(const index_t c : {1, 2})
            EXPECT_EQ(expect_right<Plain>(problem(3, 2, k, c), groups_first, 1) > 1,
                      k == 1 && c == 1);
}
TEST(BackwardWeightProblems, LargeGroupsAreNotMerged)
{
    EXPECT_EQ(expect_right<Plain>(problem(4, 1, 40, 40), channels_last, 2), 1);
}

TEST(BackwardWeightProblems, PixelsLast)
{
    for(const Order order : {pixels_last, taps_last, channels_last, groups_first})
        for(const index_t split : {1, 3})
        {
            expect_right<ByPixels>(problem(2, 3, 30, 70), order, split);
            expect_right<ByPixels>(problem(1, 2, 5, 3), order, split);
        }
    EXPECT_GT(expect_right<ByPixels>(problem(6, 2, 1, 1), taps_last, 1), 1);
}

TEST(BackwardWeightProblems, OtherStridesOfTheFilterTakeTwoStages)
{
    Tensors<Plain> t(problem(1, 2, 70, 20), taps_last);
    EXPECT_FALSE(t.argument(1).plan.one_stage());
    Plain::Op op;
    EXPECT_EQ(differences(computed(op, t.argument(1), t.w), t.expected()), 0u);
    Tensors<Plain> one_tap({2, 1, 2, 70, 20, {1, 1}, {9, 8}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
                           taps_last);
    EXPECT_TRUE(one_tap.argument(1).plan.one_stage());
    EXPECT_EQ(differences(computed(op, one_tap.argument(1), one_tap.w), one_tap.expected()), 0u);
}

TEST(BackwardWeightProblems, ElementwiseOperationsInOneStageAndInTwo)
{
    const Scale half(0.5f), twice(2.f), quarter(0.25f);
    for(const index_t split : {1, 4})
    {
        Tensors<Scaled> t(problem(1, 3, 20, 30), channels_last);
        Scaled::Op op;
        EXPECT_EQ(differences(computed(op, t.argument(split, half, twice, quarter), t.w),
                              t.expected(half, twice, quarter)),
                  0u);
    }
}

TEST(BackwardWeightProblems, NothingToAddUpGivesZeros)
{
    for(const index_t split : {1, 5, -1})
        for(const index_t g : {1, 4})
        {
            expect_right<Plain>(problem(g, 0, 6, 2), channels_last, split); // empty batch
            // The filter is longer than the padded input.
            expect_right<Plain>({2, g, 2, 6, 2, {9, 3}, {4, 8}, {1, 1}, {1, 1}, {1, 1}, {1, 1}},
                                channels_last,
                                split);
        }
}

/// Real numbers, whose sums depend on the order of additions.
TEST(BackwardWeightProblems, TheSameBitsInEveryRun)
{
    for(const index_t split : {1, 6, -1})
    {
        Tensors<Plain> t(problem(2, 4, 33, 17), channels_last);
        t.x.host.GenerateTensorValue(GeneratorTensor_3<half_t>{-1.f, 1.f});
        t.x.device.ToDevice(t.x.host.mData.data());
        Plain::Op op;
        const auto first = computed(op, t.argument(split), t.w);
        for(int i = 0; i < 3; ++i)
        {
            t.w.fill_with_nan();
            EXPECT_EQ(differences(computed(op, t.argument(split), t.w), first), 0u);
        }
    }
}

/// <conv(X, W), dY> = <W, dW(X, dY)>, exactly for integers.
TEST(BackwardWeightProblems, IsTheAdjointOfForward)
{
    using Forward = tensor_operation::host::
        ReferenceConvFwd<2, half_t, float, float, PassThrough, PassThrough, PassThrough>;
    for(const index_t g : {1, 5})
        for(const index_t split : {1, 3})
        {
            const ConvParam p = problem(g, 2, 7, 6);
            Tensors<Plain> t(p, channels_last);
            Plain::Op op;
            const auto dw = computed(op, t.argument(split), t.w);
            Tensor<float> w(t.w.host.mDesc), y(t.y.host.mDesc);
            w.GenerateTensorValue(GeneratorTensor_2<float>{-2, 3});
            auto forward = Forward::MakeInvoker();
            forward.Run(Forward::MakeArgument(t.x.host,
                                              w,
                                              y,
                                              p.conv_filter_strides_,
                                              p.conv_filter_dilations_,
                                              p.input_left_pads_,
                                              p.input_right_pads_,
                                              {},
                                              {},
                                              {}));
            const auto product = [](const auto& a, const auto& b) {
                double sum = 0;
                for(std::size_t i = 0; i < a.size(); ++i)
                    sum += static_cast<double>(type_convert<float>(a[i])) *
                           static_cast<double>(type_convert<float>(b[i]));
                return sum;
            };
            const double expected = product(y.mData, t.y.host.mData);
            EXPECT_NE(expected, 0.);
            EXPECT_EQ(product(w.mData, dw), expected);
        }
}

/// A template: nvcc cannot spell the argument's type outside of one.
template <class C = Plain>
index_t splits(index_t n, index_t k)
{
    typename C::Op::Argument a{};
    a.problem =
        make_packed_problem<2>(1, n, k, 10, {1, 1}, {16, 16}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
    a.split_k = -1;
    C::Op::Operation::make_plan(a);
    return a.plan.split.partial_sums;
}

TEST(BackwardWeightProblems, AutomaticSplitsFillTheDeviceWithoutTinyParts)
{
    EXPECT_EQ(splits(1, 10), 1); // 8 slices of 32 pixels
    const index_t compute_units = compute_unit_count();
    ASSERT_GE(compute_units, 1);
    if(compute_units >= 2) // 256 slices in one workgroup: worth sharing
    {
        EXPECT_GE(splits(32, 10), 2);
        EXPECT_LE(splits(32, 10), 256);
    }
    EXPECT_EQ(splits(32, tuning.block_tile.m * compute_units), 1); // tiles enough
}

TEST(BackwardWeightProblems, SplitOfZeroIsOnePart)
{
    Plain::Op op;
    Tensors<Plain> t(problem(1, 3, 4, 5), channels_last);
    const auto zero = t.argument(0), one = t.argument(1);
    EXPECT_EQ(zero.plan.split.partial_sums, 1);
    EXPECT_EQ(op.GetWorkSpaceSize(&zero), op.GetWorkSpaceSize(&one));
    EXPECT_TRUE(op.IsSupportedArgument(&zero)) << op.WhyNotSupported(&zero);
    op.MakeInvokerPointer()->Run(&zero);
    EXPECT_EQ(differences(t.w.result(), t.expected()), 0u);
}
TEST(BackwardWeightProblems, RefusesOtherSplits)
{
    Plain::Op op;
    Tensors<Plain> t(problem(1, 1, 3, 3), channels_last);
    for(const index_t split : {-2, std::numeric_limits<index_t>::lowest()})
    {
        const auto argument = t.argument(split);
        EXPECT_EQ(op.WhyNotSupported(&argument),
                  "split_k is " + std::to_string(split) +
                      ", but must be at least 1 (0 counts as 1), or -1 for an automatic choice");
        EXPECT_FALSE(op.IsSupportedArgument(&argument));
        EXPECT_EQ(op.GetWorkSpaceSize(&argument), 0u);
        EXPECT_THROW(op.MakeInvokerPointer()->Run(&argument), std::runtime_error);
    }
}

/// Clients of Composable Kernel run a second argument without its workspace.
TEST(BackwardWeightProblems, WithoutAWorkspaceComputesOnePartAndSaysSo)
{
    Plain::Op op;
    testing::internal::CaptureStderr();
    for(const index_t g : {1, 6})
    {
        Tensors<Plain> t(problem(g, 3, 4, 5), channels_last);
        const auto argument = t.argument(2);
        EXPECT_GT(op.GetWorkSpaceSize(&argument), 0u);
        EXPECT_EQ(op.WhyNotSupported(&argument), "");
        op.MakeInvokerPointer()->Run(&argument);
        EXPECT_EQ(differences(t.w.result(), t.expected()), 0u);
    }
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("without a workspace"), std::string::npos);
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
}
TEST(BackwardWeightProblems, RefusesWhatOnlyAWorkspaceAllows)
{
    Plain::Op op;
    Tensors<Plain> t(problem(1, 3, 4, 5), taps_last);
    const auto argument   = t.argument(2);
    const std::string why = op.WhyNotSupported(&argument);
    EXPECT_NE(why.find("no workspace"), std::string::npos) << why;
    EXPECT_NE(why.find(std::to_string(op.GetWorkSpaceSize(&argument))), std::string::npos) << why;
    EXPECT_THROW(op.MakeInvokerPointer()->Run(&argument), std::runtime_error);
}

/// What is asked of a problem may be asked without its tensors.
TEST(BackwardWeightProblems, AnswersWithoutPointers)
{
    Plain::Op op;
    Tensors<Plain> t(problem(2, 3, 40, 50), channels_last);
    auto argument = t.argument(2);
    argument.a = nullptr, argument.b = nullptr, argument.c = nullptr;
    EXPECT_EQ(op.WhyNotSupported(&argument), "");
    alignas(16) int no_workspace = 0;
    op.SetWorkSpacePointer(&argument, &no_workspace);
    EXPECT_EQ(op.WhyNotSupported(&argument), "");
}

} // namespace
} // namespace ck::test
