// Kernels that run on transposed copies.
#include "rewrites/as_floats.hpp"
#include "rewrites/copied_argument.hpp"
#include "rewrites/cut_image.hpp"
#include "rewrites/depth_to_space.hpp"
#include "rewrites/folded_width.hpp"
#include "rewrites/fused_epilogue.hpp"
#include "rewrites/im2col.hpp"
#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/pointwise_channels_first.hpp"
#include "rewrites/quantized.hpp"
#include "rewrites/scaled_float8.hpp"
#include "rewrites/separate_epilogue.hpp"
#include "rewrites/tap_by_tap.hpp"
#include "rewrites/tf32x3.hpp"
#include "rewrites/upcast.hpp"
#include "tensor_operation_instance/kernel_parts.hpp"
#include "tensor_operation_instance/kernel_spans.hpp"
#include <algorithm>
#include <list>
#include <mutex>

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
    static std::mutex mutex;
    static std::list<ConvertedFamily> made; // for the families that were requested
    const std::lock_guard lock(mutex);
    for(const ConvertedFamily& f : made)
        if(f.family == family)
            return f.kernels;
    if(kernels_of(family).empty())
        return {};
    return made.emplace_back(family).kernels;
}

KernelSpans kernel_spans_for(const Family& family, const ConvArgument& argument)
{
    KernelSpans r{{tap_by_tap(family, argument),
                   kernels_of(family),
                   pointwise_channels_first(family, argument)},
                  {}};
    for(const auto& prepared : {as_floats(family, argument),
                                upcast(family, argument),
                                depth_to_space(family, argument),
                                {tf32x3(family, argument)},
                                folded_width(family, argument),
                                im2col(family, argument),
                                quantized(family, argument),
                                scaled_float8(family, argument)})
        r.own.insert(r.own.end(), prepared.begin(), prepared.end());
    const auto on_copies = layout_converted_kernels_of(family);
    const auto add       = [&](CopiedChannels channels, std::span<const ConvKernel> kernels) {
        if(CopiedArgument::of(family, argument, channels).valid)
            r.on_copies.push_back(kernels);
    };
    add(CopiedChannels::own, on_copies.first(on_copies.size() / 2));
    add(CopiedChannels::padded, on_copies.last(on_copies.size() / 2));
    return r;
}

std::vector<const ConvKernel*> kernels_for(const Family& family, const ConvArgument& argument)
{
    const auto on_pieces = kernels_on_pieces(family, argument);
    return on_pieces.empty() ? kernels_for_one_launch(family, argument) : on_pieces;
}

std::vector<const ConvKernel*> kernels_for_one_launch(const Family& family,
                                                      const ConvArgument& argument)
{
    const KernelSpans spans = kernel_spans_for(family, argument);
    std::vector<const ConvKernel*> r;
    for(const auto& some : {spans.own,
                            fused_epilogue(family, argument),
                            separate_epilogue(family, argument),
                            spans.on_copies})
        for(const std::span<const ConvKernel> kernels : some)
            for(const ConvKernel& kernel : kernels)
                r.push_back(&kernel);
    return r;
}

} // namespace ck::tensor_operation::device::instance
