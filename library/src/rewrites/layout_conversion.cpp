// Kernels that run on transposed copies.
#include "rewrites/copied_argument.hpp"
#include "rewrites/kernel_with_prologue.hpp"
#include "tensor_operation_instance/kernel_parts.hpp"
#include <algorithm>

namespace ck::tensor_operation::device::instance {

namespace {

/// The copies of an argument.
template <CopiedChannels channels>
struct Copies : CopiedArgument
{
    static constexpr const char* wants_workspace = "tensors are transposed in it";
    static constexpr bool passes_epilogue        = true;

    void* c      = nullptr; ///< the result, if it is written from its copy
    char* copies = nullptr; ///< the workspace

    std::size_t bytes() const { return copied_bytes; }
    void require_tensors() const {} // tensors may be empty: launches check for themselves
    void add_before(LaunchList& list) const
    {
        for(const CopiedTensor& t : read)
            copy_channels_last(t.how, t.tensor, copies + t.at, list);
    }
    void add_after(LaunchList& list) const
    {
        if(result)
            copy_back(result->how, inner.c, c, list);
    }
    double predicted() const
    {
        double time = result ? predicted_copy(result->how) : 0;
        for(const CopiedTensor& t : read)
            time += predicted_copy(t.how);
        return time;
    }
    /// For example "X, Y".
    std::string names() const
    {
        std::string all;
        const auto add = [&](const CopiedTensor& t) {
            all += (all.empty() ? "" : ", ") + t.how.name;
        };
        if(valid)
            std::for_each(read.begin(), read.end(), add);
        if(result)
            add(*result);
        return all;
    }

    static Copies of(const Family& family, const ConvArgument& argument)
    {
        return {CopiedArgument::of(family, argument, channels),
                argument.c,
                static_cast<char*>(argument.workspace)};
    }
};

/// The kernels of a family, on copies.
struct ConvertedFamily
{
    explicit ConvertedFamily(const Family& of) : family(of)
    {
        add<CopiedChannels::own>("ChannelsLast<");
        add<CopiedChannels::padded>("PaddedChannelsLast<");
    }
    ConvertedFamily(const ConvertedFamily&)            = delete;
    ConvertedFamily& operator=(const ConvertedFamily&) = delete;

    const Family family;
    std::vector<ConvKernel> kernels; ///< half on copies with their own channels, half padded

private:
    template <CopiedChannels channels>
    void add(const char* prefix)
    {
        for(const ConvKernel& kernel : kernels_of(family))
        {
            const KernelWithPrologue<Copies<channels>> k{family, kernel};
            kernels.push_back(as_kernel(prefix + kernel.name + '>', k));
            kernels.back().on_copies      = &kernel;
            kernels.back().copied_tensors = [k](const ConvArgument& a) {
                return k.asked(a).names();
            };
        }
    }
};

} // namespace

std::span<const ConvKernel> layout_converted_kernels_of(const Family& family)
{
    if(kernels_of(family).empty())
        return {};
    return kernels_made_once<ConvertedFamily>(family);
}

std::span<const ConvKernel> kernels_on_copies(const Family& family, CopiedChannels channels)
{
    const auto all         = layout_converted_kernels_of(family);
    const std::size_t half = all.size() / 2;
    return channels == CopiedChannels::own ? all.first(half) : all.last(half);
}

} // namespace ck::tensor_operation::device::instance
