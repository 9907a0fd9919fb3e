// Convolutions of eight-bit floats with scales. A kernel stores the sums as f32, and a launch
// scales, adds and rounds: scales are in device memory, where kernels of training recipes write
// them, and no kernel's main loop changes.
//
// Sums are those of kernels of eight-bit floats, if the device has some that add in f32, or of
// kernels of bf16 on copies of both operands, "Upcast<". wgmma keeps 14 bits of a sum of eight-bit
// floats, so that only kernels that add its sums up by threads are in the family of sums.
#include "rewrites/scaled_float8.hpp"

#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include "rewrites/epilogue_argument.hpp"
#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/rewrites.hpp"
#include "rewrites/scaled_float8_launches.hpp"
#include "tensor_operation_instance/kernel_spans.hpp"

namespace ck::tensor_operation::device::instance {

namespace {

/// The argument of the kernel, and the launches after it.
struct ScaledSums
{
    static constexpr const char* wants_workspace = "sums of f32 are stored in it";

    Support valid;
    ConvArgument inner{};
    ScaleLaunch launch{};
    void* c = nullptr;

    std::size_t sum_bytes() const { return padded(element_count(launch.lengths) * 4); }
    std::size_t bytes() const
    {
        return sum_bytes() + (launch.has_amax ? padded(static_cast<long_index_t>(bytes_of_largest(
                                                    element_count(launch.lengths))))
                                              : 0);
    }
    void require_tensors() const
    {
        if(element_count(launch.lengths) > 0)
            require_tensors_at({c});
    }
    static void add_before(LaunchList&) {}
    void add_after(LaunchList& list) const { scale_sums(launch, c, list); }
    double predicted() const
    {
        const auto count = static_cast<double>(element_count(launch.lengths));
        return predicted_transposition(count *
                                       (index_t{sizeof(float)} + scaled_element_bytes(launch.type) +
                                        scaled_element_bytes(launch.residual_type))) +
               (launch.has_amax ? predicted_transposition(0) : 0);
    }

    static ScaledSums of(const Family& family, const ConvArgument& argument)
    {
        ScaledSums r;
        r.valid = check_argument(argument);
        if(r.valid)
            r.valid = check_operands_and_d(family, argument, scaled_element_bytes(family.c));
        if(!r.valid)
            return r;
        const auto& how = *static_cast<const ScaleFloat8*>(argument.operation_c);
        const Role role = result_role(family.direction);
        ScaleLaunch& l  = r.launch;
        r.c             = argument.c;
        l.type          = family.c;
        l.lengths       = lengths_of(argument.problem, role);
        l.result        = strides_of(argument.problem, role);
        l.epilogue      = how.epilogue;
        l.has_amax      = how.has_amax;
        l.sums  = role == Role::filter ? ck::detail::packed_strides(l.lengths, {0, 1, 3, 4, 5, 2})
                                       : ck::detail::packed_strides(l.lengths, {1, 3, 4, 5, 0, 2});
        r.inner = argument;
        r.inner.operation_c = &no_operation;
        r.inner.d.clear();
        strides_of(r.inner.problem, role) = l.sums;
        r.inner.c                         = in_workspace(argument, 0);
        l.sum                             = r.inner.c;
        l.largest         = l.has_amax ? in_workspace(argument, r.sum_bytes()) : nullptr;
        r.inner.workspace = in_workspace(argument, r.bytes());
        r.read_d(how, family, argument);
        return r;
    }

private:
    static std::size_t padded(long_index_t bytes)
    {
        return (static_cast<std::size_t>(bytes) + 127) / 128 * 128;
    }

    void read_d(const ScaleFloat8& how, const Family& family, const ConvArgument& argument)
    {
        std::size_t i   = 0;
        const auto next = [&](bool exists) { return exists ? argument.d[i++].pointer : nullptr; };
        launch.a_scale  = next(how.has_a_scale);
        launch.b_scale  = next(how.has_b_scale);
        launch.channel_scale = next(how.has_channel_scale);
        launch.bias          = next(how.has_bias);
        if(how.has_residual)
            launch.residual_type = nth_type(family.d, i);
        launch.residual = next(how.has_residual);
        launch.amax     = const_cast<void*>(next(how.has_amax));
    }

    static std::string nth_type(const std::string& types, std::size_t n)
    {
        std::size_t from = 0;
        for(; n > 0; --n)
            from = types.find(' ', from) + 1;
        return types.substr(from, types.find(' ', from) - from);
    }
};

} // namespace

Family family_of_float8_sums(const Family& family)
{
    Family sums = without_operation(family);
    sums.c      = type_name<float>;
    return sums;
}

bool has_scaled_pieces(const Family& family, const ConvArgument& argument)
{
    return family.direction != Direction::backward_weight &&
           !static_cast<const ScaleFloat8*>(argument.operation_c)->has_amax;
}

std::vector<std::span<const ConvKernel>> scaled_float8(const Family& family,
                                                       const ConvArgument& argument)
{
    if(!is_scaled_float8(family))
        return {};
    const ScaledSums made = ScaledSums::of(family, argument);
    if(!made.valid)
        return {};
    std::vector<std::span<const ConvKernel>> r;
    const KernelSpans inner = kernel_spans_for(family_of_float8_sums(family), made.inner);
    for(const auto& spans : {inner.own, inner.on_copies})
        for(const std::span<const ConvKernel> kernels : spans)
            r.push_back(kernels_with_prologue<ScaledSums>(
                family, kernels, "Scaled<", [](const ConvKernel&) { return true; }));
    return r;
}

} // namespace ck::tensor_operation::device::instance
