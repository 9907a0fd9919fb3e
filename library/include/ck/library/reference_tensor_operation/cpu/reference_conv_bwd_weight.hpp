#pragma once
// ReferenceConvBwdWeight: backward weight on the CPU, by definition, for any strides.
#include "ck/library/reference_tensor_operation/cpu/convolution_loops.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv.hpp"
#include "ck/tensor_operation/gpu/element/compute_type.hpp"

namespace ck::tensor_operation::host {

/// dW[g,k,c,y,x] = wei_op(sum over n,ho,wo of out_op(dY[g,n,k,ho,wo], A...) * in_op(X[g,n,c,hi,wi],
/// B...), D...),
///   hi = ho*stride + y*dilation - left_pad; padding is 0 after in_op; in 1 to 3 dimensions. Every
/// element of dW is written.
/// Tensors have their dimensions in this logical order, without the first if there are no groups,
/// and any strides. out_op returns ComputeTypeA and in_op ComputeTypeB, both from the element as
/// float (double for double and int32 data). Sums are double, and wei_op gets the sum as float
/// (double if dW is double or an integer type). Uses CK_HOST_THREADS threads, or all.
template <ck::index_t NDimSpatial,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          ck::index_t NumAElementwiseTensor = 0,
          ck::index_t NumBElementwiseTensor = 0,
          ck::index_t NumDElementwiseTensor = 0,
          typename ComputeTypeA             = OutDataType,
          typename ComputeTypeB             = InDataType>
requires(1 <= NDimSpatial && NDimSpatial <= 3) struct ReferenceConvBwdWeight
    : public ReferenceConv<ReferenceConvBwdWeight<NDimSpatial,
                                                  InDataType,
                                                  WeiDataType,
                                                  OutDataType,
                                                  InElementwiseOperation,
                                                  WeiElementwiseOperation,
                                                  OutElementwiseOperation,
                                                  NumAElementwiseTensor,
                                                  NumBElementwiseTensor,
                                                  NumDElementwiseTensor,
                                                  ComputeTypeA,
                                                  ComputeTypeB>,
                           NDimSpatial,
                           const Tensor<InDataType>,
                           Tensor<WeiDataType>,
                           const Tensor<OutDataType>,
                           InElementwiseOperation,
                           WeiElementwiseOperation,
                           OutElementwiseOperation,
                           std::array<Tensor<OutDataType>, NumAElementwiseTensor>,
                           std::array<Tensor<InDataType>, NumBElementwiseTensor>,
                           std::array<Tensor<WeiDataType>, NumDElementwiseTensor>>
{
    /// The tensor whose shape the A tensors have.
    static constexpr Accompanied a_accompanies = Accompanied::output;
    /// The tensor whose shape the B tensors have.
    static constexpr Accompanied b_accompanies = Accompanied::input;
    /// The tensor whose shape the D tensors have.
    static constexpr Accompanied d_accompanies = Accompanied::weight;

    /// The type in which operands are multiplied.
    using Operand = element_wise::ComputeType<ComputeTypeA, ComputeTypeB>;
    /// The type that the last operation gets.
    using Accumulated = AccumulatedFor<WeiDataType>;

    /// Writes the whole result, on CK_HOST_THREADS threads, or all.
    template <class Argument, class Shapes>
    static void compute(const Argument& arg, const Shapes& s)
    {
        const auto dy_packed =
            pack<Operand>(s.output.lengths, {0, 1, 3, 4, 5, 2}, [&](const auto& i) {
                return operand<ComputeTypeA>(arg.out_element_op_,
                                             arg.output_.data()[s.output.offset(i)],
                                             arg.elementwise_a_tensors_,
                                             s.a,
                                             i);
            });
        const auto x_packed =
            pack<Operand>(s.input.lengths, {0, 1, 3, 4, 5, 2}, [&](const auto& i) {
                return operand<ComputeTypeB>(arg.in_element_op_,
                                             arg.input_.data()[s.input.offset(i)],
                                             arg.elementwise_b_tensors_,
                                             s.b,
                                             i);
            });
        const auto store = [&](long_index_t g,
                               long_index_t k,
                               long_index_t c,
                               long_index_t z,
                               long_index_t y,
                               long_index_t x,
                               double sum) {
            const std::array<long_index_t, 6> i{g, k, c, z, y, x};
            apply_element_op(arg.wei_element_op_,
                             arg.weight_.data()[s.weight.offset(i)],
                             static_cast<Accumulated>(sum),
                             arg.elementwise_d_tensors_,
                             s.d,
                             i);
        };
        convolution_backward_weight(
            s.problem, s.output.spatial(), x_packed.data(), dy_packed.data(), store);
    }

    std::string GetTypeString() const override { return "ReferenceConvBwdWeight"; }

private:
    /// The element as it is multiplied: rounded to the compute type.
    template <class Compute, class Op, class T, class Tensors, class TensorShapes, class Index>
    static Operand
    operand(const Op& op, const T& x, const Tensors& tensors, const TensorShapes& s, const Index& i)
    {
        Compute value{};
        apply_element_op(op, value, type_convert<element_wise::ComputeType<T>>(x), tensors, s, i);
        return type_convert<Operand>(value);
    }
};

} // namespace ck::tensor_operation::host
