#pragma once
// The operations of the mma.sync examples (NVIDIA, sm_80 and later).
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_nwc_kxc_nwk_mma.hpp"

#include "operations.hpp"

namespace example {

// A warp computes (MPerBlock / 2) x (NPerBlock / 2) of dX (N Hi Wi x C); a block has four warps.
template <ck::index_t rank,
          class T,
          ck::index_t m,
          ck::index_t n,
          ck::index_t a,
          ck::index_t b,
          ck::index_t c,
          ck::Pipeline pipeline>
using Mma = ck::tensor_operation::device::DeviceConvNdBwdDataNwcKxcNwk_Mma<
    rank,           // NDimSpatial
    T,              // InDataType
    T,              // WeiDataType
    T,              // OutDataType
    float,          // AccDataType
    PassThrough,    // InElementwiseOperation
    PassThrough,    // WeiElementwiseOperation
    PassThrough,    // OutElementwiseOperation
    ConvBwdDefault, // ConvolutionBackwardDataSpecialization
    128,            // BlockSize
    m,              // MPerBlock
    n,              // NPerBlock
    32,             // KPerBlock
    m / 2,          // MPerWarp
    n / 2,          // NPerWarp
    a,              // AScalarPerVector
    b,              // BScalarPerVector
    c,              // CScalarPerVector
    pipeline,       // PipelineVersion
    2,              // MinBlocksPerSm
    T,              // ComputeDataType
    4>;             // Stages

/// Wide loads and stores if the channels allow them, otherwise single elements.
template <class T>
struct Operations<Engine::mma, T>
{
    template <ck::index_t rank>
    struct OfRank
    {
        using Tuple = std::tuple<Mma<rank, T, 128, 128, 8, 8, 8, ck::Pipeline::async_copies>,
                                 Mma<rank, T, 128, 64, 4, 4, 4, ck::Pipeline::double_buffer>,
                                 Mma<rank, T, 64, 64, 1, 1, 1, ck::Pipeline::double_buffer>>;
    };
};

} // namespace example
