// The three references are one trilinear form: <conv(x, w), dy> = <x, backward_data(dy, w)> =
// <w, backward_weight(x, dy)>.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "library/reference_tensor_operation/random_convolutions.hpp"
#include <random>

namespace {

using namespace reference_test;
using ck::tensor_operation::element_wise::PassThrough;

template <class Reference, class In, class Wei, class Out>
void run(In& in, Wei& wei, Out& out, const ConvParam& p)
{
    auto argument = Reference::MakeArgument(in,
                                            wei,
                                            out,
                                            p.conv_filter_strides_,
                                            p.conv_filter_dilations_,
                                            p.input_left_pads_,
                                            p.input_right_pads_,
                                            {},
                                            {},
                                            {});
    Reference::MakeInvoker().Run(argument);
}

template <ck::index_t rank>
void expect_adjoint(int count)
{
    namespace host = ck::tensor_operation::host;
    using P        = PassThrough;
    using Forward  = host::ReferenceConvFwd<rank, float, float, float, P, P, P>;
    using Data     = host::ReferenceConvBwdData<rank, float, float, float, P, P, P>;
    using Weight   = host::ReferenceConvBwdWeight<rank, float, float, float, P, P, P>;
    std::mt19937 random(rank);
    int nonzero = 0;
    for(int i = 0; i < count; ++i)
    {
        const ConvParam p = random_problem(rank, random);
        const auto x      = random_integers<float>(random_strides(x_lengths(p), random), random);
        const auto w      = random_integers<float>(random_strides(w_lengths(p), random), random);
        const auto dy     = random_integers<float>(random_strides(y_lengths(p), random), random);
        Tensor<float> y(y_lengths(p)), dx(x_lengths(p)), dw(w_lengths(p));
        run<Forward>(x, w, y, p);
        run<Data>(dx, w, dy, p);
        run<Weight>(x, dw, dy, p);
        const double form = inner_product(y, dy);
        EXPECT_EQ(inner_product(x, dx), form) << text(p);
        EXPECT_EQ(inner_product(w, dw), form) << text(p);
        nonzero += form != 0;
    }
    EXPECT_GT(nonzero, count / 8) << "problems must have something to compare";
}

TEST(ReferenceConv, Adjoint1D) { expect_adjoint<1>(100); }
TEST(ReferenceConv, Adjoint2D) { expect_adjoint<2>(60); }
TEST(ReferenceConv, Adjoint3D) { expect_adjoint<3>(60); }

} // namespace
