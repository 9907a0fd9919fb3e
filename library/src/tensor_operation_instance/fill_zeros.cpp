// Zeros by the element-wise kernel: of all types they are bytes of 0.
#include "tensor_operation_instance/fill_zeros.hpp"

#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_elementwise_strided.hpp"

#include <cstdint>

namespace ck::tensor_operation::device::instance {

namespace {

/// y = 0
struct Zero
{
    template <class T>
    CK_HOST_DEVICE constexpr void operator()(T& y) const
    {
        y = 0;
    }
};

/// f(Launch, its argument) of the tensor's width.
template <class F>
auto with_launch(const FilledTensor& t, void* address, const F& f)
{
    const ElementwiseArguments<Zero> a{
        {}, t.lengths, {}, {{"the result", address, address, t.strides}}, {}};
    const auto launch = [&]<class T>(T) {
        return f(ElementwiseLaunch<Tuple<>, Tuple<T>, Zero>{}, a);
    };
    return t.element_bytes == 1   ? launch(std::uint8_t{})
           : t.element_bytes == 2 ? launch(std::uint16_t{})
           : t.element_bytes == 4 ? launch(std::uint32_t{})
                                  : launch(std::uint64_t{});
}

} // namespace

Support check_fill(const FilledTensor& tensor, const void* address)
{
    return with_launch(tensor, const_cast<void*>(address), [](auto launch, const auto& a) {
        return launch.supports(a);
    });
}

float fill_zeros(const FilledTensor& tensor, void* address, const StreamConfig& config)
{
    return with_launch(
        tensor, address, [&](auto launch, const auto& a) { return launch.run(a, config); });
}

double predicted_fill(const FilledTensor& tensor)
{
    return predicted_transposition(static_cast<double>(element_count(tensor.lengths)) *
                                   tensor.element_bytes);
}

} // namespace ck::tensor_operation::device::instance
