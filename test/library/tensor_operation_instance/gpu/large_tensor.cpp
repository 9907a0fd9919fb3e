// Clients such as MIOpen look for Large_Tensor in an instance's name: each list of instances of all
// factories has one such instance, the last.
// Labels: compiled alone
#include "ck/library/tensor_operation_instance/conv_factory.hpp"
#include "ck/library/tensor_operation_instance/gpu/convolution_forward_bias_relu.hpp"
#include "ck/library/tensor_operation_instance/grouped_instances.hpp"
#include "ck/library/tensor_operation_instance/packed_instances.hpp"
#include "ck/library/tensor_operation_instance/weight_instances.hpp"
#include "ck/tensor_operation/gpu/element/quantization_operation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ck::test::large_tensor {
namespace {

using namespace tensor_operation::device;
namespace e = tensor_operation::element_wise;
namespace l = tensor_layout::convolution;
using e::PassThrough;
using instance::Family;

template <class T>
using Two = Tuple<T, T>;

/// Families of the sums of quantized plans, which have no factory.
bool is_of_sums(const Family& f)
{
    return f.c == "i32" || (f.c == "f32" && f.a != f.c && f.operation_c == "PassThrough" &&
                            f.direction != Direction::backward_weight);
}

/// Only the last one is called Large_Tensor.
template <class Instances>
void expect_large_tensor(const Instances& instances, const std::string& why_none)
{
    ASSERT_GE(instances.size(), 2u) << why_none;
    for(const auto& op : instances)
        EXPECT_EQ(op->GetTypeString().find("Large_Tensor<") != std::string::npos,
                  op == instances.back())
            << op->GetTypeString();
}

/// The families whose lists were looked at.
class Lists : public testing::Test
{
protected:
    template <class Op>
    void look_at()
    {
        const Family family = instance::InstanceOf<Op>::Family::key();
        SCOPED_TRACE(std::string(name(family.direction)) + ", " + family.a + ", multiplied in " +
                     family.compute_a + ", " + family.operation_c);
        seen.push_back(family);
        expect_large_tensor(instance::DeviceOperationInstanceFactory<Op>::GetInstances(),
                            instance::why_none<Op>());
    }

    /// operation_c of forward with D tensors Ds; also of packed tensors, whose operation has
    /// neither D tensors nor another type to multiply in.
    template <class T,
              class Operation = PassThrough,
              class Ds        = Tuple<>,
              class Out       = T,
              class Wei       = T,
              class ComputeX  = T,
              class ComputeW  = ComputeX>
    void forward()
    {
        look_at<DeviceGroupedConvFwdMultipleABD<2,
                                                l::NHWGC,
                                                l::GKYXC,
                                                Repeated<l::NHWGK, Ds>,
                                                l::NHWGK,
                                                T,
                                                Wei,
                                                Ds,
                                                Out,
                                                PassThrough,
                                                PassThrough,
                                                Operation,
                                                ComputeX,
                                                ComputeW>>();
        if constexpr(is_packed<T, Ds, ComputeX, ComputeW>)
            look_at<DeviceConvFwd<2,
                                  l::NHWC,
                                  l::KYXC,
                                  l::NHWK,
                                  T,
                                  Wei,
                                  Out,
                                  PassThrough,
                                  PassThrough,
                                  Operation>>();
    }
    template <class T>
    void forward_of_two()
    {
        look_at<DeviceGroupedConvFwdMultipleABD<3,
                                                l::NDHWGC,
                                                l::GKZYXC,
                                                Tuple<>,
                                                l::NDHWGK,
                                                Two<T>,
                                                Two<T>,
                                                Tuple<>,
                                                T,
                                                e::ScaleAdd,
                                                e::ScaleAdd,
                                                PassThrough,
                                                T,
                                                T>>();
    }
    template <class T,
              class Operation = PassThrough,
              class Ds        = Tuple<>,
              class ComputeY  = T,
              class ComputeW  = ComputeY>
    void backward_data()
    {
        look_at<DeviceGroupedConvBwdDataMultipleD<3,
                                                  l::GNDHWK,
                                                  l::GKZYXC,
                                                  Repeated<l::GNDHWC, Ds>,
                                                  l::GNDHWC,
                                                  T,
                                                  T,
                                                  Ds,
                                                  T,
                                                  PassThrough,
                                                  PassThrough,
                                                  Operation,
                                                  ComputeY,
                                                  ComputeW>>();
        if constexpr(is_packed<T, Ds, ComputeY, ComputeW>)
            look_at<DeviceConvBwdData<3,
                                      l::NDHWC,
                                      l::KZYXC,
                                      l::NDHWK,
                                      T,
                                      T,
                                      T,
                                      Operation,
                                      PassThrough,
                                      PassThrough>>();
    }
    template <class T, class Wei = T, class ComputeY = T, class ComputeX = ComputeY>
    void backward_weight()
    {
        look_at<DeviceGroupedConvBwdWeight<2,
                                           l::NGCHW,
                                           l::GKCYX,
                                           l::NGKHW,
                                           T,
                                           Wei,
                                           T,
                                           PassThrough,
                                           PassThrough,
                                           PassThrough,
                                           ComputeY,
                                           ComputeX>>();
    }
    template <class T,
              class Operation,
              class Ds       = Tuple<>,
              class Wei      = T,
              class ComputeY = T,
              class ComputeX = ComputeY>
    void backward_weight_with()
    {
        look_at<DeviceGroupedConvBwdWeightMultipleD<1,
                                                    l::NWGC,
                                                    l::GKXC,
                                                    l::NWGK,
                                                    Repeated<l::GKXC, Ds>,
                                                    T,
                                                    Wei,
                                                    T,
                                                    Ds,
                                                    PassThrough,
                                                    Operation,
                                                    PassThrough,
                                                    ComputeY,
                                                    ComputeX>>();
    }

    /// Families of a direction that the library has and whose lists were not looked at.
    std::string missing(Direction direction) const
    {
        std::string r;
        for(const Family& f : instance::families())
            if(f.direction == direction && !is_of_sums(f) &&
               std::find(seen.begin(), seen.end(), f) == seen.end())
                r += f.a + ' ' + f.b + ' ' + f.c + ", D " + f.d + ", multiplied in " + f.compute_a +
                     ' ' + f.compute_b + ", " + f.operation_a + ' ' + f.operation_b + ' ' +
                     f.operation_c + '\n';
        return r;
    }

private:
    template <class T, class Ds, class ComputeA, class ComputeB>
    static constexpr bool is_packed =
        std::is_same_v<Ds, Tuple<>>&& std::is_same_v<ComputeA, T>&& std::is_same_v<ComputeB, T>;

    template <class Layout, class Ds>
    struct RepeatedFor;
    template <class Layout, class... Ds>
    struct RepeatedFor<Layout, Tuple<Ds...>>
    {
        template <class>
        using Same = Layout;
        using type = Tuple<Same<Ds>...>;
    };
    /// The layout as often as there are D tensors.
    template <class Layout, class Ds>
    using Repeated = typename RepeatedFor<Layout, Ds>::type;

    std::vector<Family> seen;
};

TEST_F(Lists, OfForwardHaveLargeTensor)
{
    const auto of_floats = [&]<class T, class Compute>(T, Compute) {
        forward<T, PassThrough, Tuple<>, T, T, Compute>();
        forward<T, e::Scale, Tuple<>, T, T, Compute>();
        forward<T, e::Bilinear, Tuple<T>, T, T, Compute>();
        forward<T, e::ScaleAddScaleAddRelu, Two<T>, T, T, Compute>();
        forward<T, e::ConvEpilogue, Two<T>, T, T, Compute>();
        forward<T, e::Clamp, Tuple<>, T, T, Compute>();
        forward<T, e::AddClamp, Tuple<T>, T, T, Compute>();
        forward<T, e::BiasNormalizeInInferClamp, Tuple<T, T, T, T, T>, T, T, Compute>();
    };
    of_floats(half_t{}, half_t{});
    of_floats(bhalf_t{}, bhalf_t{});
    of_floats(float{}, float{});
    of_floats(float{}, tf32_t{});
    forward<half_t, e::DynamicUnaryOp>();
    forward<bhalf_t, e::DynamicUnaryOp>();
    forward<float, e::DynamicUnaryOp>();
    forward<half_t, e::AddRelu, Tuple<half_t>>();
    forward<half_t, e::AddReluAdd, Two<half_t>>();
    forward<half_t, PassThrough, Tuple<>, half_t, half_t, f8_t>();
    forward<double>();
    forward<double, e::ConvEpilogue, Two<double>>();
    forward_of_two<half_t>();
    forward_of_two<bhalf_t>();
    forward_of_two<float>();
    forward_of_two<std::int8_t>();

    forward<f8_t>();
    forward<bf8_t, PassThrough, Tuple<>, f8_t, bf8_t, bf8_t>();
    forward<f8_t, PassThrough, Tuple<>, f8_t, bf8_t, f8_t, bf8_t>();
    forward<bf8_t, PassThrough, Tuple<>, f8_t, f8_t, bf8_t, f8_t>();
    forward<f8_ocp_t>();
    forward<bf8_ocp_t, PassThrough, Tuple<>, f8_ocp_t, bf8_ocp_t, bf8_ocp_t>();
    forward<f8_ocp_t, PassThrough, Tuple<>, f8_ocp_t, bf8_ocp_t, f8_ocp_t, bf8_ocp_t>();
    forward<bf8_ocp_t, PassThrough, Tuple<>, f8_ocp_t, f8_ocp_t, bf8_ocp_t, f8_ocp_t>();
    forward<f8_t, e::ConvScale>();
    forward<bf8_t, e::ConvScale, Tuple<>, f8_t, bf8_t, bf8_t>();
    forward<f8_t, e::ConvScale, Tuple<>, f8_t, bf8_t, f8_t, bf8_t>();
    forward<bf8_t, e::ConvScale, Tuple<>, f8_t, f8_t, bf8_t, f8_t>();
    forward<f8_t, e::ConvScaleRelu>();
    forward<f8_t, e::ConvScaleAdd, Tuple<float>>();
    forward<f8_t, e::ConvInvscale>();
    forward<f8_t, e::ScaleScalePass, Tuple<>, float, f8_t>();
    forward<f8_t, e::ScaleScaleRelu, Tuple<>, float, f8_t>();

    using I8     = std::int8_t;
    using Bias   = Tuple<std::int32_t>;
    using Scales = Tuple<float>;
    using Both   = Tuple<std::int32_t, float>;
    forward<I8>();
    forward<I8, e::Scale>();
    forward<I8, e::Bilinear, Tuple<I8>>();
    forward<I8, e::ScaleAddScaleAddRelu, Two<float>>();
    forward<I8, e::DynamicUnaryOp>();
    forward<I8, e::Requantize>();
    forward<I8, e::Requantize, Tuple<I8>>();
    const auto of_activation = [&]<class Activation>(Activation) {
        forward<I8, e::Activation_Mul_Clamp<Activation>>();
        forward<I8, e::Activation_Mul2_Clamp<Activation>, Scales>();
        forward<I8, e::Add_Activation_Mul_Clamp<Activation>, Bias>();
        forward<I8, e::Add_Activation_Mul2_Clamp<Activation>, Both>();
    };
    of_activation(PassThrough{});
    of_activation(e::Relu{});
    forward<I8, e::Add_Mul_Activation_Mul_Clamp<e::TanH>, Bias>();
    forward<I8, e::Add_Mul2_Activation_Mul_Clamp<e::TanH>, Both>();

    EXPECT_EQ(missing(Direction::forward), "");
}

TEST_F(Lists, OfBackwardDataHaveLargeTensor)
{
    const auto of_floats = [&]<class T, class Compute>(T, Compute) {
        backward_data<T, PassThrough, Tuple<>, Compute>();
        backward_data<T, e::Scale, Tuple<>, Compute>();
        backward_data<T, e::Bilinear, Tuple<T>, Compute>();
        backward_data<T, e::ConvEpilogue, Two<T>, Compute>();
    };
    of_floats(half_t{}, half_t{});
    of_floats(bhalf_t{}, bhalf_t{});
    of_floats(float{}, float{});
    of_floats(float{}, tf32_t{});
    backward_data<half_t, PassThrough, Tuple<>, bf8_t, f8_t>();
    backward_data<double>();
    backward_data<double, e::ConvEpilogue, Two<double>>();
    backward_data<std::int8_t>();
    backward_data<std::int8_t, e::Requantize>();
    EXPECT_EQ(missing(Direction::backward_data), "");
}

TEST_F(Lists, OfBackwardWeightHaveLargeTensor)
{
    backward_weight<half_t>();
    backward_weight<half_t, float>();
    backward_weight<half_t, half_t, bf8_t, f8_t>();
    backward_weight<bhalf_t>();
    backward_weight<bhalf_t, float>();
    backward_weight<float>();
    backward_weight<float, float, tf32_t>();
    backward_weight<double>();
    backward_weight<std::int8_t>();
    backward_weight_with<half_t, e::Scale>();
    backward_weight_with<half_t, e::Scale, Tuple<>, half_t, bf8_t, f8_t>();
    backward_weight_with<half_t, e::Bilinear, Tuple<half_t>>();
    backward_weight_with<half_t, e::Bilinear, Tuple<float>, float>();
    backward_weight_with<half_t, e::Bilinear, Tuple<half_t>, half_t, bf8_t, f8_t>();
    backward_weight_with<bhalf_t, e::Bilinear, Tuple<bhalf_t>>();
    backward_weight_with<bhalf_t, e::Scale, Tuple<>, float>();
    backward_weight_with<bhalf_t, e::Bilinear, Tuple<float>, float>();
    backward_weight_with<float, e::Scale>();
    backward_weight_with<float, e::Scale, Tuple<>, float, tf32_t>();
    backward_weight_with<float, e::Bilinear, Tuple<float>>();
    backward_weight_with<float, e::Bilinear, Tuple<float>, float, tf32_t>();
    backward_weight_with<std::int8_t, e::Requantize>();
    EXPECT_EQ(missing(Direction::backward_weight), "");
}

TEST(LargeTensor, IsInTheListsOfForwardWithABias)
{
    std::vector<DeviceConvFwdBiasActivationPtr<PassThrough, PassThrough, e::AddRelu>> relu;
    instance::add_device_conv2d_fwd_xdl_c_shuffle_bias_relu_nhwc_kyxc_nhwk_f16_instances(relu);
    expect_large_tensor(relu, "bias and ReLU");
    std::vector<DeviceConvFwdBiasActivationAddPtr<PassThrough, PassThrough, e::AddReluAdd>> add;
    instance::add_device_conv2d_fwd_xdl_c_shuffle_bias_relu_add_nhwc_kyxc_nhwk_f16_instances(add);
    expect_large_tensor(add, "bias, ReLU and a residual");
}

} // namespace
} // namespace ck::test::large_tensor
