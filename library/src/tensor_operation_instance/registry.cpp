// The registry of all kernels, built from the generated parts at the first request.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include "ck/host_utility/launch_list.hpp"

#include "rewrites/quantized.hpp"
#include "rewrites/rewrites.hpp"
#include "rewrites/scaled_float8.hpp"
#include "tensor_operation_instance/calibration.hpp"
#include "tensor_operation_instance/kernel_facts.hpp"
#include "tensor_operation_instance/kernel_parts.hpp"
#include "tensor_operation_instance/reasons.hpp"
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <list>
#include <mutex>
#include <utility>

namespace ck::tensor_operation::device::instance {

namespace {

/// A family whose kernels are made at the first request: programs need few families, and building
/// the names of all kernels takes ten times as long as a plan.
class FamilyOfParts
{
public:
    explicit FamilyOfParts(const Family& of) : family(of) {}

    const Family family;
    /// In order of preference; must be complete before kernels() is called.
    std::vector<std::vector<ConvKernel> (*)()> parts;

    std::span<const ConvKernel> kernels() const
    {
        std::call_once(made_, [&] {
            for(const auto make : parts)
            {
                std::vector<ConvKernel> part = make();
                std::for_each(part.begin(), part.end(), calibrate_predictions);
                std::move(part.begin(), part.end(), std::back_inserter(kernels_));
            }
        });
        return kernels_;
    }

private:
    mutable std::once_flag made_;
    mutable std::vector<ConvKernel> kernels_;
};

const std::list<FamilyOfParts>& all_families()
{
    static const std::list<FamilyOfParts> all = [] {
        std::list<FamilyOfParts> merged;
        auto same               = merged.end();
        Family (*last_family)() = nullptr; // parts of a family follow each other
        for(const KernelPart& part : kernel_parts())
        {
            if(part.family != last_family)
            {
                last_family         = part.family;
                const Family family = last_family();
                same = std::find_if(merged.begin(), merged.end(), [&](const FamilyOfParts& m) {
                    return m.family == family;
                });
                if(same == merged.end())
                    same = merged.emplace(merged.end(), family);
            }
            same->parts.push_back(part.make);
        }
        return merged;
    }();
    return all;
}

/// For example: forward, A f16, B f16, C f16, operations PassThrough PassThrough PassThrough
std::string to_string(const Family& f)
{
    std::string s  = name(f.direction);
    const auto add = [&](const char* what, const std::string& names) {
        if(!names.empty())
            s += std::string(", ") + what + ' ' + names;
    };
    add("A", f.a);
    add("B", f.b);
    add("C", f.c);
    add("D", f.d);
    if(f.compute_a != f.a || f.compute_b != f.b)
        add("multiplied as", f.compute_a + " and " + f.compute_b);
    add("operations", f.operation_a + ' ' + f.operation_b + ' ' + f.operation_c);
    return s;
}

/// The number of words that differ.
int distance(const Family& f, const Family& g)
{
    using Word = std::string Family::*;
    constexpr Word words[]{&Family::a,
                           &Family::b,
                           &Family::c,
                           &Family::d,
                           &Family::compute_a,
                           &Family::compute_b,
                           &Family::operation_a,
                           &Family::operation_b,
                           &Family::operation_c};
    int different = 0;
    for(const auto word : words)
        different += f.*word != g.*word;
    return different;
}

} // namespace

float ConvKernel::run(const ConvArgument& argument, const StreamConfig& config) const
{
    LaunchList list;
    add(argument, list);
    return list.run(config);
}

std::span<const ConvKernel> kernels_of(const Family& family)
{
    for(const FamilyOfParts& f : all_families())
        if(f.family == family)
            return f.kernels();
    return {};
}

std::string why_no_kernels(const Family& family)
{
    if(is_quantized(family))
        return why_no_kernels(family_of_sums(family));
    if(is_scaled_float8(family))
        return why_no_kernels(exact_upcast(family_of_float8_sums(family)));
    std::vector<const Family*> nearest;
    int least = 0;
    for(const FamilyOfParts& part : all_families())
    {
        if(part.family.direction != family.direction)
            continue;
        const int d = distance(part.family, family);
        if(d == 0)
            return "";
        if(nearest.empty() || d < least)
            nearest.clear();
        if(nearest.empty() || d == least)
        {
            least = d;
            nearest.push_back(&part.family);
        }
    }
    std::string reason = "the library has no kernels of the family " + to_string(family);
    for(const Family* const f : nearest)
        reason += (f == nearest.front() ? "; nearest that it has:\n  " : "\n  ") + to_string(*f);
    return reason;
}

std::string why_none(const Family& family, const ConvArgument& argument, std::size_t* workspace)
{
    if(workspace != nullptr)
        *workspace = 0;
    if(std::string reason = why_no_kernels(family); !reason.empty())
        return reason;
    if(const Support s = check_argument(argument); !s)
        return s.reason;
    std::vector<KernelReason> reasons;
    for(const ConvKernel* const kernel : kernels_for(family, argument))
    {
        Support s = kernel->supports(argument);
        if(s)
            return "";
        reasons.push_back({kernel->name, std::move(s.reason)});
    }
    std::string without;
    if(argument.workspace == nullptr)
    {
        ConvArgument with = argument;
        with.workspace    = reinterpret_cast<void*>(std::uintptr_t{16}); // never accessed
        if(const ConvKernel* const kernel = select_kernel(family, with))
        {
            const std::size_t bytes = kernel->workspace_size(with);
            without = "without a workspace (of " + std::to_string(bytes) + " bytes, for " +
                      kernel->name + ") ";
            if(workspace != nullptr)
                *workspace = bytes;
        }
    }
    return without + "no kernel of the family " + to_string(family) +
           " computes this:" + way_out(family, argument.problem) + in_order(reasons);
}

const ConvKernel* select_kernel(const Family& family, const ConvArgument& argument)
{
    return select_kernel(family, argument, [](const ConvKernel&) { return true; });
}

const ConvKernel* select_kernel(const Family& family,
                                const ConvArgument& argument,
                                const std::function<bool(const ConvKernel&)>& may)
{
    const WithoutReasons no_reasons;
    const OneCalibration calibration;
    const AskedArgument asked(argument);
    const ConvKernel* best = nullptr;
    double least           = 0;
    for(const ConvKernel* const kernel : kernels_for(family, argument))
    {
        const std::optional<double> predicted = ask(*kernel, asked);
        if(!predicted)
            continue;
        // Kernels without a model come last, in order of preference.
        const double time = *predicted;
        if((best == nullptr || (time > 0 && (least == 0 || time < least))) && may(*kernel))
        {
            best  = kernel;
            least = time;
            if(time > 0)
                asked.below = time;
        }
    }
    return best;
}

std::vector<Family> families()
{
    std::vector<Family> r;
    for(const FamilyOfParts& part : all_families())
        r.push_back(part.family);
    return r;
}

} // namespace ck::tensor_operation::device::instance
