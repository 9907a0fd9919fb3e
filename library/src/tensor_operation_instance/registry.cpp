// The registry of all kernels, made of the generated parts when it is first asked.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include "tensor_operation_instance/kernel_parts.hpp"
#include <algorithm>
#include <iterator>

namespace ck::tensor_operation::device::instance {

namespace {

/// A part for each family.
const std::vector<KernelPart>& all_kernels()
{
    static const std::vector<KernelPart> all = [] {
        std::vector<KernelPart> merged;
        std::vector<KernelPart> parts = kernel_parts();
        for(KernelPart& part : parts)
        {
            const auto same = std::find_if(merged.begin(), merged.end(), [&](const KernelPart& m) {
                return m.family == part.family;
            });
            if(same == merged.end())
                merged.push_back(std::move(part));
            else
                std::move(
                    part.kernels.begin(), part.kernels.end(), std::back_inserter(same->kernels));
        }
        return merged;
    }();
    return all;
}

} // namespace

std::span<const ConvKernel> kernels_of(const Family& family)
{
    for(const KernelPart& part : all_kernels())
        if(part.family == family)
            return part.kernels;
    return {};
}

const ConvKernel* select_kernel(const Family& family, const ConvArgument& argument)
{
    const ConvKernel* best = nullptr;
    double least           = 0;
    for(const ConvKernel& kernel : kernels_of(family))
    {
        if(!kernel.supports(argument))
            continue;
        // Kernels without a model come last, in the order of preference.
        const double time = kernel.predict(argument);
        if(best == nullptr || (time > 0 && (least == 0 || time < least)))
        {
            best  = &kernel;
            least = time;
        }
    }
    return best;
}

std::vector<Family> families()
{
    std::vector<Family> r;
    for(const KernelPart& part : all_kernels())
        r.push_back(part.family);
    return r;
}

} // namespace ck::tensor_operation::device::instance
