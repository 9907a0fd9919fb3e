// The three passes of transposed convolutions by header-only operations, through arrays, compared
// exactly with the definition. Output padding, crops and pixels that no tap reaches are arithmetic
// of descriptors: one engine, which every GPU has, stands for all.
//
// Labels: emulated on one target
// Cases not sanitized: TransposedConvolution.HeaderOnlyInTwoDimensions
// Cases not sanitized: TransposedConvolution.HeaderOnlyInOneDimension
#include "ck/convolution/arrays.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_transpose.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_bwd_weight_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_fwd_implicit_gemm.hpp"

#include "convolution/grouped.hpp"
#include "convolution/transposed_problems.hpp"
#include <cmath>

namespace ck::test {
namespace {

using namespace tensor_operation::device;
using namespace tensor_operation::host;

constexpr GemmTuning tuning = dl_tuning(arch::Matrix::dot_f32_8x4x1_f32);
using P                     = PassThrough;
using None                  = Tuple<>;

// Layout tags say nothing to operations that take strides.
template <index_t rank>
using Fwd = DeviceGroupedConvFwdImplicitGemm<rank,
                                             typename Layouts<rank>::Input,
                                             typename Layouts<rank>::Weight,
                                             None,
                                             typename Layouts<rank>::Output,
                                             float,
                                             float,
                                             None,
                                             float,
                                             P,
                                             P,
                                             P,
                                             tuning>;
template <index_t rank>
using BwdData = DeviceGroupedConvBwdDataImplicitGemm<rank,
                                                     typename Layouts<rank>::Output,
                                                     typename Layouts<rank>::Weight,
                                                     None,
                                                     typename Layouts<rank>::Input,
                                                     float,
                                                     float,
                                                     None,
                                                     float,
                                                     P,
                                                     P,
                                                     P,
                                                     tuning>;
template <index_t rank>
using BwdWeight = DeviceGroupedConvBwdWeightImplicitGemm<rank,
                                                         typename Layouts<rank>::Input,
                                                         typename Layouts<rank>::Weight,
                                                         typename Layouts<rank>::Output,
                                                         float,
                                                         float,
                                                         float,
                                                         P,
                                                         P,
                                                         P,
                                                         tuning>;

struct Memory
{
    std::vector<float> host;
    DeviceMem device;

    explicit Memory(std::vector<float> values)
        : host(std::move(values)),
          device(sizeof(float) * host.size())
    {
        device.ToDevice(host.data());
    }
    void* get() const { return device.GetDeviceBuffer(); }
};

/// Runs `op` and compares the elements of `result`, which holds NaN before, with those of
/// `expected`.
void expect_result(auto op,
                   const auto& argument,
                   const Memory& result,
                   const std::vector<float>& expected,
                   const TensorLengths& lengths,
                   const TensorStrides& strides,
                   const ConvTranspose& p)
{
    const DeviceMem workspace(op.GetWorkSpaceSize(argument.get()));
    op.SetWorkSpacePointer(argument.get(), workspace.GetDeviceBuffer());
    ASSERT_EQ(op.WhyNotSupported(argument.get()), "") << text(p);
    op.MakeInvokerPointer()->Run(argument.get(), StreamConfig{});
    std::vector<float> got(result.host.size());
    result.device.FromDevice(got.data());
    EXPECT_EQ(differences(lengths, strides, got, expected), 0u) << text(p);
}

template <index_t rank>
void expect_right(int count)
{
    std::mt19937 random(rank);
    for(int i = 0; i < count; ++i)
    {
        const ConvTranspose p = random_transposed(rank, random);
        const auto xs         = span(p.input_lengths(), p.input_strides),
                   ws         = span(p.filter_lengths(), p.filter_strides),
                   ys         = span(p.output_lengths(), p.output_strides);
        const Memory x(random_integers<float>(xs, random)), w(random_integers<float>(ws, random)),
            dy(random_integers<float>(ys, random));
        const auto nan = [](std::size_t size) { return std::vector(size, std::nanf("")); };
        const Memory y(nan(ys)), dx(nan(xs)), dw(nan(ws));
        std::vector<float> y_expected(ys), dx_expected(xs), dw_expected(ws);
        reference_conv_transpose(p, x.host.data(), w.host.data(), y_expected.data());
        reference_conv_transpose_input_gradient(
            p, dx_expected.data(), w.host.data(), dy.host.data());
        reference_conv_transpose_filter_gradient(
            p, x.host.data(), dw_expected.data(), dy.host.data());

        const auto a = to_arrays<rank>(p.convolution());
        BwdData<rank> forward;
        expect_result(forward,
                      forward.MakeArgumentPointer(x.get(),
                                                  w.get(),
                                                  {},
                                                  y.get(),
                                                  a.output_lengths,
                                                  a.output_strides,
                                                  a.filter_lengths,
                                                  a.filter_strides,
                                                  {},
                                                  {},
                                                  a.input_lengths,
                                                  a.input_strides,
                                                  a.strides,
                                                  a.dilations,
                                                  a.left_pads,
                                                  a.right_pads,
                                                  P{},
                                                  P{},
                                                  P{}),
                      y,
                      y_expected,
                      p.output_lengths(),
                      p.output_strides,
                      p);
        Fwd<rank> input_gradient;
        expect_result(input_gradient,
                      input_gradient.MakeArgumentPointer(dy.get(),
                                                         w.get(),
                                                         {},
                                                         dx.get(),
                                                         a.input_lengths,
                                                         a.input_strides,
                                                         a.filter_lengths,
                                                         a.filter_strides,
                                                         {},
                                                         {},
                                                         a.output_lengths,
                                                         a.output_strides,
                                                         a.strides,
                                                         a.dilations,
                                                         a.left_pads,
                                                         a.right_pads,
                                                         P{},
                                                         P{},
                                                         P{}),
                      dx,
                      dx_expected,
                      p.input_lengths(),
                      p.input_strides,
                      p);
        BwdWeight<rank> filter_gradient;
        const index_t split_k = i % 3 + 1;
        expect_result(filter_gradient,
                      filter_gradient.MakeArgumentPointer(dy.get(),
                                                          dw.get(),
                                                          x.get(),
                                                          a.input_lengths,
                                                          a.input_strides,
                                                          a.filter_lengths,
                                                          a.filter_strides,
                                                          a.output_lengths,
                                                          a.output_strides,
                                                          a.strides,
                                                          a.dilations,
                                                          a.left_pads,
                                                          a.right_pads,
                                                          P{},
                                                          P{},
                                                          P{},
                                                          split_k),
                      dw,
                      dw_expected,
                      p.filter_lengths(),
                      p.filter_strides,
                      p);
    }
}

TEST(TransposedConvolution, HeaderOnlyInOneDimension) { expect_right<1>(12); }
TEST(TransposedConvolution, HeaderOnlyInTwoDimensions) { expect_right<2>(12); }
TEST(TransposedConvolution, HeaderOnlyInThreeDimensions) { expect_right<3>(8); }

} // namespace
} // namespace ck::test
