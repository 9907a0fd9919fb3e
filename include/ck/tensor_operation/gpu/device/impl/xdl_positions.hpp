#pragma once
// Operations by MFMA under Composable Kernel's positional names: their positions as one value, of
// which the tuning and the type string are made, and what they derive from.
#include "ck/tensor_operation/gpu/device/impl/convnd_bwd_data_positional.hpp"
#include "ck/tensor_operation/gpu/device/impl/convnd_fwd_bias_operation.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_convnd_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/generations_operation.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional.hpp"

namespace ck::tensor_operation::device::positional {

/// What the positions say of the kernel, and what they only put into the type string: the vectors
/// in LDS and the C shuffle.
struct XdlPositions
{
    index_t block_size;
    Tile block;
    index_t k1; ///< neighbours along the reduction; block.k is K0PerBlock of them
    index_t xdl_m, xdl_n;
    index_t tiles_m, tiles_n; ///< of a wave
    Vectors vectors;
    index_t a_lds_vector = 0, b_lds_vector = 0;
    index_t shuffle_m = 0, shuffle_n = 0;

    /// "BlockSize, M, N, K, spec, instruction, tiles, vectors of A, B and E, C shuffle": grouped
    /// forward.
    std::string grouped_forward(const std::string& specialization) const
    {
        return list(block_size,
                    block.m,
                    block.n,
                    block.k,
                    specialization,
                    xdl_m,
                    xdl_n,
                    tiles_m,
                    tiles_n,
                    vectors.a,
                    vectors.b,
                    vectors.c,
                    shuffle_m,
                    shuffle_n);
    }

    /// "BlockSize, M, N, k, spec, K1, tiles, vectors from and to, C shuffle, vector of C": backward
    /// weight, k being K0PerBlock or KPerBlock, and forward without groups.
    std::string shuffled(index_t k, const std::string& specialization) const
    {
        return list(block_size,
                    block.m,
                    block.n,
                    k,
                    specialization,
                    k1,
                    tiles_m,
                    tiles_n,
                    vectors.a,
                    a_lds_vector,
                    vectors.b,
                    b_lds_vector,
                    shuffle_m,
                    shuffle_n,
                    vectors.c);
    }

    /// "BlockSize, M, N, K0, spec, K1, instruction, tiles, vectors from and to": forward without
    /// groups and without C shuffle.
    std::string not_shuffled(const std::string& specialization) const
    {
        return list(block_size,
                    block.m,
                    block.n,
                    block.k / k1,
                    specialization,
                    k1,
                    xdl_m,
                    xdl_n,
                    tiles_m,
                    tiles_n,
                    vectors.a,
                    a_lds_vector,
                    vectors.b,
                    b_lds_vector);
    }

    /// "BlockSize, M, N, K0, K1, tiles, vectors from and to": backward data without groups.
    std::string packed_backward_data() const
    {
        return list(block_size,
                    block.m,
                    block.n,
                    block.k / k1,
                    k1,
                    tiles_m,
                    tiles_n,
                    vectors.a,
                    a_lds_vector,
                    vectors.b,
                    b_lds_vector);
    }
};

/// T, B: what is multiplied.
template <class T, class Acc, XdlPositions p, class B = T>
constexpr GemmTuning tuning_at(Pipeline pipeline = Pipeline::single_buffer)
{
    return xdl_tuning<T, Acc, p.block_size, p.block, p.xdl_m, p.xdl_n, p.tiles_m, p.tiles_n, B>(
        p.vectors, pipeline);
}

// Classes, since g++ 12 dies on an alias whose tuning is what a function returns.

/// Grouped forward.
template <index_t rank,
          class ALayout,
          class BLayout,
          class DsLayout,
          class ELayout,
          class A,
          class B,
          class Acc,
          class Ds,
          class E,
          class AOperation,
          class BOperation,
          class CDEOperation,
          ConvolutionForwardSpecialization specialization,
          class AComputeType,
          class BComputeType,
          XdlPositions p,
          Pipeline pipeline,
          index_t merged_groups = 1>
struct XdlForward
    : public DeviceGroupedConvFwdImplicitGemm<
          rank,
          ALayout,
          BLayout,
          DsLayout,
          ELayout,
          A,
          B,
          Ds,
          E,
          AOperation,
          BOperation,
          CDEOperation,
          merging<merged_groups>(tuning_at<AComputeType, Acc, p, BComputeType>(pipeline)),
          specialization,
          AComputeType,
          BComputeType,
          GenerationsOperation>
{
    static std::string position_values()
    {
        return p.grouped_forward(getConvForwardSpecializationString(specialization));
    }
};

/// Forward without groups.
template <index_t rank,
          class In,
          class Wei,
          class Out,
          class Acc,
          class InOperation,
          class WeiOperation,
          class OutOperation,
          ConvolutionForwardSpecialization specialization,
          XdlPositions p>
struct XdlPackedForward
    : public DeviceConvNdFwdImplicitGemm<rank,
                                         LayoutOfRank<rank,
                                                      tensor_layout::convolution::NWC,
                                                      tensor_layout::convolution::NHWC,
                                                      tensor_layout::convolution::NDHWC>,
                                         LayoutOfRank<rank,
                                                      tensor_layout::convolution::KXC,
                                                      tensor_layout::convolution::KYXC,
                                                      tensor_layout::convolution::KZYXC>,
                                         LayoutOfRank<rank,
                                                      tensor_layout::convolution::NWK,
                                                      tensor_layout::convolution::NHWK,
                                                      tensor_layout::convolution::NDHWK>,
                                         In,
                                         Wei,
                                         Out,
                                         InOperation,
                                         WeiOperation,
                                         OutOperation,
                                         tuning_at<In, Acc, p>(),
                                         specialization,
                                         In,
                                         GenerationsOperation>
{
    static std::string position_values()
    {
        const std::string name = getConvForwardSpecializationString(specialization);
        return p.shuffle_m > 0 ? p.shuffled(p.block.k / p.k1, name) : p.not_shuffled(name);
    }
};

/// Base of packed forward operations with a bias and the other tensors of Ds.
template <class Interface,
          class In,
          class Wei,
          class Out,
          class Acc,
          class InOperation,
          class WeiOperation,
          class OutOperation,
          class Ds,
          ConvolutionForwardSpecialization specialization,
          XdlPositions p>
struct XdlForwardBias : public detail::ConvNdFwdBias<Interface,
                                                     2,
                                                     In,
                                                     Wei,
                                                     Out,
                                                     InOperation,
                                                     WeiOperation,
                                                     OutOperation,
                                                     Ds,
                                                     tuning_at<In, Acc, p>(),
                                                     specialization>
{
    static std::string position_values()
    {
        return p.shuffled(p.block.k / p.k1, getConvForwardSpecializationString(specialization));
    }
};

/// Backward data without groups. T: what is multiplied.
template <index_t rank,
          class T,
          class In,
          class Wei,
          class Out,
          class Acc,
          class InOperation,
          class WeiOperation,
          class OutOperation,
          ConvolutionBackwardDataSpecialization specialization,
          XdlPositions p>
struct XdlPackedBackwardData : public ConvNdBwdData<rank,
                                                    In,
                                                    Wei,
                                                    Out,
                                                    InOperation,
                                                    WeiOperation,
                                                    OutOperation,
                                                    tuning_at<T, Acc, p>(),
                                                    specialization,
                                                    GenerationsOperation>
{
    static std::string position_values() { return p.packed_backward_data(); }
};

/// Backward weight.
template <index_t rank,
          class InLayout,
          class WeiLayout,
          class OutLayout,
          class In,
          class Wei,
          class Out,
          class Acc,
          class InOperation,
          class WeiOperation,
          class OutOperation,
          ConvolutionBackwardWeightSpecialization specialization,
          class ComputeTypeA,
          class ComputeTypeB,
          XdlPositions p,
          Pipeline pipeline = Pipeline::single_buffer>
struct XdlWeight
    : public DeviceGroupedConvBwdWeightImplicitGemm<rank,
                                                    InLayout,
                                                    WeiLayout,
                                                    OutLayout,
                                                    In,
                                                    Wei,
                                                    Out,
                                                    InOperation,
                                                    WeiOperation,
                                                    OutOperation,
                                                    tuning_at<ComputeTypeA, Acc, p, ComputeTypeB>(
                                                        pipeline),
                                                    ComputeTypeA,
                                                    ComputeTypeB,
                                                    specialization,
                                                    GenerationsOperation>
{
    /// k: K0PerBlock or KPerBlock.
    static std::string position_values(index_t k)
    {
        return p.shuffled(k, getConvBackwardWeightSpecializationString(specialization));
    }
};

/// Backward weight with D tensors.
template <index_t rank,
          class InLayout,
          class WeiLayout,
          class OutLayout,
          class DsLayout,
          class In,
          class Wei,
          class Out,
          class Ds,
          class Acc,
          class InOperation,
          class WeiOperation,
          class OutOperation,
          ConvolutionBackwardWeightSpecialization specialization,
          class ComputeTypeA,
          class ComputeTypeB,
          XdlPositions p,
          Pipeline pipeline = Pipeline::single_buffer>
struct XdlWeightMultipleD : public DeviceGroupedConvBwdWeightMultipleDImplicitGemm<
                                rank,
                                InLayout,
                                WeiLayout,
                                OutLayout,
                                DsLayout,
                                In,
                                Wei,
                                Out,
                                Ds,
                                InOperation,
                                WeiOperation,
                                OutOperation,
                                tuning_at<ComputeTypeA, Acc, p, ComputeTypeB>(pipeline),
                                ComputeTypeA,
                                ComputeTypeB,
                                specialization,
                                GenerationsOperation>
{
    /// k: K0PerBlock or KPerBlock.
    static std::string position_values(index_t k)
    {
        return p.shuffled(k, getConvBackwardWeightSpecializationString(specialization));
    }
};

} // namespace ck::tensor_operation::device::positional
