// The CPU's plain loops of transposed convolutions: by hand, as one trilinear form, and as the
// directions of the convolution from y to x.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_transpose.hpp"

#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "convolution/transposed_problems.hpp"
#include <cmath>

namespace {

using namespace ck;
using namespace ck::test;
using namespace ck::tensor_operation::host;
using Values = std::vector<double>;

/// A problem of one dimension and one channel, contiguous.
ConvTranspose line(long_index_t input, long_index_t filter, long_index_t stride)
{
    ConvTranspose p;
    p.rank      = 1;
    p.input[2]  = input;
    p.filter[2] = filter;
    p.stride[2] = stride;
    set_contiguous_strides(p);
    return p;
}

Values forward(const ConvTranspose& p, const Values& x, const Values& w)
{
    Values y(static_cast<std::size_t>(element_count(p.output_lengths())), std::nan(""));
    reference_conv_transpose(p, x.data(), w.data(), y.data());
    return y;
}

TEST(ReferenceConvTranspose, SpreadsPixels)
{
    ConvTranspose p = line(3, 3, 2);
    const Values x{1, 2, 3}, w{1, 10, 100};
    EXPECT_EQ(forward(p, x, w), (Values{1, 10, 102, 20, 203, 30, 300}));
    p.pad_low[2] = p.pad_high[2] = 1;
    EXPECT_EQ(forward(p, x, w), (Values{10, 102, 20, 203, 30}));
    p.output_padding[2] = 1;
    EXPECT_EQ(forward(p, x, w), (Values{10, 102, 20, 203, 30, 300}));
    p.pad_low[2]  = 3; // beyond the filter
    p.pad_high[2] = 0;
    EXPECT_EQ(forward(p, x, w), (Values{20, 203, 30, 300, 0}));
    p.pad_low[2] = -1;
    EXPECT_EQ(forward(p, x, w), (Values{0, 1, 10, 102, 20, 203, 30, 300, 0}));
}

TEST(ReferenceConvTranspose, WritesZerosWhereNoTapReaches)
{
    ConvTranspose p     = line(3, 1, 2);
    p.output_padding[2] = 1;
    EXPECT_EQ(forward(p, {1, 2, 3}, {1}), (Values{1, 0, 2, 0, 3, 0}));
    p                   = line(2, 2, 1);
    p.dilation[2]       = 2;
    p.output_padding[2] = 1;
    EXPECT_EQ(forward(p, {1, 2}, {1, 10}), (Values{1, 2, 10, 20, 0}));
}

TEST(ReferenceConvTranspose, ChannelsAndGroupsAreThoseOfPyTorch)
{
    ConvTranspose p = line(1, 1, 1); // x (1, 4, 1), w (4, 3, 1), y (1, 6, 1), two groups
    p.groups        = 2;
    p.in_channels   = 2;
    p.out_channels  = 3;
    set_contiguous_strides(p);
    const Values x{1, 10, 100, 1000}, w{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
    EXPECT_EQ(forward(p, x, w), (Values{41, 52, 63, 1700, 2800, 3900}));
}

TEST(ReferenceConvTranspose, GradientsOfALine)
{
    const ConvTranspose p = line(3, 3, 2);
    const Values x{1, 2, 3}, w{1, 10, 100}, dy{1, 2, 3, 4, 5, 6, 7};
    Values dx(3, std::nan("")), dw(3, std::nan(""));
    reference_conv_transpose_input_gradient(p, dx.data(), w.data(), dy.data());
    reference_conv_transpose_filter_gradient(p, x.data(), dw.data(), dy.data());
    EXPECT_EQ(dx, (Values{321, 543, 765}));
    EXPECT_EQ(dw, (Values{1 + 6 + 15, 2 + 8 + 18, 3 + 10 + 21}));
}

/// A random problem with operands of integers and the three results, NaN in their gaps.
struct Tensors
{
    ConvTranspose p;
    std::vector<float> x, w, dy;
    Values y, dx, dw;

    Tensors(index_t rank, std::mt19937& random) : p(random_transposed(rank, random))
    {
        const auto xs = span(p.input_lengths(), p.input_strides),
                   ws = span(p.filter_lengths(), p.filter_strides),
                   ys = span(p.output_lengths(), p.output_strides);
        x             = random_integers<float>(xs, random);
        w             = random_integers<float>(ws, random);
        dy            = random_integers<float>(ys, random);
        y.assign(ys, std::nan(""));
        dx.assign(xs, std::nan(""));
        dw.assign(ws, std::nan(""));
        reference_conv_transpose(p, x.data(), w.data(), y.data());
        reference_conv_transpose_input_gradient(p, dx.data(), w.data(), dy.data());
        reference_conv_transpose_filter_gradient(p, x.data(), dw.data(), dy.data());
    }
};

TEST(ReferenceConvTranspose, PassesAreOneTrilinearForm)
{
    std::mt19937 random(7);
    int nonzero = 0;
    for(index_t rank = 1; rank <= 3; ++rank)
        for(int i = 0; i < 60; ++i)
        {
            const Tensors t(rank, random);
            const double form = inner_product(t.p.output_lengths(), t.p.output_strides, t.y, t.dy);
            EXPECT_EQ(inner_product(t.p.input_lengths(), t.p.input_strides, t.x, t.dx), form)
                << text(t.p);
            EXPECT_EQ(inner_product(t.p.filter_lengths(), t.p.filter_strides, t.w, t.dw), form)
                << text(t.p);
            nonzero += form != 0;
        }
    EXPECT_GT(nonzero, 90) << "problems must have something to compare";
}

/// A host tensor of the last dimensions, as references of convolutions take them.
template <index_t rank, class T>
Tensor<T> host_tensor(const TensorLengths& lengths,
                      const TensorStrides& strides,
                      const std::vector<T>& values)
{
    std::vector<std::size_t> l, s;
    for(std::size_t d = 0; d < 6; ++d)
        if(d < 3 || d >= 6 - rank)
        {
            l.push_back(static_cast<std::size_t>(lengths[d]));
            s.push_back(static_cast<std::size_t>(strides[d]));
        }
    Tensor<T> t(HostTensorDescriptor(l, s));
    std::copy_n(values.begin(), std::min(values.size(), t.mData.size()), t.mData.begin());
    return t;
}

template <index_t rank>
void expect_the_convolutions(int count)
{
    using P      = tensor_operation::element_wise::PassThrough;
    using Data   = ReferenceConvBwdData<rank, double, float, float, P, P, P>;
    using Fwd    = ReferenceConvFwd<rank, float, float, double, P, P, P>;
    using Weight = ReferenceConvBwdWeight<rank, float, double, float, P, P, P>;
    std::mt19937 random(rank);
    for(int i = 0; i < count; ++i)
    {
        const Tensors t(rank, random);
        const ConvTranspose& p = t.p;
        const ConvProblem c    = p.convolution();
        const auto run         = [&]<class Reference>(Reference, auto& in, auto& wei, auto& out) {
            const auto dims = [](const Spatial& s) {
                return std::vector<long_index_t>(s.end() - rank, s.end());
            };
            Reference::MakeInvoker().Run(Reference::MakeArgument(in,
                                                                 wei,
                                                                 out,
                                                                 dims(c.stride),
                                                                 dims(c.dilation),
                                                                 dims(c.pad_low),
                                                                 dims(c.pad_high),
                                                                 {},
                                                                 {},
                                                                 {}));
        };
        const auto of_x = [&](const auto& v) {
            return host_tensor<rank>(p.input_lengths(), p.input_strides, v);
        };
        const auto of_w = [&](const auto& v) {
            return host_tensor<rank>(p.filter_lengths(), p.filter_strides, v);
        };
        const auto of_y = [&](const auto& v) {
            return host_tensor<rank>(p.output_lengths(), p.output_strides, v);
        };
        const auto x = of_x(t.x), w = of_w(t.w), dy = of_y(t.dy);
        auto y = of_y(Values(t.y.size())), dx = of_x(Values(t.dx.size())),
             dw = of_w(Values(t.dw.size()));
        run(Data{}, y, w, x);
        run(Fwd{}, dy, w, dx);
        run(Weight{}, dy, dw, x);
        EXPECT_EQ(differences(p.output_lengths(), p.output_strides, y.mData, t.y), 0u) << text(p);
        EXPECT_EQ(differences(p.input_lengths(), p.input_strides, dx.mData, t.dx), 0u) << text(p);
        EXPECT_EQ(differences(p.filter_lengths(), p.filter_strides, dw.mData, t.dw), 0u) << text(p);
    }
}

TEST(ReferenceConvTranspose, IsWhatTheConvolutionsDirectionsMake)
{
    expect_the_convolutions<1>(60);
    expect_the_convolutions<2>(60);
    expect_the_convolutions<3>(60);
}

TEST(ReferenceConvTranspose, RefusesWhatIsNoProblem)
{
    ConvTranspose p     = line(3, 3, 2);
    p.output_padding[2] = 2;
    Values any(16);
    try
    {
        reference_conv_transpose(p, any.data(), any.data(), any.data());
        FAIL();
    }
    catch(const std::runtime_error& e)
    {
        EXPECT_STREQ(e.what(),
                     "the output padding in W of a 1D transposed convolution is 2, but must be "
                     "less than the stride, 2, or the dilation, 1");
    }
}

} // namespace
