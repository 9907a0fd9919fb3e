#pragma once
// The three directions of a convolution in the examples: which tensor is the result, the arguments
// of a device operation, and the result of the CPU's plain loops.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"

#include "tensors.hpp"
#include <memory>
#include <numeric>
#include <utility>

namespace example {

using ck::tensor_operation::element_wise::PassThrough;
namespace device = ck::tensor_operation::device;

/// The result's layout and element type for each D tensor of an example.
template <class E,
          class T,
          class Layout,
          class Indices = std::make_index_sequence<E::d_tensors.size()>>
struct DTypes;
template <class E, class T, class Layout, std::size_t... i>
struct DTypes<E, T, Layout, std::index_sequence<i...>>
{
    using Layouts  = ck::Tuple<std::conditional_t<E::d_tensors[i] == D::bias,
                                                 ck::tensor_layout::convolution::G_K,
                                                 Layout>...>;
    using Elements = ck::Tuple<std::conditional_t<i >= 0, T, void>...>;

    /// The tensor on the host, converted to type As.
    template <class As>
    static std::array<Tensor<As>, sizeof...(i)>
    as([[maybe_unused]] const std::vector<Mirrored<T>>& ds)
    {
        return {Tensor<As>(ds[i].host)...};
    }
};

/// The arguments of an operation's MakeArgumentPointer after the tensors' pointers.
template <index_t rank, std::size_t d_count>
struct Arguments
{
    using Lengths = std::array<index_t, rank + 3>;

    std::array<const void*, d_count> d{};
    std::array<Lengths, d_count> d_lengths{}, d_strides{};
    std::array<index_t, rank> strides, dilations, left_pads, right_pads;

    template <class Ds>
    Arguments(const ConvParam& p, const Ds& ds)
    {
        for(std::size_t i = 0; i != d_count; ++i)
        {
            d[i]         = ds[i].pointer();
            d_lengths[i] = ds[i].template lengths<rank>();
            d_strides[i] = ds[i].template strides<rank>();
        }
        std::copy_n(p.conv_filter_strides_.begin(), rank, strides.begin());
        std::copy_n(p.conv_filter_dilations_.begin(), rank, dilations.begin());
        std::copy_n(p.input_left_pads_.begin(), rank, left_pads.begin());
        std::copy_n(p.input_right_pads_.begin(), rank, right_pads.begin());
    }
};

/// Runs a reference convolution; the result is one of the three tensors.
template <class Reference, class In, class Wei, class Out, class... Operations, class Ds>
void run_reference(
    In& in, Wei& wei, Out& out, const ConvParam& p, const Ds& ds, const Operations&... operations)
{
    Reference::MakeInvoker().Run(Reference::MakeArgument(in,
                                                         wei,
                                                         out,
                                                         p.conv_filter_strides_,
                                                         p.conv_filter_dilations_,
                                                         p.input_left_pads_,
                                                         p.input_right_pads_,
                                                         operations...,
                                                         {},
                                                         {},
                                                         ds));
}

inline double product(const std::vector<ck::long_index_t>& lengths)
{
    return std::accumulate(lengths.begin(), lengths.end(), 1., std::multiplies<>());
}

/// Y = Operation(X * W, D...). E: an example, see conv_example.hpp.
template <class E>
struct Forward
{
    using Result                    = typename E::Out;
    static constexpr bool a_along_k = true, b_along_k = true;
    static constexpr auto d_count = E::d_tensors.size();

    template <index_t rank, ck::GemmTuning tuning>
    using Operation = device::DeviceGroupedConvFwdImplicitGemm<
        rank,
        typename Layouts<rank>::In,
        typename Layouts<rank>::Wei,
        typename DTypes<E, Result, typename Layouts<rank>::Out>::Layouts,
        typename Layouts<rank>::Out,
        typename E::In,
        typename E::Wei,
        typename DTypes<E, Result, typename Layouts<rank>::Out>::Elements,
        typename E::Out,
        PassThrough,
        PassThrough,
        typename E::Operation,
        tuning>;

    static auto& result(auto& tensors) { return tensors.out; }
    static auto& first_operand(auto& tensors) { return tensors.in; }
    static auto& second_operand(auto& tensors) { return tensors.wei; }
    /// The largest number of products in a sum.
    static double longest_sum(const ConvParam& p)
    {
        return static_cast<double>(p.C_) * product(p.filter_spatial_lengths_);
    }

    template <index_t rank>
    static auto argument(auto& op, const ConvParam& p, const auto& t)
    {
        const Arguments<rank, d_count> a(p, t.ds);
        return op.MakeArgumentPointer(t.in.pointer(),
                                      t.wei.pointer(),
                                      a.d,
                                      t.out.pointer(),
                                      t.in.template lengths<rank>(),
                                      t.in.template strides<rank>(),
                                      t.wei.template lengths<rank>(),
                                      t.wei.template strides<rank>(),
                                      a.d_lengths,
                                      a.d_strides,
                                      t.out.template lengths<rank>(),
                                      t.out.template strides<rank>(),
                                      a.strides,
                                      a.dilations,
                                      a.left_pads,
                                      a.right_pads,
                                      PassThrough{},
                                      PassThrough{},
                                      E::operation());
    }

    template <index_t rank>
    static void reference(const ConvParam& p, const auto& t, Tensor<double>& expected)
    {
        using Reference = ck::tensor_operation::host::ReferenceConvFwd<rank,
                                                                       typename E::In,
                                                                       typename E::Wei,
                                                                       double,
                                                                       PassThrough,
                                                                       PassThrough,
                                                                       typename E::Operation,
                                                                       0,
                                                                       0,
                                                                       d_count>;
        run_reference<Reference>(t.in.host,
                                 t.wei.host,
                                 expected,
                                 p,
                                 DTypes<E, Result, void>::template as<double>(t.ds),
                                 PassThrough{},
                                 PassThrough{},
                                 E::operation());
    }
};

/// dX = Operation(dY * W, D...)
template <class E>
struct BackwardData
{
    using Result                    = typename E::In;
    static constexpr bool a_along_k = true, b_along_k = false;
    static constexpr auto d_count = E::d_tensors.size();

    template <index_t rank, ck::GemmTuning tuning>
    using Operation = device::DeviceGroupedConvBwdDataImplicitGemm<
        rank,
        typename Layouts<rank>::Out,
        typename Layouts<rank>::Wei,
        typename DTypes<E, Result, typename Layouts<rank>::In>::Layouts,
        typename Layouts<rank>::In,
        typename E::Out,
        typename E::Wei,
        typename DTypes<E, Result, typename Layouts<rank>::In>::Elements,
        typename E::In,
        PassThrough,
        PassThrough,
        typename E::Operation,
        tuning>;

    static auto& result(auto& tensors) { return tensors.in; }
    static auto& first_operand(auto& tensors) { return tensors.out; }
    static auto& second_operand(auto& tensors) { return tensors.wei; }
    static double longest_sum(const ConvParam& p)
    {
        double length = static_cast<double>(p.K_);
        for(std::size_t i = 0; i < p.filter_spatial_lengths_.size(); ++i)
        {
            // The distance between taps that contribute to the same element.
            const auto stride = p.conv_filter_strides_[i];
            const auto step   = stride / std::gcd(stride, p.conv_filter_dilations_[i]);
            length *= static_cast<double>((p.filter_spatial_lengths_[i] + step - 1) / step);
        }
        return length;
    }

    template <index_t rank>
    static auto argument(auto& op, const ConvParam& p, const auto& t)
    {
        const Arguments<rank, d_count> a(p, t.ds);
        return op.MakeArgumentPointer(t.out.pointer(),
                                      t.wei.pointer(),
                                      a.d,
                                      t.in.pointer(),
                                      t.out.template lengths<rank>(),
                                      t.out.template strides<rank>(),
                                      t.wei.template lengths<rank>(),
                                      t.wei.template strides<rank>(),
                                      a.d_lengths,
                                      a.d_strides,
                                      t.in.template lengths<rank>(),
                                      t.in.template strides<rank>(),
                                      a.strides,
                                      a.dilations,
                                      a.left_pads,
                                      a.right_pads,
                                      PassThrough{},
                                      PassThrough{},
                                      E::operation());
    }

    template <index_t rank>
    static void reference(const ConvParam& p, const auto& t, Tensor<double>& expected)
    {
        using Reference = ck::tensor_operation::host::ReferenceConvBwdData<rank,
                                                                           double,
                                                                           typename E::Wei,
                                                                           typename E::Out,
                                                                           typename E::Operation,
                                                                           PassThrough,
                                                                           PassThrough,
                                                                           0,
                                                                           0,
                                                                           d_count>;
        run_reference<Reference>(expected,
                                 t.wei.host,
                                 t.out.host,
                                 p,
                                 DTypes<E, Result, void>::template as<typename E::Out>(t.ds),
                                 E::operation(),
                                 PassThrough{},
                                 PassThrough{});
    }
};

/// dW = Operation(dY * X)
template <class E>
struct BackwardWeight
{
    using Result                    = typename E::Wei;
    static constexpr bool a_along_k = false, b_along_k = false;
    static constexpr auto d_count = E::d_tensors.size();

    template <index_t rank, ck::GemmTuning tuning>
    using Operation = device::DeviceGroupedConvBwdWeightImplicitGemm<rank,
                                                                     typename Layouts<rank>::In,
                                                                     typename Layouts<rank>::Wei,
                                                                     typename Layouts<rank>::Out,
                                                                     typename E::In,
                                                                     typename E::Wei,
                                                                     typename E::Out,
                                                                     PassThrough,
                                                                     typename E::Operation,
                                                                     PassThrough,
                                                                     tuning>;

    static auto& result(auto& tensors) { return tensors.wei; }
    static auto& first_operand(auto& tensors) { return tensors.out; }
    static auto& second_operand(auto& tensors) { return tensors.in; }
    static double longest_sum(const ConvParam& p)
    {
        return static_cast<double>(p.N_) * product(p.output_spatial_lengths_);
    }

    template <index_t rank>
    static auto argument(auto& op, const ConvParam& p, const auto& t)
    {
        const Arguments<rank, 0> a(p, t.ds);
        return op.MakeArgumentPointer(t.in.pointer(),
                                      t.wei.pointer(),
                                      t.out.pointer(),
                                      t.in.template lengths<rank>(),
                                      t.in.template strides<rank>(),
                                      t.wei.template lengths<rank>(),
                                      t.wei.template strides<rank>(),
                                      t.out.template lengths<rank>(),
                                      t.out.template strides<rank>(),
                                      a.strides,
                                      a.dilations,
                                      a.left_pads,
                                      a.right_pads,
                                      PassThrough{},
                                      E::operation(),
                                      PassThrough{},
                                      E::split_k);
    }

    template <index_t rank>
    static void reference(const ConvParam& p, const auto& t, Tensor<double>& expected)
    {
        using Reference = ck::tensor_operation::host::ReferenceConvBwdWeight<rank,
                                                                             typename E::In,
                                                                             double,
                                                                             typename E::Out,
                                                                             PassThrough,
                                                                             typename E::Operation,
                                                                             PassThrough,
                                                                             0,
                                                                             0,
                                                                             d_count>;
        run_reference<Reference>(t.in.host,
                                 expected,
                                 t.out.host,
                                 p,
                                 DTypes<E, Result, void>::template as<double>(t.ds),
                                 PassThrough{},
                                 E::operation(),
                                 PassThrough{});
    }
};

/// dW = Operation(dY * X, D...), in two stages.
template <class E>
struct BackwardWeightMultipleD : BackwardWeight<E>
{
    using typename BackwardWeight<E>::Result;

    template <index_t rank, ck::GemmTuning tuning>
    using Operation = device::DeviceGroupedConvBwdWeightMultipleDImplicitGemm<
        rank,
        typename Layouts<rank>::In,
        typename Layouts<rank>::Wei,
        typename Layouts<rank>::Out,
        typename DTypes<E, Result, typename Layouts<rank>::Wei>::Layouts,
        typename E::In,
        typename E::Wei,
        typename E::Out,
        typename DTypes<E, Result, typename Layouts<rank>::Wei>::Elements,
        PassThrough,
        typename E::Operation,
        PassThrough,
        tuning>;

    template <index_t rank>
    static auto argument(auto& op, const ConvParam& p, const auto& t)
    {
        const Arguments<rank, E::d_tensors.size()> a(p, t.ds);
        return op.MakeArgumentPointer(t.in.pointer(),
                                      t.wei.pointer(),
                                      t.out.pointer(),
                                      a.d,
                                      t.in.template lengths<rank>(),
                                      t.in.template strides<rank>(),
                                      t.wei.template lengths<rank>(),
                                      t.wei.template strides<rank>(),
                                      t.out.template lengths<rank>(),
                                      t.out.template strides<rank>(),
                                      a.d_lengths,
                                      a.d_strides,
                                      a.strides,
                                      a.dilations,
                                      a.left_pads,
                                      a.right_pads,
                                      PassThrough{},
                                      E::operation(),
                                      PassThrough{},
                                      E::split_k);
    }
};

} // namespace example
