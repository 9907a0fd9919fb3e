// Rounds, first looks, and the choice of those that are timed after them.
#include "utility/contest.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>

namespace ck::measure {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

#if defined(CK_RUNTIME_HOST)
constexpr int few_launches = 1, least_launches = 1;
#else
constexpr int few_launches = 5, least_launches = 3;
#endif
constexpr double slow_ms = 50; ///< one launch of this length is enough for a first look

double median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

Timing no_time(const std::string& why) { return {none, none, none, why}; }

/// Milliseconds of one of a few launches, after a first one that may load the kernel.
double first_look(const Launch& launch)
{
    const double once = Replay(1, launch).time();
    if(few_launches == 1 || once > slow_ms)
        return once;
    return Replay(few_launches, launch).time();
}

struct Looks
{
    std::vector<double> ms; ///< NaN for those that do not run
    std::vector<std::string> errors;
};

bool is_over(const Rounds& rounds)
{
    return rounds.until && std::chrono::steady_clock::now() >= *rounds.until;
}

Looks first_looks(const std::vector<Launch>& all, const Rounds& rounds)
{
    Looks looks{std::vector<double>(all.size(), none), std::vector<std::string>(all.size())};
    for(std::size_t i = 0; i < all.size(); ++i)
        try
        {
            if(is_over(rounds))
                throw std::runtime_error(time_is_up);
            looks.ms[i] = first_look(all[i]);
        }
        catch(const std::exception& e)
        {
            looks.errors[i] = *e.what() != '\0' ? e.what() : "it does not run";
        }
    return looks;
}

int launches_of(double ms, const Rounds& rounds)
{
    constexpr int most = 200;
    return ms * most <= rounds.ms ? most
                                  : std::max(static_cast<int>(rounds.ms / ms), least_launches);
}

class WarmUp
{
public:
    explicit WarmUp(double seconds) : seconds_(seconds) {}
    bool goes_on() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() <
               seconds_;
    }

private:
    double seconds_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// One of several ways to compute the same result.
struct Contender
{
    std::size_t number;
    double ms; ///< from a first look
    std::unique_ptr<Replay> replay{};
    std::vector<double> times{};

    /// Milliseconds for a launch, from the later half of `times`.
    double settled() const
    {
        return median({times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end()});
    }
};

/// Those that a first look cannot distinguish from the fastest: within 5 %, at most four.
std::vector<Contender> closest(const std::vector<double>& ms)
{
    std::vector<Contender> all;
    for(std::size_t i = 0; i < ms.size(); ++i)
        if(!std::isnan(ms[i]))
            all.push_back({i, ms[i]});
    std::sort(
        all.begin(), all.end(), [](const Contender& a, const Contender& b) { return a.ms < b.ms; });
    while(all.size() > 4 || (!all.empty() && all.back().ms > 1.05 * all.front().ms))
        all.pop_back();
    return all;
}

/// The fastest one at the end.
Contender& fastest(std::vector<Contender>& all)
{
    return *std::min_element(all.begin(), all.end(), [](const Contender& a, const Contender& b) {
        return a.settled() < b.settled();
    });
}

} // namespace

Timing timing_of(std::vector<double> rounds)
{
    const auto [low, high] = std::minmax_element(rounds.begin(), rounds.end());
    const double least = *low, most = *high;
    return {median(std::move(rounds)), least, most, ""};
}

std::vector<Timing> time_each(const std::vector<Launch>& all, const Rounds& rounds)
{
    Looks looks = first_looks(all, rounds);
    std::vector<std::unique_ptr<Replay>> replays(all.size());
    std::vector<std::vector<double>> times(all.size());
    // One that fails is dropped; the others continue.
    const auto each = [&](const auto& f) {
        for(std::size_t i = 0; i < all.size(); ++i)
            if(looks.errors[i].empty())
                try
                {
                    f(i);
                }
                catch(const std::exception& e)
                {
                    looks.errors[i] = e.what();
                }
    };
    each([&](std::size_t i) {
        replays[i] = std::make_unique<Replay>(launches_of(looks.ms[i], rounds), all[i]);
    });
    for(const WarmUp warm_up(rounds.warm_up); warm_up.goes_on();)
        each([&](std::size_t i) { replays[i]->time(); });
    for(int round = 0; round < rounds.count; ++round)
        each([&](std::size_t i) { times[i].push_back(replays[i]->time()); });
    std::vector<Timing> timings;
    for(std::size_t i = 0; i < all.size(); ++i)
        timings.push_back(looks.errors[i].empty() ? timing_of(std::move(times[i]))
                                                  : no_time(looks.errors[i]));
    return timings;
}

Contest hold_contest(const std::vector<Launch>& ours,
                     const std::vector<Launch>& theirs,
                     std::optional<std::size_t> rule,
                     const Rounds& rounds)
{
    const Looks our_looks = first_looks(ours, rounds), their_looks = first_looks(theirs, rounds);
    std::vector<Contender> us = closest(our_looks.ms), them = closest(their_looks.ms);
    if(us.empty())
        throw std::runtime_error("none of ours runs" +
                                 (our_looks.errors.empty() ? "" : ": " + our_looks.errors[0]));
    for(const auto& [side, launch] : {std::pair{&us, &ours}, std::pair{&them, &theirs}})
        for(Contender& c : *side)
            c.replay = std::make_unique<Replay>(launches_of(side->front().ms, rounds),
                                                (*launch)[c.number]);
    const WarmUp warm_up(rounds.warm_up);
    for(int round = 0; round == 0 || ((round < 4 || warm_up.goes_on()) && !is_over(rounds));
        ++round)
        for(std::vector<Contender>* const side : {&us, &them})
            for(Contender& c : *side)
                c.times.push_back(c.replay->time());

    Contender& best        = fastest(us);
    Contender* const rival = them.empty() ? nullptr : &fastest(them);
    const std::string why_no_rule =
        rule ? our_looks.errors.at(*rule) : "the predicted choice is not among these";
    std::unique_ptr<Replay> of_rule;
    if(why_no_rule.empty() && *rule != best.number)
        of_rule =
            std::make_unique<Replay>(launches_of(our_looks.ms.at(*rule), rounds), ours.at(*rule));
    std::vector<double> of_ours, of_theirs, of_rules, ratios;
    for(int round = 0; round == 0 || (round < rounds.count && !is_over(rounds)); ++round)
    {
        of_ours.push_back(best.replay->time());
        of_rules.push_back(of_rule ? of_rule->time() : of_ours.back());
        if(rival == nullptr)
            continue;
        of_theirs.push_back(rival->replay->time());
        ratios.push_back(of_theirs.back() / of_ours.back());
    }
    Contest result;
    result.ours       = best.number;
    result.time       = timing_of(std::move(of_ours));
    result.rule_time  = why_no_rule.empty() ? timing_of(std::move(of_rules)) : no_time(why_no_rule);
    result.rival_time = result.ratio = no_time("no way of the rival runs");
    if(rival != nullptr)
    {
        result.theirs     = rival->number;
        result.rival_time = timing_of(std::move(of_theirs));
        result.ratio      = timing_of(std::move(ratios));
    }
    for(std::size_t i = 0; i < ours.size(); ++i)
        result.first_looks.push_back(our_looks.errors[i].empty() ? timing_of({our_looks.ms[i]})
                                                                 : no_time(our_looks.errors[i]));
    result.left_out = their_looks.errors;
    return result;
}

} // namespace ck::measure
