#pragma once
// The operations of the mma.sync examples (NVIDIA, sm_80 and later).
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_nwc_kxc_nwk_mma.hpp"

#include "convnd_bwd_data.hpp"

// A block of 256 computes 128 x 128 of dX (N Hi Wi x C), each warp 64 x 32.
template <ck::index_t rank, class T, ck::index_t a, ck::index_t b, ck::index_t c>
using Mma = ck::tensor_operation::device::DeviceConvNdBwdDataNwcKxcNwk_Mma<
    rank,                        // NDimSpatial
    T,                           // InDataType
    T,                           // WeiDataType
    T,                           // OutDataType
    float,                       // AccDataType
    PassThrough,                 // InElementwiseOperation
    PassThrough,                 // WeiElementwiseOperation
    PassThrough,                 // OutElementwiseOperation
    ConvBwdDefault,              // ConvolutionBackwardDataSpecialization
    256,                         // BlockSize
    128,                         // MPerBlock
    128,                         // NPerBlock
    32,                          // KPerBlock
    64,                          // MPerWarp
    32,                          // NPerWarp
    a,                           // AScalarPerVector
    b,                           // BScalarPerVector
    c,                           // CScalarPerVector
    ck::Pipeline::double_buffer, // PipelineVersion
    2>;                          // MinBlocksPerSm

/// Wide loads and stores where the channels allow them, else single elements.
template <class T>
struct MmaOperations
{
    template <ck::index_t rank>
    struct OfRank
    {
        using Tuple = std::tuple<Mma<rank, T, 8, 4, 8>, Mma<rank, T, 1, 1, 1>>;
    };
};
