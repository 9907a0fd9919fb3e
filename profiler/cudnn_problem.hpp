#pragma once
// A convolution in cuDNN's terms: types, and tensors whose channels include the groups.
#include "request.hpp"
#include <cstdint>
#include <cudnn.h>
#include <vector>

namespace ck::profiler {

/// The order of a contiguous tensor in memory, if cuDNN has a name for it.
enum class CudnnOrder
{
    channels_last,  ///< NHWC; W: KRSC
    channels_first, ///< NCHW; W: KCRS
    other,
};

struct CudnnTensor
{
    cudnnDataType_t type;
    std::vector<std::int64_t> lengths; ///< N C [D] H W; for W: K C [Z] Y X
    std::vector<std::int64_t> strides; ///< elements
    CudnnOrder order;
};

struct CudnnProblem
{
    Direction direction;
    CudnnTensor x, w, y;     ///< channels of all groups, except C of W: one group
    cudnnDataType_t compute; ///< type of sums: float; double for doubles, int32 for i8
    bool tf32;               ///< floats may be multiplied as tf32
    std::int64_t groups;
    std::vector<std::int64_t> stride, dilation, pad_low, pad_high;

    /// Spatial dimensions, 2 or 3: 1D is 2D of height 1.
    std::size_t rank() const { return stride.size(); }
    bool symmetric_pads() const { return pad_low == pad_high; }
};

/// Throws std::runtime_error, with the reason, for what cuDNN cannot express: types, element-wise
/// operations, crops, groups that are not part of the channels.
CudnnProblem cudnn_problem(const ConvRequest& request, const ConvProblem& p);

/// "NHWC" and so on, for messages.
const char* name(CudnnOrder order);

} // namespace ck::profiler
