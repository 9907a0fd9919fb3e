// Implements DeviceConvFwdBiasActivation and DeviceConvFwdBiasActivationAdd.
#include "ck/library/tensor_operation_instance/gpu/convolution_forward_bias_relu.hpp"
#include "ck/library/tensor_operation_instance/packed_instances.hpp"

namespace ck::tensor_operation::device::instance {

namespace {

using element_wise::AddRelu;
using element_wise::AddReluAdd;
using element_wise::PassThrough;

/// See ConvInstance. Family: has the bias as its first D tensor, and a residual as the second, or
/// none.
template <class Interface, class Family>
struct BiasInstance : public PackedInstance<Interface, Family, 2>
{
    using Base = PackedInstance<Interface, Family, 2>;
    using Base::Base;

protected:
    /// The parameters from N on are those of PackedInstance.
    template <class... Rest>
    static std::unique_ptr<BaseArgument> make(const void* in,
                                              const void* wei,
                                              void* out,
                                              const void* bias,
                                              index_t n,
                                              const Rest&... rest)
    {
        auto made = Base::make(in, wei, out, n, rest...);
        conv_of(*made).d.push_back({bias, {0, 0, 1, 0, 0, 0}});
        return made;
    }
    template <class... Rest>
    static std::unique_ptr<BaseArgument> make(const void* in,
                                              const void* wei,
                                              void* out,
                                              const void* bias,
                                              const void* residual,
                                              index_t n,
                                              const Rest&... rest)
    {
        auto made          = make(in, wei, out, bias, n, rest...);
        ConvArgument& conv = conv_of(*made);
        conv.d.push_back({residual, conv.problem.output_strides});
        return made;
    }

private:
    static ConvArgument& conv_of(BaseArgument& argument)
    {
        return static_cast<InstanceArgument&>(argument).conv;
    }
};

template <class OutOperation, class... Ds>
using HalfFamily = ConvFamily<Direction::forward,
                              half_t,
                              half_t,
                              half_t,
                              Tuple<Ds...>,
                              PassThrough,
                              PassThrough,
                              OutOperation>;

template <class Family, class Interface>
void append(std::vector<std::unique_ptr<Interface>>& instances, const OperationNames& names)
{
    using Instance =
        MakesArgumentPointers<BiasInstance<Interface, Family>,
                              parameters_of<decltype(&Interface::MakeArgumentPointer)>>;
    append_instances<Instance>(instances, names, Family::key());
}

} // namespace

void add_device_conv2d_fwd_xdl_c_shuffle_bias_relu_nhwc_kyxc_nhwk_f16_instances(
    std::vector<DeviceConvFwdBiasActivationPtr<PassThrough, PassThrough, AddRelu>>& instances)
{
    append<HalfFamily<AddRelu, half_t>>(instances, packed_forward_bias_names);
}

void add_device_conv2d_fwd_xdl_c_shuffle_bias_relu_add_nhwc_kyxc_nhwk_f16_instances(
    std::vector<DeviceConvFwdBiasActivationAddPtr<PassThrough, PassThrough, AddReluAdd>>& instances)
{
    append<HalfFamily<AddReluAdd, half_t, half_t>>(instances, packed_forward_bias_add_names);
}

} // namespace ck::tensor_operation::device::instance
