#pragma once
// Forward grouped convolution as one launch of an implicit GEMM, on any engine. The tuning's matrix
// instruction selects the engine.
#include "ck/tensor_operation/gpu/conv/operation/grouped_conv_operation.hpp"
#include "ck/tensor_operation/gpu/device/convolution_forward_specialization.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd_multiple_abd.hpp"

namespace ck::tensor_operation::device {

namespace detail {

struct GroupedConvFwdAbdNames
{
    static constexpr const OperationNames& value = grouped_forward_names;
};
struct GroupedConvFwdNames
{
    static constexpr const OperationNames& value = plain_grouped_forward_names;
};

template <class Interface, class ConvOp, ConvolutionForwardSpecialization specialization>
using GroupedConvFwdAbd =
    MakesArguments<GroupedConvOperation<Interface, ConvOp, specialization, GroupedConvFwdAbdNames>,
                   grouped_parameters<Interface, index_t>,
                   grouped_parameters<Interface, long_index_t>>;

template <class Interface, class ConvOp, ConvolutionForwardSpecialization specialization>
using GroupedConvFwd =
    MakesArguments<GroupedConvOperation<Interface, ConvOp, specialization, GroupedConvFwdNames>,
                   parameters_of<decltype(&Interface::MakeArgumentPointer)>>;

} // namespace detail

/// The operation of DeviceGroupedConvFwdMultipleABD (shapes: see there) with the tuning of a
/// kernel. All A tensors have one element type, and so have all B tensors. Takes tensors of
/// any strides. C must be a multiple of a_vector and b_vector, K of c_vector, and these
/// dimensions contiguous if the vector is longer than 1. Launch builds the launch of the
/// kernel.
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
          ConvolutionForwardSpecialization specialization =
              ConvolutionForwardSpecialization::Default,
          typename AComputeType = typename detail::FirstType<ADataType>::type,
          typename BComputeType = AComputeType,
          template <class, class, GemmTuning> class Launch = ConvOperation>
struct DeviceGroupedConvFwdImplicitGemm
    : public detail::GroupedConvFwdAbd<DeviceGroupedConvFwdMultipleABD<NDimSpatial,
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
                                       Launch<ForwardDirection,
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

/// The same operation with the interface DeviceGroupedConvFwd.
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
              ConvolutionForwardSpecialization::Default>
struct DeviceGroupedConvFwdPlainImplicitGemm
    : public detail::GroupedConvFwd<DeviceGroupedConvFwd<NDimSpatial,
                                                         InLayout,
                                                         WeiLayout,
                                                         OutLayout,
                                                         InDataType,
                                                         WeiDataType,
                                                         OutDataType,
                                                         InElementwiseOperation,
                                                         WeiElementwiseOperation,
                                                         OutElementwiseOperation>,
                                    ConvOperation<ForwardDirection,
                                                  ConvTypes<InDataType,
                                                            WeiDataType,
                                                            OutDataType,
                                                            InElementwiseOperation,
                                                            WeiElementwiseOperation,
                                                            OutElementwiseOperation>,
                                                  tuning>,
                                    specialization>
{};

} // namespace ck::tensor_operation::device
