#pragma once
// Backward data by the warp-wide mma.sync (NVIDIA, sm_80 and later) under a positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/convnd_bwd_data_positional.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments and limits are those of DeviceConvNdBwdDataImplicitGemm. ComputeDataType is
/// the data type, or tf32_t (10 stored significand bits) for f32 data. Stages is used by
/// Pipeline::async_copies.
template <index_t NDimSpatial,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename AccDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          ConvolutionBackwardDataSpecialization ConvBackwardDataSpecialization,
          index_t BlockSize,
          index_t MPerBlock,
          index_t NPerBlock,
          index_t KPerBlock,
          index_t MPerWarp,
          index_t NPerWarp,
          index_t AScalarPerVector,
          index_t BScalarPerVector,
          index_t CScalarPerVector,
          Pipeline PipelineVersion = Pipeline::double_buffer,
          index_t MinBlocksPerSm   = 1,
          typename ComputeDataType = OutDataType,
          index_t Stages           = 3>
struct DeviceConvNdBwdDataNwcKxcNwk_Mma
    : public positional::ConvNdBwdData<
          NDimSpatial,
          InDataType,
          WeiDataType,
          OutDataType,
          InElementwiseOperation,
          WeiElementwiseOperation,
          OutElementwiseOperation,
          positional::wave_tuning<positional::SameType<InDataType, WeiDataType, OutDataType>,
                                  AccDataType,
                                  positional::mma_instruction<OutDataType, ComputeDataType>(),
                                  BlockSize,
                                  Tile{MPerBlock, NPerBlock, KPerBlock},
                                  MPerWarp,
                                  NPerWarp>({AScalarPerVector, BScalarPerVector, CScalarPerVector},
                                            PipelineVersion,
                                            MinBlocksPerSm,
                                            Stages),
          ConvBackwardDataSpecialization>
{};

} // namespace ck::tensor_operation::device
