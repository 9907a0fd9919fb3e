#pragma once
// Kernels of backward data under test, behind both of their interfaces.
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

/// Problems without groups, packed channel-last, through DeviceConvBwdData; others through
/// DeviceGroupedConvBwdDataMultipleD. See by_every_operation.
template <class T, GemmTuning value>
class InstanceOf : public Instance
{
    static_assert(std::is_same_v<typename Operation<2, T, value>::Kernel,
                                 typename GroupedOperation<3, T, value>::Kernel>);

public:
    explicit InstanceOf(const char* engine)
        : Instance(Direction::backward_data, engine, type_of<T>, value)
    {}

    std::string refusal(const ConvProblem& p) const override
    {
        std::string reason;
        with_argument(p, nullptr, nullptr, nullptr, [&](auto& op, const device::BaseArgument* a) {
            reason = op.WhyNotSupported(a);
            if(op.IsSupportedArgument(a) != reason.empty())
                throw std::logic_error("supported, and why not: " + reason);
        });
        return reason;
    }
    void run(const ConvProblem& p, void* dx, void* w, void* dy) const override
    {
        with_argument(p, dx, w, dy, [](auto& op, const device::BaseArgument* argument) {
            op.MakeInvokerPointer()->Run(argument);
        });
        HIP_CHECK_ERROR(hipDeviceSynchronize());
    }
    std::string name() const override { return GroupedOperation<3, T, value>{}.GetTypeString(); }

private:
    /// f(operation, argument)
    template <class F>
    static void
    with_argument(const ConvProblem& p, void* dx, const void* w, const void* dy, const F& f)
    {
        const auto grouped = [&](auto rank) {
            GroupedOperation<rank, T, value> op;
            f(op, make_grouped_argument<decltype(op), rank>(p, dx, w, dy).get());
        };
        if constexpr(by_every_operation(value))
            with_rank(p.rank, [&](auto rank) {
                Operation<rank, T, value> op;
                if(is_plain(p))
                    f(op, make_argument<decltype(op)>(p, dx, w, dy).get());
                else
                    grouped(rank);
            });
        else
            grouped(Number<3>{});
    }
};

// Each in the file of its engine.
void add_xdl_f16(Instances&);
void add_xdl_bf16(Instances&);
void add_xdl_f32(Instances&);
void add_wmma(Instances&);
void add_mma(Instances&);
void add_dl(Instances&);

/// Adds the tunings of one engine.
template <class T, GemmTuning first, GemmTuning... more>
void add(Instances& all, const char* engine)
{
    add_instances<InstanceOf, T, first, more...>(all, engine);
}

} // namespace ck::test
