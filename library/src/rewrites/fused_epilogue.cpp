// Scale, bias of C's channels and activation, applied by plain kernels to their sums before these
// are rounded: families without an operation have all rows of the tables, and lose next to nothing
// by it (grid/epilogue/channel_epilogue.hpp). Other operands, as a residual, are for families with
// an operation and for separate epilogues.
#include "rewrites/fused_epilogue.hpp"

#include "rewrites/epilogue_argument.hpp"
#include "rewrites/kernel_with_prologue.hpp"
#include "tensor_operation_instance/families.hpp"
#include "tensor_operation_instance/kernel_spans.hpp"
#include <algorithm>

namespace ck::tensor_operation::device::instance {

namespace {

const PassThrough pass_through{};

bool takes_epilogue(const ConvKernel& kernel) { return kernel.takes_epilogue; }

struct FusedEpilogue : EpilogueArgument
{
    static constexpr const char* wants_workspace = "";

    ConvArgument inner{};

    static std::size_t bytes() { return 0; }
    static float before(const StreamConfig&) { return 0; }
    static float behind(const StreamConfig&) { return 0; }
    static double predicted() { return 0; }

    static FusedEpilogue of(const Family& family, const ConvArgument& argument)
    {
        FusedEpilogue r{EpilogueArgument::of(family, argument)};
        if(!r.valid)
            return r;
        if(!element_wise::ChannelEpilogue::takes(r.launch.operation))
        {
            r.valid = refused("kernels without an operation do not compute gelu");
            return r;
        }
        const void* bias = nullptr;
        bool has_bias    = false;
        for(std::size_t i = 0; i < r.launch.d.size(); ++i)
        {
            if(!r.is_added(i))
                continue;
            if(has_bias || !r.is_bias(i))
            {
                r.valid = refused("kernels without an operation add a bias of C's channels alone");
                return r;
            }
            bias     = r.launch.d[i].pointer;
            has_bias = true;
        }
        r.inner             = argument;
        r.inner.operation_c = &pass_through;
        r.inner.d.clear();
        r.inner.epilogue.bias      = bias;
        r.inner.epilogue.channels  = static_cast<index_t>(r.launch.lengths[2]);
        r.inner.epilogue.exists    = 1;
        r.inner.epilogue.operation = r.launch.operation;
        return r;
    }

private:
    /// Whether D tensor i has a value for each channel, those of all groups one after the other,
    /// and is added as it is before the activation.
    bool is_bias(std::size_t i) const
    {
        const TensorLengths& l = launch.lengths;
        const TensorStrides& s = launch.d[i].strides;
        const auto is          = [&](std::size_t dim, long_index_t stride) {
            return l[dim] == 1 || s[dim] == stride;
        };
        const auto place = i == 0 ? launch.operation.place1 : launch.operation.place2;
        return launch.factor[i] == 1 && place == element_wise::ConvEpilogue::Place::before &&
               is(0, l[2]) && is(1, 0) && is(2, 1) && is(3, 0) && is(4, 0) && is(5, 0);
    }
};

} // namespace

bool has_fused_epilogue(const Family& family, const ConvArgument& argument)
{
    return family.direction == Direction::forward && has_epilogue_argument(family) &&
           FusedEpilogue::of(family, argument).valid;
}

std::vector<std::span<const ConvKernel>> fused_epilogue(const Family& family,
                                                        const ConvArgument& argument)
{
    if(family.direction != Direction::forward || !has_epilogue_argument(family))
        return {};
    const FusedEpilogue made = FusedEpilogue::of(family, argument);
    if(!made.valid)
        return {};
    const KernelSpans inner = kernel_spans_for(without_operation(family), made.inner);
    std::vector<std::span<const ConvKernel>> r;
    for(const auto& spans : {inner.own, inner.on_copies})
        for(const std::span<const ConvKernel> kernels : spans)
            if(std::any_of(kernels.begin(), kernels.end(), takes_epilogue))
                r.push_back(kernels_with_prologue<FusedEpilogue>(
                    family, kernels, "FusedEpilogue<", takes_epilogue));
    return r;
}

} // namespace ck::tensor_operation::device::instance
