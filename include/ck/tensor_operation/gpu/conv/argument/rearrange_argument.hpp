#pragma once
// Turns the parameters of DeviceConvTensorRearrange into a problem. Contains no kernel.
#include "ck/convolution/problem.hpp"

#include <vector>

namespace ck::tensor_operation::device {

/// An image, the matrix of its windows, and their addresses.
struct RearrangeArguments
{
    ConvProblem problem; ///< with one output channel; W and Y have no strides
    Support valid;       ///< what is wrong with the parameters
    const void* in;
    void* out;
    std::array<long_index_t, 3> matrix_strides; ///< g m k, elements

    /// See DeviceConvTensorRearrange.
    template <std::size_t rank, std::size_t tensor_rank>
    static RearrangeArguments make(const void* in,
                                   void* out,
                                   index_t groups,
                                   index_t batch,
                                   index_t channels,
                                   const std::array<index_t, rank>& input_lengths,
                                   const std::array<index_t, rank>& filter_lengths,
                                   const std::array<index_t, rank>& output_lengths,
                                   const std::array<index_t, tensor_rank>& image_strides,
                                   const std::array<index_t, 3>& matrix_strides,
                                   const std::array<index_t, rank>& strides,
                                   const std::array<index_t, rank>& dilations,
                                   const std::array<index_t, rank>& left_pads,
                                   const std::array<index_t, rank>& right_pads)
    {
        RearrangeArguments a{};
        a.in  = in;
        a.out = out;
        std::copy(matrix_strides.begin(), matrix_strides.end(), a.matrix_strides.begin());
        ConvProblem& p  = a.problem;
        p.rank          = static_cast<index_t>(rank);
        p.groups        = groups;
        p.batch         = batch;
        p.in_channels   = channels;
        p.input         = to_spatial(input_lengths, 1);
        p.filter        = to_spatial(filter_lengths, 1);
        p.stride        = to_spatial(strides, 1);
        p.dilation      = to_spatial(dilations, 1);
        p.pad_low       = to_spatial(left_pads, 0);
        p.pad_high      = to_spatial(right_pads, 0);
        p.input_strides = to_tensor_strides(image_strides);
        a.valid         = validate(p);
        if(a.valid)
            a.valid = crop_output(p, to_spatial(output_lengths, 1));
        return a;
    }
};

} // namespace ck::tensor_operation::device
