// Kernels with a separate launch for the epilogue: the kernel stores plain sums, and an
// element-wise launch applies the epilogue. It moves the result twice more, but families without an
// operation have all rows of the tables, and kernels that other families lack.
//
// It works in place if every D tensor repeats along some dimension, as a bias does. A D tensor with
// the result's strides may be the result itself (beta, a residual in place): then sums go to the
// workspace, which moves as many bytes.
//
// Sums are rounded to the result's type before the operation. For f32 and f64 that changes nothing:
// they are added up in that type. For f16 and bf16 the error is larger by u |scale sum| L than the
// half unit in the last place of a single rounding, where u is 2^-11 or 2^-8, and L is the largest
// slope of the activation: 1, for silu 1.1, for gelu 1.13, for hard_swish 1.5, for leaky_relu its
// own if that is steeper. Without a D tensor and a scale, none, relu and clamp change nothing
// either: rounding keeps order. f16 with a scale is refused: a sum may be infinite although the
// scaled sum is not. For the same reason a sum beyond 65504 stays infinite whatever is added, as in
// frameworks that add it separately. Eight-bit types have no such kernels: their sums would
// saturate.
#include "rewrites/epilogue_argument.hpp"
#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/rewrites.hpp"
#include "rewrites/separate_epilogue_launches.hpp"
#include "tensor_operation_instance/families.hpp"
#include "tensor_operation_instance/kernel_spans.hpp"

namespace ck::tensor_operation::device::instance {

namespace {

/// The most bytes of sums in the workspace.
constexpr std::size_t most_sum_bytes = std::size_t{4} << 30;

/// The sums of an argument, and the operation on them.
struct SeparateEpilogue : EpilogueArgument
{
    static constexpr const char* wants_workspace =
        "sums are stored in it, since what is added to them may be the result itself";

    std::size_t sums = 0; ///< bytes of the sums in the workspace; 0: they are in the result
    ConvArgument inner{};

    std::size_t bytes() const { return sums; }
    static void add_before(LaunchList&) {}
    void add_after(LaunchList& list) const { apply_epilogue(launch, inner.c, c, list); }
    double predicted() const { return predicted_epilogue(launch, inner.c, c); }

    static SeparateEpilogue of(const Family& family, const ConvArgument& argument)
    {
        SeparateEpilogue r{EpilogueArgument::of(family, argument)};
        if(!r.valid)
            return r;
        if(const float scale = r.launch.operation.scale;
           family.c == type_name<half_t> && scale != 1)
        {
            r.valid = refused("the scale is " + std::to_string(scale) +
                              ", but sums of f16 that are stored before they are scaled may be "
                              "infinite or 0: a separate epilogue of f16 has a scale of 1");
            return r;
        }
        r.inner             = argument;
        r.inner.operation_c = &no_operation;
        r.inner.d.clear();
        if(r.may_read_result())
            r.store_in_workspace(argument, result_role(family.direction));
        return r;
    }

    /// Whether a D tensor may be the result itself.
    bool may_read_result() const
    {
        for(std::size_t i = 0; i < launch.d.size(); ++i)
            if(is_added(i) && is_like_result(launch, launch.d[i]))
                return true;
        return false;
    }

private:
    void store_in_workspace(const ConvArgument& argument, Role role)
    {
        launch.sum       = packed_in_order(launch.lengths, launch.result);
        const auto count = static_cast<std::size_t>(element_count(launch.lengths));
        const auto bytes = static_cast<std::size_t>(epilogue_element_bytes(launch.type));
        if(count > most_sum_bytes / bytes)
        {
            valid =
                refused("there are " + std::to_string(count) + " sums of " + std::to_string(bytes) +
                        " bytes, but 4 GiB of workspace at most are taken for them");
            return;
        }
        sums                                       = (count * bytes + 127) / 128 * 128;
        ConvProblem& p                             = inner.problem;
        (role == Role::output  ? p.output_strides
         : role == Role::input ? p.input_strides
                               : p.filter_strides) = launch.sum;
        inner.c                                    = in_workspace(argument, 0);
        inner.workspace                            = in_workspace(argument, sums);
    }
};

} // namespace

std::vector<std::span<const ConvKernel>> separate_epilogue(const Family& family,
                                                           const ConvArgument& argument)
{
    if(!has_epilogue_argument(family))
        return {};
    const SeparateEpilogue made = SeparateEpilogue::of(family, argument);
    if(!made.valid)
        return {};
    // What a kernel can fuse needs no launch. Kernels on copies of the result do not add tensors
    // that may be a residual.
    const auto fused        = fused_epilogue_parts(family, argument);
    const KernelSpans inner = kernel_spans_for(without_operation(family), made.inner);
    std::vector<std::span<const ConvKernel>> r;
    for(const bool on_copies : {false, true})
        for(const std::span<const ConvKernel> kernels : on_copies ? inner.on_copies : inner.own)
        {
            const KernelQuestion all = [](const ConvKernel&) { return true; };
            const bool may_fuse      = fused && !(on_copies && made.may_read_result());
            r.push_back(kernels_with_prologue<SeparateEpilogue>(
                family,
                kernels,
                "SeparateEpilogue<",
                may_fuse ? kernels_that_compute(*fused, false) : all));
        }
    return r;
}

} // namespace ck::tensor_operation::device::instance
