// Multiplies floats as 3xTF32. Each operand is split into a high and a low half, each with the
// 11-bit mantissa of tf32 (grid/gridwise_tf32x3.hpp). Along the reduction, copies have one part for
// each product, so that a tf32 kernel computes the sum of all three:
//
//   A  high high low        B  high low high
//
// Tensor cores multiply tf32 seven times as fast as threads multiply floats, so 3xTF32 takes less
// than half the time. They truncate when they add: only kernels that add up each slice separately
// are as exact as sums by threads. Non-finite results are computed again, since Inf times the low
// half of 1, which is 0, is NaN.
#include "ck/host_utility/runtime/platform.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/rewrites.hpp"
#include "rewrites/tf32x3_launches.hpp"

namespace ck::tensor_operation::device::instance {

namespace {

/// The fewest products in a sum: splitting operands only pays for long sums.
constexpr long_index_t least_reduction = 64;
/// The most bytes of both copies: tensors that fill a GPU leave no room for three of each.
constexpr std::size_t most_copied = std::size_t{4} << 30;

bool is_worth_parts(const Family& family, const ConvProblem& p)
{
    const long_index_t taps      = p.filter[0] * p.filter[1] * p.filter[2];
    const Spatial y              = p.output();
    const long_index_t reduction = family.direction == Direction::forward ? p.in_channels * taps
                                   : family.direction == Direction::backward_data
                                       ? p.out_channels * taps
                                       : p.batch * y[0] * y[1] * y[2];
    return family.a == type_name<float> && family.b == family.a && family.c == family.a &&
           family.compute_a == family.a && family.compute_b == family.a && family.d.empty() &&
           family.operation_a == "PassThrough" && family.operation_b == "PassThrough" &&
           family.operation_c == "PassThrough" && reduction >= least_reduction &&
           element_count(p.input_lengths()) > 0 && element_count(p.output_lengths()) > 0;
}

/// Whether a kernel's sums are as exact as those by threads.
bool adds_as_floats([[maybe_unused]] const ConvKernel& kernel)
{
#if defined(CK_RUNTIME_HOST)
    return kernel.name.starts_with("Mma<"); // emulated, it rounds to nearest
#else
    return kernel.name.find(", promoted") != std::string::npos;
#endif
}

enum : std::size_t
{
    n_or_k     = 1,
    of_channel = 2
};

/// The operands, and the dimension of each along which the reduction has three parts.
struct Parts
{
    Role a, b;
    std::size_t in_a, in_b;
};
constexpr Parts parts_of(Direction direction)
{
    return direction == Direction::forward
               ? Parts{Role::input, Role::filter, of_channel, of_channel}
           : direction == Direction::backward_data
               ? Parts{Role::output, Role::filter, of_channel, n_or_k}
               : Parts{Role::output, Role::input, n_or_k, n_or_k};
}
SplitCopy copy_of(const ConvProblem& p, Role role, std::size_t dimension, int low_part)
{
    SplitCopy r{lengths_of(p, role), strides_of(p, role), {}, dimension, low_part};
    TensorLengths three = r.lengths;
    three[dimension] *= 3;
    // Channels last; the groups of images are side by side.
    r.copy = role == Role::filter ? ck::detail::packed_strides(three, {0, 1, 3, 4, 5, 2})
                                  : ck::detail::packed_strides(three, {1, 3, 4, 5, 0, 2});
    return r;
}

/// The copies of an argument.
struct Split
{
    static constexpr const char* wants_workspace = "the halves of floats are copied to it";

    Support valid;
    Direction direction{};
    ConvProblem problem;
    SplitCopy a{}, b{};
    const void *a_from = nullptr, *b_from = nullptr;
    void* c = nullptr;
    ConvArgument inner{};

    static std::size_t bytes_of(const SplitCopy& copy)
    {
        return (static_cast<std::size_t>(copy.count()) * sizeof(float) + 127) / 128 * 128;
    }
    std::size_t bytes() const { return bytes_of(a) + bytes_of(b); }
    void require_tensors() const { require_tensors_at({a_from, b_from, c}); }
    void add_before(LaunchList& list) const
    {
        split_floats(a, a_from, const_cast<void*>(inner.a[0]), list);
        split_floats(b, b_from, const_cast<void*>(inner.b[0]), list);
    }
    void add_after(LaunchList& list) const
    {
        const Parts parts = parts_of(direction);
        const auto tensor = [&](Role role) {
            return role == parts.a ? a_from : role == parts.b ? b_from : c;
        };
        replace_not_finite(direction,
                           problem,
                           tensor(Role::input),
                           tensor(Role::filter),
                           tensor(Role::output),
                           list);
    }
    double predicted() const
    {
        const auto copied = [](const SplitCopy& copy) {
            return predicted_transposition(static_cast<double>(copy.count()) * 4 / 3 *
                                           sizeof(float));
        };
        const TensorLengths of_c = direction == Direction::forward ? problem.output_lengths()
                                   : direction == Direction::backward_data
                                       ? problem.input_lengths()
                                       : problem.filter_lengths();
        return copied(a) + copied(b) +
               predicted_transposition(static_cast<double>(element_count(of_c)) * sizeof(float));
    }

    static Split of(const Family& family, const ConvArgument& argument)
    {
        Split r;
        r.valid = check_copied(argument);
        if(!r.valid)
            return r;
        const ConvProblem& p = argument.problem;
        if(!is_worth_parts(family, p))
        {
            r.valid = refused("this kernel is for floats, sums of at least " +
                              std::to_string(least_reduction) +
                              " products, and no element-wise operations");
            return r;
        }
        r.valid = check_operands(family.direction, argument, sizeof(float));
        if(!r.valid)
            return r;
        r.direction            = family.direction;
        r.problem              = p;
        r.inner                = argument;
        ConvProblem& q         = r.inner.problem;
        const Parts parts      = parts_of(family.direction);
        r.a                    = copy_of(p, parts.a, parts.in_a, 2);
        r.b                    = copy_of(p, parts.b, parts.in_b, 1);
        strides_of(q, parts.a) = r.a.copy;
        strides_of(q, parts.b) = r.b.copy;
        (family.direction == Direction::forward         ? q.in_channels
         : family.direction == Direction::backward_data ? q.out_channels
                                                        : q.batch) *= 3;
        if(r.bytes() > most_copied)
        {
            r.valid = refused("the halves of X, W and Y would take " + std::to_string(r.bytes()) +
                              " bytes of workspace, but 4 GiB at most are taken for them");
            return r;
        }
        r.a_from          = argument.a[0];
        r.b_from          = argument.b[0];
        r.c               = argument.c;
        r.inner.a         = {in_workspace(argument, 0)};
        r.inner.b         = {in_workspace(argument, bytes_of(r.a))};
        r.inner.workspace = in_workspace(argument, r.bytes());
        return r;
    }
};

} // namespace

std::span<const ConvKernel> tf32x3(const Family& family, const ConvArgument& argument)
{
    if(!check_copied(argument) || !is_worth_parts(family, argument.problem))
        return {};
    Family inner    = family;
    inner.compute_a = inner.compute_b = type_name<tf32_t>;
    return kernels_with_prologue<Split>(family, kernels_of(inner), "Tf32x3<", adds_as_floats);
}

} // namespace ck::tensor_operation::device::instance
