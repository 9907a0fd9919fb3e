// Choosing the kernel of a plan.
#include "ck/host_utility/environment.hpp"
#include "ck/host_utility/hip_check_error.hpp"

#include "conv/name_rule.hpp"
#include "conv/prepared.hpp"
#include <cstdio>

namespace ck::conv {

namespace {

using namespace tensor_operation::device::instance;

struct Choice
{
    const ConvKernel* kernel = nullptr;
    std::size_t workspace    = 0;
    index_t split_k          = -1;
};

/// The argument that kernels are asked about: at addresses that hold for all others. Null ones do
/// where they are at multiples of 16.
ConvArgument asked(const Resolved& resolved, std::size_t alignment)
{
    Addresses at{};
    if(alignment < 16)
        at = stand_in_addresses(resolved, alignment, false, 0);
    at[slot_workspace] = 16; // only asked about
    return resolved.argument(at);
}

/// With the workspace that it wants; if that is too much, with the parts of one sum in turn; if
/// that is, too, without.
Choice
choose(const Resolved& resolved, const ConvSpec& spec, const PlanOptions& o, const NameRule& rule)
{
    ConvArgument argument = asked(resolved, spec.alignment);
    const auto select     = [&]() -> Choice {
        const auto may = [&](const ConvKernel& kernel) {
            return (rule.any() || rule.why_not(kernel.name).empty()) &&
                   (!o.workspace_limit || argument.workspace == nullptr ||
                    kernel.workspace_size(argument) <= *o.workspace_limit);
        };
        const ConvKernel* const kernel = select_kernel(resolved.family, argument, may);
        return {kernel,
                kernel == nullptr || argument.workspace == nullptr
                        ? 0
                        : kernel->workspace_size(argument),
                argument.split_k};
    };
    Choice choice = select();
    if(choice.kernel != nullptr || !o.workspace_limit)
        return choice;
    if(resolved.sizes.direction == Direction::backward_weight)
    {
        argument.split_k = 1;
        choice           = select();
        if(choice.kernel != nullptr)
            return choice;
    }
    argument.workspace = nullptr;
    return select();
}

} // namespace

int current_device()
{
    int device = 0;
    HIP_CHECK_ERROR(hipGetDevice(&device));
    return device;
}

std::vector<Candidate> candidates_of(const Resolved& resolved,
                                     const ConvSpec& spec,
                                     const PlanOptions& options,
                                     const std::string& kernel)
{
    const NameRule rule(options, kernel);
    const ConvArgument argument = asked(resolved, spec.alignment);
    std::vector<Candidate> all;
    for(const ConvKernel& k : kernels_of(resolved.family))
    {
        Candidate c{k.name, k.supports(argument).reason, 0, 0};
        if(c.why_not.empty())
        {
            c.why_not   = rule.why_not(k.name);
            c.predicted = k.predict(argument);
            c.workspace = k.workspace_size(argument);
            if(c.why_not.empty() && options.workspace_limit &&
               c.workspace > *options.workspace_limit)
                c.why_not = "it wants " + std::to_string(c.workspace) +
                            " bytes of workspace, but PlanOptions::workspace_limit is " +
                            std::to_string(*options.workspace_limit);
        }
        all.push_back(std::move(c));
    }
    return all;
}

std::shared_ptr<const ConvPlan::Prepared> prepare(const ConvSpec& spec,
                                                  const PlanOptions& options,
                                                  const std::string& kernel,
                                                  std::optional<Tuned> winner)
{
    auto p      = std::make_shared<ConvPlan::Prepared>();
    p->spec     = spec;
    p->options  = options;
    p->resolved = resolve(spec);
    p->device   = current_device();
    const NameRule rule(options, kernel);
    Choice choice;
    if(winner)
        choice = choose(p->resolved, spec, options, NameRule(options, winner->kernel));
    if(choice.kernel != nullptr)
        p->tuned = std::move(winner);
    else
        choice = choose(p->resolved, spec, options, rule);
    if(choice.kernel == nullptr)
    {
        std::string reason = why_no_kernels(p->resolved.family);
        const auto all     = candidates_of(p->resolved, spec, options, kernel);
        if(reason.empty())
        {
            reason = "no kernel computes this";
            for(const Candidate& c : all)
                reason += "\n  " + c.kernel + ": " + c.why_not;
        }
        throw Refused(to_string(spec) + ": " + reason, all);
    }
    p->kernel    = choice.kernel;
    p->workspace = choice.workspace;
    p->split_k   = choice.split_k;
    p->packed =
        pack_launches(*p->kernel, p->resolved, spec.alignment, p->split_k, p->workspace > 0);
    p->resolved.uses[slot_workspace] = {p->workspace > 0, p->workspace};
    if(environment_enables("CK_LOGGING"))
        std::printf("%s", ConvPlan(p).explain().c_str());
    return p;
}

} // namespace ck::conv
