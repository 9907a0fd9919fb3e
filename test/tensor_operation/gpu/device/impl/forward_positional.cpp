// Composable Kernel's names of forward without groups that have results of their own here: with a
// bias and a residual, of int8, and the naive one.
//
// Labels: not sanitized
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_conv2d_fwd_xdl_c_shuffle_bias_activation_add_nhwc_kyxc_nhwk.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_conv2d_fwd_xdl_c_shuffle_bias_activation_nhwc_kyxc_nhwk.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_conv2d_fwd_xdl_c_shuffle_nhwc_kyxc_nhwk.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_conv3d_fwd_naive_ndhwc_kzyxc_ndhwk.hpp"

#include "convolution/grouped.hpp"

namespace ck::test::of_forward_positional {
namespace {

using namespace tensor_operation::device;
using tensor_operation::element_wise::AddRelu;
using tensor_operation::element_wise::AddReluAdd;
using Special = ConvolutionForwardSpecialization;

template <index_t... Is>
using S = Sequence<Is...>;

#define CK_TYPES half_t, half_t, half_t, float, PassThrough, PassThrough
#define CK_TRANSFER S<4, 16, 1>, S<1, 0, 2>, S<1, 0, 2>, 2, 4, 8, true
#define CK_POSITIONS                                                                               \
    Special::Default, 64, 32, 32, 4, 8, 32, 32, 1, 1, CK_TRANSFER, CK_TRANSFER, 1, 1,              \
        S<1, 1, 16, 1, 1, 4>, 4
using BiasRelu =
    DeviceConv2dFwdXdl_C_Shuffle_Bias_Activation_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K<
        CK_TYPES,
        AddRelu,
        InMemoryDataOperationEnum::Set,
        CK_POSITIONS>;
using BiasReluAdd =
    DeviceConv2dFwdXdl_C_Shuffle_Bias_Activation_Add_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K<
        CK_TYPES,
        AddReluAdd,
        CK_POSITIONS>;
using Integers =
    DeviceConv2dFwdXdl_C_Shuffle_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_N_Ho_Wo_K<std::int8_t,
                                                                                 std::int8_t,
                                                                                 std::int8_t,
                                                                                 std::int32_t,
                                                                                 PassThrough,
                                                                                 PassThrough,
                                                                                 PassThrough,
                                                                                 CK_POSITIONS>;
template <class T, class Acc, class Operation>
using Naive =
    DeviceConv3dFwdNaive_Input_N_Di_Hi_Wi_C_Weight_K_Z_Y_X_C_Output_N_Do_Ho_Wo_K<T,
                                                                                 T,
                                                                                 T,
                                                                                 Acc,
                                                                                 PassThrough,
                                                                                 PassThrough,
                                                                                 Operation>;

std::vector<index_t> list(const std::vector<long_index_t>& values)
{
    return std::vector<index_t>(values.begin(), values.end());
}

/// Packed channel-last tensors of one group, and the sums.
template <class T, index_t rank>
struct Tensors
{
    explicit Tensors(const ConvParam& p)
        : problem(p),
          x(utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<
              typename Layouts<rank>::Input>(p)),
          w(utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<
              typename Layouts<rank>::Weight>(p)),
          y(utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<
              typename Layouts<rank>::Output>(p)),
          residual(y.host.mDesc),
          bias(HostTensorDescriptor({p.K_})),
          sums(y.host.mDesc)
    {
        x.fill_with_integers(), w.fill_with_integers(), y.fill_with_nan();
        residual.fill_with_integers(), bias.fill_with_integers();
        using Reference = tensor_operation::host::
            ReferenceConvFwd<rank, T, T, float, PassThrough, PassThrough, PassThrough>;
        auto reference = Reference::MakeInvoker();
        reference.Run(Reference::MakeArgument(x.host,
                                              w.host,
                                              sums,
                                              p.conv_filter_strides_,
                                              p.conv_filter_dilations_,
                                              p.input_left_pads_,
                                              p.input_right_pads_,
                                              {},
                                              {},
                                              {}));
    }

    /// ds: what comes after Y.
    template <class Op, class OutOperation, class... Ds>
    typename Op::Argument argument(const OutOperation& operation, const Ds*... ds) const
    {
        const ConvParam& p = problem;
        return Op::MakeArgument(x.device.GetDeviceBuffer(),
                                w.device.GetDeviceBuffer(),
                                y.device.GetDeviceBuffer(),
                                ds...,
                                static_cast<index_t>(p.N_),
                                static_cast<index_t>(p.K_),
                                static_cast<index_t>(p.C_),
                                list(p.input_spatial_lengths_),
                                list(p.filter_spatial_lengths_),
                                list(p.output_spatial_lengths_),
                                list(p.conv_filter_strides_),
                                list(p.conv_filter_dilations_),
                                list(p.input_left_pads_),
                                list(p.input_right_pads_),
                                {},
                                {},
                                operation);
    }

    /// element(result, sum, bias, residual) for each element.
    template <class F>
    std::vector<T> expected(const F& element) const
    {
        std::vector<T> all(sums.mData.size());
        for(std::size_t i = 0; i < all.size(); ++i)
            element(all[i],
                    sums.mData[i],
                    bias.host.mData[i % bias.host.mData.size()],
                    residual.host.mData[i]);
        return all;
    }

    ConvParam problem;
    Mirrored<T> x, w, y, residual, bias;
    Tensor<float> sums;
};

const ConvParam problem_2d{2, 1, 2, 36, 12, {3, 2}, {6, 7}, {1, 2}, {2, 1}, {2, 0}, {1, 1}};

template <class Op>
void run(const typename Op::Argument& argument)
{
    Op op;
    ASSERT_EQ(op.WhyNotSupported(&argument), "");
    ASSERT_TRUE(op.IsSupportedArgument(&argument));
    op.MakeInvokerPointer()->Run(&argument);
}

TEST(ForwardPositional, BiasRelu)
{
    const Tensors<half_t, 2> t(problem_2d);
    const auto argument =
        t.argument<BiasRelu>(AddRelu{}, static_cast<const void*>(t.bias.device.GetDeviceBuffer()));
    CK_SKIP_WITHOUT(arch::Requirement::mfma, BiasRelu{}.WhyNotSupported(&argument));
    run<BiasRelu>(argument);
    EXPECT_EQ(differences(t.y.result(), t.expected([](auto& y, float sum, half_t bias, half_t) {
                  AddRelu{}(y, sum, bias);
              })),
              0u);
}

TEST(ForwardPositional, BiasReluAddReadsTheResidual)
{
    const Tensors<half_t, 2> t(problem_2d);
    const auto argument =
        t.argument<BiasReluAdd>(AddReluAdd{},
                                static_cast<const void*>(t.bias.device.GetDeviceBuffer()),
                                static_cast<const void*>(t.residual.device.GetDeviceBuffer()));
    CK_SKIP_WITHOUT(arch::Requirement::mfma, BiasReluAdd{}.WhyNotSupported(&argument));
    run<BiasReluAdd>(argument);
    EXPECT_EQ(
        differences(t.y.result(), t.expected([](auto& y, float sum, half_t bias, half_t residual) {
            AddReluAdd{}(y, sum, bias, residual);
        })),
        0u);
}

TEST(ForwardPositional, BiasIsRefusedWithItsProblem)
{
    const ConvParam odd{2, 1, 2, 34, 12, {1, 1}, {4, 4}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
    const Tensors<half_t, 2> t(odd);
    const auto argument =
        t.argument<BiasRelu>(AddRelu{}, static_cast<const void*>(t.bias.device.GetDeviceBuffer()));
    CK_SKIP_WITHOUT(arch::Requirement::mfma, BiasRelu{}.WhyNotSupported(&argument));
    EXPECT_NE(BiasRelu{}.WhyNotSupported(&argument).find("K is 34"), std::string::npos);
    EXPECT_FALSE(BiasRelu::IsSupportedArgument(argument));
}

TEST(ForwardPositional, IntegersOfBothGenerations)
{
    EXPECT_EQ(on_other_generation(Integers::Operation::tuning).instruction,
              arch::Matrix::mfma_i32_32x32x16_i8);
    const Tensors<std::int8_t, 2> t(problem_2d);
    const auto argument = t.argument<Integers>(PassThrough{});
    if(!device_has(arch::Requirement::mfma_i8_gfx942))
    {
        CK_SKIP_WITHOUT(arch::Requirement::mfma_i8, Integers{}.WhyNotSupported(&argument));
    }
    run<Integers>(argument);
    EXPECT_EQ(
        differences(t.y.result(), t.expected([](auto& y, float sum, std::int8_t, std::int8_t) {
            PassThrough{}(y, static_cast<std::int32_t>(sum));
        })),
        0u);
}

TEST(ForwardPositional, NaiveTakesAnyChannels)
{
    const ConvParam p{
        3, 1, 2, 7, 5, {2, 1, 3}, {3, 4, 5}, {1, 2, 1}, {1, 1, 1}, {1, 0, 1}, {0, 0, 1}};
    const Tensors<float, 3> t(p);
    using Floats = Naive<float, float, Scale>;
    run<Floats>(t.argument<Floats>(Scale{3.f}));
    EXPECT_EQ(differences(t.y.result(),
                          t.expected([](float& y, float sum, float, float) { y = 3 * sum; })),
              0u);

    const Tensors<std::int8_t, 3> i(p);
    using Bytes = Naive<std::int8_t, std::int32_t, PassThrough>;
    run<Bytes>(i.argument<Bytes>(PassThrough{}));
    EXPECT_EQ(
        differences(i.y.result(), i.expected([](auto& y, float sum, std::int8_t, std::int8_t) {
            PassThrough{}(y, static_cast<std::int32_t>(sum));
        })),
        0u);
}

TEST(ForwardPositional, TypeStringsNameTheTuning)
{
    EXPECT_EQ(BiasRelu{}.GetTypeString(),
              "DeviceConv2dFwdXdl_C_Shuffle_Bias_Activation_Input_N_Hi_Wi_C_Weight_K_Y_X_C_Output_"
              "N_Ho_Wo_K<64, 32, 32, 4, Default, 8, 1, 1, 4, 8, 4, 8, 1, 1, 4>");
    EXPECT_EQ(BiasReluAdd{}.GetTypeString(),
              "DeviceConv2dFwdXdl_C_Shuffle_Bias_Activation_Add_Input_N_Hi_Wi_C_Weight_K_Y_X_C_"
              "Output_N_Ho_Wo_K<64, 32, 32, 4, Default, 8, 1, 1, 4, 8, 4, 8, 1, 1, 4>");
    EXPECT_EQ((Naive<float, float, Scale>{}.GetTypeString()),
              "DeviceConv3dFwdNaive_Input_N_Di_Hi_Wi_C_Weight_K_Z_Y_X_C_Output_N_Do_Ho_Wo_K");
}

} // namespace
} // namespace ck::test::of_forward_positional

#undef CK_POSITIONS
#undef CK_TRANSFER
#undef CK_TYPES
