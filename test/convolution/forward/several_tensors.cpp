// A and B that are made of two tensors each by an operation.
//
// Labels: not sanitized
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"

#include "convolution/grouped.hpp"

namespace ck::test {
namespace {

using tensor_operation::element_wise::ScaleAdd;
using Layout = Layouts<2>;

/// Whether A and B are made of two tensors.
template <GemmTuning tuning, bool two_as, bool two_bs>
void expect_right()
{
    using T   = half_t;
    using As  = std::conditional_t<two_as, Tuple<T, T>, T>;
    using Bs  = std::conditional_t<two_bs, Tuple<T, T>, T>;
    using OpA = std::conditional_t<two_as, ScaleAdd, PassThrough>;
    using OpB = std::conditional_t<two_bs, ScaleAdd, PassThrough>;
    using Op  = tensor_operation::device::DeviceGroupedConvFwdImplicitGemm<2,
                                                                          Layout::Input,
                                                                          Layout::Weight,
                                                                          Tuple<>,
                                                                          Layout::Output,
                                                                          As,
                                                                          Bs,
                                                                          Tuple<>,
                                                                          T,
                                                                          OpA,
                                                                          OpB,
                                                                          PassThrough,
                                                                          tuning>;
    using Reference =
        tensor_operation::host::ReferenceConvFwd<2, T, T, T, PassThrough, PassThrough, PassThrough>;
    for(const ConvParam& p : problems(2, std::max(tuning.a_vector, tuning.c_vector), 21, 5))
    {
        SCOPED_TRACE(testing::Message() << p);
        const auto x_shape =
            utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<Layout::Input>(p);
        const auto w_shape =
            utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<Layout::Weight>(p);
        Mirrored<T> x[2]{Mirrored<T>(x_shape), Mirrored<T>(x_shape)};
        Mirrored<T> w[2]{Mirrored<T>(w_shape), Mirrored<T>(w_shape)};
        Mirrored<T> y(
            utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<Layout::Output>(p));
        for(Mirrored<T>* tensor : {&x[0], &x[1], &w[0], &w[1]})
            tensor->fill_with_integers();
        y.fill_with_nan();

        // What the operations make of each operand: 2 * first + second, or the first.
        const ScaleAdd twice{2.f};
        const auto made = [&](const Mirrored<T>(&from)[2], bool two) {
            Tensor<T> to = from[0].host;
            if(two)
                for(std::size_t i = 0; i < to.mData.size(); ++i)
                    twice(to.mData[i], from[0].host.mData[i], from[1].host.mData[i]);
            return to;
        };
        const Tensor<T> a = made(x, two_as), b = made(w, two_bs);

        std::array<const void*, 2> xs{x[0].device.GetDeviceBuffer(), x[1].device.GetDeviceBuffer()},
            ws{w[0].device.GetDeviceBuffer(), w[1].device.GetDeviceBuffer()};
        const auto pointers = [](auto& all, auto two) -> decltype(auto) {
            if constexpr(decltype(two)::value)
                return (all);
            else
                return static_cast<const void*>(all[0]);
        };
        OpA op_a;
        OpB op_b;
        if constexpr(two_as)
            op_a = twice;
        if constexpr(two_bs)
            op_b = twice;
        Op op;
        const auto argument = op.MakeArgumentPointer(pointers(xs, std::bool_constant<two_as>{}),
                                                     pointers(ws, std::bool_constant<two_bs>{}),
                                                     {},
                                                     y.device.GetDeviceBuffer(),
                                                     array_of<2>(x[0].host.GetLengths()),
                                                     array_of<2>(x[0].host.GetStrides()),
                                                     array_of<2>(w[0].host.GetLengths()),
                                                     array_of<2>(w[0].host.GetStrides()),
                                                     {},
                                                     {},
                                                     array_of<2>(y.host.GetLengths()),
                                                     array_of<2>(y.host.GetStrides()),
                                                     array_of<2>(p.conv_filter_strides_),
                                                     array_of<2>(p.conv_filter_dilations_),
                                                     array_of<2>(p.input_left_pads_),
                                                     array_of<2>(p.input_right_pads_),
                                                     op_a,
                                                     op_b,
                                                     {});
        CK_SKIP_WITHOUT(Op::Kernel::requirement, op.WhyNotSupported(argument.get()));
        ASSERT_EQ(op.WhyNotSupported(argument.get()), "");
        op.MakeInvokerPointer()->Run(argument.get());
        const std::vector<T> got = y.result();

        Tensor<T> expected(y.host.mDesc);
        Reference::MakeInvoker().Run(Reference::MakeArgument(a,
                                                             b,
                                                             expected,
                                                             p.conv_filter_strides_,
                                                             p.conv_filter_dilations_,
                                                             p.input_left_pads_,
                                                             p.input_right_pads_,
                                                             {},
                                                             {},
                                                             {}));
        EXPECT_EQ(differences(got, expected.mData), 0u);
    }
}

constexpr GemmTuning dl{.block_tile  = {32, 32, 32},
                        .wave_m      = 16,
                        .wave_n      = 16,
                        .instruction = arch::Matrix::dot_f32_8x4x2_f16,
                        .a_vector    = 4,
                        .b_vector    = 4,
                        .c_vector    = 4,
                        .pipeline    = Pipeline::double_buffer};
constexpr GemmTuning mfma =
    small_tuning(arch::Matrix::mfma_f32_32x32x8_f16, 4, 8, Pipeline::single_buffer);

TEST(ForwardSeveralTensors, TwoAsAndTwoBs) { expect_right<dl, true, true>(); }
TEST(ForwardSeveralTensors, TwoAs) { expect_right<mfma, true, false>(); }
TEST(ForwardSeveralTensors, TwoBs) { expect_right<dl, false, true>(); }

} // namespace
} // namespace ck::test
