#pragma once
// Forward convolution with a bias on the CPU, under Composable Kernel's name.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace ck::tensor_operation::host {

namespace detail {

/// The bias as a tensor with the result's lengths.
template <class T>
Tensor<T> repeated_bias(const Tensor<T>& bias_k, const HostTensorDescriptor& result)
{
    const auto& lengths = result.GetLengths();
    if(lengths.size() != 4 || bias_k.GetLengths() != std::vector<std::size_t>{lengths[1]})
        throw std::runtime_error("the bias has " + std::to_string(bias_k.GetElementSize()) +
                                 " elements in " + std::to_string(bias_k.GetNumOfDimension()) +
                                 " dimensions, but must have one, of K");
    Tensor<T> repeated(
        HostTensorDescriptor(lengths, std::vector<std::size_t>{0, bias_k.GetStrides()[0], 0, 0}));
    repeated.mData = bias_k.mData;
    return repeated;
}

inline std::vector<ck::long_index_t> wide(const std::vector<ck::index_t>& values)
{
    return {values.begin(), values.end()};
}

} // namespace detail

/// Y[n,k,ho,wo] = out_op(sum over c,y,x of in_op(X[n,c,hi,wi]) * wei_op(W[k,c,y,x]), bias[k]), in
/// two dimensions, without groups. Tensors have their dimensions in this order, and any strides.
/// Otherwise the same as ReferenceConvFwd.
template <typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation>
struct ReferenceConvFwd_Bias_Activation : public ReferenceConvFwd<2,
                                                                  InDataType,
                                                                  WeiDataType,
                                                                  OutDataType,
                                                                  InElementwiseOperation,
                                                                  WeiElementwiseOperation,
                                                                  OutElementwiseOperation,
                                                                  0,
                                                                  0,
                                                                  1>
{
    /// Throws std::runtime_error if the bias does not have K elements.
    static auto MakeArgument(const Tensor<InDataType>& in_n_c_hi_wi,
                             const Tensor<WeiDataType>& wei_k_c_y_x,
                             Tensor<OutDataType>& out_n_k_ho_wo,
                             const Tensor<OutDataType>& bias_k,
                             const std::vector<ck::index_t>& conv_filter_strides,
                             const std::vector<ck::index_t>& conv_filter_dilations,
                             const std::vector<ck::index_t>& input_left_pads,
                             const std::vector<ck::index_t>& input_right_pads,
                             InElementwiseOperation in_element_op,
                             WeiElementwiseOperation wei_element_op,
                             OutElementwiseOperation out_element_op)
    {
        using Conv = typename ReferenceConvFwd_Bias_Activation::ReferenceConvFwd;
        return Conv::MakeArgument(in_n_c_hi_wi,
                                  wei_k_c_y_x,
                                  out_n_k_ho_wo,
                                  detail::wide(conv_filter_strides),
                                  detail::wide(conv_filter_dilations),
                                  detail::wide(input_left_pads),
                                  detail::wide(input_right_pads),
                                  in_element_op,
                                  wei_element_op,
                                  out_element_op,
                                  {},
                                  {},
                                  {detail::repeated_bias(bias_k, out_n_k_ho_wo.mDesc)});
    }

    std::string GetTypeString() const override { return "ReferenceConvFwd_Bias_Activation"; }
};

} // namespace ck::tensor_operation::host
