#pragma once
// The launch before a kernel with GemmTuning::transposed_first: the matrix that it transposes, and
// the kernel's tensor map of the result.
#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/conv/plan/tensor_boxes.hpp"
#include "ck/tensor_operation/gpu/grid/transpose_matrix.hpp"

#include <algorithm>
#include <string>

namespace ck::tensor_operation::device {

/// Backward data's filters become lines of K output channels, one for each input channel and tap;
/// backward weight's dY runs of 128 bytes of output pixels, those of the same pixels one after the
/// other, one for each output channel: what a slice takes is contiguous. For one group.
template <class Direction, index_t element_bytes>
struct TransposedFirst
{
    using Kernel = grid::TransposeMatrix<element_bytes>;

    static constexpr bool of_filters = Direction::b == Role::filter;

    /// Whether the operand is a matrix of evenly spaced rows.
    static Support check(const ConvProblem& p)
    {
        if(of_filters ? !has_even_columns(p)
                      : row_count(p) > 1 && pixel_stride(p, Role::output, 1) == 0)
            return refused([&] {
                return std::string(of_filters ? "the elements of a filter of W"
                                              : "the pixels of dY") +
                       " do not have one distance, but this kernel's tensor maps are of a "
                       "matrix that is pre-transposed";
            });
        return {};
    }

    static std::size_t bytes(const ConvProblem& p)
    {
        return static_cast<std::size_t>(element_bytes * column_count(p) * whole_rows(p));
    }

    static void add(LaunchList& list, const ConvProblem& p, const void* from, void* to)
    {
        typename Kernel::Params r{};
        r.from               = from;
        r.to                 = to;
        r.rows               = static_cast<index_t>(row_count(p));
        r.columns            = static_cast<index_t>(column_count(p));
        r.from_pitch         = of_filters ? p.filter_strides[1] : pixel_stride(p, Role::output, 1);
        r.line_pitch         = of_filters ? whole_rows(p) : run_length;
        r.run_pitch          = of_filters ? run_length : run_length * column_count(p);
        r.taps               = static_cast<index_t>(column_count(p) / channels(p));
        r.channels           = make_divisor(static_cast<index_t>(channels(p)));
        const index_t blocks = Kernel::grid_size(r);
        list.add<Kernel>(blocks, r);
    }

    /// The box of a run of `lines` lines. For filters, it begins where it would if they lay along
    /// the reduction themselves; for dY, at a channel in dimension 1 and a run in dimension 2.
    static arch::TensorBox box(const ConvProblem& p, const void* base, index_t lines)
    {
        const long_index_t length[2][5] = {
            {run_length, channels(p), whole_rows(p) / run_length, 1, 1},
            {row_count(p), p.filter[2], p.filter[1], p.filter[0], channels(p)}};
        arch::TensorBox b{};
        b.base          = base;
        b.rank          = 5;
        b.element_bytes = element_bytes;
        b.channels      = run_length;
        b.stride[0]     = 1;
        b.stride[1]     = of_filters ? whole_rows(p) : run_length;
        std::copy_n(length[of_filters], 5, b.length);
        for(int i = 2; i < 5; ++i)
            b.stride[i] = b.stride[i - 1] * b.length[i - 1];
        std::fill_n(b.step, 3, 1);
        std::fill_n(b.box, 4, 1);
        b.box[of_filters ? 3 : 0] = lines;
        return b;
    }

private:
    static constexpr index_t run_length = Kernel::run_length;

    static long_index_t row_count(const ConvProblem& p)
    {
        const Spatial out = p.output();
        return of_filters ? p.out_channels : p.batch * out[0] * out[1] * out[2];
    }
    /// In whole runs.
    static long_index_t whole_rows(const ConvProblem& p)
    {
        return math::integer_divide_ceil(row_count(p), long_index_t{run_length}) * run_length;
    }
    static long_index_t channels(const ConvProblem& p)
    {
        return of_filters ? p.in_channels : p.out_channels;
    }
    static long_index_t column_count(const ConvProblem& p)
    {
        return channels(p) * (of_filters ? p.filter[0] * p.filter[1] * p.filter[2] : 1);
    }
};

} // namespace ck::tensor_operation::device
