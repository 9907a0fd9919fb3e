// Kernels behind a transposition.
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"

#include "tensor_operation_instance/copied_argument.hpp"
#include "tensor_operation_instance/depth_to_space.hpp"
#include "tensor_operation_instance/kernel_parts.hpp"
#include "tensor_operation_instance/pointwise_channels_first.hpp"
#include "tensor_operation_instance/three_products.hpp"
#include <algorithm>
#include <cstdint>
#include <list>
#include <mutex>
#include <stdexcept>

namespace ck::tensor_operation::device::instance {

namespace {

/// A kernel on copies. Both are kept by address.
struct OnCopies
{
    const Family& family;
    const ConvKernel& kernel;
    CopiedChannels channels;

    /// What the kernel is asked about: copies at null, and a workspace, wherever they will be.
    CopiedArgument asked(ConvArgument argument) const
    {
        argument.workspace = nullptr;
        CopiedArgument r   = CopiedArgument::of(family, argument, channels);
        r.inner.workspace  = reinterpret_cast<void*>(std::uintptr_t{16});
        return r;
    }

    Support supports(const ConvArgument& argument) const
    {
        if(const Support s = check_workspace(argument.workspace); !s)
            return s;
        const CopiedArgument a = asked(argument);
        if(!a.valid)
            return a.valid;
        if(const Support s = kernel.supports(a.inner); !s)
            return s;
        if(argument.workspace == nullptr && a.bytes > 0)
            return no_workspace(a.bytes + kernel.workspace_size(a.inner),
                                "tensors are transposed in it");
        return {};
    }
    std::size_t workspace_size(const ConvArgument& argument) const
    {
        const CopiedArgument a = asked(argument);
        return a.valid && kernel.supports(a.inner) ? a.bytes + kernel.workspace_size(a.inner) : 0;
    }
    float run(const ConvArgument& argument, const StreamConfig& config) const
    {
        const CopiedArgument a = CopiedArgument::of(family, argument, channels);
        if(!a.valid)
            throw std::runtime_error("the kernel does not support this: " + a.valid.reason);
        if(argument.workspace == nullptr && a.bytes > 0)
            throw std::runtime_error("there is no workspace, but tensors are transposed in it");
        auto* const workspace = static_cast<char*>(argument.workspace);
        float time            = 0;
        for(const CopiedTensor& t : a.read)
            time += copy_channels_last(t.how, t.tensor, workspace + t.at, config);
        time += kernel.run(a.inner, config);
        if(a.result)
            time += copy_back(a.result->how, a.inner.c, argument.c, config);
        return time;
    }
    double predict(const ConvArgument& argument) const
    {
        const CopiedArgument a = asked(argument);
        double time            = a.valid ? kernel.predict(a.inner) : 0;
        if(time == 0)
            return 0;
        for(const CopiedTensor& t : a.read)
            time += predicted_copy(t.how);
        return a.result ? time + predicted_copy(a.result->how) : time;
    }
    std::optional<double> predict_if_supported(const ConvArgument& argument) const
    {
        return supports(argument) ? std::optional(predict(argument)) : std::nullopt;
    }
    std::string copied_tensors(const ConvArgument& argument) const
    {
        const CopiedArgument a = asked(argument);
        std::string names;
        const auto add = [&](const CopiedTensor& t) {
            names += (names.empty() ? "" : ", ") + t.how.name;
        };
        if(a.valid)
            std::for_each(a.read.begin(), a.read.end(), add);
        if(a.result)
            add(*a.result);
        return names;
    }
};

/// The kernels of a family, on copies.
struct FamilyOnCopies
{
    explicit FamilyOnCopies(const Family& of) : family(of)
    {
        for(const CopiedChannels channels : {CopiedChannels::own, CopiedChannels::filled})
            for(const ConvKernel& kernel : kernels_of(family))
                add({family, kernel, channels});
    }
    FamilyOnCopies(const FamilyOnCopies&)            = delete;
    FamilyOnCopies& operator=(const FamilyOnCopies&) = delete;

    const Family family;
    std::vector<ConvKernel> kernels; ///< as many on copies with their own channels as on filled

private:
    void add(const OnCopies& on)
    {
        const std::string filled = on.channels == CopiedChannels::filled ? "Filled" : "";
        kernels.push_back(
            {filled + "ChannelsLastCopies<" + on.kernel.name + '>',
             [on](const ConvArgument& a) { return on.supports(a); },
             [on](const ConvArgument& a) { return on.workspace_size(a); },
             [on](const ConvArgument& a, const StreamConfig& config) { return on.run(a, config); },
             [on](const ConvArgument& a) { return on.predict(a); },
             [on](const ConvArgument& a) { return on.predict_if_supported(a); },
             &on.kernel,
             [on](const ConvArgument& a) { return on.copied_tensors(a); }});
    }
};

} // namespace

std::span<const ConvKernel> kernels_on_copies_of(const Family& family)
{
    static std::mutex mutex;
    static std::list<FamilyOnCopies> made; // of the families that were asked for
    const std::lock_guard lock(mutex);
    for(const FamilyOnCopies& f : made)
        if(f.family == family)
            return f.kernels;
    if(kernels_of(family).empty())
        return {};
    return made.emplace_back(family).kernels;
}

std::vector<const ConvKernel*> kernels_for(const Family& family, const ConvArgument& argument)
{
    std::vector<const ConvKernel*> r;
    for(const ConvKernel& kernel : kernels_of(family))
        r.push_back(&kernel);
    for(const ConvKernel& kernel : pointwise_channels_first(family, argument))
        r.push_back(&kernel);
    for(const auto kernels : {depth_to_space(family, argument), three_products(family, argument)})
        for(const ConvKernel& kernel : kernels)
            r.push_back(&kernel);
    const auto on_copies = kernels_on_copies_of(family);
    const auto add       = [&](CopiedChannels channels, std::span<const ConvKernel> kernels) {
        if(CopiedArgument::of(family, argument, channels).valid)
            for(const ConvKernel& kernel : kernels)
                r.push_back(&kernel);
    };
    add(CopiedChannels::own, on_copies.first(on_copies.size() / 2));
    add(CopiedChannels::filled, on_copies.last(on_copies.size() / 2));
    return r;
}

} // namespace ck::tensor_operation::device::instance
