// Chooses the kernel of a plan.
#include "ck/host_utility/environment.hpp"
#include "ck/host_utility/hip_check_error.hpp"

#include "conv/machine.hpp"
#include "conv/name_rule.hpp"
#include "conv/prepared.hpp"
#include "rewrites/rewrites.hpp"
#include "tensor_operation_instance/calibration.hpp"
#include "tensor_operation_instance/reasons.hpp"
#include <algorithm>
#include <cstdio>
#include <limits>

namespace ck::conv {

namespace {

using namespace tensor_operation::device::instance;

constexpr std::size_t no_limit            = std::numeric_limits<std::size_t>::max();
constexpr std::size_t least_default_limit = std::size_t{256} << 20;
/// With less, pieces would be too small to be fast.
constexpr std::size_t least_limit_of_pieces = std::size_t{1} << 20;

struct Choice
{
    const ConvKernel* kernel = nullptr;
    std::size_t workspace    = 0;
    index_t split_k          = -1;
    long_index_t piece_bytes = any_bytes;
};

/// The argument that kernels are asked about, with addresses that represent all others. Null does
/// so for multiples of 16.
ConvArgument asked(const Resolved& resolved, std::size_t alignment)
{
    Addresses at{};
    if(alignment < 16)
        at = slot_addresses(resolved, alignment, false);
    at[slot_workspace] = 16; // never accessed
    return resolved.argument(at);
}

/// Why the plan's sums are not rounded as ConvSpec::beta says; empty if they are.
std::string why_not_rounded(const ConvSpec& spec, const Resolved& resolved, const std::string& name)
{
    const DataType stored = type_of(spec, resolved.sizes.result());
    if(spec.beta == 0 || bytes_of_element(stored) > 2 || !has_separate_epilogue(name))
        return "";
    return std::string("beta is 1 and the result ") + ck::name(stored) +
           ", whose sums are rounded once, but before a separate epilogue they are rounded, too";
}

/// The kernels of a spec that may be used.
struct Selection
{
    const Resolved& resolved;
    const ConvSpec& spec;
    const NameRule& rule;
    const ConvArgument* also = nullptr; ///< a second argument that they must support

    bool may(const ConvKernel& kernel) const
    {
        return (rule.any() || rule.why_not(kernel.name).empty()) &&
               why_not_rounded(spec, resolved, kernel.name).empty() &&
               (also == nullptr || kernel.supports(*also));
    }

    /// The one that is predicted to be the fastest of those that want at most `limit` bytes.
    Choice fastest(const ConvArgument& argument, std::size_t limit) const
    {
        const auto bytes = [&](const ConvKernel& kernel) {
            return argument.workspace == nullptr ? 0 : kernel.workspace_size(argument);
        };
        const ConvKernel* const kernel =
            select_kernel(resolved.family, argument, [&](const ConvKernel& k) {
                return may(k) && (limit == no_limit || bytes(k) <= limit);
            });
        return {kernel, kernel == nullptr ? 0 : bytes(*kernel), argument.split_k};
    }

    /// Tries the workspace that the kernel wants; if that is too large, then with the parts of a
    /// sum one after another; and then without a workspace.
    Choice within(std::size_t limit) const
    {
        const bool weight     = resolved.sizes.direction == Direction::backward_weight;
        ConvArgument argument = asked(resolved, spec.alignment);
        if(limit == 0 && !weight) // kernels that can do without any compete, too
            argument.workspace = nullptr;
        Choice choice = fastest(argument, limit);
        if(choice.kernel != nullptr || limit == no_limit)
            return choice;
        if(weight)
        {
            argument.split_k = 1;
            choice           = fastest(argument, limit);
            if(choice.kernel != nullptr)
                return choice;
        }
        argument.workspace = nullptr;
        return fastest(argument, no_limit);
    }

    /// The same, with tensors cut into pieces that are copied to the workspace one after another:
    /// X and Y of each take a quarter, because copies may be wider than their tensors.
    Choice in_pieces(std::size_t limit) const
    {
        if(limit < least_limit_of_pieces || limit == no_limit)
            return {};
        const PieceBytes pieces(static_cast<long_index_t>(limit / 4));
        Choice choice      = within(limit);
        choice.piece_bytes = PieceBytes::most();
        return choice;
    }

    /// Clock cycles of a choice; 0 if there is no model of its kernel.
    double predicted(const Choice& choice) const
    {
        const PieceBytes pieces(choice.piece_bytes);
        ConvArgument argument = asked(resolved, spec.alignment);
        argument.split_k      = choice.workspace > 0 ? choice.split_k : 1;
        return choice.kernel->predict(argument);
    }

    /// The one that wants the least.
    Choice least() const
    {
        ConvArgument argument = asked(resolved, spec.alignment);
        if(resolved.sizes.direction == Direction::backward_weight)
            argument.split_k = 1;
        Choice least;
        for(const ConvKernel* const kernel : kernels_for(resolved.family, argument))
        {
            if(!may(*kernel) || !kernel->supports(argument))
                continue;
            const std::size_t bytes = kernel->workspace_size(argument);
            if(least.kernel == nullptr || bytes < least.workspace)
                least = {kernel, bytes, argument.split_k};
        }
        return least;
    }
};

/// Bytes for the kernel: without the workspace of the bias gradient, which begins at a multiple of
/// 16.
std::size_t limit_of_kernel(const Resolved& resolved, const PlanOptions& options)
{
    const std::size_t limit = workspace_limit(resolved, options);
    if(!resolved.bias_gradient || limit == no_limit)
        return limit;
    const std::size_t bytes = resolved.bias_gradient->workspace;
    if(options.workspace_limit && bytes > limit)
        throw Refused("ck::PlanOptions: workspace_limit is " + std::to_string(limit) +
                      ", but bias_gradient wants " + std::to_string(bytes) + " bytes");
    return (limit - std::min(bytes, limit)) / 16 * 16;
}

/// may_exceed: whether the default limit gives way if no kernel keeps to it.
Choice choose(const Selection& selection, const PlanOptions& options, bool may_exceed)
{
    // Rarely is the limit too low: kernels are asked a second time only then.
    const std::size_t limit = limit_of_kernel(selection.resolved, options);
    const Choice free       = selection.within(no_limit);
    if(free.kernel != nullptr && free.workspace <= limit)
        return free;
    const Choice whole = free.kernel == nullptr ? free : selection.within(limit),
                 cut   = selection.in_pieces(limit);
    if(cut.kernel == nullptr)
        return whole.kernel == nullptr && free.kernel != nullptr && !options.workspace_limit &&
                       may_exceed
                   ? selection.least()
                   : whole;
    if(whole.kernel == nullptr)
        return cut;
    const double of_whole = selection.predicted(whole), of_cut = selection.predicted(cut);
    return of_cut > 0 && (of_whole == 0 || of_cut < of_whole) ? cut : whole;
}

/// The spec with another number of images, whose sums are computed in one order.
Resolved resolved_with_images(ConvSpec spec, long_index_t n)
{
    spec.n              = n;
    Resolved resolved   = resolve(spec);
    resolved.whole_sums = true;
    return resolved;
}

/// The name of the kernel that computes all batches of the spec (PlanOptions::batch_invariant): the
/// one that is predicted to be the fastest for 32 images, and that computes one image, too. If
/// none does, the fastest for one image. Empty if there is none for one image either.
std::string kernel_of_all_batches(const ConvSpec& spec, const PlanOptions& options)
{
    constexpr long_index_t usual_images = 32;
    const NameRule rule(options, "");
    const Resolved one     = resolved_with_images(spec, 1);
    const ConvArgument own = asked(one, spec.alignment);
    Choice choice;
    try
    {
        const Resolved usual = resolved_with_images(spec, usual_images);
        choice               = choose({usual, spec, rule, &own}, options, true);
    }
    catch(const Refused&) // tensors of 32 images would be too large
    {}
    if(choice.kernel == nullptr)
        choice = choose({one, spec, rule}, options, true);
    return choice.kernel == nullptr ? "" : choice.kernel->name;
}

void require_forward_sums(const ConvSpec& spec)
{
    if(spec.direction == Direction::backward_weight)
        throw Refused("ck::PlanOptions: batch_invariant is true, but the direction is "
                      "backward_weight, which sums over images");
}

} // namespace

std::size_t workspace_limit(const Resolved& resolved, const PlanOptions& options)
{
    if(options.workspace_limit)
        return *options.workspace_limit;
    std::size_t bytes = 0; // of the workspace, none are known yet
    for(std::size_t slot = 0; slot < slot_workspace; ++slot)
        bytes += resolved.uses[slot].bytes;
    return std::max<std::size_t>(least_default_limit, bytes / 4);
}

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
    const OneCalibration calibration(use_machine_file());
    const NameRule rule(options, kernel);
    const ConvArgument argument = asked(resolved, spec.alignment);
    const std::size_t limit     = limit_of_kernel(resolved, options);
    std::vector<Candidate> all;
    for(const ConvKernel* const k : kernels_for(resolved.family, argument))
    {
        Candidate c{k->name, k->supports(argument).reason, 0, 0};
        if(c.why_not.empty())
        {
            c.why_not = rule.why_not(k->name);
            if(c.why_not.empty())
                c.why_not = why_not_rounded(spec, resolved, k->name);
            c.predicted = k->predict(argument);
            c.workspace = k->workspace_size(argument);
            if(c.why_not.empty() && c.workspace > limit)
                c.why_not =
                    "it wants " + std::to_string(c.workspace) + " bytes of workspace" +
                    (resolved.bias_gradient
                         ? " and bias_gradient " + std::to_string(resolved.bias_gradient->workspace)
                         : "") +
                    ", but PlanOptions::workspace_limit is " +
                    std::to_string(workspace_limit(resolved, options)) +
                    (options.workspace_limit ? "" : " by default");
        }
        all.push_back(std::move(c));
    }
    return all;
}

std::vector<Candidate> candidates_of(const ConvPlan::Prepared& p)
{
    const PieceBytes pieces(p.piece_bytes);
    return candidates_of(p.resolved, p.spec, p.options);
}

double predicted_cycles(const ConvPlan::Prepared& p)
{
    const PieceBytes pieces(p.piece_bytes);
    ConvArgument argument = asked(p.resolved, p.spec.alignment);
    argument.split_k      = p.work.kernel_workspace > 0 ? p.work.split_k : 1;
    return p.work.kernel->predict(argument);
}

std::shared_ptr<const ConvPlan::Prepared> prepare(const ConvSpec& spec,
                                                  const PlanOptions& options,
                                                  const std::string& kernel,
                                                  std::optional<Tuned> winner,
                                                  bool whole_sums)
{
    auto p = prepare_quietly(spec, options, kernel, std::move(winner), whole_sums);
    if(environment_enables("CK_LOGGING"))
        std::printf("%s", ConvPlan(p).explain().c_str());
    return p;
}

std::shared_ptr<const ConvPlan::Prepared> prepare_quietly(const ConvSpec& spec,
                                                          const PlanOptions& options,
                                                          const std::string& kernel,
                                                          std::optional<Tuned> winner,
                                                          bool whole_sums)
{
    const OneCalibration calibration(use_machine_file());
    auto p                 = std::make_shared<ConvPlan::Prepared>();
    p->spec                = spec;
    p->options             = options;
    p->resolved            = resolve(spec);
    p->device              = current_device();
    std::string only       = kernel;
    p->resolved.whole_sums = whole_sums || options.batch_invariant;
    if(options.batch_invariant)
    {
        require_forward_sums(spec);
        if(only.empty() && spec.n > 0)
            only = kernel_of_all_batches(spec, options);
    }
    const NameRule rule(options, only);
    Choice choice;
    if(winner && !options.batch_invariant)
        choice = choose({p->resolved, spec, NameRule(options, winner->kernel)}, options, false);
    if(choice.kernel != nullptr)
        p->tuned = std::move(winner);
    else
        choice = choose({p->resolved, spec, rule}, options, true);
    if(choice.kernel == nullptr)
    {
        const auto all = candidates_of(p->resolved, spec, options, only);
        // A family without kernels of its own may have those of others, such as Upcast<...>.
        std::string reason = all.empty() ? why_no_kernels(p->resolved.family) : "";
        if(reason.empty())
        {
            std::vector<KernelReason> reasons;
            for(const Candidate& c : all)
                reasons.push_back({c.kernel, c.why_not});
            reason = "no kernel computes this" +
                     way_out(p->resolved.family, p->resolved.sizes.problem) + in_order(reasons);
        }
        throw Refused(to_string(spec) + ": " + reason, all);
    }
    p->work                          = {choice.kernel, choice.split_k, choice.workspace};
    p->workspace                     = p->resolved.bias_gradient
                                           ? p->work.bias_gradient_at() + p->resolved.bias_gradient->workspace
                                           : choice.workspace;
    p->resolved.uses[slot_workspace] = {p->workspace > 0, p->workspace};
    p->piece_bytes                   = choice.piece_bytes;
    const PieceBytes pieces(p->piece_bytes);
    const Addresses at = slot_addresses(p->resolved, spec.alignment, p->workspace > 0);
    p->launches        = in_slots(launches_of(p->work, p->resolved, at), at);
    return p;
}

} // namespace ck::conv
