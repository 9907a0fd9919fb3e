// Quantized convolutions, of X and W with zero points zx and zw:
//
//   sum of (X - zx) (W - zw) = sum of X W - zx sum of (W - zw) - zw sum of X
//
// where the sums leave out padding, which stands for zx. A kernel of int8 stores the first sum,
// which has the same padding, namely zeros. The second has one value for each channel and tap of
// the filter, the third one for each pixel and group: small launches compute them, only if their
// zero points are not 0, and the last launch subtracts them, adds the bias, scales and rounds.
// Tensors of uint8 are copied as int8, less 128, and so are their zero points.
#include "rewrites/quantized.hpp"

#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/quantized_launches.hpp"
#include "tensor_operation_instance/kernel_spans.hpp"

namespace ck::tensor_operation::device::instance {

namespace {

constexpr const char* of_unsigned = "u8";

/// The argument of the kernel, and the launches around it.
struct Sums
{
    static constexpr const char* wants_workspace = "sums of int32 are stored in it";

    Support valid;
    ConvArgument inner{};
    QuantizeLaunch launch{};
    ConvProblem problem{}; ///< the caller's
    const void *x = nullptr, *w = nullptr;
    void* c       = nullptr;
    bool copies_x = false, copies_w = false;
    std::int32_t w_zero = 0;
    std::size_t all     = 0; ///< bytes
    std::size_t at_x = 0, at_w = 0, at_filters = 0, at_channels = 0, at_windows = 0;
    void* workspace = nullptr;

    std::size_t bytes() const { return all; }
    void require_tensors() const
    {
        if(element_count(problem.output_lengths()) > 0)
            require_tensors_at({c});
    }
    void* at(std::size_t offset) const
    {
        return workspace == nullptr ? nullptr : static_cast<char*>(workspace) + offset;
    }
    void add_before(LaunchList& list) const
    {
        const ConvProblem& p = inner.problem;
        if(copies_x)
            copy_as_signed(
                p.input_lengths(), x, problem.input_strides, at(at_x), p.input_strides, list);
        if(copies_w)
            copy_as_signed(
                p.filter_lengths(), w, problem.filter_strides, at(at_w), p.filter_strides, list);
        if(launch.has_filters)
            sum_filters(p, inner.b[0], launch.w_zero, at(at_filters), list);
        if(launch.has_windows)
            sum_windows(p, inner.a[0], at(at_channels), at(at_windows), list);
    }
    void add_after(LaunchList& list) const { quantize(launch, c, list); }
    double predicted() const
    {
        const auto count = [](const TensorLengths& l) {
            return static_cast<double>(element_count(l));
        };
        const double input  = count(problem.input_lengths()),
                     filter = count(problem.filter_lengths()),
                     output = count(problem.output_lengths());
        double time         = predicted_transposition(
            output * (sizeof(std::int32_t) + quantized_element_bytes(launch.type) +
                      quantized_element_bytes(launch.residual_type)));
        time += copies_x ? predicted_transposition(2 * input) : 0;
        time += copies_w ? predicted_transposition(2 * filter) : 0;
        time +=
            launch.has_filters ? predicted_transposition(filter) + predicted_transposition(0) : 0;
        time += launch.has_windows
                    ? predicted_transposition(input) +
                          predicted_transposition(
                              output /
                              static_cast<double>(std::max<long_index_t>(problem.out_channels, 1)))
                    : 0;
        return time;
    }

    static Sums of(const Family& family, const ConvArgument& argument)
    {
        Sums r;
        r.valid = check_argument(argument);
        if(r.valid)
            r.valid = check_operands_and_d(family, argument, quantized_element_bytes(family.c));
        if(!r.valid)
            return r;
        const auto& how      = *static_cast<const Quantize*>(argument.operation_c);
        const ConvProblem& p = argument.problem;
        r.problem = r.launch.problem = p;
        r.x                          = argument.a[0];
        r.w                          = argument.b[0];
        r.c                          = argument.c;
        r.copies_x                   = family.a == of_unsigned;
        r.copies_w                   = family.b == of_unsigned;
        r.launch.type                = family.c;
        r.launch.epilogue            = how.epilogue;
        r.launch.scale               = how.scale;
        r.launch.x_zero              = how.x_zero - (r.copies_x ? 128 : 0);
        r.launch.w_zero              = how.w_zero - (r.copies_w ? 128 : 0);
        r.launch.has_filters         = r.launch.x_zero != 0;
        r.launch.has_windows         = r.launch.w_zero != 0;
        r.place(argument);
        r.read_d(how, family, argument);
        return r;
    }

private:
    /// Takes a part of the workspace.
    std::size_t take(long_index_t elements, std::size_t element_bytes)
    {
        const std::size_t from = all;
        all += (static_cast<std::size_t>(elements) * element_bytes + 127) / 128 * 128;
        return from;
    }

    void place(const ConvArgument& argument)
    {
        workspace         = argument.workspace;
        inner             = argument;
        inner.operation_c = &pass_through;
        inner.d.clear();
        ConvProblem& p     = inner.problem;
        p.output_strides   = ck::detail::packed_strides(p.output_lengths(), {1, 3, 4, 5, 0, 2});
        launch.sum_strides = p.output_strides;
        const auto copied = [&](bool copies, const TensorLengths& lengths, TensorStrides& strides) {
            if(!copies)
                return std::size_t{0};
            strides = packed_in_order(lengths, strides);
            return take(element_count(lengths), 1);
        };
        const std::size_t at_sum = take(element_count(p.output_lengths()), sizeof(std::int32_t));
        at_x                     = copied(copies_x, p.input_lengths(), p.input_strides);
        at_w                     = copied(copies_w, p.filter_lengths(), p.filter_strides);
        if(launch.has_filters)
            at_filters = take(filter_sum_count(p), sizeof(std::int32_t));
        if(launch.has_windows)
        {
            at_channels = take(channel_sum_count(p), sizeof(std::int32_t));
            at_windows  = take(window_sum_count(p), sizeof(std::int32_t));
        }
        inner.c    = at(at_sum);
        launch.sum = inner.c;
        if(copies_x)
            inner.a = {at(at_x)};
        if(copies_w)
            inner.b = {at(at_w)};
        launch.filters  = launch.has_filters ? at(at_filters) : nullptr;
        launch.windows  = launch.has_windows ? at(at_windows) : nullptr;
        inner.workspace = at(all);
    }

    void read_d(const Quantize& how, const Family& family, const ConvArgument& argument)
    {
        std::size_t i = 0;
        if(how.has_scales)
            launch.scales = argument.d[i++].pointer;
        if(how.has_bias)
            launch.bias = argument.d[i++].pointer;
        if(how.has_residual)
        {
            launch.residual      = argument.d[i].pointer;
            launch.residual_type = family.d.substr(family.d.rfind(' ') + 1);
        }
    }

    static constexpr element_wise::PassThrough pass_through{};
};

} // namespace

Family family_of_sums(const Family& family)
{
    Family sums = family;
    sums.a = sums.b = sums.compute_a = sums.compute_b = type_name<std::int8_t>;
    sums.c                                            = type_name<std::int32_t>;
    sums.d                                            = "";
    sums.operation_c                                  = "PassThrough";
    return sums;
}

std::vector<std::span<const ConvKernel>> quantized(const Family& family,
                                                   const ConvArgument& argument)
{
    if(!is_quantized(family))
        return {};
    const Sums made = Sums::of(family, argument);
    if(!made.valid)
        return {};
    std::vector<std::span<const ConvKernel>> r;
    const KernelSpans inner = kernel_spans_for(family_of_sums(family), made.inner);
    for(const auto& spans : {inner.own, inner.on_copies})
        for(const std::span<const ConvKernel> kernels : spans)
            r.push_back(kernels_with_prologue<Sums>(
                family, kernels, "Quantized<", [](const ConvKernel&) { return true; }));
    return r;
}

} // namespace ck::tensor_operation::device::instance
