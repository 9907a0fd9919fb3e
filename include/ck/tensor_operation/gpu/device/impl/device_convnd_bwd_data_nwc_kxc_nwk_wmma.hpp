#pragma once
// Backward data by WMMA (RDNA 3 and 4) under a positional name.
#include "ck/tensor_operation/gpu/device/impl/positional/convnd_bwd_data_positional.hpp"

namespace ck::tensor_operation::device {

/// Tensors, arguments and limits are those of DeviceConvNdBwdDataImplicitGemm. The register layout
/// of WMMA differs between generations, so the kernel does too: Generation is Target::gfx11 or
/// Target::gfx12.
template <index_t NDimSpatial,
          typename InDataType,
          typename WeiDataType,
          typename OutDataType,
          typename AccDataType,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation,
          ConvolutionBackwardDataSpecialization ConvBackwardDataSpecialization,
          arch::Target Generation,
          index_t BlockSize,
          index_t MPerBlock,
          index_t NPerBlock,
          index_t KPerBlock,
          index_t MPerWave,
          index_t NPerWave,
          index_t AScalarPerVector,
          index_t BScalarPerVector,
          index_t CScalarPerVector>
struct DeviceConvNdBwdDataNwcKxcNwk_Wmma
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
                                  positional::wmma_instruction<OutDataType, Generation>(),
                                  BlockSize,
                                  Tile{MPerBlock, NPerBlock, KPerBlock},
                                  MPerWave,
                                  NPerWave>({AScalarPerVector, BScalarPerVector, CScalarPerVector}),
          ConvBackwardDataSpecialization>
{};

} // namespace ck::tensor_operation::device
