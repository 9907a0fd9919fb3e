// GetInstances() of operations other than convolutions: it has every key that clients ask for, each
// instance is right, and names differ.
//
// Labels: not sanitized
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_column_to_image.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_image_to_column.hpp"
#include "ck/library/tensor_operation_instance/gpu/conv_tensor_rearrange.hpp"
#include "ck/library/tensor_operation_instance/gpu/permute_scale.hpp"
#include "ck/library/tensor_operation_instance/gpu/reduce/reduce.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/device/reduction_operator_mapping.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ck::test {
namespace {

using namespace tensor_operation::device;
using namespace tensor_operation::device::instance;
using conv_tensor_rearrange_op::ColumnToImage;
using conv_tensor_rearrange_op::ImageToColumn;

template <class DeviceOp>
auto instances()
{
    auto all = DeviceOperationInstanceFactory<DeviceOp>::GetInstances();
    std::set<std::string> names;
    for(const auto& op : all)
        names.insert(op->GetTypeString());
    EXPECT_EQ(names.size(), all.size());
    return all;
}

template <class T, class Way>
void expect_layouts()
{
    EXPECT_FALSE((instances<DeviceConvTensorRearrange<1, GNWC, T, T, Way>>().empty()));
    EXPECT_FALSE((instances<DeviceConvTensorRearrange<1, NWGC, T, T, Way>>().empty()));
    EXPECT_FALSE((instances<DeviceConvTensorRearrange<2, GNHWC, T, T, Way>>().empty()));
    EXPECT_FALSE((instances<DeviceConvTensorRearrange<2, NHWGC, T, T, Way>>().empty()));
    EXPECT_FALSE((instances<DeviceConvTensorRearrange<3, GNDHWC, T, T, Way>>().empty()));
    EXPECT_FALSE((instances<DeviceConvTensorRearrange<3, NDHWGC, T, T, Way>>().empty()));
    EXPECT_TRUE((instances<DeviceConvTensorRearrange<2, NWGC, T, T, Way>>().empty()));  // 1D
    EXPECT_TRUE((instances<DeviceConvTensorRearrange<2, GKYXC, T, T, Way>>().empty())); // filters
    EXPECT_TRUE((instances<DeviceConvTensorRearrange<2, NHWGC, T, double, Way>>().empty()));
}

TEST(RearrangeFactory, HasEachTypeAndLayout)
{
    expect_layouts<float, ImageToColumn>();
    expect_layouts<half_t, ImageToColumn>();
    expect_layouts<bhalf_t, ImageToColumn>();
    expect_layouts<std::int8_t, ImageToColumn>();
    expect_layouts<float, ColumnToImage>();
    expect_layouts<half_t, ColumnToImage>();
    expect_layouts<bhalf_t, ColumnToImage>();
    expect_layouts<std::int8_t, ColumnToImage>();
}

/// Runs every instance on an image of C channels, N 2, G 2, 9x8, filters 3x3, strides 2 and 1,
/// pads 1. Returns how many took it.
template <class T, class Way>
int expect_right(index_t C)
{
    constexpr bool to_image = std::is_same_v<Way, ColumnToImage>;
    using DeviceOp          = DeviceConvTensorRearrange<2, NHWGC, T, T, Way>;
    using Reference =
        std::conditional_t<to_image,
                           tensor_operation::host::ReferenceColumnToImage<2, NHWGC, T, T>,
                           tensor_operation::host::ReferenceImageToColumn<2, NHWGC, T, T>>;
    const index_t G = 2, N = 2, M = N * 5 * 8, K = 9 * C;
    const std::array<index_t, 5> strides{C, 9 * 8 * G * C, 1, 8 * G * C, G * C};
    const std::array<index_t, 3> matrix_strides{M * K, K, 1};
    const auto descriptor = [&](bool image) {
        return image ? HostTensorDescriptor(std::vector<index_t>{G, N, C, 9, 8},
                                            std::vector<index_t>(strides.begin(), strides.end()))
                     : HostTensorDescriptor(std::vector<index_t>{G, M, K});
    };
    Tensor<T> in(descriptor(!to_image)), expected(descriptor(to_image));
    for(std::size_t i = 0; i < in.mData.size(); ++i)
        in.mData[i] = type_convert<T>(static_cast<int>(i * 2654435761u >> 8) % 4);
    using Longs = std::vector<long_index_t>;
    Reference::MakeInvoker().Run(Reference::MakeArgument(
        in, expected, Longs{3, 3}, Longs{2, 1}, Longs{1, 1}, Longs{1, 1}, Longs{1, 1}));
    const DeviceMem in_memory(in.GetElementSpaceSizeInBytes()),
        out_memory(expected.GetElementSpaceSizeInBytes());
    in_memory.ToDevice(in.mData.data());
    int ran = 0;
    for(const auto& op : instances<DeviceOp>())
    {
        const auto a = op->MakeArgumentPointer(in_memory.GetDeviceBuffer(),
                                               out_memory.GetDeviceBuffer(),
                                               G,
                                               N,
                                               C,
                                               {9, 8},
                                               {3, 3},
                                               {5, 8},
                                               strides,
                                               matrix_strides,
                                               {2, 1},
                                               {1, 1},
                                               {1, 1},
                                               {1, 1});
        if(!op->IsSupportedArgument(a.get()))
        {
            EXPECT_NE(op->WhyNotSupported(a.get()).find("not a multiple of"), std::string::npos)
                << op->WhyNotSupported(a.get());
            continue;
        }
        ++ran;
        out_memory.SetValue(type_convert<T>(77.f));
        op->MakeInvokerPointer()->Run(a.get(), StreamConfig{nullptr, false});
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        Tensor<T> got(expected.mDesc);
        out_memory.FromDevice(got.mData.data());
        std::size_t wrong = 0;
        for(std::size_t i = 0; i < got.mData.size(); ++i)
            wrong += type_convert<float>(got.mData[i]) != type_convert<float>(expected.mData[i]);
        EXPECT_EQ(wrong, 0u) << op->GetTypeString() << ", C " << C;
    }
    return ran;
}

template <class Way>
void expect_all_right()
{
    EXPECT_EQ((expect_right<float, Way>(8)), 6);
    EXPECT_EQ((expect_right<float, Way>(3)), 3); // vectors of one element: 4 bytes, and 2 others
    EXPECT_EQ((expect_right<half_t, Way>(8)), 6);
    EXPECT_EQ((expect_right<bhalf_t, Way>(6)), 3);
    EXPECT_EQ((expect_right<bhalf_t, Way>(5)), 2);
    EXPECT_EQ((expect_right<std::int8_t, Way>(16)), 6);
    EXPECT_EQ((expect_right<std::int8_t, Way>(1)), 2);
}

TEST(RearrangeFactory, EachImageToColumnIsRight) { expect_all_right<ImageToColumn>(); }
TEST(RearrangeFactory, EachColumnToImageIsRight) { expect_all_right<ColumnToImage>(); }

template <class In, class Out>
void expect_scale()
{
    EXPECT_FALSE((instances<DeviceElementwise<Tuple<In>, Tuple<Out>, Scale, 1>>().empty()));
    const auto all = instances<DeviceElementwise<Tuple<In>, Tuple<Out>, Scale, 6>>();
    ASSERT_FALSE(all.empty());
    for(const auto& op : all)
    {
        std::vector<In> values(120);
        for(std::size_t i = 0; i < values.size(); ++i)
            values[i] = type_convert<In>(static_cast<float>(i % 31) - 15);
        const DeviceMem in(values.size() * sizeof(In)), out(values.size() * sizeof(Out));
        in.ToDevice(values.data());
        out.SetValue(type_convert<Out>(77.f));
        const std::array<index_t, 6> lengths{1, 2, 3, 4, 5, 1}, from{120, 60, 20, 5, 1, 1},
            to{1, 1, 40, 10, 2, 1};
        const auto a = op->MakeArgumentPointer(
            lengths, {from}, {to}, {in.GetDeviceBuffer()}, {out.GetDeviceBuffer()}, Scale{2.f});
        ASSERT_EQ(op->WhyNotSupported(a.get()), "");
        op->MakeInvokerPointer()->Run(a.get(), StreamConfig{nullptr, false});
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        std::vector<Out> got(values.size());
        out.FromDevice(got.data());
        for(std::size_t i = 0; i < 120; ++i)
        {
            const std::size_t rest = i % 60; // index in the dimensions of lengths 3, 4 and 5
            ASSERT_EQ(type_convert<float>(got[i / 60 + 2 * rest]),
                      2 * type_convert<float>(values[i]));
        }
    }
}

TEST(ElementwiseFactory, PermutesAndScales)
{
    expect_scale<float, float>();
    expect_scale<float, half_t>();
    expect_scale<float, f8_t>();
    expect_scale<float, f8_ocp_t>();
    expect_scale<half_t, half_t>();
    EXPECT_TRUE((instances<DeviceElementwise<Tuple<half_t>, Tuple<float>, Scale, 6>>().empty()));
    EXPECT_TRUE((instances<DeviceElementwise<Tuple<float>, Tuple<float>, Scale, 7>>().empty()));
}

/// Returns the instances of a named reduction that is done in one step.
template <ReduceTensorOp op, index_t rank, index_t reduced, bool nan = true, bool indices = false>
auto reductions()
{
    using Unary = reduce_unary_operator<op, true, true>;
    return instances<DeviceReduce<float,
                                  float,
                                  float,
                                  rank,
                                  reduced,
                                  typename reduce_binary_operator<op>::opType,
                                  typename Unary::InElementwiseOperation,
                                  typename Unary::AccElementwiseOperation,
                                  nan,
                                  indices>>();
}

TEST(ReduceFactory, HasTheReductionsThatHaveNames)
{
    EXPECT_FALSE((reductions<ReduceTensorOp::AMAX, 6, 3>().empty()));
    EXPECT_FALSE((reductions<ReduceTensorOp::AMAX, 3, 3, false>().empty()));
    EXPECT_FALSE((reductions<ReduceTensorOp::MAX, 4, 2>().empty()));
    EXPECT_FALSE((reductions<ReduceTensorOp::MIN, 2, 1, false>().empty()));
    EXPECT_FALSE((reductions<ReduceTensorOp::ADD, 1, 1>().empty()));
    EXPECT_FALSE((reductions<ReduceTensorOp::ADD, 1, 1, false>().empty()));
    EXPECT_FALSE((reductions<ReduceTensorOp::AVG, 3, 1>().empty()));
    EXPECT_FALSE((reductions<ReduceTensorOp::NORM1, 3, 1>().empty()));
    EXPECT_FALSE((reductions<ReduceTensorOp::NORM2, 3, 1>().empty()));
    // The last of several steps.
    EXPECT_FALSE((instances<DeviceReduce<float,
                                         float,
                                         float,
                                         3,
                                         3,
                                         reduce::AMax,
                                         PassThrough,
                                         PassThrough,
                                         true,
                                         false>>()
                      .empty()));
    EXPECT_TRUE((reductions<ReduceTensorOp::AMAX, 6, 3, true, true>().empty())); // indices
    EXPECT_TRUE((reductions<ReduceTensorOp::AMAX, 7, 3>().empty()));
    EXPECT_TRUE((reductions<ReduceTensorOp::MUL, 6, 3>().empty()));
}

TEST(ReduceFactory, EachInstanceIsRight)
{
    const index_t rows = 70, columns = 600;
    std::vector<float> values(static_cast<std::size_t>(rows * columns), 1.f);
    for(index_t i = 0; i < rows; ++i)
        values[static_cast<std::size_t>(i * columns + i * 7 % columns)] =
            static_cast<float>(-2 - i);
    const DeviceMem in(sizeof(float) * values.size()), out(sizeof(float) * 70);
    in.ToDevice(values.data());
    const auto all = reductions<ReduceTensorOp::AMAX, 2, 1>();
    ASSERT_EQ(all.size(), 3u);
    for(std::size_t i = 0; i < 3; ++i) // few results first: threads for each result
        EXPECT_TRUE(all[i]->GetTypeString().ends_with(std::array{", 256>", ", 16>", ", 1>"}[i]))
            << all[i]->GetTypeString();
    for(const auto& op : all)
    {
        out.SetValue(-1.f);
        const auto a = op->MakeArgumentPointer({rows, columns},
                                               {columns, 1},
                                               {rows},
                                               {1},
                                               {1},
                                               1.,
                                               0.,
                                               in.GetDeviceBuffer(),
                                               nullptr,
                                               out.GetDeviceBuffer(),
                                               nullptr,
                                               UnaryAbs{},
                                               PassThrough{});
        ASSERT_EQ(op->WhyNotSupported(a.get()), "");
        op->MakeInvokerPointer()->Run(a.get(), StreamConfig{nullptr, false});
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        std::vector<float> got(70);
        out.FromDevice(got.data());
        for(std::size_t i = 0; i < got.size(); ++i)
            EXPECT_EQ(got[i], static_cast<float>(2 + i)) << op->GetTypeString();
    }
}

} // namespace
} // namespace ck::test
