#pragma once
// The operations of the WMMA examples: one kernel for gfx11 and one for gfx12; the device selects
// one.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_nwc_kxc_nwk_wmma.hpp"

#include "operations.hpp"

namespace example {

// A workgroup of 128 computes 128 x 64 of dX (N Hi Wi x C), each wave 64 x 32.
template <ck::index_t rank,
          class T,
          ck::arch::Target generation,
          ck::index_t a,
          ck::index_t b,
          ck::index_t c>
using Wmma = ck::tensor_operation::device::DeviceConvNdBwdDataNwcKxcNwk_Wmma<
    rank,           // NDimSpatial
    T,              // InDataType
    T,              // WeiDataType
    T,              // OutDataType
    float,          // AccDataType
    PassThrough,    // InElementwiseOperation
    PassThrough,    // WeiElementwiseOperation
    PassThrough,    // OutElementwiseOperation
    ConvBwdDefault, // ConvolutionBackwardDataSpecialization
    generation,     // Generation
    128,            // BlockSize
    128,            // MPerBlock
    64,             // NPerBlock
    32,             // KPerBlock
    64,             // MPerWave
    32,             // NPerWave
    a,              // AScalarPerVector
    b,              // BScalarPerVector
    c>;             // CScalarPerVector

/// Wide loads and stores if the channels allow them, otherwise single elements.
template <class T>
struct Operations<Engine::wmma, T>
{
    template <ck::index_t rank>
    struct OfRank
    {
        using Tuple = std::tuple<Wmma<rank, T, ck::arch::Target::gfx11, 8, 4, 8>,
                                 Wmma<rank, T, ck::arch::Target::gfx12, 8, 4, 8>,
                                 Wmma<rank, T, ck::arch::Target::gfx11, 1, 1, 1>,
                                 Wmma<rank, T, ck::arch::Target::gfx12, 1, 1, 1>>;
    };
};

} // namespace example
