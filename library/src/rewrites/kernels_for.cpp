// The kernels that a selection considers: those of the family, and those of each rewrite.
#include "rewrites/copied_argument.hpp"
#include "rewrites/cut_image.hpp"
#include "rewrites/quantized.hpp"
#include "rewrites/rewrites.hpp"
#include "rewrites/scaled_float8.hpp"
#include "tensor_operation_instance/kernel_spans.hpp"

namespace ck::tensor_operation::device::instance {

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
    for(const CopiedChannels channels : {CopiedChannels::own, CopiedChannels::padded})
        if(CopiedArgument::of(family, argument, channels).valid)
            r.on_copies.push_back(kernels_on_copies(family, channels));
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
