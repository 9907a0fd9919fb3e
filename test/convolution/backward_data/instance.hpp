#pragma once
// Kernels under test: the operation with one tuning and one type, for problems of any rank.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "convolution/backward_data/problems.hpp"
#include "convolution/backward_data/tensors.hpp"
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

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

/// The last `rank` values, as operations take them.
inline std::vector<index_t> values(const Spatial& s, index_t rank)
{
    return std::vector<index_t>(s.end() - rank, s.end());
}

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

/// Calls f(Number<rank>{}).
template <class F>
auto with_rank(index_t rank, F&& f)
{
    return rank == 1 ? f(Number<1>{}) : rank == 2 ? f(Number<2>{}) : f(Number<3>{});
}

class Instance
{
public:
    Instance(std::string engine, Type type, const GemmTuning& tuning)
        : engine_(std::move(engine)),
          type_(type),
          tuning_(tuning)
    {}
    virtual ~Instance() = default;

    /// Why the device or the operation refuses; empty when it would run.
    virtual std::string refusal(const ConvProblem&) const = 0;
    /// Runs and waits.
    virtual void run(const ConvProblem&, void* dx, const void* w, const void* dy) const = 0;
    virtual std::string name() const                                                    = 0;

    const std::string& engine() const { return engine_; }
    Type type() const { return type_; }
    const GemmTuning& tuning() const { return tuning_; }
    bool multiplies_in_tf32() const
    {
        return tuning_.instruction == arch::Matrix::mma_f32_16x8x8_tf32;
    }
    Fit fit() const
    {
        return {tuning_.a_vector,
                math::max(tuning_.b_vector, tuning_.c_vector), // powers of two
                tuning_.block_tile.m,
                tuning_.block_tile.n,
                tuning_.block_tile.k};
    }

private:
    std::string engine_;
    Type type_;
    GemmTuning tuning_;
};

template <class T, GemmTuning value>
class InstanceOf : public Instance
{
    using Gemm = typename Operation<2, T, value>::Kernel::Gemm;
    static_assert(block::why_not(Gemm::a_shape) == nullptr);
    static_assert(block::why_not(Gemm::b_shape) == nullptr);
    static_assert(value.block_tile.k % Gemm::Wave::k_per_step == 0);

public:
    explicit InstanceOf(const char* engine) : Instance(engine, type_of<T>, value) {}

    std::string refusal(const ConvProblem& p) const override
    {
        return with_rank(p.rank, [&](auto rank) {
            using Op            = Operation<rank, T, value>;
            const auto argument = make_argument<Op>(p, nullptr, nullptr, nullptr);
            return Op{}.IsSupportedArgument(argument.get()) ? std::string()
                                                            : Op{}.WhyNotSupported(argument.get());
        });
    }
    void run(const ConvProblem& p, void* dx, const void* w, const void* dy) const override
    {
        with_rank(p.rank, [&](auto rank) {
            using Op            = Operation<rank, T, value>;
            const auto argument = make_argument<Op>(p, dx, w, dy);
            Op{}.MakeInvokerPointer()->Run(argument.get());
        });
        HIP_CHECK_ERROR(hipDeviceSynchronize());
    }
    std::string name() const override { return Operation<2, T, value>{}.GetTypeString(); }
};

using Instances = std::vector<std::unique_ptr<Instance>>;

/// Of all engines, in the order of their files.
const Instances& all_instances();

// Each in the file of its engine.
void add_xdl_f16(Instances&);
void add_xdl_bf16(Instances&);
void add_xdl_f32(Instances&);
void add_wmma(Instances&);
void add_mma(Instances&);
void add_dl(Instances&);

/// Adds the tunings of one engine; only the first under sanitizers.
template <class T, GemmTuning first, GemmTuning... more>
void add(Instances& all, const char* engine)
{
    all.push_back(std::make_unique<InstanceOf<T, first>>(engine));
    if constexpr(!sanitized)
        (all.push_back(std::make_unique<InstanceOf<T, more>>(engine)), ...);
}

} // namespace ck::test
