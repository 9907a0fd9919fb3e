// A source like those that PyTorch's Inductor generates for its backend of Composable Kernel: the
// same headers, and definitions of members that Composable Kernel's headers only
// declare.
//
// Labels: compiled alone
#include "ck/ck.hpp"
#include "ck/library/utility/check_err.hpp"
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"
#include "ck/library/utility/convolution_parameter.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/library/utility/fill.hpp"
#include "ck/library/utility/host_tensor.hpp"
#include "ck/library/utility/host_tensor_generator.hpp"
#include "ck/library/utility/literals.hpp"
#include "ck/tensor_operation/gpu/device/convolution_forward_specialization.hpp"
#include "ck/tensor_operation/gpu/device/gemm_specialization.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_multiple_abd_xdl_cshuffle_v3.hpp"
#include "ck/utility/data_type.hpp"

#include <gtest/gtest.h>

ck::utils::conv::ConvParam::ConvParam(ck::index_t n_dim,
                                      ck::index_t group_count,
                                      ck::index_t n_batch,
                                      ck::index_t n_out_channels,
                                      ck::index_t n_in_channels,
                                      const std::vector<ck::index_t>& filters_len,
                                      const std::vector<ck::index_t>& input_len,
                                      const std::vector<ck::index_t>& strides,
                                      const std::vector<ck::index_t>& dilations,
                                      const std::vector<ck::index_t>& left_pads,
                                      const std::vector<ck::index_t>& right_pads)
    : num_dim_spatial_(n_dim),
      G_(group_count),
      N_(n_batch),
      K_(n_out_channels),
      C_(n_in_channels),
      filter_spatial_lengths_(filters_len.begin(), filters_len.end()),
      input_spatial_lengths_(input_len.begin(), input_len.end()),
      output_spatial_lengths_(static_cast<std::size_t>(n_dim)),
      conv_filter_strides_(strides.begin(), strides.end()),
      conv_filter_dilations_(dilations.begin(), dilations.end()),
      input_left_pads_(left_pads.begin(), left_pads.end()),
      input_right_pads_(right_pads.begin(), right_pads.end())
{
    for(std::size_t i = 0; i < output_spatial_lengths_.size(); ++i)
    {
        const ck::long_index_t reach =
            conv_filter_dilations_[i] * (filter_spatial_lengths_[i] - 1) + 1;
        output_spatial_lengths_[i] =
            (input_spatial_lengths_[i] + input_left_pads_[i] + input_right_pads_[i] - reach) /
                conv_filter_strides_[i] +
            1;
    }
}
const std::vector<std::size_t>& HostTensorDescriptor::GetLengths() const { return mLens; }
const std::vector<std::size_t>& HostTensorDescriptor::GetStrides() const { return mStrides; }
std::size_t HostTensorDescriptor::GetNumOfDimension() const { return mLens.size(); }
void HostTensorDescriptor::CalculateStrides()
{
    mStrides.assign(mLens.size(), 1);
    for(std::size_t i = mLens.size(); i-- > 1;)
        mStrides[i - 1] = mStrides[i] * mLens[i];
}

namespace {

using namespace ck::tensor_operation::element_wise;
using namespace ck::tensor_layout::convolution;
template <ck::index_t... Is>
using S = ck::Sequence<Is...>;

// Names that have no header of their own there.
using Names = std::tuple<Bilinear, Scale, MultiplyMultiply>;
using Tags  = std::tuple<GKCX, GKCYX, GKCZYX, NGCW, NGCHW, NGCDHW, KXGC, KYXGC, KZYXGC, G_K>;

using Conv = ck::tensor_operation::device::DeviceGroupedConvFwdMultipleABD_Xdl_CShuffle_V3<
    2,
    NHWGC,
    GKYXC,
    ck::Tuple<>,
    NHWGK,
    ck::half_t,
    ck::half_t,
    float,
    ck::half_t,
    ck::Tuple<>,
    ck::half_t,
    PassThrough,
    PassThrough,
    PassThrough,
    ck::tensor_operation::device::ConvolutionForwardSpecialization::Default,
    ck::tensor_operation::device::GemmSpecialization::MNKPadding,
    256,
    64,
    64,
    32,
    8,
    8,
    16,
    16,
    2,
    2,
    S<4, 64, 1>,
    S<1, 0, 2>,
    S<1, 0, 2>,
    2,
    8,
    8,
    1,
    S<4, 64, 1>,
    S<1, 0, 2>,
    S<1, 0, 2>,
    2,
    8,
    8,
    1,
    1,
    1,
    S<1, 32, 1, 8>,
    8,
    ck::BlockGemmPipelineScheduler::Intrawave,
    ck::BlockGemmPipelineVersion::v3>;

TEST(GeneratedSource, DefinesWhatHeadersDeclareAndRuns)
{
    const ck::utils::conv::ConvParam p(
        2, 1, 1, 16, 8, {3, 3}, {5, 5}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    const auto in  = ck::utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<NHWGC>(p);
    const auto wei = ck::utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<GKYXC>(p);
    const auto out = ck::utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<NHWGK>(p);
    const auto array = [](const std::vector<std::size_t>& values) {
        std::array<ck::index_t, 5> a{};
        std::copy(values.begin(), values.end(), a.begin());
        return a;
    };
    const DeviceMem x(2 * in.GetElementSpaceSize()), w(2 * wei.GetElementSpaceSize()),
        y(2 * out.GetElementSpaceSize());
    x.SetValue<ck::half_t>(ck::type_convert<ck::half_t>(1.f));
    w.SetValue<ck::half_t>(ck::type_convert<ck::half_t>(1.f));
    const std::array<ck::index_t, 2> one{1, 1};

    auto conv     = Conv{};
    auto invoker  = conv.MakeInvoker();
    auto argument = conv.MakeArgument(x.GetDeviceBuffer(),
                                      w.GetDeviceBuffer(),
                                      {},
                                      y.GetDeviceBuffer(),
                                      array(in.GetLengths()),
                                      array(in.GetStrides()),
                                      array(wei.GetLengths()),
                                      array(wei.GetStrides()),
                                      {},
                                      {},
                                      array(out.GetLengths()),
                                      array(out.GetStrides()),
                                      one,
                                      one,
                                      one,
                                      one,
                                      PassThrough{},
                                      PassThrough{},
                                      PassThrough{});
    testing::internal::CaptureStdout();
    argument.Print();
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              "arg.a_grid_desc_k0_m_k1_container_{9, 25, 8}\n"
              "arg.b_grid_desc_k0_n_k1_container_{9, 16, 8}\n"
              "arg.c_grid_desc_m_n_container_{25, 16}\n");
    const std::size_t bytes = conv.GetWorkSpaceSize(&argument);
    const DeviceMem workspace(bytes);
    conv.SetWorkSpacePointer(&argument, workspace.GetDeviceBuffer(), StreamConfig{});
    if(!conv.IsSupportedArgument(argument))
        GTEST_SKIP() << conv.GetTypeString() << ": " << conv.WhyNotSupported(&argument);
    invoker.Run(argument, StreamConfig{});
    std::vector<ck::half_t> result(out.GetElementSpaceSize());
    y.FromDevice(result.data());
    EXPECT_EQ(ck::type_convert<float>(result[12 * 16]), 72.f); // pixel in the middle: 3 x 3 x 8
    EXPECT_EQ(ck::type_convert<float>(result[0]), 32.f);       // pixel in a corner: 2 x 2 x 8
}

} // namespace
