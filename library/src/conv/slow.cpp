// Finds faster ways to run the same convolution.
#include "conv/prepared.hpp"
#include <algorithm>
#include <limits>

namespace ck::conv {

namespace {

/// A change to the plan.
struct Way
{
    std::string how;
    ConvSpec spec;
    PlanOptions options;
    double factor;
};

std::vector<Way> ways(const ConvPlan::Prepared& p, double factor)
{
    constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
    std::vector<Way> r;
    if(p.options.workspace_limit != no_limit)
    {
        r.push_back({p.options.workspace_limit
                         ? std::string("without PlanOptions::workspace_limit")
                         : "with a PlanOptions::workspace_limit above the default of " +
                               std::to_string(workspace_limit(p.resolved, p.options)) + " bytes",
                     p.spec,
                     p.options,
                     p.tuned ? factor : std::min(factor, 1.05)});
        r.back().options.workspace_limit = no_limit;
    }
    if(!p.options.allow.empty() || !p.options.forbid.empty())
    {
        r.push_back({"without PlanOptions::allow and forbid", p.spec, p.options, factor});
        r.back().options.allow = r.back().options.forbid = "";
    }
    if(p.options.batch_invariant)
    {
        r.push_back({"without PlanOptions::batch_invariant", p.spec, p.options, factor});
        r.back().options.batch_invariant = false;
    }
    if(p.spec.alignment < 16)
    {
        r.push_back({"with addresses at multiples of 16", p.spec, p.options, factor});
        r.back().spec.alignment = 16;
    }
    if(p.spec.layout != Layout::channels_last)
    {
        r.push_back({"with Layout::channels_last", p.spec, p.options, factor});
        r.back().spec.layout    = Layout::channels_last;
        r.back().spec.x_strides = r.back().spec.w_strides = r.back().spec.y_strides = {};
    }
    return r;
}

} // namespace

std::string slow_path(const ConvPlan::Prepared& p, double factor)
{
    const double own    = predicted_cycles(p);
    const auto in_words = [](double cycles) {
        return std::to_string(static_cast<long long>(cycles)) + " cycles";
    };
    std::string r;
    for(const Way& way : ways(p, factor))
        try
        {
            const auto other    = prepare_quietly(way.spec, way.options);
            const double cycles = predicted_cycles(*other);
            if(cycles > 0 && (own == 0 || own > way.factor * cycles))
                r += "  slow: " +
                     (own > 0 ? in_words(own) + " predicted"
                              : std::string("its time cannot be predicted")) +
                     ", but " + way.how + " " + in_words(cycles) + ", by " +
                     other->work.kernel->name + ", of " + std::to_string(other->workspace) +
                     " bytes of workspace\n";
        }
        catch(const Refused&) // not a way
        {}
    return r;
}

} // namespace ck::conv
