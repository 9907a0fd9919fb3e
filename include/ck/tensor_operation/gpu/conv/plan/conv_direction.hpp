#pragma once
// The directions of a convolution as a kernel sees them: which tensors are A, B and C, the
// transforms to a GEMM (also for kernels with tensor maps, OfMaps, and for merged reductions,
// Merged), and the limits.
#include "ck/tensor_operation/operator_transform/backward_data.hpp"
#include "ck/tensor_operation/operator_transform/backward_data_limits.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight_limits.hpp"
#include "ck/tensor_operation/operator_transform/forward.hpp"
#include "ck/tensor_operation/operator_transform/forward_limits.hpp"
#include "ck/tensor_operation/operator_transform/merged_backward_data.hpp"
#include "ck/tensor_operation/operator_transform/merged_forward.hpp"

namespace ck::tensor_operation::device {

/// X, W and Y of a problem, or their gradients. Kernels access their channels, dimension 2 of the
/// lengths and strides, in vectors.
enum class Role
{
    input,
    filter,
    output
};

inline TensorLengths lengths_of(const ConvProblem& p, Role role)
{
    return role == Role::input    ? p.input_lengths()
           : role == Role::filter ? p.filter_lengths()
                                  : p.output_lengths();
}
inline const TensorStrides& strides_of(const ConvProblem& p, Role role)
{
    return role == Role::input    ? p.input_strides
           : role == Role::filter ? p.filter_strides
                                  : p.output_strides;
}

/// Element sizes of X, W and Y, in bytes, when A, B and C are those of a direction.
template <class Direction, class A, class B, class C>
constexpr ElementBytes element_bytes_of()
{
    const auto of = [](Role role) {
        return static_cast<index_t>(role == Direction::a   ? sizeof(A)
                                    : role == Direction::b ? sizeof(B)
                                                           : sizeof(C));
    };
    return {of(Role::input), of(Role::filter), of(Role::output)};
}

/// Bytes that a problem moves. All of dX is written, but only the pixels of X inside windows are
/// read.
template <class Direction>
double moved_bytes(const ConvProblem& p, const ElementBytes& element_bytes)
{
    const auto [input, filter, output] = element_bytes;
    const double all                   = bytes(p, input, filter, output);
    if(Direction::c == Role::input)
        return all;
    return all -
           (1 - touched_share(p)) * static_cast<double>(element_count(p.input_lengths())) * input;
}

/// Returns the moved bytes weighted by cost, for tensor maps and asynchronous copies: rows that do
/// not begin at a 128-byte line take longer, above all when written. The weights were measured on
/// an H200 with 40 1x1 layers of f16. Only the 0.15 for all writes is left out, because the choice
/// is better without it: forward of 173 problems loses 0.88 %, with it 0.97 %
/// (docs/notes/kernel_selection.md).
template <class Direction>
double weighted_bytes(const ConvProblem& p, const ElementBytes& element_bytes)
{
    const auto of_role = [&](Role role) {
        return role == Role::input    ? element_bytes.input
               : role == Role::filter ? element_bytes.filter
                                      : element_bytes.output;
    };
    const auto bytes_of = [&](Role role) {
        return static_cast<double>(element_count(lengths_of(p, role))) * of_role(role);
    };
    // If channels are not contiguous they lie in planes, whose rows are long.
    const auto pitch = [&](Role role) {
        const TensorStrides& strides = strides_of(p, role);
        return strides[2] == 1 ? strides[5] * of_role(role) : long_index_t{0};
    };
    // The weights to add for rows that begin within a line, compared with reads whose rows all
    // begin at a line.
    const double to_read  = pitch(Direction::a) % 64 == 0 ? 0 : 0.2;
    const double to_write = pitch(Direction::c) % 128 == 0  ? 0
                            : pitch(Direction::c) % 64 == 0 ? 0.2
                                                            : 0.35;
    return moved_bytes<Direction>(p, element_bytes) + to_read * bytes_of(Direction::a) +
           to_write * bytes_of(Direction::c);
}

struct ForwardDirection
{
    using Transform = Forward;
    using OfMaps    = Forward;
    using Merged    = MergedForward;

    static constexpr Role a = Role::input, b = Role::filter, c = Role::output;
    static constexpr const char *a_name = "X", *b_name = "W", *c_name = "Y";

    static Support check(const ConvProblem& p, const ElementBytes& bytes)
    {
        return check_forward(p, 1, bytes);
    }
    static index_t largest_batch(const ConvProblem& p, const ElementBytes& bytes)
    {
        return largest_forward_batch(p, bytes);
    }
    static long_index_t columns(const ConvProblem& p) { return p.out_channels; }
    static long_index_t reduction_channels(const ConvProblem& p) { return p.in_channels; }
};

struct BackwardDataDirection
{
    using Transform = BackwardDataByPixel;
    using OfMaps    = BackwardData;
    using Merged    = MergedBackwardData;

    static constexpr Role a = Role::output, b = Role::filter, c = Role::input;
    static constexpr const char *a_name = "dY", *b_name = "W", *c_name = "dX";

    static Support check(const ConvProblem& p, const ElementBytes& bytes)
    {
        return check_backward_data(p, 1, bytes);
    }
    static index_t largest_batch(const ConvProblem& p, const ElementBytes& bytes)
    {
        return ck::largest_batch(p, bytes);
    }
    static long_index_t columns(const ConvProblem& p) { return p.in_channels; }
    static long_index_t reduction_channels(const ConvProblem& p) { return p.out_channels; }
};

struct BackwardWeightDirection
{
    using Transform = BackwardWeight;
    using OfMaps    = BackwardWeight;
    using Merged    = BackwardWeight;

    static constexpr Role a = Role::output, b = Role::input, c = Role::filter;
    static constexpr const char *a_name = "dY", *b_name = "X", *c_name = "dW";

    static Support check(const ConvProblem& p, const ElementBytes& bytes)
    {
        return check_backward_weight(p, 1, bytes);
    }
    static index_t largest_batch(const ConvProblem& p, const ElementBytes& bytes)
    {
        return largest_backward_weight_batch(p, bytes);
    }
    static long_index_t columns(const ConvProblem& p)
    {
        return p.filter[0] * p.filter[1] * p.filter[2] * p.in_channels;
    }
};

/// For X and dY with contiguous pixels. Vectors have one element.
struct BackwardWeightByPixelsDirection : public BackwardWeightDirection
{
    using Transform = BackwardWeightByPixels;
};

} // namespace ck::tensor_operation::device
