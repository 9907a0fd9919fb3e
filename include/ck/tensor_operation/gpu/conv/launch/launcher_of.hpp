#pragma once
// Which launcher, and so which kernel, a pipeline is.
#include "ck/tensor_operation/gpu/conv/launch/conv_depthwise.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_fused_classes.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_gemm.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_patches.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_tap_rows.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_tensor_maps.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_weight_patches.hpp"

namespace ck::tensor_operation::device {

/// Transform: how a kernel of the tuning sees problems of the direction.
template <Pipeline, class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf
{
    using type = ConvGemm<Direction, Transform, Types, tuning>;
};
template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::direct, Direction, Transform, Types, tuning>
{
    using type = ConvDepthwise<Direction, Transform, Types, tuning>;
};
template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::tensor_maps, Direction, Transform, Types, tuning>
{
    using type = ConvTensorMaps<Direction, Transform, Types, tuning>;
};
template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::patches, Direction, Transform, Types, tuning>
{
    using type = ConvPatches<Direction, Transform, Types, tuning>;
};
template <class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::patches, BackwardWeightDirection, BackwardWeight, Types, tuning>
{
    using type = ConvWeightPatches<Types, tuning>;
};
template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::fused_classes, Direction, Transform, Types, tuning>
{
    using type = ConvFusedClasses<Direction, Types, tuning>;
};
template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::tap_rows, Direction, Transform, Types, tuning>
{
    using type = ConvTapRows<Types, tuning>;
};

} // namespace ck::tensor_operation::device
