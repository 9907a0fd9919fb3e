#pragma once
// ReferenceConvBwdData: backward data on the CPU, by definition, for any strides.
#include "ck/library/reference_tensor_operation/cpu/convolution_loops.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv.hpp"
#include "ck/tensor_operation/gpu/element/compute_type.hpp"

namespace ck::tensor_operation::host {

/// dX[g,n,c,hi,wi] = in_op(sum over k,y,x of out_op(dY[g,n,k,ho,wo], A...) * wei_op(W[g,k,c,y,x],
/// B...), D...),
///   hi = ho*stride + y*dilation - left_pad; in 1 to 3 dimensions. Every element of dX is written.
/// Tensors have their dimensions in this logical order, without the first if there are no groups,
/// and any strides. out_op and wei_op return float (double for double and int32 data), sums are
/// double, and in_op gets the sum as float (double if dX is double or an integer type). Uses
/// CK_HOST_THREADS threads, or all.
template <ck::index_t NDimSpatial,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          ck::index_t NumAElementwiseTensor = 0,
          ck::index_t NumBElementwiseTensor = 0,
          ck::index_t NumDElementwiseTensor = 0>
requires(1 <= NDimSpatial && NDimSpatial <= 3) struct ReferenceConvBwdData
    : public ReferenceConv<ReferenceConvBwdData<NDimSpatial,
                                                InDataType,
                                                WeiDataType,
                                                OutDataType,
                                                InElementwiseOperation,
                                                WeiElementwiseOperation,
                                                OutElementwiseOperation,
                                                NumAElementwiseTensor,
                                                NumBElementwiseTensor,
                                                NumDElementwiseTensor>,
                           NDimSpatial,
                           Tensor<InDataType>,
                           const Tensor<WeiDataType>,
                           const Tensor<OutDataType>,
                           InElementwiseOperation,
                           WeiElementwiseOperation,
                           OutElementwiseOperation,
                           std::array<Tensor<OutDataType>, NumAElementwiseTensor>,
                           std::array<Tensor<WeiDataType>, NumBElementwiseTensor>,
                           std::array<Tensor<OutDataType>, NumDElementwiseTensor>>
{
    /// The tensor whose shape the A tensors have.
    static constexpr Accompanied a_accompanies = Accompanied::output;
    /// The tensor whose shape the B tensors have.
    static constexpr Accompanied b_accompanies = Accompanied::weight;
    /// The tensor whose shape the D tensors have.
    static constexpr Accompanied d_accompanies = Accompanied::input;

    /// The type in which operands are multiplied.
    using Operand = element_wise::ComputeType<WeiDataType, OutDataType>;
    /// The type that the last operation gets.
    using Accumulated = AccumulatedFor<InDataType>;

    /// Writes the whole result, on CK_HOST_THREADS threads, or all.
    template <class Argument, class Shapes>
    static void compute(const Argument& arg, const Shapes& s)
    {
        const auto dy_packed = packed_operand<Operand>(arg.output_,
                                                       s.output,
                                                       {0, 1, 3, 4, 5, 2},
                                                       arg.out_element_op_,
                                                       arg.elementwise_a_tensors_,
                                                       s.a);
        const auto w_packed  = packed_operand<Operand>(arg.weight_,
                                                      s.weight,
                                                      {0, 3, 4, 5, 1, 2},
                                                      arg.wei_element_op_,
                                                      arg.elementwise_b_tensors_,
                                                      s.b);
        convolution_backward_data(
            s.problem,
            s.output.spatial(),
            dy_packed.data(),
            w_packed.data(),
            pixel_store<Accumulated>(
                arg.input_, s.input, arg.in_element_op_, arg.elementwise_d_tensors_, s.d));
    }

    std::string GetTypeString() const override { return "ReferenceConvBwdData"; }
};

} // namespace ck::tensor_operation::host
