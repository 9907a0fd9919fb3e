#pragma once
// An image and the matrix of its windows through a device operation and through the CPU's plain
// loops, compared exactly.
#include "ck/library/reference_tensor_operation/cpu/reference_column_to_image.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_image_to_column.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_column_to_image_impl.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_image_to_column_impl.hpp"

#include "convolution/grouped.hpp"
#include <numeric>

namespace ck::test {

namespace device = tensor_operation::device;
using conv_tensor_rearrange_op::ColumnToImage;
using conv_tensor_rearrange_op::ImageToColumn;

/// Of a small tile, so that small problems have several.
template <class Way, index_t rank, class T, index_t vector>
struct OperationOf;
template <index_t rank, class T, index_t vector>
struct OperationOf<ImageToColumn, rank, T, vector>
{
    using type = device::DeviceImageToColumnImpl<rank,
                                                 typename Layouts<rank>::Input,
                                                 T,
                                                 T,
                                                 64,
                                                 32,
                                                 8 * vector,
                                                 Sequence<16, 4>,
                                                 vector>;
    using Reference =
        tensor_operation::host::ReferenceImageToColumn<rank, typename Layouts<rank>::Input, T, T>;
};
template <index_t rank, class T, index_t vector>
struct OperationOf<ColumnToImage, rank, T, vector>
{
    using type = device::DeviceColumnToImageImpl<rank,
                                                 typename Layouts<rank>::Input,
                                                 T,
                                                 T,
                                                 64,
                                                 32,
                                                 8 * vector,
                                                 Sequence<16, 4>,
                                                 vector>;
    using Reference =
        tensor_operation::host::ReferenceColumnToImage<rank, typename Layouts<rank>::Input, T, T>;
};

/// Where the elements are.
enum class Memory
{
    packed,        ///< NHWGC and GMK
    gaps,          ///< the same with 24 elements between rows of channels, and of the matrix
    channels_first ///< NGCHW and GKM
};

/// Lengths and the order of the dimensions in memory, slowest first.
inline HostTensorDescriptor descriptor(const std::vector<std::size_t>& lengths,
                                       const std::vector<std::size_t>& order,
                                       std::size_t gap)
{
    std::vector<std::size_t> strides(lengths.size());
    std::size_t next = 1;
    for(std::size_t i = order.size(); i-- > 0;)
    {
        strides[order[i]] = next;
        next              = next * lengths[order[i]] + (i + 1 == order.size() ? gap : 0);
    }
    return HostTensorDescriptor(lengths, strides);
}

template <index_t rank>
HostTensorDescriptor image_of(const ConvParam& p, Memory memory)
{
    std::vector<std::size_t> lengths{static_cast<std::size_t>(p.G_),
                                     static_cast<std::size_t>(p.N_),
                                     static_cast<std::size_t>(p.C_)};
    std::vector<std::size_t> order{1};
    if(memory == Memory::channels_first)
        order.insert(order.end(), {0, 2});
    for(std::size_t d = 0; d < rank; ++d)
    {
        lengths.push_back(static_cast<std::size_t>(p.input_spatial_lengths_[d]));
        order.push_back(3 + d);
    }
    if(memory != Memory::channels_first)
        order.insert(order.end(), {0, 2});
    return descriptor(lengths, order, memory == Memory::gaps ? 24 : 0);
}

inline HostTensorDescriptor matrix_of(const ConvParam& p, Memory memory)
{
    const auto product = [](const std::vector<long_index_t>& v, long_index_t n) {
        return static_cast<std::size_t>(
            std::accumulate(v.begin(), v.end(), n, std::multiplies<>()));
    };
    const std::vector<std::size_t> lengths{static_cast<std::size_t>(p.G_),
                                           product(p.GetOutputSpatialLengths(), p.N_),
                                           product(p.filter_spatial_lengths_, p.C_)};
    return memory == Memory::channels_first
               ? descriptor(lengths, {0, 2, 1}, 0)
               : descriptor(lengths, {0, 1, 2}, memory == Memory::gaps ? 24 : 0);
}

/// MakeArgument's, or MakeArgumentPointer's.
template <index_t rank, class F>
auto with_parameters(const ConvParam& p,
                     const HostTensorDescriptor& image,
                     const HostTensorDescriptor& matrix,
                     const void* in,
                     void* out,
                     const F& f)
{
    return f(in,
             out,
             static_cast<index_t>(p.G_),
             static_cast<index_t>(p.N_),
             static_cast<index_t>(p.C_),
             array_of<rank>(p.input_spatial_lengths_),
             array_of<rank>(p.filter_spatial_lengths_),
             array_of<rank>(p.GetOutputSpatialLengths()),
             array_of<rank>(image.GetStrides()),
             array_of<0>(matrix.GetStrides()),
             array_of<rank>(p.conv_filter_strides_),
             array_of<rank>(p.conv_filter_dilations_),
             array_of<rank>(p.input_left_pads_),
             array_of<rank>(p.input_right_pads_));
}

/// Compares all of the output's memory, also between its elements, where nothing may be written.
template <class Way, index_t rank, class T, index_t vector>
void expect_right(const ConvParam& p, Memory memory, bool decimals = false)
{
    using Of                = OperationOf<Way, rank, T, vector>;
    constexpr bool to_image = std::is_same_v<Way, ColumnToImage>;
    SCOPED_TRACE(testing::Message()
                 << p << " memory " << static_cast<int>(memory) << " vector " << vector);
    const HostTensorDescriptor image = image_of<rank>(p, memory), matrix = matrix_of(p, memory);
    Mirrored<T> in(to_image ? matrix : image), out(to_image ? image : matrix);
    if(decimals)
    {
        in.host.GenerateTensorValue(GeneratorTensor_3<T>{-1.f, 1.f});
        in.device.ToDevice(in.host.mData.data());
    }
    else
        in.fill_with_integers();
    const T untouched = type_convert<T>(77.f);
    std::fill(out.host.mData.begin(), out.host.mData.end(), untouched);
    out.device.ToDevice(out.host.mData.data());

    typename Of::type op;
    const auto argument =
        with_parameters<rank>(p,
                              image,
                              matrix,
                              in.device.GetDeviceBuffer(),
                              out.device.GetDeviceBuffer(),
                              [](const auto&... a) { return Of::type::MakeArgument(a...); });
    ASSERT_EQ(op.WhyNotSupported(&argument), "");
    Of::type::MakeInvoker().Run(argument);
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    Of::Reference::MakeInvoker().Run(Of::Reference::MakeArgument(in.host,
                                                                 out.host,
                                                                 p.filter_spatial_lengths_,
                                                                 p.conv_filter_strides_,
                                                                 p.conv_filter_dilations_,
                                                                 p.input_left_pads_,
                                                                 p.input_right_pads_));
    EXPECT_EQ(differences(out.result(), out.host.mData), 0u);
}

/// Of one way, a rank and a type: drawn problems, of all kinds of memory.
template <class Way, index_t rank, class T, index_t vector>
void expect_right(unsigned seed, int count = 6)
{
    for(const ConvParam& p : problems(rank, vector, seed, count))
    {
        expect_right<Way, rank, T, vector>(p, Memory::packed);
        expect_right<Way, rank, T, vector>(p, Memory::gaps);
        if(vector == 1)
            expect_right<Way, rank, T, vector>(p, Memory::channels_first);
    }
}

} // namespace ck::test
