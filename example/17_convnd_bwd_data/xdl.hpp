#pragma once
// The operations of the XDL examples. k1: elements in 16 bytes.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_nwc_kxc_nwk_xdl.hpp"

#include "operations.hpp"

namespace example {

// A workgroup of 256 computes 128 x 128 of dX (N Hi Wi x C), each wave 2 x 2 tiles of 32 x 32.
template <ck::index_t rank, class T, ck::index_t k1, ck::index_t a, ck::index_t b, ck::index_t c>
using Xdl = ck::tensor_operation::device::DeviceConvNdBwdDataNwcKxcNwk_Xdl<
    rank,           // NDimSpatial
    T,              // InDataType
    T,              // WeiDataType
    T,              // OutDataType
    float,          // AccDataType
    PassThrough,    // InElementwiseOperation
    PassThrough,    // WeiElementwiseOperation
    PassThrough,    // OutElementwiseOperation
    ConvBwdDefault, // ConvolutionBackwardDataSpecialization
    256,            // BlockSize
    128,            // MPerBlock
    128,            // NPerBlock
    4,              // K0PerBlock
    k1,             // K1
    32,             // MPerXdl
    32,             // NPerXdl
    2,              // MXdlPerWave
    2,              // NXdlPerWave
    S<4, 64, 1>,    // ABlockTransferThreadClusterLengths_K0_M_K1
    S<1, 0, 2>,     // ABlockTransferThreadClusterArrangeOrder
    S<1, 0, 2>,     // ABlockTransferSrcAccessOrder
    2,              // ABlockTransferSrcVectorDim
    a,              // ABlockTransferSrcScalarPerVector
    k1,             // ABlockTransferDstScalarPerVector_K1
    true,           // ABlockLdsAddExtraM
    S<4, 64, 1>,    // BBlockTransferThreadClusterLengths_K0_N_K1
    S<2, 0, 1>,     // BBlockTransferThreadClusterArrangeOrder
    S<0, 2, 1>,     // BBlockTransferSrcAccessOrder
    1,              // BBlockTransferSrcVectorDim
    b,              // BBlockTransferSrcScalarPerVector
    k1,             // BBlockTransferDstScalarPerVector_K1
    true,           // BBlockLdsAddExtraN
    7,              // CThreadTransferSrcDstVectorDim
    c>;             // CThreadTransferDstScalarPerVector

/// Wide loads and stores if the channels allow them, otherwise single elements.
template <class T>
struct Operations<Engine::xdl, T>
{
    static constexpr ck::index_t k1   = 16 / sizeof(T);
    static constexpr ck::index_t half = k1 / 2; // half of the widest load
    template <ck::index_t rank>
    struct OfRank
    {
        using Tuple = std::tuple<Xdl<rank, T, k1, k1, 4, k1>,
                                 Xdl<rank, T, k1, half, half, half>,
                                 Xdl<rank, T, k1, 1, 1, 1>>;
    };
};

} // namespace example
