#pragma once
// Backward weight without groups under positional names: packed channels-last tensors given by
// lists of lengths.
#include "ck/tensor_operation/gpu/conv/argument/listed_problem.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"

#include <memory>
#include <vector>

namespace ck::tensor_operation::device::positional {

/// Weight's operation for one group, with a second way to make arguments.
template <index_t rank,
          class In,
          class Wei,
          class Out,
          class Acc,
          class InOperation,
          class WeiOperation,
          class OutOperation,
          Positions p>
struct PackedBackwardWeight : public Weight<rank,
                                            LayoutOfRank<rank,
                                                         tensor_layout::convolution::NWGC,
                                                         tensor_layout::convolution::NHWGC,
                                                         tensor_layout::convolution::NDHWGC>,
                                            LayoutOfRank<rank,
                                                         tensor_layout::convolution::GKXC,
                                                         tensor_layout::convolution::GKYXC,
                                                         tensor_layout::convolution::GKZYXC>,
                                            LayoutOfRank<rank,
                                                         tensor_layout::convolution::NWGK,
                                                         tensor_layout::convolution::NHWGK,
                                                         tensor_layout::convolution::NDHWGK>,
                                            In,
                                            Wei,
                                            Out,
                                            Acc,
                                            InOperation,
                                            WeiOperation,
                                            OutOperation,
                                            ConvolutionBackwardWeightSpecialization::Default,
                                            In,
                                            In,
                                            p>
{
    using PackedBackwardWeight::Weight::MakeArgument;
    using PackedBackwardWeight::Weight::MakeArgumentPointer;
    using typename PackedBackwardWeight::Weight::Argument;

    /// p_in: X, N [D] H W C. p_wei: dW, K [Z] Y X C, written. p_out: dY, N [D] H W K. The lists
    /// must have `rank` entries; IsSupportedArgument refuses others.
    static Argument MakeArgument(const In* p_in,
                                 Wei* p_wei,
                                 const Out* p_out,
                                 index_t N,
                                 index_t K,
                                 index_t C,
                                 const std::vector<index_t>& input_spatial_lengths,
                                 const std::vector<index_t>& filter_spatial_lengths,
                                 const std::vector<index_t>& output_spatial_lengths,
                                 const std::vector<index_t>& conv_filter_strides,
                                 const std::vector<index_t>& conv_filter_dilations,
                                 const std::vector<index_t>& input_left_pads,
                                 const std::vector<index_t>& input_right_pads,
                                 InOperation in_element_op,
                                 WeiOperation wei_element_op,
                                 OutOperation out_element_op,
                                 index_t split_k)
    {
        const GroupedProblem made = make_listed_problem(rank,
                                                        {N,
                                                         K,
                                                         C,
                                                         {&input_spatial_lengths,
                                                          &filter_spatial_lengths,
                                                          &output_spatial_lengths,
                                                          &conv_filter_strides,
                                                          &conv_filter_dilations,
                                                          &input_left_pads,
                                                          &input_right_pads}});
        Argument r{};
        r.problem     = made.problem;
        r.valid       = made.valid;
        r.a           = p_out;
        r.b           = p_in;
        r.c           = p_wei;
        r.operation_a = out_element_op;
        r.operation_b = in_element_op;
        r.operation_c = wei_element_op;
        r.split_k     = split_k;
        see_patches<ConvolutionBackwardWeightSpecialization::Default, false>(r, false);
        PackedBackwardWeight::Operation::make_plan(r);
        return r;
    }

    /// The same through BaseArgument.
    std::unique_ptr<BaseArgument>
    MakeArgumentPointer(const void* p_in,
                        void* p_wei,
                        const void* p_out,
                        index_t N,
                        index_t K,
                        index_t C,
                        const std::vector<index_t>& input_spatial_lengths,
                        const std::vector<index_t>& filter_spatial_lengths,
                        const std::vector<index_t>& output_spatial_lengths,
                        const std::vector<index_t>& conv_filter_strides,
                        const std::vector<index_t>& conv_filter_dilations,
                        const std::vector<index_t>& input_left_pads,
                        const std::vector<index_t>& input_right_pads,
                        InOperation in_element_op,
                        WeiOperation wei_element_op,
                        OutOperation out_element_op,
                        index_t split_k)
    {
        return std::make_unique<Argument>(MakeArgument(static_cast<const In*>(p_in),
                                                       static_cast<Wei*>(p_wei),
                                                       static_cast<const Out*>(p_out),
                                                       N,
                                                       K,
                                                       C,
                                                       input_spatial_lengths,
                                                       filter_spatial_lengths,
                                                       output_spatial_lengths,
                                                       conv_filter_strides,
                                                       conv_filter_dilations,
                                                       input_left_pads,
                                                       input_right_pads,
                                                       in_element_op,
                                                       wei_element_op,
                                                       out_element_op,
                                                       split_k));
    }
};

} // namespace ck::tensor_operation::device::positional
