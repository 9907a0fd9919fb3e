#pragma once
// ReferenceConvFwd: the forward convolution on the CPU, by definition, for any strides.
#include "ck/library/reference_tensor_operation/cpu/convolution_loops.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv.hpp"
#include "ck/tensor_operation/gpu/element/compute_type.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace ck::tensor_operation::host {

/// x rounded to nearest even to a type; tf32 keeps 10 bits of the mantissa.
template <class Compute, class T>
T rounded_to(T x)
{
    if constexpr(std::is_same_v<Compute, tf32_t>)
    {
        const auto value = static_cast<float>(x);
        const auto bits  = std::bit_cast<std::uint32_t>(value);
        if((bits & 0x7f800000u) == 0x7f800000u) // Inf, NaN
            return x;
        const std::uint32_t half = 0xfffu + (bits >> 13 & 1);
        return std::bit_cast<float>((bits + half) & ~0x1fffu);
    }
    else
        return type_convert<T>(type_convert<Compute>(x));
}

/// Y[g,n,k,ho,wo] = out_op(sum over c,y,x of in_op(X[g,n,c,hi,wi], A...) * wei_op(W[g,k,c,y,x],
/// B...), D...),
///   hi = ho*stride + y*dilation - left_pad; padding is 0 after in_op; in 1 to 3 dimensions. Every
/// element of Y is written.
/// Tensors have their dimensions in this logical order, without the first if there are no groups,
/// and any strides. in_op and wei_op return float (double for double and int32 data), sums are
/// double, and out_op gets the sum as float (double if Y is double or an integer type). Uses
/// CK_HOST_THREADS threads, or all. If ComputeDataType is not X's type, both operands are rounded
/// to it before they are multiplied.
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
          typename ComputeDataType          = InDataType>
requires(1 <= NDimSpatial && NDimSpatial <= 3) struct ReferenceConvFwd
    : public ReferenceConv<ReferenceConvFwd<NDimSpatial,
                                            InDataType,
                                            WeiDataType,
                                            OutDataType,
                                            InElementwiseOperation,
                                            WeiElementwiseOperation,
                                            OutElementwiseOperation,
                                            NumAElementwiseTensor,
                                            NumBElementwiseTensor,
                                            NumDElementwiseTensor,
                                            ComputeDataType>,
                           NDimSpatial,
                           const Tensor<InDataType>,
                           const Tensor<WeiDataType>,
                           Tensor<OutDataType>,
                           InElementwiseOperation,
                           WeiElementwiseOperation,
                           OutElementwiseOperation,
                           std::array<Tensor<InDataType>, NumAElementwiseTensor>,
                           std::array<Tensor<WeiDataType>, NumBElementwiseTensor>,
                           std::array<Tensor<OutDataType>, NumDElementwiseTensor>>
{
    /// The tensor whose shape the A tensors have.
    static constexpr Accompanied a_accompanies = Accompanied::input;
    /// The tensor whose shape the B tensors have.
    static constexpr Accompanied b_accompanies = Accompanied::weight;
    /// The tensor whose shape the D tensors have.
    static constexpr Accompanied d_accompanies = Accompanied::output;

    /// The type in which operands are multiplied.
    using Operand = element_wise::ComputeType<InDataType, WeiDataType>;
    /// The type that the last operation gets.
    using Accumulated = AccumulatedFor<OutDataType>;

    /// Writes the whole result, on CK_HOST_THREADS threads, or all.
    template <class Argument, class Shapes>
    static void compute(const Argument& arg, const Shapes& s)
    {
        auto x_packed = packed_operand<Operand>(arg.input_,
                                                s.input,
                                                {0, 1, 3, 4, 5, 2},
                                                arg.in_element_op_,
                                                arg.elementwise_a_tensors_,
                                                s.a);
        auto w_packed = packed_operand<Operand>(arg.weight_,
                                                s.weight,
                                                {0, 3, 4, 5, 2, 1},
                                                arg.wei_element_op_,
                                                arg.elementwise_b_tensors_,
                                                s.b);
        if constexpr(!std::is_same_v<ComputeDataType, InDataType>)
            for(auto* const operand : {&x_packed, &w_packed})
                for(Operand& value : *operand)
                    value = rounded_to<ComputeDataType>(value);
        convolution_forward(
            s.problem,
            s.output.spatial(),
            x_packed.data(),
            w_packed.data(),
            pixel_store<Accumulated>(
                arg.output_, s.output, arg.out_element_op_, arg.elementwise_d_tensors_, s.d));
    }

    /// "ReferenceConvFwd"
    std::string GetTypeString() const override { return "ReferenceConvFwd"; }
};

} // namespace ck::tensor_operation::host
