// The reference of backward data: by hand, and against a scatter over all outputs written
// independently of it.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"

#include "ck/library/utility/algorithm.hpp"
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace ck::tensor_layout::convolution;
using namespace ck::tensor_operation::element_wise;
using ck::long_index_t;
using ck::type_convert;
using ck::tensor_operation::host::ReferenceConvBwdData;
using ck::utils::conv::ConvParam;
using L     = std::vector<long_index_t>;
using Index = std::vector<std::size_t>;

/// Runs the reference without element-wise operations.
template <ck::index_t rank, class In, class Wei, class Out>
void run(Tensor<In>& dx,
         const Tensor<Wei>& w,
         const Tensor<Out>& dy,
         L strides,
         L dilations,
         L left,
         L right)
{
    using Reference =
        ReferenceConvBwdData<rank, In, Wei, Out, PassThrough, PassThrough, PassThrough>;
    auto argument = Reference::MakeArgument(dx, w, dy, strides, dilations, left, right, {}, {}, {});
    Reference::MakeInvoker().Run(argument);
}

TEST(ReferenceConvBwdData, OneDimensionByHand)
{
    Tensor<float> dx({1, 1, 1, 5}), w({1, 1, 1, 3}), dy({1, 1, 1, 3});
    w.mData  = {1, 10, 100};
    dy.mData = {2, 3, 4};
    run<1>(dx, w, dy, {1}, {1}, {0}, {0});
    EXPECT_EQ(dx.mData, (std::vector<float>{2, 23, 234, 340, 400}));
}

TEST(ReferenceConvBwdData, StrideByHand)
{
    // y reads x[2o - 1 + t]: x[0] by (0,1); x[1] by (0,2),(1,0); x[2] by (1,1); x[3] by (1,2); x[4]
    // by none
    Tensor<float> dx({1, 1, 1, 5}), w({1, 1, 1, 3}), dy({1, 1, 1, 2});
    w.mData  = {1, 10, 100};
    dy.mData = {2, 3};
    dx.mData.assign(5, std::numeric_limits<float>::quiet_NaN()); // every element is written
    run<1>(dx, w, dy, {2}, {1}, {1}, {0});
    EXPECT_EQ(dx.mData, (std::vector<float>{20, 203, 30, 300, 0}));
}

TEST(ReferenceConvBwdData, CropsByHand)
{
    // y[o] = x[o + 1] + 10 x[o + 2], o in [0, 2): the input's first pixel and its last are not met
    Tensor<float> dx({1, 1, 1, 5}), w({1, 1, 1, 2}), dy({1, 1, 1, 2});
    w.mData  = {1, 10};
    dy.mData = {2, 3};
    run<1>(dx, w, dy, {1}, {1}, {-1}, {-1});
    EXPECT_EQ(dx.mData, (std::vector<float>{0, 2, 23, 30, 0}));
    run<1>(dx, w, dy, {1}, {1}, {-1}, {0}); // the first 2 of 3 outputs
    EXPECT_EQ(dx.mData, (std::vector<float>{0, 2, 23, 30, 0}));
}

TEST(ReferenceConvBwdData, ChannelsAndGroupsByHand)
{
    // 1x1 filters: dx[g,n,c,x] = sum over k of dy[g,n,k,x] w[g,k,c]
    Tensor<float> dx({2, 1, 2, 1}), w({2, 2, 2, 1}), dy({2, 1, 2, 1});
    w.mData  = {1, 2, 3, 4, 5, 6, 7, 8};
    dy.mData = {1, 10, 100, 1000};
    run<1>(dx, w, dy, {1}, {1}, {0}, {0});
    EXPECT_EQ(dx.mData, (std::vector<float>{31, 42, 7500, 8600}));
}

TEST(ReferenceConvBwdData, AccumulatesBeyondFloat)
{
    Tensor<float> dx({1, 1, 1, 1}), w({1, 3, 1, 1}), dy({1, 1, 3, 1});
    w.mData  = {1, 1, 1};
    dy.mData = {0x1p30f, 1, -0x1p30f};
    run<1>(dx, w, dy, {1}, {1}, {0}, {0});
    EXPECT_EQ(dx.mData[0], 1.f);
}

/// dX by scattering every output, in logical indices; doubles hold the integers of these tests
/// exactly.
Tensor<double> scatter(const HostTensorDescriptor& dx_desc,
                       const Tensor<double>& w,
                       const Tensor<double>& dy,
                       const ConvParam& p)
{
    Tensor<double> dx{Index(dx_desc.GetLengths())};
    const auto rank = static_cast<std::size_t>(p.num_dim_spatial_);
    dy.ForEach([&](const auto&, const Index& o) {
        w.ForEach([&](const auto&, const Index& f) {
            if(f[0] != o[0] || f[1] != o[2])
                return;
            Index i{o[0], o[1], f[2]};
            for(std::size_t d = 0; d < rank; ++d)
            {
                const auto position =
                    static_cast<long_index_t>(o[3 + d]) * p.conv_filter_strides_[d] +
                    static_cast<long_index_t>(f[3 + d]) * p.conv_filter_dilations_[d] -
                    p.input_left_pads_[d];
                if(position < 0 || position >= p.input_spatial_lengths_[d])
                    return;
                i.push_back(static_cast<std::size_t>(position));
            }
            dx(i) += dy(o) * w(f);
        });
    });
    return dx;
}

/// A random order of the dimensions in memory, with random gaps between them.
HostTensorDescriptor random_strides(const Index& lengths, std::mt19937& random)
{
    Index order(lengths.size()), strides(lengths.size());
    for(std::size_t d = 0; d < order.size(); ++d)
        order[d] = d;
    std::shuffle(order.begin(), order.end(), random);
    std::size_t next = 1;
    for(const std::size_t d : order)
    {
        strides[d] = next;
        next       = next * lengths[d] + random() % 3;
    }
    return {lengths, strides};
}

template <class T>
Tensor<T> random_integers(const HostTensorDescriptor& desc, std::mt19937& random)
{
    Tensor<T> t(desc);
    t.ForEach([&](auto& self, const Index& i) {
        self(i) = type_convert<T>(static_cast<int>(random() % 9) - 4);
    });
    return t;
}

/// Equal at every index, whatever the strides.
template <class T>
void expect_equal(const Tensor<T>& computed, const Tensor<double>& expected, const ConvParam& p)
{
    std::size_t wrong = 0;
    computed.ForEach([&](const auto& self, const Index& i) {
        wrong += type_convert<double>(self(i)) != expected(i);
    });
    EXPECT_EQ(wrong, 0u) << p;
}

ConvParam random_problem(int rank, std::mt19937& random)
{
    const auto number = [&](int least, int most) {
        return least + static_cast<long_index_t>(random() % unsigned(most - least + 1));
    };
    L filter, input, stride, dilation, left, right;
    for(int d = 0; d < rank; ++d)
    {
        filter.push_back(number(1, 4));
        input.push_back(
            number(1, rank == 3 ? 5 : 9)); // also smaller than the filter: no output at all
        stride.push_back(number(1, 3));
        dilation.push_back(number(1, 3));
        left.push_back(number(-1, 3)); // negative: a crop
        right.push_back(number(-1, 3));
    }
    return {long_index_t{rank},
            number(1, 3),
            number(0, 2),
            number(1, 5),
            number(1, 5),
            filter,
            input,
            stride,
            dilation,
            left,
            right};
}

template <ck::index_t rank, class In, class Wei, class Out>
void compare_random_problems(unsigned seed, int count)
{
    std::mt19937 random(seed);
    for(int i = 0; i < count; ++i)
    {
        const ConvParam p  = random_problem(rank, random);
        const auto lengths = [](const HostTensorDescriptor& desc) {
            return Index(desc.GetLengths());
        };
        using namespace ck::utils::conv;
        const auto packed_dx = [&] {
            if constexpr(rank == 1)
                return lengths(make_input_host_tensor_descriptor_g_n_c_wis_packed<NWGC>(p));
            else if constexpr(rank == 2)
                return lengths(make_input_host_tensor_descriptor_g_n_c_wis_packed<NHWGC>(p));
            else
                return lengths(make_input_host_tensor_descriptor_g_n_c_wis_packed<NDHWGC>(p));
        }();
        const auto size = [](const L& v) { return Index(v.begin(), v.end()); };
        Index w_lengths = size({p.G_, p.K_, p.C_}), dy_lengths = size({p.G_, p.N_, p.K_});
        for(const auto l : p.filter_spatial_lengths_)
            w_lengths.push_back(static_cast<std::size_t>(l));
        for(const auto l : p.output_spatial_lengths_)
            dy_lengths.push_back(static_cast<std::size_t>(l));

        Tensor<In> dx(random_strides(packed_dx, random));
        ck::ranges::fill<In>(dx, type_convert<In>(99)); // what nobody writes shows
        const auto w  = random_integers<Wei>(random_strides(w_lengths, random), random);
        const auto dy = random_integers<Out>(random_strides(dy_lengths, random), random);
        run<rank>(dx,
                  w,
                  dy,
                  p.conv_filter_strides_,
                  p.conv_filter_dilations_,
                  p.input_left_pads_,
                  p.input_right_pads_);
        expect_equal(
            dx,
            scatter(dx.mDesc, w.template CopyAsType<double>(), dy.template CopyAsType<double>(), p),
            p);
    }
}

TEST(ReferenceConvBwdData, RandomProblems1D)
{
    compare_random_problems<1, float, float, float>(1, 200);
}
TEST(ReferenceConvBwdData, RandomProblems2D)
{
    compare_random_problems<2, float, float, float>(2, 100);
}
TEST(ReferenceConvBwdData, RandomProblems3D)
{
    compare_random_problems<3, float, float, float>(3, 30);
}
TEST(ReferenceConvBwdData, RandomProblemsInOtherTypes)
{
    // Sums of integers below 2048 are exact in f16; bf16 results would round.
    compare_random_problems<2, ck::half_t, ck::half_t, ck::half_t>(4, 30);
    compare_random_problems<2, float, ck::bhalf_t, ck::bhalf_t>(5, 30);
    compare_random_problems<2, double, double, double>(6, 30);
    compare_random_problems<2, std::int32_t, std::int8_t, std::int8_t>(7, 30);
}

TEST(ReferenceConvBwdData, TheGroupMayBeLeftOut)
{
    std::mt19937 random(8);
    const auto w5  = random_integers<float>(HostTensorDescriptor({1, 4, 3, 3, 2}), random);
    const auto dy5 = random_integers<float>(HostTensorDescriptor({1, 2, 4, 4, 5}), random);
    Tensor<float> dx5({1, 2, 3, 8, 9}), dx4({2, 3, 8, 9}), w4({4, 3, 3, 2}), dy4({2, 4, 4, 5});
    w4.mData  = w5.mData;
    dy4.mData = dy5.mData;
    run<2>(dx5, w5, dy5, {2, 2}, {1, 1}, {1, 1}, {0, 0});
    run<2>(dx4, w4, dy4, {2, 2}, {1, 1}, {1, 1}, {0, 0});
    EXPECT_EQ(dx4.mData, dx5.mData);
    EXPECT_NE(dx4.mData, std::vector<float>(dx4.size(), 0.f));
}

TEST(ReferenceConvBwdData, ElementWiseOperations)
{
    // dx = relu(sum of (2 dy) * (w + b), plus d): a Scale, an Add with a B tensor, an AddRelu with
    // a D tensor.
    using Reference = ReferenceConvBwdData<1, float, float, float, AddRelu, Add, Scale, 0, 1, 1>;
    Tensor<float> dx({1, 1, 2, 3}), w({1, 1, 2, 1}), dy({1, 1, 1, 3}), b({1, 1, 2, 1});
    Tensor<float> d({1, 1, 2, 1}, {0, 0, 1, 0}); // one number for each channel
    dy.mData = {1, 2, -3};
    w.mData  = {1, 2};
    b.mData  = {10, 20};
    d.mData  = {100, -50};
    auto argument =
        Reference::MakeArgument(dx, w, dy, {1}, {1}, {0}, {0}, {}, {}, {2.f}, {}, {b}, {d});
    Reference::MakeInvoker().Run(argument);
    EXPECT_EQ(dx.mData, (std::vector<float>{122, 144, 34, 0, 38, 0}));
}

TEST(ReferenceConvBwdData, ElementWiseOperationsOnDyWithAnATensor)
{
    using Reference = ReferenceConvBwdData<1, float, float, float, Scale, PassThrough, ScaleAdd, 1>;
    Tensor<float> dx({1, 1, 1, 2}), w({1, 1, 1, 1}), dy({1, 1, 1, 2}), a({1, 1, 1, 2});
    dy.mData      = {1, 2};
    w.mData       = {3};
    a.mData       = {100, 200};
    auto argument = Reference::MakeArgument(
        dx, w, dy, {1}, {1}, {0}, {0}, Scale{-1.f}, {}, ScaleAdd{10.f}, {a});
    Reference::MakeInvoker().Run(argument);
    EXPECT_EQ(dx.mData, (std::vector<float>{-330, -660}));
}

TEST(ReferenceConvBwdData, DTensorsAreOwnedAndMayBeTheInputItself)
{
    using Reference =
        ReferenceConvBwdData<1, float, float, float, Bilinear, PassThrough, PassThrough, 0, 0, 1>;
    Tensor<float> dx({1, 1, 1, 2}), w({1, 1, 1, 1}), dy({1, 1, 1, 2});
    dx.mData      = {5, 7};
    w.mData       = {3};
    dy.mData      = {1, 2};
    auto argument = Reference::MakeArgument(
        dx, w, dy, {1}, {1}, {0}, {0}, Bilinear{2.f, 10.f}, {}, {}, {}, {}, {Tensor<float>(dx)});
    Reference::MakeInvoker().Run(argument);
    EXPECT_EQ(dx.mData, (std::vector<float>{56, 82}));
}

TEST(ReferenceConvBwdData, BehindTheBaseInterface)
{
    using Reference =
        ReferenceConvBwdData<1, float, float, float, PassThrough, PassThrough, PassThrough>;
    namespace device = ck::tensor_operation::device;
    Tensor<float> dx({1, 1, 1, 2}), w({1, 1, 1, 1}), dy({1, 1, 1, 2});
    w.mData       = {3};
    dy.mData      = {1, 2};
    auto argument = Reference::MakeArgument(dx, w, dy, {1}, {1}, {0}, {0}, {}, {}, {});
    Reference operation;
    device::BaseOperator& base = operation;
    EXPECT_TRUE(base.IsSupportedArgument(&argument));
    EXPECT_EQ(base.GetTypeString(), "ReferenceConvBwdData");
    EXPECT_EQ(operation.MakeInvokerPointer()->Run(&argument), 0.f);
    EXPECT_EQ(dx.mData, (std::vector<float>{3, 6}));

    device::BaseArgument other;
    EXPECT_FALSE(base.IsSupportedArgument(&other));
    EXPECT_NE(base.WhyNotSupported(&other).find("another type"), std::string::npos);
    EXPECT_NE(base.WhyNotSupported(nullptr).find("null"), std::string::npos);
    EXPECT_THROW(operation.MakeInvokerPointer()->Run(nullptr), std::invalid_argument);
    EXPECT_THROW(operation.MakeInvokerPointer()->Run(&other), std::invalid_argument);
}

TEST(ReferenceConvBwdData, RefusesTensorsThatDoNotFitTogether)
{
    using Reference =
        ReferenceConvBwdData<1, float, float, float, PassThrough, PassThrough, PassThrough>;
    const auto why = [](Index dx_lengths, Index w_lengths, Index dy_lengths, L strides) {
        Tensor<float> dx(dx_lengths), w(w_lengths), dy(dy_lengths);
        auto argument = Reference::MakeArgument(dx, w, dy, strides, {1}, {0}, {0}, {}, {}, {});
        EXPECT_THROW(Reference::MakeInvoker().Run(argument), std::runtime_error);
        return Reference().WhyNotSupported(&argument);
    };
    EXPECT_EQ(why({1, 1, 2, 4}, {1, 1, 3, 1}, {1, 1, 1, 4}, {1}),
              "C is 2 in the input tensor and 3 in the weight tensor");
    EXPECT_EQ(why({1, 1, 2, 4}, {1, 5, 2, 1}, {1, 1, 1, 4}, {1}),
              "K is 5 in the weight tensor and 1 in the output tensor");
    EXPECT_EQ(why({1, 1, 2}, {1, 1, 2, 1}, {1, 3, 1, 4}, {1}),
              "N is 1 in the input tensor and 3 in the output tensor");
    EXPECT_EQ(why({1, 2}, {1, 1, 2, 1}, {1, 1, 1, 4}, {1}),
              "the input tensor has 2 dimensions, but must have 4, or 3 without groups");
    EXPECT_EQ(why({1, 1, 2, 4}, {1, 1, 2, 1}, {1, 1, 1, 4}, {1, 1}),
              "there are 2 strides for 1 spatial dimensions");
    EXPECT_NE(why({1, 1, 2, 4}, {1, 1, 2, 1}, {1, 1, 1, 4}, {0}).find("stride in W"),
              std::string::npos);
    EXPECT_EQ(
        why({1, 1, 2, 4}, {1, 1, 2, 3}, {1, 1, 1, 9}, {1}),
        "the output length in W of a 1D convolution is 9, but input, filter, stride, dilation "
        "and pads make it 2 at most");
}

TEST(ReferenceConvBwdData, RefusesOperandsOfAnotherShape)
{
    using Reference =
        ReferenceConvBwdData<1, float, float, float, Add, PassThrough, PassThrough, 0, 0, 1>;
    Tensor<float> dx({1, 1, 2, 4}), w({1, 1, 2, 1}), dy({1, 1, 1, 4}), d({1, 1, 2, 3});
    auto argument = Reference::MakeArgument(dx, w, dy, {1}, {1}, {0}, {0}, {}, {}, {}, {}, {}, {d});
    EXPECT_EQ(Reference().WhyNotSupported(&argument),
              "the D tensor 0 has length 3 where the convolution's tensor has 4");
}

TEST(ReferenceConvBwdData, TheAdjointOfTheForwardConvolution)
{
    // <conv(x, w), dy> = <x, backward_data(dy, w)>, with the forward direction as its own seven
    // loops.
    const ConvParam p(2, 2, 2, 3, 4, {3, 2}, {7, 6}, {2, 3}, {1, 2}, {1, 0}, {2, 1});
    std::mt19937 random(9);
    using namespace ck::utils::conv;
    const auto x = random_integers<float>(
        make_input_host_tensor_descriptor_g_n_c_wis_packed<NHWGC>(p), random);
    const auto w = random_integers<float>(
        make_weight_host_tensor_descriptor_g_k_c_xs_packed<GKYXC>(p), random);
    const auto dy = random_integers<float>(
        make_output_host_tensor_descriptor_g_n_k_wos_packed<NHWGK>(p), random);
    Tensor<float> dx(x.mDesc);
    run<2>(dx,
           w,
           dy,
           p.conv_filter_strides_,
           p.conv_filter_dilations_,
           p.input_left_pads_,
           p.input_right_pads_);

    double forward = 0, backward = 0;
    dy.ForEach([&](const auto&, const Index& o) {
        double y = 0;
        for(int c = 0; c < p.C_; ++c)
            for(int fy = 0; fy < p.filter_spatial_lengths_[0]; ++fy)
                for(int fx = 0; fx < p.filter_spatial_lengths_[1]; ++fx)
                {
                    const int hi = static_cast<int>(o[3]) * 2 + fy * 1 - 1,
                              wi = static_cast<int>(o[4]) * 3 + fx * 2;
                    if(hi >= 0 && hi < 7 && wi >= 0 && wi < 6)
                        y += double(x(o[0], o[1], c, hi, wi)) * double(w(o[0], o[2], c, fy, fx));
                }
        forward += y * double(dy(o));
    });
    x.ForEach([&](const auto&, const Index& i) { backward += double(x(i)) * double(dx(i)); });
    EXPECT_EQ(forward, backward);
    EXPECT_NE(forward, 0.);
}

} // namespace
