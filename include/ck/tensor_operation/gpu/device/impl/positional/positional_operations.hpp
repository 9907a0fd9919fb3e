#pragma once
// Base classes of the operations under Composable Kernel's positional names, for every engine. p is
// the list of positions (positions.hpp).
#include "ck/tensor_operation/gpu/conv/operation/convnd_fwd_bias_operation.hpp"
#include "ck/tensor_operation/gpu/conv/operation/generations_operation.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_convnd_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_utils.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/convnd_bwd_data_positional.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/positions.hpp"
#include "ck/tensor_operation/gpu/device/impl/positional/summed.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"

#include <bit>
#include <cstdint>

namespace ck::tensor_operation::device::positional {

/// If the threads of a block cannot share its slices evenly, rounds the wave tile down to powers of
/// two in instructions: 48 x 64 becomes 32 x 64, because 64 threads cannot share 48 rows evenly.
template <class Direction>
constexpr GemmTuning shareable(GemmTuning t)
{
    const auto is_shared = [](const GemmTuning& tuning) {
        return grid::why_no_slices<typename Direction::Transform>(tuning) == nullptr;
    };
    const auto fits = [&](const GemmTuning& tuning) {
        return is_shared(tuning) && is_shared(on_other_generation(tuning));
    };
    const auto round_down = [](index_t& block, index_t& wave, index_t instruction) {
        const index_t waves = block / wave;
        const auto count    = static_cast<std::uint32_t>(wave / instruction);
        if(count > 0) // else it is refused elsewhere
            wave = static_cast<index_t>(std::bit_floor(count)) * instruction;
        block = waves * wave;
    };
    GemmTuning smaller = t;
    round_down(smaller.block_tile.m, smaller.wave_m, instruction_of(t).m);
    round_down(smaller.block_tile.n, smaller.wave_n, instruction_of(t).n);
    smaller = fitted(smaller);
    return !fits(t) && fits(smaller) ? smaller : t;
}

/// The tuning for a direction and an engine's positions. T and B are the types of the operands.
template <class Direction, class T, class Acc, Positions p, class B = T>
constexpr GemmTuning tuning_for(Pipeline pipeline = Pipeline::single_buffer)
{
    return shareable<Direction>(tuning_at<T, Acc, p, B>(pipeline));
}

// Classes, because g++ 12 crashes on an alias whose tuning is the result of a function.

/// Grouped forward. Acc is the sum's type or a Summed.
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
          Positions p,
          Pipeline pipeline     = Pipeline::single_buffer,
          index_t merged_groups = 1>
struct GroupedForward
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
          merging<merged_groups>(
              tuning_for<ForwardDirection, AComputeType, typename SumOf<Acc>::Acc, p, BComputeType>(
                  pipeline)),
          specialization,
          AComputeType,
          BComputeType,
          LaunchOf<Acc>::template Launch>
{
    static std::string position_values()
    {
        return p.grouped_forward(getConvForwardSpecializationString(specialization));
    }
};

/// Grouped forward with the interface DeviceGroupedConvFwd.
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
          ConvolutionForwardSpecialization specialization,
          Positions p>
struct GroupedForwardPlain
    : public DeviceGroupedConvFwdPlainImplicitGemm<rank,
                                                   InLayout,
                                                   WeiLayout,
                                                   OutLayout,
                                                   In,
                                                   Wei,
                                                   Out,
                                                   InOperation,
                                                   WeiOperation,
                                                   OutOperation,
                                                   tuning_for<ForwardDirection, In, Acc, p>(),
                                                   specialization>
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
          Positions p>
struct PackedForward
    : public DeviceConvNdFwdImplicitGemm<rank,
                                         PackedInput<rank>,
                                         PackedWeight<rank>,
                                         PackedOutput<rank>,
                                         In,
                                         Wei,
                                         Out,
                                         InOperation,
                                         WeiOperation,
                                         OutOperation,
                                         tuning_for<ForwardDirection, In, Acc, p>(),
                                         specialization,
                                         In,
                                         GenerationsOperation>
{
    static std::string position_values()
    {
        return p.packed_forward(getConvForwardSpecializationString(specialization));
    }
};

/// Base class of packed forward operations with a bias and the other tensors in Ds.
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
          Positions p>
struct PackedForwardBias : public detail::ConvNdFwdBias<Interface,
                                                        2,
                                                        In,
                                                        Wei,
                                                        Out,
                                                        InOperation,
                                                        WeiOperation,
                                                        OutOperation,
                                                        Ds,
                                                        tuning_for<ForwardDirection, In, Acc, p>(),
                                                        specialization>
{
    static std::string position_values()
    {
        return p.packed_forward(getConvForwardSpecializationString(specialization));
    }
};

/// Backward data without groups. T is the type of the operands.
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
          Positions p>
struct PackedBackwardData : public ConvNdBwdData<rank,
                                                 In,
                                                 Wei,
                                                 Out,
                                                 InOperation,
                                                 WeiOperation,
                                                 OutOperation,
                                                 tuning_for<BackwardDataDirection, T, Acc, p>(),
                                                 specialization,
                                                 GenerationsOperation>
{
    static std::string position_values() { return p.packed_backward_data(); }
};

/// Grouped backward data. Acc is the sum's type or a Summed.
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
          ConvolutionBackwardDataSpecialization specialization,
          class AComputeType,
          class BComputeType,
          Positions p,
          Pipeline pipeline = Pipeline::single_buffer>
struct GroupedBackwardData
    : public DeviceGroupedConvBwdDataImplicitGemm<rank,
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
                                                  tuning_for<BackwardDataDirection,
                                                             AComputeType,
                                                             typename SumOf<Acc>::Acc,
                                                             p,
                                                             BComputeType>(pipeline),
                                                  specialization,
                                                  AComputeType,
                                                  BComputeType,
                                                  LaunchOf<Acc>::template Launch>
{
    static std::string position_values()
    {
        return p.grouped_backward_data(getConvBackwardDataSpecializationString(specialization));
    }
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
          Positions p,
          Pipeline pipeline = Pipeline::single_buffer>
struct Weight
    : public DeviceGroupedConvBwdWeightImplicitGemm<
          rank,
          InLayout,
          WeiLayout,
          OutLayout,
          In,
          Wei,
          Out,
          InOperation,
          WeiOperation,
          OutOperation,
          tuning_for<BackwardWeightDirection, ComputeTypeA, Acc, p, ComputeTypeB>(pipeline),
          ComputeTypeA,
          ComputeTypeB,
          specialization,
          GenerationsOperation>
{
    /// k is K0PerBlock or KPerBlock.
    static std::string position_values(index_t k)
    {
        return p.weight(getConvBackwardWeightSpecializationString(specialization), k);
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
          Positions p,
          Pipeline pipeline = Pipeline::single_buffer>
struct WeightMultipleD
    : public DeviceGroupedConvBwdWeightMultipleDImplicitGemm<
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
          tuning_for<BackwardWeightDirection, ComputeTypeA, Acc, p, ComputeTypeB>(pipeline),
          ComputeTypeA,
          ComputeTypeB,
          specialization,
          GenerationsOperation>
{
    /// k is K0PerBlock or KPerBlock.
    static std::string position_values(index_t k)
    {
        return p.weight(getConvBackwardWeightSpecializationString(specialization), k);
    }
};

} // namespace ck::tensor_operation::device::positional
