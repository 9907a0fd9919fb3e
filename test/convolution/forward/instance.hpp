#pragma once
// Kernels of forward under test, behind the interface for groups, and that without where there are
// none.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_convnd_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "convolution/lattice/instance.hpp"
#include <stdexcept>
#include <type_traits>

namespace ck::test {

using tensor_operation::element_wise::PassThrough;
namespace device = tensor_operation::device;

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

/// Index: index_t or long_index_t.
template <class Op, class Index, index_t rank>
auto make_grouped_argument(const ConvProblem& p, const void* x, const void* w, void* y)
{
    const auto tensor = [](const auto& v) { return whole<Index, rank>(v); };
    const auto dims   = [](const Spatial& v) { return spatial<Index, rank>(v); };
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

/// Problems without groups, packed channel-last, through DeviceConvFwd; others through
/// DeviceGroupedConvFwdMultipleABD with 64-bit lengths. See by_every_operation.
template <class T, GemmTuning value>
class InstanceOf : public Instance
{
    static_assert(std::is_same_v<typename Operation<2, T, value>::Kernel,
                                 typename GroupedOperation<3, T, value>::Kernel>);

public:
    explicit InstanceOf(const char* engine)
        : Instance(Direction::forward, engine, type_of<T>, value)
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
    void run(const ConvProblem& p, void* x, void* w, void* y) const override
    {
        with_argument(p, x, w, y, [](auto& op, const device::BaseArgument* argument) {
            op.MakeInvokerPointer()->Run(argument);
        });
        HIP_CHECK_ERROR(hipDeviceSynchronize());
    }
    std::string name() const override { return GroupedOperation<3, T, value>{}.GetTypeString(); }

private:
    /// f(operation, argument)
    template <class F>
    static void
    with_argument(const ConvProblem& p, const void* x, const void* w, void* y, const F& f)
    {
        const auto grouped = [&](auto rank) {
            GroupedOperation<rank, T, value> op;
            f(op, make_grouped_argument<decltype(op), long_index_t, rank>(p, x, w, y).get());
        };
        if constexpr(by_every_operation(value))
            with_rank(p.rank, [&](auto rank) {
                Operation<rank, T, value> op;
                if(is_plain(p))
                    f(op, make_argument<decltype(op)>(p, x, w, y).get());
                else
                    grouped(rank);
            });
        else
            grouped(Number<3>{});
    }
};

// Each in the file of its engine.
void add_xdl(Instances&);
void add_wmma(Instances&);
void add_mma(Instances&);
void add_dl(Instances&);

/// Adds the tunings of one engine.
template <class T, GemmTuning first, GemmTuning... more>
void add(Instances& all, const char* engine)
{
    add_instances<InstanceOf, T, first, more...>(all, engine);
}

/// Tile m x n x k, wave tile m x n, vectors of A and B, and of C.
constexpr GemmTuning tuning_of(arch::Matrix instruction,
                               Tile tile,
                               index_t wave_m,
                               index_t wave_n,
                               index_t ab,
                               index_t c,
                               Pipeline pipeline,
                               Reduction reduction = Reduction::by_tap)
{
    return {.block_tile  = tile,
            .wave_m      = wave_m,
            .wave_n      = wave_n,
            .instruction = instruction,
            .a_vector    = ab,
            .b_vector    = ab,
            .c_vector    = c,
            .pipeline    = pipeline,
            .reduction   = reduction};
}

} // namespace ck::test
