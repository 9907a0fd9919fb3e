#pragma once
// The tensors of an example, on the host and on the device.
#include "ck/ck.hpp"
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/library/utility/host_tensor_generator.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"

#include <array>
#include <cmath>
#include <type_traits>

namespace example {

using ck::index_t;
using ck::utils::conv::ConvParam;

/// Channels last, groups first.
template <index_t rank>
struct Layouts;
template <>
struct Layouts<1>
{
    using In  = ck::tensor_layout::convolution::GNWC;
    using Wei = ck::tensor_layout::convolution::GKXC;
    using Out = ck::tensor_layout::convolution::GNWK;
};
template <>
struct Layouts<2>
{
    using In  = ck::tensor_layout::convolution::GNHWC;
    using Wei = ck::tensor_layout::convolution::GKYXC;
    using Out = ck::tensor_layout::convolution::GNHWK;
};
template <>
struct Layouts<3>
{
    using In  = ck::tensor_layout::convolution::GNDHWC;
    using Wei = ck::tensor_layout::convolution::GKZYXC;
    using Out = ck::tensor_layout::convolution::GNDHWK;
};

/// What a D tensor contains: one value per channel of each group, or one per element.
enum class D
{
    bias,
    residual,
};

/// Ranges of the numbers that fill a tensor.
struct Fill
{
    int integer   = 5;   ///< integers from minus this to this
    float decimal = 1.f; ///< numbers from minus this to this
};

template <class T>
struct Mirrored
{
    explicit Mirrored(const HostTensorDescriptor& d)
        : host(d),
          device(host.GetElementSpaceSizeInBytes())
    {}

    /// how: 0 zeros, 1 integers, 2 decimal numbers
    void fill(const Fill& range, int how)
    {
        const GeneratorTensor_2<T> integer{-range.integer, range.integer + 1};
        const GeneratorTensor_3<T> decimal{-range.decimal, range.decimal};
        for(T& x : host)
            x = how == 0 ? ck::type_convert<T>(0) : how == 1 ? integer() : decimal();
        device.ToDevice(host.data());
    }

    /// Fills with values that no result has, to show elements that are not written.
    void spoil() const
    {
        if constexpr(std::is_same_v<T, std::int8_t>)
            device.SetValue(T{-77});
        else
            device.SetValue(ck::type_convert<T>(std::nanf("")));
    }

    void* pointer() const { return device.GetDeviceBuffer(); }

    template <index_t rank>
    std::array<index_t, rank + 3> lengths() const
    {
        return array<rank + 3>(host.GetLengths());
    }
    template <index_t rank>
    std::array<index_t, rank + 3> strides() const
    {
        return array<rank + 3>(host.GetStrides());
    }

    Tensor<T> host;
    DeviceMem device;

private:
    template <std::size_t n, class Values>
    static std::array<index_t, n> array(const Values& values)
    {
        std::array<index_t, n> result{};
        for(std::size_t i = 0; i < n; ++i)
            result[i] = static_cast<index_t>(values[i]);
        return result;
    }
};

/// n tensors with the lengths of a Mirrored<T>.
template <class T, std::size_t n>
std::vector<Mirrored<T>> make_d_tensors(const std::array<D, n>& kinds, const Mirrored<T>& like)
{
    std::vector<Mirrored<T>> tensors;
    for(const D kind : kinds)
    {
        const auto& lengths = like.host.GetLengths(); // G, N, channels ...
        std::vector<std::size_t> strides(lengths.size(), 0);
        strides[0] = lengths[2];
        strides[2] = 1;
        tensors.emplace_back(kind == D::bias ? HostTensorDescriptor(lengths, strides)
                                             : like.host.mDesc);
    }
    return tensors;
}

} // namespace example
