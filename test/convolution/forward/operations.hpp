#pragma once
// The forward operations that are tested: with groups, and without.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "convolution/lattice/instance.hpp"

namespace ck::test {

using tensor_operation::element_wise::PassThrough;
namespace device = tensor_operation::device;

inline constexpr Direction tested_direction = Direction::forward;

// Tensors lie as their strides say: the tags are free.
using AnyInput  = tensor_layout::convolution::NHWGC;
using AnyFilter = tensor_layout::convolution::GKYXC;
using AnyOutput = tensor_layout::convolution::NHWGK;

template <index_t rank, class T, GemmTuning tuning>
using GroupedOperation = device::DeviceGroupedConvFwdImplicitGemm<rank,
                                                                  AnyInput,
                                                                  AnyFilter,
                                                                  Tuple<>,
                                                                  AnyOutput,
                                                                  T,
                                                                  T,
                                                                  Tuple<>,
                                                                  T,
                                                                  PassThrough,
                                                                  PassThrough,
                                                                  PassThrough,
                                                                  tuning>;
template <index_t rank, class T, GemmTuning tuning>
using Operation = device::DeviceConvNdFwdImplicitGemm<rank,
                                                      AnyInput,
                                                      AnyFilter,
                                                      AnyOutput,
                                                      T,
                                                      T,
                                                      T,
                                                      PassThrough,
                                                      PassThrough,
                                                      PassThrough,
                                                      tuning>;

/// Makes an argument with 64-bit lengths and strides.
template <class Op, index_t rank>
auto make_grouped_argument(const ConvProblem& p, const void* x, const void* w, void* y)
{
    const auto tensor = [](const auto& v) { return whole<long_index_t, rank>(v); };
    const auto dims   = [](const Spatial& v) { return spatial<long_index_t, rank>(v); };
    return Op{}.MakeArgumentPointer(x,
                                    w,
                                    {},
                                    y,
                                    tensor(p.input_lengths()),
                                    tensor(p.input_strides),
                                    tensor(p.filter_lengths()),
                                    tensor(p.filter_strides),
                                    {},
                                    {},
                                    tensor(p.output_lengths()),
                                    tensor(p.output_strides),
                                    dims(p.stride),
                                    dims(p.dilation),
                                    dims(p.pad_low),
                                    dims(p.pad_high),
                                    {},
                                    {},
                                    {});
}

template <class Op>
auto make_argument(const ConvProblem& p, const void* x, const void* w, void* y)
{
    return Op{}.MakeArgumentPointer(x,
                                    w,
                                    y,
                                    static_cast<index_t>(p.batch),
                                    static_cast<index_t>(p.out_channels),
                                    static_cast<index_t>(p.in_channels),
                                    values(p.input, p.rank),
                                    values(p.filter, p.rank),
                                    values(p.output(), p.rank),
                                    values(p.stride, p.rank),
                                    values(p.dilation, p.rank),
                                    values(p.pad_low, p.rank),
                                    values(p.pad_high, p.rank),
                                    {},
                                    {},
                                    {});
}

} // namespace ck::test
