#pragma once
// Backward data of a convolution without groups as one launch of an implicit GEMM, on any engine.
// The tuning's matrix instruction selects the engine.
#include "ck/tensor_operation/gpu/conv/operation/convnd_operation.hpp"
#include "ck/tensor_operation/gpu/device/convolution_backward_data_specialization.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_bwd_data.hpp"

namespace ck::tensor_operation::device {

namespace detail {

struct ConvNdBwdDataNames
{
    static constexpr const OperationNames& value = packed_backward_data_names;
};

template <class Interface,
          class ConvOp,
          ConvolutionBackwardDataSpecialization specialization,
          index_t rank>
using ConvNdBwdData =
    MakesArguments<ConvNdOperation<Interface, ConvOp, specialization, ConvNdBwdDataNames, rank>,
                   parameters_of<decltype(&Interface::MakeArgumentPointer)>>;

} // namespace detail

/// The operation of DeviceConvBwdData (shapes: see there) with the tuning of a kernel. Takes any
/// stride, dilation, padding and filter. K must be a multiple of a_vector, C of b_vector and
/// c_vector; each image is smaller than 2 GiB. Launch builds the launch of the kernel.
template <index_t NDimSpatial,
          typename InLayout,
          typename WeiLayout,
          typename OutLayout,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          GemmTuning tuning,
          ConvolutionBackwardDataSpecialization specialization =
              ConvolutionBackwardDataSpecialization::Default,
          typename ComputeType                             = OutDataType,
          template <class, class, GemmTuning> class Launch = ConvOperation>
struct DeviceConvNdBwdDataImplicitGemm
    : public detail::ConvNdBwdData<DeviceConvBwdData<NDimSpatial,
                                                     InLayout,
                                                     WeiLayout,
                                                     OutLayout,
                                                     InDataType,
                                                     WeiDataType,
                                                     OutDataType,
                                                     InElementwiseOperation,
                                                     WeiElementwiseOperation,
                                                     OutElementwiseOperation>,
                                   Launch<BackwardDataDirection,
                                          ConvTypes<OutDataType,
                                                    WeiDataType,
                                                    InDataType,
                                                    OutElementwiseOperation,
                                                    WeiElementwiseOperation,
                                                    InElementwiseOperation,
                                                    Tuple<>,
                                                    ComputeType,
                                                    ComputeType>,
                                          tuning>,
                                   specialization,
                                   NDimSpatial>
{};

} // namespace ck::tensor_operation::device
