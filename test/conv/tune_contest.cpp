// Kernels that compute wrong numbers do not win, however fast they are.
#include "conv/tune_contest.hpp"

#include "conv/prepared.hpp"
#include "conv/tuning_folder.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

namespace ck::conv_test {
namespace {

class TuneContest : public TuningFolder
{
protected:
    /// A kernel of the library's; "": the predicted choice.
    conv::Contestant real(const std::string& kernel = "")
    {
        const auto plan = conv::prepare(spec_, {}, kernel);
        buffers().require_workspace(plan->workspace);
        return {plan->work.kernel->name, [this, run = ConvPlan(plan)](int i, hipStream_t stream) {
                    run.run(buffers().set(i, run.workspace_size(), stream));
                }};
    }
    conv::TuneBuffers& buffers()
    {
        if(!buffers_)
            buffers_.emplace(*conv::prepare(spec_, {}));
        return *buffers_;
    }
    TuneResult choose(const std::vector<conv::Contestant>& all)
    {
        TuneResult r;
        r.spec = spec_;
        conv::choose_fastest(r, *conv::prepare(spec_, {}), all, buffers(), {.count = 3});
        return r;
    }

    std::optional<conv::TuneBuffers> buffers_{};
};

/// The fastest of all: it computes nothing.
conv::Contestant lazy(const std::string& name)
{
    return {name, [](int, hipStream_t) {}};
}

TEST_F(TuneContest, TheFastestWithWrongNumbersIsKeptOutAndNamed)
{
    CK_SKIP_WITHOUT_TUNING();
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
    {
        spec_           = spec_of_rank(2);
        spec_.direction = direction;
        buffers_.reset();
        const conv::Contestant predicted = real();
        const TuneResult r               = choose({predicted, lazy("Lazy<1>")});
        EXPECT_EQ(r.kernel, predicted.kernel);
        EXPECT_GT(r.microseconds, 0);
        EXPECT_EQ(r.microseconds, r.predicted_for);
        ASSERT_EQ(r.wrong.size(), 1u);
        EXPECT_EQ(r.wrong[0].kernel, "Lazy<1>");
        EXPECT_NE(r.wrong[0].why.find(" differ"), std::string::npos) << r.wrong[0].why;
        EXPECT_EQ(r.wrong[0].why.find("element "), 0u) << r.wrong[0].why;
        EXPECT_EQ(r.measured, 2u);
    }
}

TEST_F(TuneContest, TheNextWithRightNumbersWins)
{
    CK_SKIP_WITHOUT_TUNING();
    spec_                         = spec_of_rank(2);
    const conv::Contestant first  = real();
    const conv::Contestant second = real(another_kernel(spec_));
    const conv::Contestant slow{first.kernel, [&first](int i, hipStream_t stream) {
                                    for(int n = 0; n < 8; ++n)
                                        first.launch(i, stream);
                                }};
    const conv::Contestant right{"Right", first.launch};
    const TuneResult r = choose({slow, lazy("Lazy<1>"), right, lazy("Lazy<2>")});
    EXPECT_EQ(r.kernel, "Right");
    EXPECT_EQ(r.wrong.size(), 2u);
    EXPECT_LT(r.microseconds, r.predicted_for);
    EXPECT_TRUE(choose({slow, second}).wrong.empty()); // kernels of the library are right
}

TEST_F(TuneContest, OneWrongElementIsEnough)
{
    CK_SKIP_WITHOUT_TUNING();
    const auto plan = conv::prepare(spec_, {});
    const conv::AllowedDifference none(*plan);
    std::vector<double> first(1000, 3), other = first;
    EXPECT_EQ(conv::difference(first, other, none), "");
    other[17] = 4;
    EXPECT_EQ(conv::difference(first, other, none), "element 17 is 4, not 3; 1 of 1000 differ");
    other[17] = std::numeric_limits<double>::quiet_NaN();
    other[18] = 3.0000001;
    EXPECT_EQ(conv::difference(first, other, none), "element 17 is nan, not 3; 2 of 1000 differ");
}

TEST_F(TuneContest, EpiloguesMayRoundInOtherPlaces)
{
    CK_SKIP_WITHOUT_TUNING();
    spec_                     = spec_of_rank(2);
    spec_.epilogue.activation = Activation::silu;
    const auto plan           = conv::prepare(spec_, {});
    const conv::AllowedDifference allowed(*plan);
    EXPECT_GT(allowed.between(4, 4), 0);
    EXPECT_LT(allowed.between(4, 4), 1);
    EXPECT_NE(conv::difference({4}, {0}, allowed), "");
    EXPECT_NE(conv::difference({4}, {-4}, allowed), "");
    EXPECT_EQ(conv::difference({4}, {4 + 1e-6}, allowed), "");
}

/// Twice the rounding of either number, and four times that of a sum whose terms are at most 8.
TEST_F(TuneContest, WhatMayDifferIsAsManyRoundings)
{
    CK_SKIP_WITHOUT_TUNING();
    int compared = 0;
    for(const auto& [type, unit] : {std::pair(DataType::f16, 0x1p-11),
                                    std::pair(DataType::bf16, 0x1p-8),
                                    std::pair(DataType::f32, 0x1p-24)})
        for(const float scale : {1.f, -3.f, .5f})
        {
            ConvSpec spec            = spec_of_rank(2);
            spec.type                = type;
            spec.epilogue.activation = Activation::silu;
            spec.epilogue.scale      = scale;
            if(!has_kernels(spec))
                continue;
            ++compared;
            const auto plan     = conv::prepare(spec, {});
            const auto elements = [&](conv::Slot slot) {
                double count = 1;
                for(const long_index_t length : plan->resolved.sizes.lengths(slot))
                    count *= static_cast<double>(length);
                return count;
            };
            const double terms = std::min(elements(conv::slot_x), elements(conv::slot_w)),
                         each = unit + 0x1p-20, largest = scale == -3 ? 3 : 1;
            const conv::AllowedDifference allowed(*plan);
            EXPECT_NEAR(allowed.between(0, 0) / (4 * each * (8 * std::sqrt(terms) * largest + 3)),
                        1,
                        1e-12);
            EXPECT_NEAR((allowed.between(1, -2) - allowed.between(0, 0)) / (3 * each), 1, 1e-9);
        }
    EXPECT_GT(compared, 0);
}

TEST_F(TuneContest, IntegersMayDifferByOneWithAnEpilogue)
{
    CK_SKIP_WITHOUT_TUNING();
    ConvSpec spec            = spec_of_rank(2);
    spec.type                = DataType::i8;
    spec.epilogue.activation = Activation::relu;
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const conv::AllowedDifference allowed(*conv::prepare(spec, {}));
    EXPECT_EQ(allowed.between(0, 0), 1);
    EXPECT_DOUBLE_EQ(allowed.between(1, 1), 1 + 0x1p-19);
    EXPECT_EQ(conv::difference({4, 100, -7}, {5, 99, -7}, allowed), "");
    EXPECT_EQ(conv::difference({4, 100, -7}, {5, 99, -9}, allowed),
              "element 2 is -9, not -7; 1 of 3 differ");
}

TEST_F(TuneContest, LongerSumsMayDifferByMore)
{
    CK_SKIP_WITHOUT_TUNING();
    spec_                     = spec_of_rank(2);
    spec_.epilogue.activation = Activation::silu;
    const auto allowed        = [&](long_index_t c) {
        spec_.c = c;
        return conv::AllowedDifference(*conv::prepare(spec_, {})).between(0, 0);
    };
    // Beside three units, by the square root: of as many terms as the smaller operand has elements.
    EXPECT_GT(allowed(1024), 3 * allowed(64));
    EXPECT_LT(allowed(1024), 4 * allowed(64));
}

/// The winner of the only contest computes nothing, and for another one there is no time.
TEST_F(TuneContest, WhenTheTimeIsUpTheReferenceStandsWithItsTime)
{
    CK_SKIP_WITHOUT_TUNING();
    spec_                        = spec_of_rank(2);
    const conv::Contestant first = real();
    const conv::Contestant slow{first.kernel, [&first](int i, hipStream_t stream) {
                                    std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                    first.launch(i, stream);
                                }};
    TuneResult r;
    r.spec = spec_;
    conv::choose_fastest(
        r,
        *conv::prepare(spec_, {}),
        {slow, lazy("Lazy<1>")},
        buffers(),
        {.count = 1000000,
         .until = std::chrono::steady_clock::now() + std::chrono::milliseconds(400)});
    EXPECT_EQ(r.kernel, first.kernel);
    ASSERT_EQ(r.wrong.size(), 1u);
    EXPECT_GT(r.microseconds, 2000);
    EXPECT_LT(r.microseconds, 400000);
    EXPECT_EQ(r.microseconds, r.predicted_for);
}

TEST_F(TuneContest, TheFileNamesWrongKernels)
{
    CK_SKIP_WITHOUT_TUNING();
    const std::string kernel = plan(spec_).kernel();
    EXPECT_TRUE(conv::keep_tuned(spec_, {}, {kernel, 1, 2, 0, "", "Lazy<1>\nLazy<2>"}));
    for(int process = 0; process < 2; ++process)
    {
        const TuneResult r = tune({spec_}, quiet())[0];
        EXPECT_TRUE(r.was_known);
        ASSERT_EQ(r.wrong.size(), 2u);
        EXPECT_EQ(r.wrong[0].kernel + ' ' + r.wrong[1].kernel, "Lazy<1> Lazy<2>");
        const std::string line = to_string(TuneProgress{1, 1, nullptr, 0, &r});
        EXPECT_NE(line.find("known already; wrong, and kept out: Lazy<1>; wrong, "), line.npos)
            << line;
        begin_anew();
    }
    EXPECT_NE(content().find("Lazy<2>"), std::string::npos);
}

} // namespace
} // namespace ck::conv_test
