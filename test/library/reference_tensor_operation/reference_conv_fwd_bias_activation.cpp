// The CPU's forward with a bias, and with a residual, against sums written out here.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd_bias_activation_add.hpp"
#include "ck/library/utility/host_tensor_generator.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ck {
namespace {

using tensor_operation::element_wise::AddRelu;
using tensor_operation::element_wise::AddReluAdd;
using tensor_operation::element_wise::PassThrough;

/// Tensors of n 2, c 3, k 4, images of 4 x 5, filters of 3 x 2, stride 2 and 1, pads 1 and 0
/// before, 1 after.
template <class T>
struct Tensors
{
    Tensors()
    {
        for(Tensor<T>* t : {&x, &w, &residual})
            t->GenerateTensorValue(GeneratorTensor_2<T>{-3, 4});
        bias.GenerateTensorValue(GeneratorTensor_Sequential<0>{});
    }
    Tensor<T> x{HostTensorDescriptor({2, 3, 4, 5}, {60, 1, 15, 3})}; // NHWC
    Tensor<T> w{HostTensorDescriptor({4, 3, 3, 2}, {18, 1, 6, 3})};
    Tensor<T> y{HostTensorDescriptor({2, 4, 2, 5}, {40, 1, 20, 4})};
    Tensor<T> residual{HostTensorDescriptor({2, 4, 2, 5}, {40, 1, 20, 4})};
    Tensor<T> bias{HostTensorDescriptor({4})};
    std::vector<index_t> strides{2, 1}, dilations{1, 1}, left{1, 0}, right{1, 1};

    float sum(std::size_t n, std::size_t k, std::size_t ho, std::size_t wo) const
    {
        float all = 0;
        for(std::size_t c = 0; c < 3; ++c)
            for(std::size_t fy = 0; fy < 3; ++fy)
                for(std::size_t fx = 0; fx < 2; ++fx)
                {
                    const std::size_t hi = ho * 2 + fy - 1, wi = wo + fx; // wraps below 0
                    if(hi < 4 && wi < 5)
                        all += type_convert<float>(x(n, c, hi, wi)) *
                               type_convert<float>(w(k, c, fy, fx));
                }
        return all;
    }
};

template <class T>
void expect_right()
{
    Tensors<T> t;
    using Bias = tensor_operation::host::
        ReferenceConvFwd_Bias_Activation<T, T, T, PassThrough, PassThrough, AddRelu>;
    using BiasAdd = tensor_operation::host::
        ReferenceConvFwd_Bias_Activation_Add<T, T, T, PassThrough, PassThrough, AddReluAdd>;
    const auto expect = [&](auto residual) {
        t.y.ForEach([&](auto&, const std::vector<std::size_t>& i) {
            const float before = t.sum(i[0], i[1], i[2], i[3]) + type_convert<float>(t.bias(i[1]));
            EXPECT_EQ(type_convert<float>(t.y(i)), std::max(before, 0.f) + residual(i));
        });
    };
    const auto argument = Bias::MakeArgument(
        t.x, t.w, t.y, t.bias, t.strides, t.dilations, t.left, t.right, {}, {}, {});
    EXPECT_EQ(Bias{}.WhyNotSupported(&argument), "");
    Bias::MakeInvoker().Run(argument);
    expect([](auto&) { return 0.f; });

    t.y.SetZero();
    const auto add = BiasAdd::MakeArgument(
        t.x, t.w, t.y, t.bias, t.residual, t.strides, t.dilations, t.left, t.right, {}, {}, {});
    EXPECT_EQ(BiasAdd{}.GetTypeString(), "ReferenceConvFwd_Bias_Activation_Add");
    BiasAdd{}.MakeInvokerPointer()->Run(&add);
    expect([&](const std::vector<std::size_t>& i) { return type_convert<float>(t.residual(i)); });
}

TEST(ReferenceConvFwdBiasActivation, IsTheSumWithBiasAndResidual)
{
    expect_right<float>();
    expect_right<half_t>();
}

TEST(ReferenceConvFwdBiasActivation, RefusesABiasOfAnotherLength)
{
    Tensors<float> t;
    using Bias = tensor_operation::host::
        ReferenceConvFwd_Bias_Activation<float, float, float, PassThrough, PassThrough, AddRelu>;
    const Tensor<float> longer(HostTensorDescriptor({5}));
    EXPECT_THROW(Bias::MakeArgument(
                     t.x, t.w, t.y, longer, t.strides, t.dilations, t.left, t.right, {}, {}, {}),
                 std::runtime_error);
}

} // namespace
} // namespace ck
