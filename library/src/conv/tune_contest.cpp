// Runs contests until the winner's numbers are correct.
#include "conv/tune_contest.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

namespace ck::conv {

namespace {

/// The number of terms in the longest sum for one element of the result.
double terms_of(const Sizes& sizes)
{
    double terms = std::numeric_limits<double>::max();
    for(const Slot slot : {slot_x, slot_w, slot_y})
        if(slot != sizes.result())
        {
            double elements             = 1;
            const TensorLengths lengths = sizes.lengths(slot);
            for(const auto length : lengths)
                elements *= static_cast<double>(length);
            terms = std::min(terms, elements);
        }
    return terms;
}

std::string number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

/// The launch's result for small integers.
std::vector<double> numbers_of(const measure::Launch& launch, TuneBuffers& buffers)
{
    buffers.fill(true);
    launch(0, nullptr);
    return buffers.result();
}

} // namespace

AllowedDifference::AllowedDifference(const ConvPlan::Prepared& plan)
{
    if(plan.spec.epilogue == Epilogue{} && plan.spec.beta == 0)
        return;
    const auto result          = plan.resolved.sizes.result();
    const auto& type           = measure::number_type(name(type_of(plan.spec, result)));
    constexpr double in_floats = 0x1p-20; // exp() and tanh() of activations
    const double unit          = type.integer ? 0 : type.unit_roundoff;
    const double sums          = 8 * std::sqrt(terms_of(plan.resolved.sizes)) *
                        std::max(1., std::abs(static_cast<double>(plan.spec.epilogue.scale)));
    relative_ = unit + in_floats;
    absolute_ = type.integer ? 1 : 4 * (unit + in_floats) * (sums + 3);
}

double AllowedDifference::between(double one, double other) const
{
    return relative_ * (std::abs(one) + std::abs(other)) + absolute_;
}

std::string difference(const std::vector<double>& first,
                       const std::vector<double>& other,
                       const AllowedDifference& allowed)
{
    std::size_t count = 0, where = 0;
    for(std::size_t i = 0; i < first.size(); ++i)
        if(!(first[i] == other[i] ||
             std::abs(first[i] - other[i]) <= allowed.between(first[i], other[i])))
            if(count++ == 0)
                where = i;
    if(count == 0)
        return "";
    return "element " + std::to_string(where) + " is " + number(other[where]) + ", not " +
           number(first[where]) + "; " + std::to_string(count) + " of " +
           std::to_string(first.size()) + " differ";
}

void choose_fastest(TuneResult& result,
                    const ConvPlan::Prepared& predicted,
                    std::vector<Contestant> all,
                    TuneBuffers& buffers,
                    const measure::Rounds& rounds)
{
    constexpr double us = 1000; // in a millisecond
    std::vector<double> right;  // the reference's
    std::size_t reference = 0;
    for(bool is_first = true;; is_first = false)
    {
        std::vector<measure::Launch> launches;
        for(const Contestant& c : all)
            launches.push_back(c.launch);
        measure::Contest contest;
        try
        {
            contest = measure::hold_contest(launches, {}, 0, rounds);
        }
        catch(const std::runtime_error&)
        {
            if(is_first)
                throw;
            return; // time is up: the reference stands, with its time in the first contest
        }
        if(is_first)
        {
            for(const measure::Timing& look : contest.first_looks)
                if(look.ok())
                    ++result.measured;
                else if(look.error == measure::time_is_up)
                    ++result.missed;
            while(!contest.first_looks[reference].ok()) // hold_contest() throws if there is none
                ++reference;
            const bool is_timed = reference == 0 && contest.rule_time.ok();
            result.kernel       = all[reference].kernel;
            result.microseconds =
                us * (is_timed ? contest.rule_time.median : contest.first_looks[reference].median);
            result.predicted_for = contest.rule_time.ok() ? us * contest.rule_time.median : 0;
        }
        // If the two cannot be distinguished, the prediction stands.
        const bool predicted_wins =
            contest.rule_time.ok() && contest.rule_time.median <= contest.time.median;
        const std::size_t winner = predicted_wins ? 0 : contest.ours;
        if(winner != reference)
        {
            if(right.empty())
                right = numbers_of(all[reference].launch, buffers);
            const std::string why = difference(
                right, numbers_of(all[winner].launch, buffers), AllowedDifference(predicted));
            buffers.fill(false);
            if(!why.empty())
            {
                result.wrong.push_back({all[winner].kernel, why});
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(winner));
                if(winner < reference)
                    --reference;
                continue;
            }
        }
        result.kernel       = all[winner].kernel;
        result.microseconds = us * (predicted_wins ? contest.rule_time : contest.time).median;
        if(contest.rule_time.ok())
            result.predicted_for = us * contest.rule_time.median;
        return;
    }
}

} // namespace ck::conv
