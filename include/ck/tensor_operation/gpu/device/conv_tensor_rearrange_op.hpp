#pragma once
// Tags that choose the direction in which DeviceConvTensorRearrange copies.

namespace ck::conv_tensor_rearrange_op {

/// Base class of the two tags.
struct BaseConvTensorRearrangeOp
{};

/// Selects the copy from an image to the matrix of the convolution's windows (im2col).
struct ImageToColumn : public BaseConvTensorRearrangeOp
{
    /// The tag's name for messages.
    static constexpr const char* name = "Image to Column";
};

/// Selects the reverse of ImageToColumn (col2im): it makes an image from such a matrix and adds up
/// elements where windows overlap.
struct ColumnToImage : public BaseConvTensorRearrangeOp
{
    /// The tag's name for messages.
    static constexpr const char* name = "Column to Image";
};

} // namespace ck::conv_tensor_rearrange_op
