#pragma once
// Forward grouped convolution by MFMA whose result is also reduced over channels, under Composable
// Kernel's positional name.
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/conv/operation/reduced_conv_operation.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_conv_fwd_multiple_d_multiple_r.hpp"
#include "ck/tensor_operation/gpu/device/gemm_specialization.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/positional_operations.hpp"
#include "ck/utility/loop_scheduler.hpp"
#include "ck/utility/reduction_operator.hpp"

namespace ck::tensor_operation::device {

namespace detail {

template <class Types, class Layout>
struct SameLayout;
template <class... Types, class Layout>
struct SameLayout<Tuple<Types...>, Layout>
{
    template <class>
    using Repeated = Layout;
    using type     = Tuple<Repeated<Types>...>;
};

} // namespace detail

/// Two launches: the convolution, as DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle computes it, then
/// the reductions of E as stored. They are computed in ReduceAccDataType in a fixed order without
/// atomics, so every run gives the same bits, and R needs no initialisation. E and all D tensors
/// share one layout tag, DELayout; a D tensor that repeats along a dimension has length 1 there.
///
/// Parameters that take effect: those that do there, and the types, operations and
/// ThreadReduceOperations of the reductions. RsGlobalMemoryDataOperation is ignored.
template <index_t NDimSpatial,
          typename ALayout,
          typename BLayout,
          typename DELayout,
          typename RLayout,
          typename ADataType,
          typename BDataType,
          typename AccDataType,
          typename CShuffleDataType,
          typename DsDataType,
          typename EDataType,
          typename ReduceAccDataType,
          typename RsDataType,
          typename AElementwiseOperation,
          typename BElementwiseOperation,
          typename CDEElementwiseOperation,
          typename QsElementwiseOperation,
          typename RsElementwiseOperation,
          typename ThreadReduceOperations,
          typename RsGlobalMemoryDataOperation,
          ConvolutionForwardSpecialization ConvForwardSpecialization,
          GemmSpecialization GemmSpec,
          index_t NumGemmKPrefetchStage,
          index_t BlockSize,
          index_t MPerBlock,
          index_t NPerBlock,
          index_t KPerBlock,
          index_t AK1,
          index_t BK1,
          index_t MPerXDL,
          index_t NPerXDL,
          index_t MXdlPerWave,
          index_t NXdlPerWave,
          typename ABlockTransferThreadClusterLengths_AK0_M_AK1,
          typename ABlockTransferThreadClusterArrangeOrder,
          typename ABlockTransferSrcAccessOrder,
          index_t ABlockTransferSrcVectorDim,
          index_t ABlockTransferSrcScalarPerVector,
          index_t ABlockTransferDstScalarPerVector_AK1,
          index_t ABlockLdsExtraM,
          typename BBlockTransferThreadClusterLengths_BK0_N_BK1,
          typename BBlockTransferThreadClusterArrangeOrder,
          typename BBlockTransferSrcAccessOrder,
          index_t BBlockTransferSrcVectorDim,
          index_t BBlockTransferSrcScalarPerVector,
          index_t BBlockTransferDstScalarPerVector_BK1,
          index_t BBlockLdsExtraN,
          index_t CShuffleMXdlPerWavePerShuffle,
          index_t CShuffleNXdlPerWavePerShuffle,
          typename CDRThreadTransferClusterLengths_MPerBlock_NPerBlock,
          index_t CDEBlockTransferScalarPerVector_NPerBlock,
          index_t RThreadTransferDstScalarPerVector_MPerBlock,
          LoopScheduler LoopSched = make_default_loop_scheduler()>
struct DeviceGroupedConvFwdMultipleDMultipleR_Xdl_CShuffle
    : public detail::ForwardWithReductions<
          DeviceGroupedConvFwdMultipleDMultipleR<NDimSpatial,
                                                 ALayout,
                                                 BLayout,
                                                 DELayout,
                                                 RLayout,
                                                 ADataType,
                                                 BDataType,
                                                 DsDataType,
                                                 EDataType,
                                                 RsDataType,
                                                 AElementwiseOperation,
                                                 BElementwiseOperation,
                                                 CDEElementwiseOperation,
                                                 QsElementwiseOperation,
                                                 RsElementwiseOperation>,
          positional::GroupedForward<
              NDimSpatial,
              ALayout,
              BLayout,
              typename detail::SameLayout<DsDataType, DELayout>::type,
              DELayout,
              ADataType,
              BDataType,
              positional::Summed<AccDataType, CShuffleDataType>,
              DsDataType,
              EDataType,
              AElementwiseOperation,
              BElementwiseOperation,
              CDEElementwiseOperation,
              ConvForwardSpecialization,
              ADataType,
              BDataType,
              positional::Positions{
                  .block_size    = BlockSize,
                  .block         = {MPerBlock, NPerBlock, KPerBlock},
                  .k1            = AK1,
                  .instruction_m = MPerXDL,
                  .instruction_n = NPerXDL,
                  .tiles_m       = MXdlPerWave,
                  .tiles_n       = NXdlPerWave,
                  .vectors       = {positional::along_reduction<ABlockTransferSrcVectorDim,
                                                          ABlockTransferSrcScalarPerVector>(),
                                    positional::along_reduction<BBlockTransferSrcVectorDim,
                                                          BBlockTransferSrcScalarPerVector>(),
                                    CDEBlockTransferScalarPerVector_NPerBlock},
                  .shuffle_m     = CShuffleMXdlPerWavePerShuffle,
                  .shuffle_n     = CShuffleNXdlPerWavePerShuffle},
              positional::pipeline_of(NumGemmKPrefetchStage)>,
          ConvTypes<ADataType,
                    BDataType,
                    EDataType,
                    AElementwiseOperation,
                    BElementwiseOperation,
                    CDEElementwiseOperation,
                    DsDataType,
                    ADataType,
                    BDataType>,
          RsDataType,
          grid::ReduceChannels<EDataType,
                               ReduceAccDataType,
                               RsDataType,
                               QsElementwiseOperation,
                               ThreadReduceOperations,
                               RsElementwiseOperation>>
{
    std::string GetTypeString() const override
    {
        return "DeviceGroupedConvFwdMultipleDMultipleR_Xdl_CShuffle<" +
               DeviceGroupedConvFwdMultipleDMultipleR_Xdl_CShuffle::Convolution::position_values() +
               ">";
    }
};

} // namespace ck::tensor_operation::device
