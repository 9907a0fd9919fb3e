#pragma once
// The operations of backward data that are tested: with groups, and without.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "convolution/lattice/instance.hpp"
#include <tuple>
#include <type_traits>

namespace ck::test {

using tensor_operation::element_wise::PassThrough;
namespace device = tensor_operation::device;

inline constexpr Direction tested_direction = Direction::backward_data;

namespace layout {
namespace c = tensor_layout::convolution;
using In    = std::tuple<c::NWC, c::NHWC, c::NDHWC>;
using Wei   = std::tuple<c::KXC, c::KYXC, c::KZYXC>;
using Out   = std::tuple<c::NWK, c::NHWK, c::NDHWK>;
} // namespace layout

template <index_t rank,
          class T,
          GemmTuning tuning,
          class InOp  = PassThrough,
          class WeiOp = PassThrough,
          class OutOp = PassThrough,
          device::ConvolutionBackwardDataSpecialization special =
              device::ConvolutionBackwardDataSpecialization::Default>
using Operation =
    device::DeviceConvNdBwdDataImplicitGemm<rank,
                                            std::tuple_element_t<rank - 1, layout::In>,
                                            std::tuple_element_t<rank - 1, layout::Wei>,
                                            std::tuple_element_t<rank - 1, layout::Out>,
                                            T,
                                            T,
                                            T,
                                            InOp,
                                            WeiOp,
                                            OutOp,
                                            tuning,
                                            special>;

/// The same kernel for groups and any strides; the layout tags say nothing.
template <index_t rank, class T, GemmTuning tuning>
using GroupedOperation =
    device::DeviceGroupedConvBwdDataImplicitGemm<rank,
                                                 std::tuple_element_t<rank - 1, layout::Out>,
                                                 std::tuple_element_t<rank - 1, layout::Wei>,
                                                 Tuple<>,
                                                 std::tuple_element_t<rank - 1, layout::In>,
                                                 T,
                                                 T,
                                                 Tuple<>,
                                                 T,
                                                 PassThrough,
                                                 PassThrough,
                                                 PassThrough,
                                                 tuning>;

template <class Op, class InOp = PassThrough, class WeiOp = PassThrough, class OutOp = PassThrough>
auto make_argument(const ConvProblem& p,
                   void* dx,
                   const void* w,
                   const void* dy,
                   InOp in_op   = {},
                   WeiOp wei_op = {},
                   OutOp out_op = {})
{
    const index_t rank = p.rank;
    return Op{}.MakeArgumentPointer(dx,
                                    w,
                                    dy,
                                    static_cast<index_t>(p.batch),
                                    static_cast<index_t>(p.out_channels),
                                    static_cast<index_t>(p.in_channels),
                                    values(p.input, rank),
                                    values(p.filter, rank),
                                    values(p.output(), rank),
                                    values(p.stride, rank),
                                    values(p.dilation, rank),
                                    values(p.pad_low, rank),
                                    values(p.pad_high, rank),
                                    in_op,
                                    wei_op,
                                    out_op);
}

template <class Op, index_t rank>
auto make_grouped_argument(const ConvProblem& p, void* dx, const void* w, const void* dy)
{
    const auto tensor = [](const auto& v) { return whole<index_t, rank>(v); };
    const auto dims   = [](const Spatial& v) { return spatial<index_t, rank>(v); };
    return Op{}.MakeArgumentPointer(dy,
                                    w,
                                    {},
                                    dx,
                                    tensor(p.output_lengths()),
                                    tensor(p.output_strides),
                                    tensor(p.filter_lengths()),
                                    tensor(p.filter_strides),
                                    {},
                                    {},
                                    tensor(p.input_lengths()),
                                    tensor(p.input_strides),
                                    dims(p.stride),
                                    dims(p.dilation),
                                    dims(p.pad_low),
                                    dims(p.pad_high),
                                    {},
                                    {},
                                    {});
}

} // namespace ck::test
