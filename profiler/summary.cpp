// Means by kind of problem.
#include "summary.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>

namespace ck::profiler {

namespace {

/// The geometric mean and the minimum of some ratios.
struct Ratios
{
    double logs = 0, least = std::numeric_limits<double>::infinity();
    int count = 0;

    void add(double ratio)
    {
        logs += std::log(ratio);
        least = std::min(least, ratio);
        ++count;
    }
    double mean() const { return std::exp(logs / count); }
};

} // namespace

void print_summary(const std::deque<Result>& results, std::ostream& out)
{
    using Key = std::pair<std::string, std::string>; // kind, operation
    std::map<Key, Ratios> rules, rivals;
    std::set<std::string> problems;
    for(const Result& r : results)
        for(const std::string& kind : {r.kind, std::string("all")})
        {
            problems.insert(r.problem);
            if(r.rule && !std::isnan(r.rule_loss))
                rules[{kind, r.operation}].add(1 + r.rule_loss);
            if(r.rival && !std::isnan(r.rival->ratio))
                rivals[{kind, r.operation}].add(r.rival->ratio);
        }
    if(problems.size() < 2)
        return;
    const auto print = [&](const char* title, const std::map<Key, Ratios>& all) {
        if(all.empty())
            return;
        out << '\n' << title << '\n';
        for(const auto& [key, ratios] : all)
            out << "  " << std::left << std::setw(13) << key.first << ' ' << std::setw(30)
                << key.second << std::right << std::setw(5) << ratios.count << " problems  mean "
                << std::fixed << std::setprecision(2) << ratios.mean() << "  least " << ratios.least
                << std::defaultfloat << std::setprecision(6) << '\n';
    };
    print("Time of the predicted choice divided by the fastest instance's, geometric means", rules);
    print("Time of the rival divided by ours, geometric means", rivals);
}

} // namespace ck::profiler
