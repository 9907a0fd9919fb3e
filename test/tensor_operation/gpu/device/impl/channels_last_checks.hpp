#pragma once
// Checks of operations under Composable Kernel's positional names: forward and backward data of two
// dimensions, channels last, against the CPU references.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"

#include "convolution/backward_weight/weight.hpp"

namespace ck::test {

using tensor_layout::convolution::GKYXC;
using tensor_layout::convolution::NHWGC;
using tensor_layout::convolution::NHWGK;

/// X, W and Y, of which the operation makes one.
template <class T>
struct ThreeTensors
{
    explicit ThreeTensors(const ConvParam& p)
        : x(utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<NHWGC>(p)),
          w(utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<GKYXC>(p)),
          y(utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<NHWGK>(p))
    {
        x.fill_with_integers(), w.fill_with_integers(), y.fill_with_integers();
    }
    Mirrored<T> x, w, y;
};

/// Runs a row forward or in backward data; its result must be that of make_reference(tensors).
template <class R, bool forward, class Reference>
void expect_right(const ConvParam& p, Reference make_reference)
{
    using T = typename R::T;
    ThreeTensors<T> t(p);
    auto& from = forward ? t.x : t.y;
    auto& to   = forward ? t.y : t.x;
    to.fill_with_nan();
    typename R::Op op;
    const auto argument = op.MakeArgumentPointer(from.device.GetDeviceBuffer(),
                                                 t.w.device.GetDeviceBuffer(),
                                                 {},
                                                 to.device.GetDeviceBuffer(),
                                                 array_of<2>(from.host.GetLengths()),
                                                 array_of<2>(from.host.GetStrides()),
                                                 array_of<2>(t.w.host.GetLengths()),
                                                 array_of<2>(t.w.host.GetStrides()),
                                                 {},
                                                 {},
                                                 array_of<2>(to.host.GetLengths()),
                                                 array_of<2>(to.host.GetStrides()),
                                                 array_of<2>(p.conv_filter_strides_),
                                                 array_of<2>(p.conv_filter_dilations_),
                                                 array_of<2>(p.input_left_pads_),
                                                 array_of<2>(p.input_right_pads_),
                                                 {},
                                                 {},
                                                 {});
    CK_SKIP_WITHOUT(R::Op::Kernel::requirement, op.WhyNotSupported(argument.get()));
    ASSERT_EQ(op.WhyNotSupported(argument.get()), "");
    op.MakeInvokerPointer()->Run(argument.get());
    EXPECT_EQ(differences(to.result(), make_reference(t)), 0u);
}

template <class R>
void expect_right_forward(const ConvParam& p)
{
    using T = typename R::T;
    expect_right<R, true>(p, [&](ThreeTensors<T>& t) {
        using Reference = tensor_operation::host::
            ReferenceConvFwd<2, T, T, T, PassThrough, PassThrough, PassThrough>;
        Tensor<T> y(t.y.host.mDesc);
        auto reference = Reference::MakeInvoker();
        reference.Run(Reference::MakeArgument(t.x.host,
                                              t.w.host,
                                              y,
                                              p.conv_filter_strides_,
                                              p.conv_filter_dilations_,
                                              p.input_left_pads_,
                                              p.input_right_pads_,
                                              {},
                                              {},
                                              {}));
        return y.mData;
    });
}

template <class R>
void expect_right_backward_data(const ConvParam& p)
{
    using T = typename R::T;
    expect_right<R, false>(p, [&](ThreeTensors<T>& t) {
        using Reference = tensor_operation::host::
            ReferenceConvBwdData<2, T, T, T, PassThrough, PassThrough, PassThrough>;
        Tensor<T> x(t.x.host.mDesc);
        auto reference = Reference::MakeInvoker();
        reference.Run(Reference::MakeArgument(x,
                                              t.w.host,
                                              t.y.host,
                                              p.conv_filter_strides_,
                                              p.conv_filter_dilations_,
                                              p.input_left_pads_,
                                              p.input_right_pads_,
                                              {},
                                              {},
                                              {}));
        return x.mData;
    });
}

} // namespace ck::test
