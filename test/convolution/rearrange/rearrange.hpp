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

/// The operation of a way, a rank, a type and a vector, with a small tile, so that small problems
/// have several; and its reference.
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

/// Where a tensor's elements are in memory.
enum class Placement
{
    packed,        ///< NHWGC and GMK
    gaps,          ///< the same with 24 elements between rows of channels, and of the matrix
    channels_first ///< NGCHW and GKM
};

/// A tensor of these lengths whose dimensions follow each other in memory in `order`, slowest
/// first, with a gap of elements after each run of the fastest one.
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
HostTensorDescriptor image_of(const ConvParam& p, Placement placement)
{
    std::vector<std::size_t> lengths{static_cast<std::size_t>(p.G_),
                                     static_cast<std::size_t>(p.N_),
                                     static_cast<std::size_t>(p.C_)};
    std::vector<std::size_t> order{1};
    if(placement == Placement::channels_first)
        order.insert(order.end(), {0, 2});
    for(std::size_t d = 0; d < rank; ++d)
    {
        lengths.push_back(static_cast<std::size_t>(p.input_spatial_lengths_[d]));
        order.push_back(3 + d);
    }
    if(placement != Placement::channels_first)
        order.insert(order.end(), {0, 2});
    return descriptor(lengths, order, placement == Placement::gaps ? 24 : 0);
}

inline HostTensorDescriptor matrix_of(const ConvParam& p, Placement placement)
{
    const auto product = [](const std::vector<long_index_t>& v, long_index_t n) {
        return static_cast<std::size_t>(
            std::accumulate(v.begin(), v.end(), n, std::multiplies<>()));
    };
    const std::vector<std::size_t> lengths{static_cast<std::size_t>(p.G_),
                                           product(p.GetOutputSpatialLengths(), p.N_),
                                           product(p.filter_spatial_lengths_, p.C_)};
    return placement == Placement::channels_first
               ? descriptor(lengths, {0, 2, 1}, 0)
               : descriptor(lengths, {0, 1, 2}, placement == Placement::gaps ? 24 : 0);
}

/// The parameters of MakeArgument, to be changed one by one.
template <index_t rank>
struct Parameters
{
    Parameters(const ConvParam& p,
               Placement placement,
               const void* in_ = nullptr,
               void* out_      = nullptr)
        : in(in_),
          out(out_),
          g(static_cast<index_t>(p.G_)),
          n(static_cast<index_t>(p.N_)),
          c(static_cast<index_t>(p.C_)),
          input(array_of<rank>(p.input_spatial_lengths_)),
          filter(array_of<rank>(p.filter_spatial_lengths_)),
          output(array_of<rank>(p.GetOutputSpatialLengths())),
          image(array_of<rank>(image_of<rank>(p, placement).GetStrides())),
          matrix(array_of<0>(matrix_of(p, placement).GetStrides())),
          stride(array_of<rank>(p.conv_filter_strides_)),
          dilation(array_of<rank>(p.conv_filter_dilations_)),
          low(array_of<rank>(p.input_left_pads_)),
          high(array_of<rank>(p.input_right_pads_))
    {}

    template <class Op>
    auto argument() const
    {
        return Op::MakeArgument(
            in, out, g, n, c, input, filter, output, image, matrix, stride, dilation, low, high);
    }

    const void* in;
    void* out;
    index_t g, n, c;
    std::array<index_t, rank> input, filter, output;
    std::array<index_t, rank + 3> image;
    std::array<index_t, 3> matrix;
    std::array<index_t, rank> stride, dilation, low, high;
};

/// Runs a problem and compares all of the output's memory, also between its elements, where nothing
/// may be written.
template <class Way, index_t rank, class T, index_t vector>
void expect_right(const ConvParam& p, Placement placement, bool decimals = false)
{
    using Of                = OperationOf<Way, rank, T, vector>;
    constexpr bool to_image = std::is_same_v<Way, ColumnToImage>;
    SCOPED_TRACE(testing::Message()
                 << p << " placement " << static_cast<int>(placement) << " vector " << vector);
    const HostTensorDescriptor image  = image_of<rank>(p, placement),
                               matrix = matrix_of(p, placement);
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
        Parameters<rank>(p, placement, in.device.GetDeviceBuffer(), out.device.GetDeviceBuffer())
            .template argument<typename Of::type>();
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

/// Compares drawn problems of a way, a rank and a type, in all kinds of placement.
template <class Way, index_t rank, class T, index_t vector>
void expect_right(unsigned seed, int count = 6)
{
    for(const ConvParam& p : problems(rank, vector, seed, count))
    {
        expect_right<Way, rank, T, vector>(p, Placement::packed);
        expect_right<Way, rank, T, vector>(p, Placement::gaps);
        if(vector == 1)
            expect_right<Way, rank, T, vector>(p, Placement::channels_first);
    }
}

} // namespace ck::test
