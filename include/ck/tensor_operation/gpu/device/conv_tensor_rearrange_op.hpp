#pragma once
// Which way DeviceConvTensorRearrange copies.

namespace ck::conv_tensor_rearrange_op {

struct BaseConvTensorRearrangeOp
{};

/// From an image to the matrix of a convolution's windows.
struct ImageToColumn : public BaseConvTensorRearrangeOp
{
    static constexpr const char* name = "Image to Column";
};

/// From such a matrix to an image: where windows overlap, their elements are added up.
struct ColumnToImage : public BaseConvTensorRearrangeOp
{
    static constexpr const char* name = "Column to Image";
};

} // namespace ck::conv_tensor_rearrange_op
