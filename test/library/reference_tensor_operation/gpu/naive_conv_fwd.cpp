// The kernel function of forward against the plain loops on the CPU, on integers: exactly.
#include "ck/library/reference_tensor_operation/gpu/naive_conv_fwd.hpp"

#include "ck/host_utility/flush_cache.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "library/reference_tensor_operation/random_convolutions.hpp"

namespace {

using namespace reference_test;
using namespace ck::tensor_layout::convolution;
using ck::tensor_operation::element_wise::PassThrough;
using ck::tensor_operation::element_wise::Relu;
using ck::tensor_operation::element_wise::UnaryAbs;

template <class X, class W, class Y, class InOp, class OutOp>
void expect_right(const ConvParam& p, ck::index_t blocks)
{
    using namespace ck::utils::conv;
    std::mt19937 random(1);
    const auto x =
        random_integers<X>(make_input_host_tensor_descriptor_g_n_c_wis_packed<NDHWC>(p), random);
    const auto w =
        random_integers<W>(make_weight_host_tensor_descriptor_g_k_c_xs_packed<KZYXC>(p), random);
    Tensor<Y> expected(make_output_host_tensor_descriptor_g_n_k_wos_packed<NDHWK>(p));
    Tensor<Y> got(expected.mDesc);
    using Reference =
        ck::tensor_operation::host::ReferenceConvFwd<3, X, W, Y, InOp, PassThrough, OutOp>;
    Reference::MakeInvoker().Run(Reference::MakeArgument(x,
                                                         w,
                                                         expected,
                                                         p.conv_filter_strides_,
                                                         p.conv_filter_dilations_,
                                                         p.input_left_pads_,
                                                         p.input_right_pads_,
                                                         {},
                                                         {},
                                                         {}));
    const DeviceMem in(x.GetElementSpaceSizeInBytes()), filters(w.GetElementSpaceSizeInBytes()),
        out(got.GetElementSpaceSizeInBytes());
    in.ToDevice(x.data());
    filters.ToDevice(w.data());
    hip_check_error(hipMemset(out.GetDeviceBuffer(), 0x7f, out.GetBufferSize())); // NaN, or large
    const auto n = [](ck::long_index_t value) { return static_cast<ck::index_t>(value); };
    launch_and_time_kernel(
        StreamConfig{},
        ck::ref::naive_conv_fwd_ndhwc_kzyxc_ndhwk<X, W, Y, float, InOp, PassThrough, OutOp>,
        blocks,
        64,
        0,
        static_cast<const X*>(in.GetDeviceBuffer()),
        static_cast<const W*>(filters.GetDeviceBuffer()),
        static_cast<Y*>(out.GetDeviceBuffer()),
        n(p.N_),
        n(p.K_),
        n(p.C_),
        n(p.input_spatial_lengths_[0]),
        n(p.input_spatial_lengths_[1]),
        n(p.input_spatial_lengths_[2]),
        n(p.filter_spatial_lengths_[0]),
        n(p.filter_spatial_lengths_[1]),
        n(p.filter_spatial_lengths_[2]),
        n(p.output_spatial_lengths_[0]),
        n(p.output_spatial_lengths_[1]),
        n(p.output_spatial_lengths_[2]),
        n(p.conv_filter_strides_[0]),
        n(p.conv_filter_strides_[1]),
        n(p.conv_filter_strides_[2]),
        n(p.conv_filter_dilations_[0]),
        n(p.conv_filter_dilations_[1]),
        n(p.conv_filter_dilations_[2]),
        n(p.input_left_pads_[0]),
        n(p.input_left_pads_[1]),
        n(p.input_left_pads_[2]));
    out.FromDevice(got.mData.data());
    for(std::size_t i = 0; i < got.mData.size(); ++i)
        ASSERT_EQ(ck::type_convert<float>(got.mData[i]), ck::type_convert<float>(expected.mData[i]))
            << "element " << i << " of " << text(p) << ", " << blocks << " workgroups";
}

const ConvParam uneven{
    3, 1, 2, 5, 3, {2, 3, 1}, {5, 4, 6}, {2, 1, 3}, {1, 2, 1}, {1, 2, 0}, {0, 1, 2}};

TEST(NaiveConvFwd, OfAnyNumberOfWorkgroups)
{
    for(const ck::index_t blocks : {1, 3, 100})
        expect_right<float, float, float, PassThrough, PassThrough>(uneven, blocks);
}
TEST(NaiveConvFwd, OfTypesAndOperations)
{
    expect_right<ck::half_t, ck::half_t, ck::half_t, UnaryAbs, PassThrough>(uneven, 2);
    expect_right<ck::bhalf_t, float, float, PassThrough, Relu>(uneven, 2);
}

} // namespace
