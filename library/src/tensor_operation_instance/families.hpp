#pragma once
// Short names for the families of the library, as used in tables/manifest.hpp.
#include "ck/library/tensor_operation_instance/family.hpp"

namespace ck::tensor_operation::device::instance {

using element_wise::Activation_Mul2_Clamp;
using element_wise::Activation_Mul_Clamp;
using element_wise::Add_Activation_Mul2_Clamp;
using element_wise::Add_Activation_Mul_Clamp;
using element_wise::Add_Mul2_Activation_Mul_Clamp;
using element_wise::Add_Mul_Activation_Mul_Clamp;
using element_wise::AddClamp;
using element_wise::AddRelu;
using element_wise::AddReluAdd;
using element_wise::BiasNormalizeInInferClamp;
using element_wise::Bilinear;
using element_wise::Clamp;
using element_wise::ConvEpilogue;
using element_wise::ConvInvscale;
using element_wise::ConvScale;
using element_wise::ConvScaleAdd;
using element_wise::ConvScaleRelu;
using element_wise::DynamicUnaryOp;
using element_wise::PassThrough;
using element_wise::Relu;
using element_wise::Requantize;
using element_wise::Scale;
using element_wise::ScaleAdd;
using element_wise::ScaleAddScaleAddRelu;
using element_wise::ScaleScalePass;
using element_wise::ScaleScaleRelu;
using element_wise::TanH;

/// With an operation on Y and D tensors.
template <class T, class Operation = PassThrough, class... D>
using Forward =
    ConvFamily<Direction::forward, T, T, T, Tuple<D...>, PassThrough, PassThrough, Operation>;
template <class T, class Operation = PassThrough, class... D>
using BackwardData =
    ConvFamily<Direction::backward_data, T, T, T, Tuple<D...>, PassThrough, PassThrough, Operation>;
template <class T, class Weight = T, class Operation = PassThrough, class... D>
using BackwardWeight = ConvFamily<Direction::backward_weight,
                                  T,
                                  T,
                                  Weight,
                                  Tuple<D...>,
                                  PassThrough,
                                  PassThrough,
                                  Operation>;

/// X, W and Y of three types.
template <class X, class W, class Y, class Operation = PassThrough, class... D>
using MixedForward =
    ConvFamily<Direction::forward, X, W, Y, Tuple<D...>, PassThrough, PassThrough, Operation>;

/// dY, W and dX of three types.
template <class Y, class W, class X>
using MixedBackwardData = ConvFamily<Direction::backward_data, Y, W, X>;

/// X and W are each computed from two tensors.
template <class T>
using ForwardOfPairs = ConvFamily<Direction::forward,
                                  Tuple<T, T>,
                                  Tuple<T, T>,
                                  T,
                                  Tuple<>,
                                  ScaleAdd,
                                  ScaleAdd,
                                  PassThrough>;

/// Operands are rounded to other types before they are multiplied.
template <Direction direction,
          class T,
          class ComputeA,
          class ComputeB,
          class Operation = PassThrough,
          class... D>
using ComputedAs = ConvFamily<direction,
                              T,
                              T,
                              T,
                              Tuple<D...>,
                              PassThrough,
                              PassThrough,
                              Operation,
                              ComputeA,
                              ComputeB>;

} // namespace ck::tensor_operation::device::instance
