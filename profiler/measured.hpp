#pragma once
// What a comparison measured: as a line of text, as means of all, as JSON.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ck::profiler {

/// Of cuDNN where it computes nothing: the ratios are none, either.
inline constexpr double no_time = std::numeric_limits<double>::quiet_NaN();

struct Measured
{
    std::string name, kind, direction, instance;
    double ours, theirs, ratio, least_ratio, most_ratio, tflops, over_floor;
    std::string rule_instance; // what select_kernel() chooses
    double rule_loss;          // more time than the fastest, in parts of it
};

inline void print(const Measured& m)
{
    std::printf("%-30s %-15s ours %8.4f ms  cuDNN %8.4f ms  ratio %5.2f [%.2f, %.2f]  %4.0f TFlops "
                " %5.2f x floor  rule +%.0f%%  %s\n",
                m.name.c_str(),
                m.direction.c_str(),
                m.ours,
                m.theirs,
                m.ratio,
                m.least_ratio,
                m.most_ratio,
                m.tflops,
                m.over_floor,
                100 * m.rule_loss,
                m.instance.c_str());
    std::fflush(stdout);
}

/// Geometric means of the ratios, and the least, of each kind and direction.
inline void print_means(const std::vector<Measured>& all)
{
    struct Sum
    {
        double logs = 0, losses = 0, least = 1e30;
        int count = 0;
    };
    std::map<std::pair<std::string, std::string>, Sum> sums;
    for(const Measured& m : all)
        for(const std::string& kind : std::isnan(m.ratio) ? std::vector<std::string>{"no rival"}
                                                          : std::vector<std::string>{m.kind, "all"})
        {
            Sum& s = sums[{kind, m.direction}];
            s.logs += std::log(m.ratio);
            s.losses += std::log1p(m.rule_loss);
            s.least = std::isnan(m.ratio) ? m.ratio : std::min(s.least, m.ratio);
            ++s.count;
        }
    std::printf("\n%-13s %-15s %8s %10s %6s %19s\n",
                "kind",
                "direction",
                "problems",
                "mean ratio",
                "least",
                "rule's loss");
    for(const auto& [key, s] : sums)
        std::printf("%-13s %-15s %8d %10.2f %6.2f %18.0f%%\n",
                    key.first.c_str(),
                    key.second.c_str(),
                    s.count,
                    std::exp(s.logs / s.count),
                    s.least,
                    100 * std::expm1(s.losses / s.count));
}

inline void
write_json(const std::string& file, const std::string& type, const std::vector<Measured>& all)
{
    nlohmann::json json = nlohmann::json::array();
    for(const Measured& m : all)
        json.push_back({{"problem", m.name},
                        {"type", type},
                        {"kind", m.kind},
                        {"direction", m.direction},
                        {"instance", m.instance},
                        {"ours_ms", m.ours},
                        {"cudnn_ms", m.theirs},
                        {"ratio", m.ratio},
                        {"least_ratio", m.least_ratio},
                        {"most_ratio", m.most_ratio},
                        {"tflops", m.tflops},
                        {"times_over_floor", m.over_floor},
                        {"rule_instance", m.rule_instance},
                        {"rule_loss", m.rule_loss}});
    std::ofstream out(file);
    out << json.dump(1) << '\n';
    if(!out)
        throw std::runtime_error("cannot write " + file);
}

} // namespace ck::profiler
