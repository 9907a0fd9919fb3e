#pragma once
// Forward of a convolution without groups as one launch of an implicit GEMM, on any engine. The
// tuning's matrix instruction selects the engine.
#include "ck/tensor_operation/gpu/conv/operation/convnd_operation.hpp"
#include "ck/tensor_operation/gpu/device/convolution_forward_specialization.hpp"
#include "ck/tensor_operation/gpu/device/device_conv_fwd.hpp"

namespace ck::tensor_operation::device {

namespace detail {

struct ConvNdFwdNames
{
    static constexpr const OperationNames& value = packed_forward_names;
};

template <class Interface,
          class ConvOp,
          ConvolutionForwardSpecialization specialization,
          index_t rank>
using ConvNdFwd =
    MakesArguments<ConvNdOperation<Interface, ConvOp, specialization, ConvNdFwdNames, rank>,
                   parameters_of<decltype(&Interface::MakeArgumentPointer)>>;

} // namespace detail

/// The operation of DeviceConvFwd (shapes: see there) with the tuning of a kernel. Takes any
/// stride, dilation, padding and filter. C must be a multiple of a_vector and b_vector, K of
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
          ConvolutionForwardSpecialization specialization =
              ConvolutionForwardSpecialization::Default,
          typename ComputeType                             = InDataType,
          template <class, class, GemmTuning> class Launch = ConvOperation>
struct DeviceConvNdFwdImplicitGemm
    : public detail::ConvNdFwd<DeviceConvFwd<NDimSpatial,
                                             InLayout,
                                             WeiLayout,
                                             OutLayout,
                                             InDataType,
                                             WeiDataType,
                                             OutDataType,
                                             InElementwiseOperation,
                                             WeiElementwiseOperation,
                                             OutElementwiseOperation>,
                               Launch<ForwardDirection,
                                      ConvTypes<InDataType,
                                                WeiDataType,
                                                OutDataType,
                                                InElementwiseOperation,
                                                WeiElementwiseOperation,
                                                OutElementwiseOperation,
                                                Tuple<>,
                                                ComputeType,
                                                ComputeType>,
                                      tuning>,
                               specialization,
                               NDimSpatial>
{};

} // namespace ck::tensor_operation::device
