#pragma once
// Interface: copies between an image and the matrix of a convolution's windows (im2col, col2im).
#include "ck/tensor_operation/gpu/device/conv_tensor_rearrange_op.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/utility/integer.hpp"

#include <array>

namespace ck::tensor_operation::device {

/// Image I[g,n,c,hi,wi] and column matrix M[g,m,k] with row m = (n, ho, wo) and column k = (y, x,
/// c), the last one fastest; hi = ho*stride + y*dilation - left_pad; 1 to 3 spatial dimensions.
///
///   ImageToColumn  M[g,m,k] = I[g,n,c,hi,wi], or 0 where hi, wi is in the padding
///   ColumnToImage  I[g,n,c,hi,wi] = sum of M[g,m,k] over all y, x, ho, wo that map to hi, wi, or 0
///                  if there are none. Adds in float, in the order of ascending y, x, and rounds
///                  once.
///
/// p_in is read. Every element of p_out is written; its old contents do not matter. C is per group.
/// Strides are in elements, in the order G,N,C,[D]HW for the image, regardless of the layout tag,
/// and G,M,K for the matrix.
template <index_t NDimSpatial,
          typename ImageLayout,
          typename InputDataType,
          typename OutputDataType,
          typename ConvTensorRearrangeOp>
struct DeviceConvTensorRearrange : public BaseOperator
{
    /// p_in is read and p_out is written. Lengths and strides are in elements; see the struct for
    /// the order of dimensions.
    virtual std::unique_ptr<BaseArgument>
    MakeArgumentPointer(const void* p_in,
                        void* p_out,
                        const index_t G,
                        const index_t N,
                        const index_t C,
                        const std::array<index_t, NDimSpatial>& input_spatial_lengths,
                        const std::array<index_t, NDimSpatial>& filter_spatial_lengths,
                        const std::array<index_t, NDimSpatial>& output_spatial_lengths,
                        const std::array<index_t, NDimSpatial + 3>& image_g_n_c_wis_strides,
                        const std::array<index_t, 3>& gemm_g_m_k_strides,
                        const std::array<index_t, NDimSpatial>& conv_filter_strides,
                        const std::array<index_t, NDimSpatial>& conv_filter_dilations,
                        const std::array<index_t, NDimSpatial>& input_left_pads,
                        const std::array<index_t, NDimSpatial>& input_right_pads) = 0;

    /// Makes the invoker; its Run launches this operation's arguments.
    virtual std::unique_ptr<BaseInvoker> MakeInvokerPointer() = 0;
};

} // namespace ck::tensor_operation::device
