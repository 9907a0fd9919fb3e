// Eight threads that plan, tune, read and write the database, empty the cache and make plans of
// texts at a time. The thread sanitizer watches them in script/test host-threads.
#include "conv/prepared.hpp"
#include "conv/tuning_folder.hpp"
#include <latch>
#include <random>
#include <set>
#include <thread>

namespace ck::conv_test {
namespace {

constexpr std::size_t threads = 8;

/// Few, so that threads meet at the same ones.
ConvSpec spec_number(std::size_t i)
{
    return {.direction = static_cast<Direction>(i % 3),
            .type      = DataType::f16,
            .n         = 1 + static_cast<long_index_t>(i / 3),
            .k         = 8,
            .c         = 8,
            .input     = {5},
            .filter    = {3},
            .pads      = {{1, 1}}};
}

/// Calls f(thread), in threads that begin together.
template <class F>
void in_threads(const F& f)
{
    std::latch begin(threads);
    std::vector<std::thread> all;
    for(std::size_t t = 0; t < threads; ++t)
        all.emplace_back([&, t] {
            begin.arrive_and_wait();
            f(t);
        });
    for(std::thread& thread : all)
        thread.join();
}

} // namespace

class TuningInThreads : public TuningFolder
{
protected:
    static constexpr std::size_t specs = 6;

    TuningInThreads()
    {
        for(std::size_t i = 0; i < specs; ++i)
            for(const Candidate& c :
                conv::candidates_of(conv::resolve(spec_number(i)), spec_number(i), PlanOptions{}))
                if(c.why_not.empty())
                    kernels_[i].insert(c.kernel);
        begin_anew();
    }

    /// Whether the plan has one of the spec's kernels, also after it was made a text.
    bool is_sound(std::size_t i, const ConvPlan& p) const
    {
        const ConvPlan again = deserialize(p.serialize());
        return kernels_[i].contains(p.kernel()) && again.kernel() == p.kernel() &&
               again.spec() == p.spec() && !p.explain().empty();
    }
    bool is_right(std::size_t i, const ConvPlan& p) const
    {
        return Convolution(spec_number(i), static_cast<unsigned>(i)).mistakes(p) == 0;
    }
    bool keep(std::size_t i, std::mt19937& random) const
    {
        auto winner = kernels_[i].begin();
        std::advance(winner, random() % kernels_[i].size());
        return conv::keep_tuned(spec_number(i), {}, {*winner, 1.0 + static_cast<double>(i), 2, 0});
    }

    std::set<std::string> kernels_[specs];
};

TEST_F(TuningInThreads, AllAtATime)
{
    if(!conv::has_tuning_files())
        GTEST_SKIP() << "the library was built without SQLite";
    std::atomic<int> wrong{0}, calls{0};
    const auto require = [&](bool right) {
        ++calls;
        wrong += right ? 0 : 1;
    };
    in_threads([&](std::size_t thread) {
        std::mt19937 random(static_cast<unsigned>(thread));
        for(int step = 0; step < 120; ++step)
        {
            const std::size_t i = random() % specs;
            switch(random() % 10)
            {
            case 0:
                require(keep(i, random));
                break;
            case 1:
                clear_plan_cache();
                break;
            case 2:
                conv::forget_tuned();
                break; // the database is read again
            case 3:
                try
                {
                    deserialize("no plan");
                    require(false);
                }
                catch(const Refused&)
                {
                    require(true);
                }
                break;
            case 4: {
                const PlanOptions without{.forbid = exactly(*kernels_[i].begin())};
                try
                {
                    require(plan(spec_number(i), without).kernel() != *kernels_[i].begin());
                }
                catch(const Refused&)
                {
                    require(kernels_[i].size() == 1);
                }
                break;
            }
            case 5:
                require(plan_cache_size() <= 2 * specs && tuning_database() == path_);
                break;
            case 6:
                require(is_right(i, plan(spec_number(i))));
                break;
            default:
                require(is_sound(i, plan(spec_number(i))));
            }
        }
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(calls, 500);
    EXPECT_EQ(files(), std::vector<std::string>{"tuning.sqlite3"});
}

TEST_F(TuningInThreads, TuneAndPlan)
{
    if(!conv::has_tuning_files())
        GTEST_SKIP() << "the library was built without SQLite";
    std::atomic<int> wrong{0};
    in_threads([&](std::size_t thread) {
        const std::size_t i = thread % specs;
        if(thread < 3)
        {
            const TuneResult r = tune({spec_number(i)}, quiet())[0];
            wrong += kernels_[i].contains(r.kernel) && r.stored ? 0 : 1;
        }
        else
            for(int step = 0; step < 20; ++step)
                wrong +=
                    is_sound(i, plan(spec_number(i))) && is_right(i, plan(spec_number(i))) ? 0 : 1;
    });
    EXPECT_EQ(wrong, 0);
    for(std::size_t i = 0; i < 3; ++i)
        EXPECT_NE(plan(spec_number(i)).explain().find("measured"), std::string::npos) << i;
}

} // namespace ck::conv_test
