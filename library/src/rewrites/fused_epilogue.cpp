// Plain kernels apply scale, bias, residual and activation to their sums before rounding. The bias
// has C's channels, and the residual C's strides. Families without an operation have all rows of
// the tables, and lose almost no speed (grid/epilogue/channel_epilogue.hpp). Other operands use
// families with an operation or separate epilogues.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include "rewrites/epilogue_argument.hpp"
#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/rewrites.hpp"
#include "tensor_operation_instance/families.hpp"
#include "tensor_operation_instance/kernel_spans.hpp"
#include <algorithm>

namespace ck::tensor_operation::device::instance {

namespace {

struct FusedEpilogue : EpilogueArgument
{
    static constexpr const char* wants_workspace = "";

    ConvArgument inner{};

    static std::size_t bytes() { return 0; }
    static void add_before(LaunchList&) {}
    static void add_after(LaunchList&) {}
    /// For the residual: biases stay in the cache.
    double predicted() const
    {
        return inner.epilogue.adds_residual()
                   ? predicted_transfer(static_cast<double>(element_count(launch.lengths)) *
                                        epilogue_element_bytes(launch.type))
                   : 0;
    }

    static FusedEpilogue of(const Family& family, const ConvArgument& argument)
    {
        FusedEpilogue r{EpilogueArgument::of(family, argument)};
        if(!r.valid)
            return r;
        using enum element_wise::ConvEpilogue::Place;
        element_wise::ChannelEpilogue e;
        e.channels         = static_cast<index_t>(r.launch.lengths[2]);
        e.exists           = 1;
        e.operation        = r.launch.operation;
        e.operation.place1 = e.operation.place2 = nowhere;
        for(std::size_t i = 0; i < r.launch.d.size(); ++i)
        {
            if(!r.is_added(i))
                continue;
            const DArgument& d = r.launch.d[i];
            if(r.launch.factor[i] != 1)
            {
                r.valid = refused("kernels without an operation add tensors as they are");
                return r;
            }
            if(e.operation.place1 == nowhere && r.is_added_before(i) && r.is_bias(i))
            {
                e.operation.place1 = before;
                e.bias             = d.pointer;
            }
            else if(e.operation.place2 == nowhere && is_like_result(r.launch, d))
            {
                e.operation.place2 = r.is_added_before(i) ? before : after;
                e.residual         = d.pointer;
            }
            else
            {
                r.valid = refused("kernels without an operation add a bias of C's channels, before "
                                  "the activation, and a residual with C's strides, nothing else");
                return r;
            }
        }
        r.inner             = argument;
        r.inner.operation_c = &no_operation;
        r.inner.d.clear();
        r.inner.epilogue = e;
        return r;
    }

private:
    /// Whether D tensor i may be added before the activation.
    bool is_added_before(std::size_t i) const
    {
        using enum element_wise::ConvEpilogue::Place;
        const auto place = i == 0 ? launch.operation.place1 : launch.operation.place2;
        return place == before ||
               launch.operation.activation == element_wise::ConvEpilogue::Activation::none;
    }
    /// Whether D tensor i has one value for each channel, all groups contiguous. Its strides say
    /// so, also where a length is 1: a residual of one pixel is not a bias, because kernels that
    /// compute one pixel must also compute several (CausalConvPlan).
    bool is_bias(std::size_t i) const
    {
        const TensorLengths& l = launch.lengths;
        const TensorStrides& s = launch.d[i].strides;
        return (l[0] == 1 || s[0] == l[2]) && s[1] == 0 && (l[2] == 1 || s[2] == 1) && s[3] == 0 &&
               s[4] == 0 && s[5] == 0;
    }
};

} // namespace

std::optional<EpilogueParts> fused_epilogue_parts(const Family& family,
                                                  const ConvArgument& argument)
{
    if(family.direction != Direction::forward || !has_epilogue_argument(family))
        return {};
    const FusedEpilogue made = FusedEpilogue::of(family, argument);
    return made.valid ? std::optional(made.inner.epilogue.parts()) : std::nullopt;
}

std::vector<std::span<const ConvKernel>> fused_epilogue(const Family& family,
                                                        const ConvArgument& argument)
{
    const auto parts = fused_epilogue_parts(family, argument);
    if(!parts)
        return {};
    const KernelSpans inner =
        kernel_spans_for(without_operation(family), FusedEpilogue::of(family, argument).inner);
    const auto fuses = kernels_that_compute(*parts);
    std::vector<std::span<const ConvKernel>> r;
    for(const auto& spans : {inner.own, inner.on_copies})
        for(const std::span<const ConvKernel> kernels : spans)
            if(std::any_of(kernels.begin(), kernels.end(), fuses))
                r.push_back(
                    kernels_with_prologue<FusedEpilogue>(family, kernels, "FusedEpilogue<", fuses));
    return r;
}

} // namespace ck::tensor_operation::device::instance
