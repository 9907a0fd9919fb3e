#pragma once
// Which kernel a pipeline is.
#include "ck/tensor_operation/gpu/conv/launch/conv_fused_classes.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_patches.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_tap_rows.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_tensor_maps.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_weight_patches.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_conv.hpp"

namespace ck::tensor_operation::device {

/// The kernel of a pipeline, and which problems its tensor maps are for.
template <Pipeline, class Direction, class Transform, class Types, GemmTuning tuning>
struct KernelOf
{
    using Kernel = grid::GridwiseConv<Transform, Types, tuning>;
    using Maps   = void;
};
template <class Direction, class Transform, class Types, GemmTuning tuning>
struct KernelOf<Pipeline::tensor_maps, Direction, Transform, Types, tuning>
{
    using Kernel = grid::GridwiseTensorMapConv<Transform, Types, tuning>;
    using Maps   = ConvTensorMaps<Direction, Kernel>;
};
template <class Direction, class Transform, class Types, GemmTuning tuning>
struct KernelOf<Pipeline::patches, Direction, Transform, Types, tuning>
{
    using Kernel = grid::GridwisePatchConv<Transform, Types, tuning>;
    using Maps   = ConvPatches<Direction, Kernel>;
};
template <class Direction, class Transform, class Types, GemmTuning tuning>
struct KernelOf<Pipeline::fused_classes, Direction, Transform, Types, tuning>
{
    using Kernel = grid::GridwiseFusedClassesConv<Types, tuning>;
    using Maps   = ConvFusedClasses<Direction, Kernel>;
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct KernelOf<Pipeline::direct, Direction, Transform, Types, tuning>
{
    using Kernel = grid::GridwiseDepthwiseConv<Transform, Types, tuning>;
    using Maps   = void;
};

template <class Types, GemmTuning tuning>
struct KernelOf<Pipeline::patches, BackwardWeightDirection, BackwardWeight, Types, tuning>
{
    using Kernel = grid::GridwisePatchWeightConv<Types, tuning>;
    using Maps   = ConvWeightPatches<Kernel>;
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct KernelOf<Pipeline::tap_rows, Direction, Transform, Types, tuning>
{
    using Kernel = grid::GridwiseTapRowConv<Types, tuning>;
    using Maps   = ConvTapRows<Kernel>;
};

} // namespace ck::tensor_operation::device
