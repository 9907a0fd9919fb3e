#pragma once
// A convolution in cuDNN's words: types, and tensors with groups among their channels.
#include "request.hpp"
#include <cstdint>
#include <cudnn.h>
#include <vector>

namespace ck::profiler {

/// How a packed tensor lies in memory, as far as cuDNN has a name for it.
enum class CudnnOrder
{
    channels_last,  ///< NHWC, of W KRSC
    channels_first, ///< NCHW, of W KCRS
    other,
};

struct CudnnTensor
{
    cudnnDataType_t type;
    std::vector<std::int64_t> lengths; ///< N C [D] H W; of W K C [Z] Y X
    std::vector<std::int64_t> strides; ///< elements
    CudnnOrder order;
};

struct CudnnProblem
{
    Direction direction;
    CudnnTensor x, w, y;     ///< channels of all groups; of W those of one are C
    cudnnDataType_t compute; ///< of sums: float, of doubles double, of i8 int32
    bool tf32;               ///< floats may be multiplied as tf32
    std::int64_t groups;
    std::vector<std::int64_t> stride, dilation, pad_low, pad_high;

    /// Spatial dimensions, 2 or 3: 1D is 2D of height 1.
    std::size_t rank() const { return stride.size(); }
    bool symmetric_pads() const { return pad_low == pad_high; }
};

/// Throws std::runtime_error, with the reason, for what cuDNN has no words for: types, element-wise
/// operations, crops, groups that do not lie among the channels.
CudnnProblem cudnn_problem(const ConvRequest& request, const ConvProblem& p);

/// "NHWC" and so on, for messages.
const char* name(CudnnOrder order);

} // namespace ck::profiler
