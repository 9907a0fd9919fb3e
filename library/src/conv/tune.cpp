// Measures candidates in turns and saves the winners.
#include "ck/tune.hpp"

#include "conv/prepared.hpp"
#include "conv/tune_buffers.hpp"
#include "conv/tune_contest.hpp"
#include "conv/tuning_file.hpp"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

namespace ck {

namespace {

using namespace conv;
using Clock = std::chrono::steady_clock;

#if defined(CK_RUNTIME_HOST)
constexpr measure::Rounds rounds_of_one{.count = 3};
constexpr double load_seconds = 0;
#else
constexpr measure::Rounds rounds_of_one{.count = 7, .warm_up = .02};
constexpr double load_seconds = .02; // before the first looks, so that clocks rise
#endif

using PreparedPlan = std::shared_ptr<const ConvPlan::Prepared>;

/// The candidates: the predicted choice, then the others in the order of their predictions, then
/// those without a model.
std::vector<PreparedPlan>
candidates(const PreparedPlan& predicted, const TuneOptions& options, std::size_t& left_out)
{
    std::vector<Candidate> all = candidates_of(predicted->resolved, predicted->spec, options.plan);
    double best                = 0;
    for(const Candidate& c : all)
        if(c.predicted > 0 && (best == 0 || c.predicted < best))
            best = c.predicted;
    const auto order = [](const Candidate& c) {
        return c.predicted > 0 ? c.predicted : std::numeric_limits<double>::infinity();
    };
    std::vector<std::size_t> numbers(all.size()); // std::stable_sort() warns with clang 19
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::sort(numbers.begin(), numbers.end(), [&](std::size_t x, std::size_t y) {
        return std::pair(order(all[x]), x) < std::pair(order(all[y]), y);
    });
    std::vector<PreparedPlan> r{predicted};
    for(const std::size_t number : numbers)
    {
        const Candidate& c = all[number];
        // If a kernel wants too large a workspace, it is asked whether it supports less.
        const bool is_possible = c.why_not.empty() || c.workspace > 0;
        if(!is_possible || c.kernel == predicted->work.kernel->name)
            continue;
        if(c.predicted > options.slower * best)
        {
            ++left_out;
            continue;
        }
        try
        {
            PreparedPlan one = prepare(predicted->spec, options.plan, c.kernel);
            if(one->workspace <= workspace_limit(one->resolved, options.plan))
                r.push_back(std::move(one));
        }
        catch(const Refused&)
        {}
    }
    return r;
}

/// Empty if the spec's winner is known already.
std::vector<PreparedPlan> to_measure(TuneResult& r, const TuneOptions& options)
{
    if(r.spec.quantization.enabled)
        throw Refused("ck::tune: quantization.enabled is true, but kernels of quantized "
                      "convolutions are not measured: plans choose by predicted time");
    const auto known  = tuned(r.spec, options.plan);
    PreparedPlan plan = prepare(r.spec, options.plan, "", known);
    if(!plan->tuned)
        return candidates(plan, options, r.left_out);
    if(options.again || known->missed > 0)
        return candidates(prepare(r.spec, options.plan), options, r.left_out);
    r.kernel       = known->kernel;
    r.microseconds = known->microseconds;
    r.measured     = static_cast<std::size_t>(known->measured);
    r.stored       = known->from == tuning_database();
    r.was_known    = true;
    for(std::size_t at = 0; at < known->wrong.size();)
    {
        const std::size_t end = std::min(known->wrong.find('\n', at), known->wrong.size());
        r.wrong.push_back({known->wrong.substr(at, end - at), ""});
        at = end + 1;
    }
    return {};
}

void load(const measure::Launch& launch)
{
    const auto end = Clock::now() + std::chrono::duration<double>(load_seconds);
    while(Clock::now() < end)
        measure::Replay(1, launch).time();
}

/// One name on each line.
std::string names_of(const std::vector<WrongKernel>& wrong)
{
    std::string names;
    for(const WrongKernel& w : wrong)
        names += (names.empty() ? "" : "\n") + w.kernel;
    return names;
}

void measure_spec(TuneResult& result,
                  const std::vector<PreparedPlan>& plans,
                  const TuneOptions& options,
                  Clock::time_point until)
{
    TuneBuffers buffers(*plans.front());
    for(const PreparedPlan& plan : plans)
        buffers.require_workspace(plan->workspace);
    std::vector<Contestant> all;
    for(const PreparedPlan& plan : plans)
        all.push_back(
            {plan->work.kernel->name, [run = ConvPlan(plan), &buffers](int i, hipStream_t stream) {
                 run.run(buffers.set(i, run.workspace_size(), stream));
             }});
    load(all.front().launch);
    measure::Rounds rounds = rounds_of_one;
    rounds.until           = until;
    choose_fastest(result, *plans.front(), std::move(all), buffers, rounds);
    result.stored = keep_tuned(result.spec,
                               options.plan,
                               {result.kernel,
                                result.microseconds,
                                static_cast<long long>(result.measured),
                                static_cast<long long>(result.missed),
                                {},
                                names_of(result.wrong)});
    clear_plan_cache();
}

void print(const TuneProgress& p)
{
    if(p.result != nullptr)
        std::fprintf(stderr, "ck::tune: %s\n", to_string(p).c_str());
}

void check(const TuneOptions& o)
{
    if(!has_tuning_files())
        throw Refused("ck::tune: this library was built without SQLite, which keeps what is "
                      "measured (Debian: libsqlite3-dev)");
    if(!(o.seconds >= 0 && o.seconds < 1e9))
        throw Refused("ck::TuneOptions: seconds is " + std::to_string(o.seconds) +
                      ", but must be from 0 to 1e9");
    if(!(o.slower >= 1))
        throw Refused("ck::TuneOptions: slower is " + std::to_string(o.slower) +
                      ", but must be at least 1");
    if(o.plan.batch_invariant)
        throw Refused("ck::TuneOptions: plan.batch_invariant is true, but a batch-invariant plan "
                      "takes the same kernel for all batches, not the fastest of one");
}

/// The remaining time, shared by the remaining specs.
class Budget
{
public:
    explicit Budget(double seconds)
        : end_(Clock::now() +
               std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)))
    {}
    bool is_spent() const { return Clock::now() >= end_; }
    Clock::time_point until(std::size_t specs) const
    {
        const auto now = Clock::now();
        return now + (end_ - now) / static_cast<long>(specs);
    }

private:
    Clock::time_point end_;
};

} // namespace

std::string to_string(const TuneProgress& p)
{
    if(p.result == nullptr)
        return "";
    const TuneResult& r = *p.result;
    std::string s =
        std::to_string(p.done) + " of " + std::to_string(p.all) + ": " + to_string(r.spec) + ": ";
    if(r.kernel.empty())
        return s + r.why;
    char times[64];
    std::snprintf(times, sizeof times, " %.1f us", r.microseconds);
    s += r.kernel + times;
    std::string wrong;
    for(const WrongKernel& w : r.wrong)
        wrong += "; wrong, and kept out: " + w.kernel + (w.why.empty() ? "" : ": " + w.why);
    if(r.was_known)
        return s + ", known already" + wrong;
    std::snprintf(times, sizeof times, ", predicted choice %.1f us", r.predicted_for);
    return s + (r.predicted_for > 0 ? times : "") + "; measured " + std::to_string(r.measured) +
           ", left out " + std::to_string(r.left_out) +
           (r.missed > 0 ? ", missed " + std::to_string(r.missed) : "") + wrong;
}

std::vector<TuneResult> tune(const std::vector<ConvSpec>& specs, const TuneOptions& options)
{
    check(options);
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    const Budget budget(options.seconds);
    const auto say = options.progress ? options.progress : print;
    std::vector<TuneResult> results(specs.size());
    for(std::size_t i = 0; i < specs.size(); ++i)
    {
        TuneResult& r     = results[i];
        r.spec            = specs[i];
        const auto or_why = [&](const auto& f) {
            try
            {
                f();
            }
            catch(const std::exception& e)
            {
                r.why = e.what();
            }
        };
        std::vector<PreparedPlan> plans;
        or_why([&] { plans = to_measure(r, options); });
        say({i, specs.size(), &r.spec, plans.size(), i > 0 ? &results[i - 1] : nullptr});
        if(!plans.empty() && budget.is_spent())
            r.why = measure::time_is_up;
        else if(!plans.empty())
            or_why([&] { measure_spec(r, plans, options, budget.until(specs.size() - i)); });
    }
    if(!specs.empty())
        say({specs.size(), specs.size(), nullptr, 0, &results.back()});
    return results;
}

} // namespace ck
