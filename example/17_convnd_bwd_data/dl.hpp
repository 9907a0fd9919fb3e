#pragma once
// The operations of the DL examples, for any GPU. k1: elements that one dot product takes.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_nwc_kxc_nwk_dl.hpp"

#include "operations.hpp"

namespace example {

// A workgroup of 256 computes 128 x 128 of dX (N Hi Wi x C), each thread 8 x 8.
template <ck::index_t rank,
          class T,
          ck::index_t k1,
          ck::index_t a_k0,
          ck::index_t a_k1,
          ck::index_t b,
          ck::index_t c>
using Dl = ck::tensor_operation::device::DeviceConvNdBwdDataNwcKxcNwk_Dl<
    rank,                // NDimSpatial
    T,                   // InDataType
    T,                   // WeiDataType
    T,                   // OutDataType
    float,               // AccDataType
    PassThrough,         // InElementwiseOperation
    PassThrough,         // WeiElementwiseOperation
    PassThrough,         // OutElementwiseOperation
    ConvBwdDefault,      // ConvBackwardDataSpecialization
    256,                 // BlockSize
    128,                 // MPerBlock
    128,                 // NPerBlock
    8,                   // K0PerBlock
    k1,                  // K1
    4,                   // M1PerThread
    4,                   // N1PerThread
    1,                   // KPerThread
    S<8, 2>,             // M1N1ThreadClusterM1Xs
    S<8, 2>,             // M1N1ThreadClusterN1Xs
    S<4, 1, 1, k1>,      // ABlockTransferThreadSliceLengths_K0_M0_M1_K1
    S<2, 1, 128, 1>,     // ABlockTransferThreadClusterLengths_K0_M0_M1_K1
    S<1, 2, 0, 3>,       // ABlockTransferThreadClusterArrangeOrder
    S<1, 2, 0, 3>,       // ABlockTransferSrcAccessOrder
    S<a_k0, 1, 1, a_k1>, // ABlockTransferSrcVectorTensorLengths_K0_M0_M1_K1
    S<1, 2, 0, 3>,       // ABlockTransferSrcVectorTensorContiguousDimOrder
    S<1, 1, 1, k1>,      // ABlockTransferDstVectorTensorLengths_K0_M0_M1_K1
    S<1, 1, 4, k1>,      // BBlockTransferThreadSliceLengths_K0_N0_N1_K1
    S<8, 1, 32, 1>,      // BBlockTransferThreadClusterLengths_K0_N0_N1_K1
    S<0, 3, 1, 2>,       // BBlockTransferThreadClusterArrangeOrder
    S<0, 3, 1, 2>,       // BBlockTransferSrcAccessOrder
    S<1, 1, b, 1>,       // BBlockTransferSrcVectorTensorLengths_K0_N0_N1_K1
    S<0, 3, 1, 2>,       // BBlockTransferSrcVectorTensorContiguousDimOrder
    S<1, 1, 1, k1>,      // BBlockTransferDstVectorTensorLengths_K0_N0_N1_K1
    S<0, 1, 2, 3, 4, 5>, // CThreadTransferSrcDstAccessOrder
    5,                   // CThreadTransferSrcDstVectorDim
    c>;                  // CThreadTransferDstScalarPerVector

/// Wide loads and stores if the channels allow them, otherwise single elements.
template <class T>
struct Operations<Engine::dl, T>
{
    static constexpr ck::index_t k1 = 4 / sizeof(T);
    template <ck::index_t rank>
    struct OfRank
    {
        using Tuple = std::tuple<Dl<rank, T, k1, 4, k1, 4, 4>, Dl<rank, T, k1, 1, 1, 1, 1>>;
    };
};

} // namespace example
