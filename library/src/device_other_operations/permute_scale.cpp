// The kernels that scale and permute a tensor.
#include "ck/library/tensor_operation_instance/gpu/permute_scale.hpp"

#include "ck/tensor_operation/gpu/device/impl/device_elementwise_strided.hpp"

namespace ck::tensor_operation::device::instance {

namespace {

using Kernels = std::span<const PlainKernel<ElementwiseArguments<element_wise::Scale>>>;

template <class In, class Out>
Kernels kernels()
{
    return {&ElementwiseLaunch<Tuple<In>, Tuple<Out>, element_wise::Scale>::get(), 1};
}

} // namespace

Kernels scale_kernels(std::string_view in, std::string_view out)
{
    const auto is = [&](const char* from, const char* to) { return in == from && out == to; };
    return is(type_name<F32>, type_name<F32>)        ? kernels<F32, F32>()
           : is(type_name<F32>, type_name<F16>)      ? kernels<F32, F16>()
           : is(type_name<F32>, type_name<f8_t>)     ? kernels<F32, f8_t>()
           : is(type_name<F32>, type_name<f8_ocp_t>) ? kernels<F32, f8_ocp_t>()
           : is(type_name<F16>, type_name<F16>)      ? kernels<F16, F16>()
                                                     : Kernels{};
}

} // namespace ck::tensor_operation::device::instance
