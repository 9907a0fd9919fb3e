#pragma once
// Which way DeviceConvTensorRearrange copies.

namespace ck::conv_tensor_rearrange_op {

/// Base of the two tags.
struct BaseConvTensorRearrangeOp
{};

/// Names the operation that copies an image into the matrix of a convolution's windows.
struct ImageToColumn : public BaseConvTensorRearrangeOp
{
    /// The operation as text.
    static constexpr const char* name = "Image to Column";
};

/// Names the operation that makes an image of such a matrix: where windows overlap, their elements
/// are added up.
struct ColumnToImage : public BaseConvTensorRearrangeOp
{
    /// The operation as text.
    static constexpr const char* name = "Column to Image";
};

} // namespace ck::conv_tensor_rearrange_op
