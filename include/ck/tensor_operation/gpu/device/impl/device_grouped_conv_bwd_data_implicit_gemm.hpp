#pragma once
// Backward data of a grouped convolution as one launch of an implicit GEMM, on any engine. The
// tuning's matrix instruction selects the engine.
#include "ck/tensor_operation/gpu/conv/operation/grouped_conv_operation.hpp"
#include "ck/tensor_operation/gpu/device/convolution_backward_data_specialization.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_bwd_data_multiple_d.hpp"

namespace ck::tensor_operation::device {

namespace detail {

struct GroupedConvBwdDataNames
{
    static constexpr const OperationNames& value = grouped_backward_data_names;
};

template <class Interface, class ConvOp, ConvolutionBackwardDataSpecialization specialization>
using GroupedConvBwdData = WithoutSplit<
    MakesArguments<GroupedConvOperation<Interface, ConvOp, specialization, GroupedConvBwdDataNames>,
                   grouped_parameters<Interface, index_t>,
                   grouped_parameters<Interface, long_index_t>>,
    typename WithoutLast<grouped_parameters<Interface, index_t>>::type,
    typename WithoutLast<grouped_parameters<Interface, long_index_t>>::type>;

} // namespace detail

/// The operation of DeviceGroupedConvBwdDataMultipleD (shapes: see there) with the tuning of a
/// kernel. Takes tensors of any strides. K must be a multiple of a_vector, C of b_vector and
/// c_vector, and these dimensions contiguous if the vector is longer than 1. Launch builds the
/// launch of the kernel.
template <index_t NDimSpatial,
          typename ALayout,
          typename BLayout,
          typename DsLayout,
          typename ELayout,
          typename ADataType,
          typename BDataType,
          typename DsDataType,
          typename EDataType,
          typename AElementwiseOperation,
          typename BElementwiseOperation,
          typename CDEElementwiseOperation,
          GemmTuning tuning,
          ConvolutionBackwardDataSpecialization specialization =
              ConvolutionBackwardDataSpecialization::Default,
          typename AComputeType                            = ADataType,
          typename BComputeType                            = AComputeType,
          template <class, class, GemmTuning> class Launch = ConvOperation>
struct DeviceGroupedConvBwdDataImplicitGemm
    : public detail::GroupedConvBwdData<DeviceGroupedConvBwdDataMultipleD<NDimSpatial,
                                                                          ALayout,
                                                                          BLayout,
                                                                          DsLayout,
                                                                          ELayout,
                                                                          ADataType,
                                                                          BDataType,
                                                                          DsDataType,
                                                                          EDataType,
                                                                          AElementwiseOperation,
                                                                          BElementwiseOperation,
                                                                          CDEElementwiseOperation,
                                                                          AComputeType,
                                                                          BComputeType>,
                                        Launch<BackwardDataDirection,
                                               ConvTypes<ADataType,
                                                         BDataType,
                                                         EDataType,
                                                         AElementwiseOperation,
                                                         BElementwiseOperation,
                                                         CDEElementwiseOperation,
                                                         DsDataType,
                                                         AComputeType,
                                                         BComputeType>,
                                               tuning>,
                                        specialization>
{};

} // namespace ck::tensor_operation::device
