// Measured winners: what tune() keeps, and that plan() takes it.
#include "conv/prepared.hpp"
#include "conv/tuning_file.hpp"
#include "conv/tuning_folder.hpp"
#include "environment.hpp"
#include <atomic>
#include <chrono>
#include <thread>

namespace ck::conv_test {
namespace {

// Whoever runs the tests may have a database: no other case looks at it.
const int no_database = setenv("CK_TUNING_DB", "", 1);

double seconds_since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

class Tune : public TuningFolder
{};

TEST(TuningDatabase, IsWhereTheEnvironmentSays)
{
    ASSERT_EQ(no_database, 0);
    using Value     = std::optional<std::string>;
    const auto with = [](const Value& db, const Value& cache, const Value& home) {
        const test::EnvironmentVariable a("CK_TUNING_DB", db), b("XDG_CACHE_HOME", cache),
            c("HOME", home);
        return tuning_database();
    };
    EXPECT_EQ(with("/a/b", "/c", "/d"), "/a/b");
    EXPECT_EQ(with("", "/c", "/d"), "");
    EXPECT_EQ(with(std::nullopt, "/c", "/d"), "/c/ck_conv/tuning.sqlite3");
    EXPECT_EQ(with(std::nullopt, std::nullopt, "/d"), "/d/.cache/ck_conv/tuning.sqlite3");
    EXPECT_EQ(with(std::nullopt, "relative", "/d"), "/d/.cache/ck_conv/tuning.sqlite3");
    EXPECT_EQ(with(std::nullopt, std::nullopt, std::nullopt), "");
}

TEST_F(Tune, WithoutADatabaseNothingIsMadeAndNothingMeasured)
{
    const ConvSpec spec = spec_of_rank(2);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const ConvPlan p = plan(spec);
    EXPECT_EQ(p.explain().find("measured"), std::string::npos) << p.explain();
    EXPECT_TRUE(files().empty());
}

TEST(TuneProgress, IsALineOfText)
{
    TuneResult r;
    r.spec   = spec_of_rank(1);
    r.kernel = "Xdl<1>", r.microseconds = 12.34, r.measured = 5, r.left_out = 2;
    const auto text         = [&] { return to_string({3, 7, nullptr, 0, &r}); };
    const std::string first = "3 of 7: " + to_string(r.spec) + ": ";
    EXPECT_EQ(text(), first + "Xdl<1> 12.3 us; measured 5, left out 2");
    r.missed = 1;
    EXPECT_EQ(text(), first + "Xdl<1> 12.3 us; measured 5, left out 2, missed 1");
    r.predicted_for = 0.75;
    EXPECT_EQ(text(),
              first + "Xdl<1> 12.3 us, predicted choice 0.8 us; measured 5, left out 2, missed 1");
    r.was_known = true;
    EXPECT_EQ(text(), first + "Xdl<1> 12.3 us, known already");
    r.kernel = "", r.why = "no reason";
    EXPECT_EQ(text(), first + "no reason");
    EXPECT_EQ(to_string({0, 7, &r.spec, 4, nullptr}), "") << "no result as yet";
}

TEST_F(Tune, RefusesWithoutSqlite)
{
    if(!conv::has_tuning_files())
    {
        EXPECT_THROW(tune({spec_of_rank(1)}), Refused);
    }
    else if(has_kernels(spec_of_rank(1)))
    {
        EXPECT_NO_THROW(tune({}, quiet()));
    }
    EXPECT_TRUE(files().empty());
}

TEST_F(Tune, KeepsWinnersThatPlansTakeInAnyProcess)
{
    CK_SKIP_WITHOUT_TUNING();
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
    {
        ConvSpec spec                         = spec_of_rank(2);
        spec.direction                        = direction;
        const std::vector<TuneResult> results = tune({spec}, quiet());
        ASSERT_EQ(results.size(), 1u);
        const TuneResult& r = results[0];
        EXPECT_EQ(r.why, "");
        EXPECT_EQ(r.spec, spec);
        EXPECT_GT(r.microseconds, 0);
        EXPECT_GE(r.predicted_for, r.microseconds);
        EXPECT_GE(r.measured, 1u);
        EXPECT_EQ(r.missed, 0u);
        EXPECT_TRUE(r.stored);
        EXPECT_FALSE(r.was_known);
        EXPECT_TRUE(r.wrong.empty()) << r.wrong[0].kernel << ": " << r.wrong[0].why;
        for(int process = 0; process < 2; ++process)
        {
            const ConvPlan p = plan(spec);
            EXPECT_EQ(p.kernel(), r.kernel);
            EXPECT_NE(p.explain().find("time: measured "), std::string::npos) << p.explain();
            EXPECT_NE(p.explain().find(" us, from " + path_ + "; "), std::string::npos);
            EXPECT_EQ(Convolution(spec).mistakes(p), 0u);
            const TuneResult again = tune({spec}, quiet())[0];
            EXPECT_TRUE(again.was_known);
            EXPECT_TRUE(again.stored);
            EXPECT_EQ(again.kernel, r.kernel);
            EXPECT_EQ(again.microseconds, r.microseconds);
            EXPECT_EQ(again.measured, r.measured);
            begin_anew();
        }
    }
    EXPECT_EQ(files(), std::vector<std::string>{"tuning.sqlite3"});
    TuneOptions again = quiet();
    again.again       = true;
    EXPECT_FALSE(tune({spec_of_rank(2)}, again)[0].was_known);
}

TEST_F(Tune, WinnersGoBeforePredictions)
{
    CK_SKIP_WITHOUT_TUNING();
    ConvSpec spec               = spec_of_rank(2);
    const std::string predicted = plan(spec).kernel(), other = another_kernel(spec);
    ASSERT_NE(other, "");
    EXPECT_TRUE(conv::keep_tuned(spec, {}, {other, 12.345, 2, 0}));
    EXPECT_EQ(plan(spec).kernel(), predicted); // it comes from the cache
    for(int process = 0; process < 2; ++process)
    {
        clear_plan_cache();
        const ConvPlan p = plan(spec);
        EXPECT_EQ(p.kernel(), other);
        EXPECT_NE(p.explain().find("measured 12.3 us, from " + path_), std::string::npos);
        EXPECT_EQ(Convolution(spec).mistakes(p), 0u);
        // The database says nothing of other specs and options.
        EXPECT_EQ(plan(spec, {.workspace_limit = 1 << 20}).kernel(), predicted);
        ConvSpec larger = spec;
        ++larger.n;
        EXPECT_EQ(plan(larger).kernel(), predicted);
        begin_anew();
    }
    // The same spec in other words.
    ConvSpec same = spec_of_rank(1);
    same.pads     = {{0, 0}};
    same.strides = same.dilations = {1};
    ConvSpec defaults             = same;
    defaults.pads                 = {};
    defaults.strides = defaults.dilations = {};
    same.x_type                           = same.type;
    EXPECT_TRUE(conv::keep_tuned(same, {}, {another_kernel(same), 1, 2, 0}));
    EXPECT_NE(plan(defaults).explain().find("measured 1.0 us"), std::string::npos);
}

TEST_F(Tune, RowsOfKernelsThatAreNotThereOrRefuseAreIgnored)
{
    CK_SKIP_WITHOUT_TUNING();
    ConvSpec spec               = spec_of_rank(2);
    spec.c                      = 3; // many kernels refuse it
    const std::string predicted = plan(spec).kernel();
    std::string refuses;
    for(const Candidate& c : conv::candidates_of(conv::resolve(spec), spec, {}))
        if(!c.why_not.empty())
            refuses = c.kernel;
    ASSERT_NE(refuses, "");
    for(const std::string& kernel : {refuses, std::string("Xdl<no such kernel>")})
    {
        conv::keep_tuned(spec, {}, {kernel, 1, 1, 0});
        begin_anew();
        EXPECT_EQ(plan(spec).kernel(), predicted);
        EXPECT_EQ(plan(spec).explain().find("measured"), std::string::npos);
        EXPECT_FALSE(tune({spec}, quiet())[0].was_known); // it is measured again
    }
}

TEST_F(Tune, OptionsBelongToTheWinner)
{
    CK_SKIP_WITHOUT_TUNING();
    const ConvSpec spec      = spec_of_rank(2);
    TuneOptions options      = quiet();
    const std::string chosen = plan(spec).kernel();
    options.plan.forbid      = exactly(chosen);
    const TuneResult r       = tune({spec}, options)[0];
    ASSERT_NE(r.kernel, "") << r.why;
    EXPECT_NE(r.kernel, chosen);
    begin_anew();
    EXPECT_NE(plan(spec, options.plan).explain().find("measured"), std::string::npos);
    EXPECT_EQ(plan(spec).explain().find("measured"), std::string::npos);
    options.plan.allow = "(";
    EXPECT_NE(tune({spec}, options)[0].why.find("not a regular expression"), std::string::npos);
}

TEST_F(Tune, WhatIsWrongWithASpecIsInItsResult)
{
    CK_SKIP_WITHOUT_TUNING();
    ConvSpec wrong = spec_of_rank(1);
    wrong.groups   = -1;
    const std::vector<ConvSpec> specs{wrong, spec_of_rank(1)};
    std::string log;
    std::size_t calls   = 0;
    TuneOptions options = quiet();
    options.progress    = [&](const TuneProgress& p) {
        ++calls;
        EXPECT_EQ(p.all, 2u);
        EXPECT_EQ(p.spec == nullptr, p.done == p.all);
        EXPECT_EQ(p.result == nullptr, p.done == 0);
        if(p.spec != nullptr)
        {
            EXPECT_EQ(*p.spec, specs[p.done]);
            EXPECT_EQ(p.candidates > 0, p.done == 1) << "the first is wrong";
        }
        if(p.result != nullptr)
        {
            EXPECT_EQ(p.result->spec, specs[p.done - 1]);
        }
        log += to_string(p) + '\n';
    };
    const auto results = tune(specs, options);
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].kernel, "");
    EXPECT_NE(results[0].why.find("-1"), std::string::npos) << results[0].why;
    EXPECT_NE(results[1].kernel, "");
    EXPECT_EQ(calls, 3u);
    EXPECT_NE(log.find("1 of 2: direction=forward"), std::string::npos) << log;
    EXPECT_NE(log.find(results[1].kernel), std::string::npos) << log;
    for(const auto& [seconds, slower] :
        {std::pair{-1., 3.}, {1e9, 3.}, {1., .5}, {NAN, 3.}, {1., NAN}})
    {
        TuneOptions o = quiet(seconds);
        o.slower      = slower;
        EXPECT_THROW(tune({}, o), Refused);
    }
    for(const double seconds : {0., 1e9 - 1})
    {
        TuneOptions o = quiet(seconds);
        o.slower      = 1;
        EXPECT_TRUE(tune({}, o).empty());
    }
    options.progress = [](const TuneProgress&) { throw std::logic_error("enough"); };
    EXPECT_THROW(tune({spec_of_rank(1)}, options), std::logic_error);
}

TEST_F(Tune, LeavesOutWhatPromisesToBeMuchSlower)
{
    CK_SKIP_WITHOUT_TUNING();
    ConvSpec spec        = spec_of_rank(2);
    spec.n               = 16;
    TuneOptions options  = quiet();
    options.again        = true;
    std::size_t modelled = 0, all = 0;
    for(const Candidate& c : conv::candidates_of(conv::resolve(spec), spec, {}))
    {
        all += c.why_not.empty();
        modelled += c.why_not.empty() && c.predicted > 0;
    }
    std::vector<std::size_t> measured;
    for(const double slower : {1., 1e9})
    {
        options.slower     = slower;
        const TuneResult r = tune({spec}, options)[0];
        EXPECT_EQ(r.measured + r.left_out, all);
        measured.push_back(r.measured);
    }
    EXPECT_EQ(measured[1], all);
    if(modelled > 1)
    {
        EXPECT_LT(measured[0], measured[1]);
    }
}

/// A limit that a candidate's workspace exactly meets does not leave it out.
TEST_F(Tune, MeasuresWhatMeetsTheWorkspaceLimit)
{
    CK_SKIP_WITHOUT_TUNING();
    ConvSpec spec       = spec_of_rank(2);
    spec.layout         = Layout::channels_first;
    TuneOptions options = quiet();
    options.again       = true;
    options.slower      = 1e9;
    std::set<std::size_t> workspaces;
    for(const Candidate& c : conv::candidates_of(conv::resolve(spec), spec, {}))
        if(c.why_not.empty() && c.workspace > 0)
            workspaces.insert(c.workspace);
    if(workspaces.empty())
        GTEST_SKIP() << no_kernels;
    std::vector<std::size_t> measured;
    for(const std::size_t less : {0u, 1u})
    {
        options.plan.workspace_limit = *workspaces.begin() - less;
        measured.push_back(tune({spec}, options)[0].measured);
        std::size_t possible = 0;
        for(const Candidate& c : conv::candidates_of(conv::resolve(spec), spec, options.plan))
            possible += c.why_not.empty();
        EXPECT_EQ(measured.back(), possible) << *options.plan.workspace_limit;
    }
    EXPECT_GT(measured[0], measured[1]);
}

/// Not arch::emulated, which asks for the language of this source: it is C++ on GPUs, too.
#if defined(CK_RUNTIME_HOST)
constexpr bool runs_on_host = true;
#else
constexpr bool runs_on_host = false;
#endif

TEST_F(Tune, DoesNothingWithoutTime)
{
    CK_SKIP_WITHOUT_TUNING();
    const auto specs = specs_of_images(1, 3);
    for(const TuneResult& r : tune(specs, quiet(0)))
    {
        EXPECT_EQ(r.kernel, "");
        EXPECT_EQ(r.why, "the time is up");
    }
    EXPECT_TRUE(files().empty());
}

TEST_F(Tune, EndsWithItsTime)
{
    CK_SKIP_WITHOUT_TUNING();
    if(!runs_on_host)
        GTEST_SKIP() << "a GPU's kernels are done before the time is up";
    ConvSpec large = spec_of_rank(2); // seconds for each kernel
    large.n = 12, large.k = large.c = 32, large.input = {28, 28};
    const auto begin   = std::chrono::steady_clock::now();
    const auto results = tune({large, large}, quiet(.2));
    EXPECT_LT(seconds_since(begin), 60);
    EXPECT_GT(results[0].missed, 0u); // even its first kernel takes longer
    EXPECT_EQ(results[0].measured, 1u);
    // What was measured is kept, and measured again with more time.
    EXPECT_TRUE(results[0].stored);
    EXPECT_EQ(plan(large).kernel(), results[0].kernel);
    EXPECT_EQ(results[1].why, "the time is up");
    const TuneResult again = tune({large}, quiet(0))[0];
    EXPECT_FALSE(again.was_known);
    EXPECT_EQ(again.why, "the time is up");
}

TEST_F(Tune, ThreadsMayPlanMeanwhile)
{
    CK_SKIP_WITHOUT_TUNING();
    std::atomic<bool> stop = false;
    std::atomic<int> plans = 0, wrong = 0;
    std::vector<std::thread> threads;
    for(int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for(int i = 0; !stop; ++i)
            {
                ConvSpec spec = spec_of_rank(1);
                spec.n        = 1 + (i + t) % 8;
                wrong += plan(spec).spec() != spec;
                ++plans;
            }
        });
    const auto results = tune(specs_of_images(1, 4), quiet());
    std::thread other([] { tune(specs_of_images(5, 2), quiet()); });
    tune(specs_of_images(7, 2), quiet());
    other.join();
    stop = true;
    for(std::thread& t : threads)
        t.join();
    EXPECT_GT(plans, 0);
    EXPECT_EQ(wrong, 0);
    begin_anew();
    for(const TuneResult& r : tune(specs_of_images(1, 8), quiet(0)))
        EXPECT_TRUE(r.was_known) << r.why;
}

} // namespace ck::conv_test
