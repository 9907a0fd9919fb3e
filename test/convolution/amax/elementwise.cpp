// Element-wise operations on tensors in memory against plain loops.
//
// Labels: emulated on one target
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_elementwise_dynamic_vector_dims_impl.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_elementwise_strided.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "placed_memory.hpp"
#include <numeric>

namespace ck::test {
namespace {

using tensor_operation::device::DeviceElementwiseStrided;
using tensor_operation::element_wise::Scale;

template <class T>
struct OnDevice
{
    explicit OnDevice(const std::vector<T>& values) : memory(on_device(values)) {}
    void* address() const { return memory.GetDeviceBuffer(); }
    std::vector<T> read() const
    {
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        return from_device<T>(memory);
    }
    PlacedMemory memory;
};

std::vector<float> counting(std::size_t count)
{
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), -100.f);
    return values;
}

/// Copies six dimensions from one order in memory to another, scaled, as after a convolution.
template <class Out, class Op = DeviceElementwiseStrided<Tuple<float>, Tuple<Out>, Scale, 6>>
void expect_permuted_and_scaled()
{
    const std::array<index_t, 6> lengths{2, 3, 7, 4, 5, 3};
    const std::array<index_t, 6> in_strides{7, 4 * 5 * 3 * 14, 1, 5 * 3 * 14, 3 * 14, 14},
        out_strides{3 * 7 * 61, 7 * 61, 61, 15, 3, 1}; // a gap after each image
    const auto values = counting(2 * 3 * 7 * 60);
    std::vector<Out> expected(2 * 3 * 7 * 61, type_convert<Out>(77.f));
    const OnDevice<float> in(values);
    const OnDevice<Out> out(expected);
    const auto a = Op::MakeArgument(
        lengths, {in_strides}, {out_strides}, {in.address()}, {out.address()}, Scale{.5f});
    ASSERT_EQ(Op().WhyNotSupported(&a), "");
    Op::MakeInvoker().Run(a);
    std::array<index_t, 6> i{};
    for(i[0] = 0; i[0] < lengths[0]; ++i[0])
        for(i[1] = 0; i[1] < lengths[1]; ++i[1])
            for(i[2] = 0; i[2] < lengths[2]; ++i[2])
                for(i[3] = 0; i[3] < lengths[3]; ++i[3])
                    for(i[4] = 0; i[4] < lengths[4]; ++i[4])
                        for(i[5] = 0; i[5] < lengths[5]; ++i[5])
                        {
                            const auto at = [&](const auto& strides) {
                                return static_cast<std::size_t>(
                                    std::inner_product(i.begin(), i.end(), strides.begin(), 0));
                            };
                            expected[at(out_strides)] =
                                type_convert<Out>(.5f * values[at(in_strides)]);
                        }
    const auto got = out.read();
    for(std::size_t k = 0; k < got.size(); ++k)
        ASSERT_EQ(type_convert<float>(got[k]), type_convert<float>(expected[k])) << k;
}

TEST(Elementwise, PermutesAndScales)
{
    expect_permuted_and_scaled<float>();
    expect_permuted_and_scaled<half_t>();
    expect_permuted_and_scaled<f8_t>();
    expect_permuted_and_scaled<f8_ocp_t>();
}

TEST(Elementwise, ComputesUnderThePositionalName)
{
    using tensor_operation::device::DeviceElementwiseImpl;
    expect_permuted_and_scaled<half_t,
                               DeviceElementwiseImpl<Tuple<float>,
                                                     Tuple<half_t>,
                                                     Scale,
                                                     6,
                                                     256,
                                                     128,
                                                     128,
                                                     8,
                                                     8,
                                                     Sequence<1, 0>,
                                                     Sequence<8>,
                                                     Sequence<8>>>();
}

struct SumAndDifference
{
    template <class Y0, class Y1, class X0, class X1>
    CK_HOST_DEVICE void operator()(Y0& sum, Y1& difference, const X0& a, const X1& b) const
    {
        sum        = a + type_convert<float>(b);
        difference = a - type_convert<float>(b);
    }
};

TEST(Elementwise, TakesSeveralTensorsAndRepeatsInputs)
{
    using Op =
        DeviceElementwiseStrided<Tuple<float, half_t>, Tuple<float, float>, SumAndDifference, 2>;
    const index_t rows = 70, columns = 31;
    const auto values = counting(70 * 31);
    std::vector<half_t> row(31);
    for(std::size_t i = 0; i < row.size(); ++i)
        row[i] = type_convert<half_t>(static_cast<float>(i));
    const OnDevice<float> a(values), sum(values), difference(values);
    const OnDevice<half_t> b(row);
    const auto argument = Op::MakeArgument({rows, columns},
                                           {{{columns, 1}, {0, 1}}},
                                           {{{columns, 1}, {1, rows}}},
                                           {a.address(), b.address()},
                                           {sum.address(), difference.address()},
                                           SumAndDifference{});
    ASSERT_EQ(Op().WhyNotSupported(&argument), "");
    Op::MakeInvoker().Run(argument);
    const auto sums = sum.read(), differences = difference.read();
    for(std::size_t i = 0; i < 70; ++i)
        for(std::size_t j = 0; j < 31; ++j)
        {
            ASSERT_EQ(sums[i * 31 + j], values[i * 31 + j] + static_cast<float>(j));
            ASSERT_EQ(differences[j * 70 + i], values[i * 31 + j] - static_cast<float>(j));
        }
}

TEST(Elementwise, WorksInPlace)
{
    using Op          = DeviceElementwiseStrided<Tuple<float>, Tuple<float>, Scale, 1>;
    const auto values = counting(5000);
    const OnDevice<float> x(values);
    const auto a =
        Op::MakeArgument({5000}, {{{1}}}, {{{1}}}, {x.address()}, {x.address()}, Scale{2.f});
    ASSERT_EQ(Op().WhyNotSupported(&a), "");
    Op::MakeInvoker().Run(a);
    const auto got = x.read();
    for(std::size_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], 2 * values[i]);
}

TEST(Elementwise, SaysWhyItRefuses)
{
    using Op = DeviceElementwiseStrided<Tuple<float>, Tuple<float>, Scale, 2>;
    float x[64]{};
    struct Parameters
    {
        std::array<index_t, 2> lengths{4, 5}, in{5, 1}, out{5, 1};
        const void* from = nullptr;
        void* to         = nullptr;
    };
    const auto expect = [](const char* words, auto change) {
        Parameters p;
        change(p);
        const auto a = Op::MakeArgument(p.lengths, {p.in}, {p.out}, {p.from}, {p.to}, Scale{});
        const std::string why = Op().WhyNotSupported(&a);
        EXPECT_NE(why.find(words), std::string::npos) << words << " is not in: " << why;
        EXPECT_EQ(Op::IsSupportedArgument(a), why.empty());
    };
    expect("", [](auto&) {});
    expect("", [](auto& p) { p.in = {0, 0}; });
    expect("output 0, which is written", [](auto& p) { p.out = {4, 1}; });
    expect("input 0 is -1", [](auto& p) { p.in[1] = -1; });
    expect("a length is -2", [](auto& p) { p.lengths[0] = -2; });
    expect("shares memory with input 0", [&](auto& p) {
        p.from = x;
        p.to   = x + 1;
    });
    expect("not a multiple of the 4 bytes",
           [&](auto& p) { p.from = reinterpret_cast<char*>(x) + 1; });
    const auto a = Op::MakeArgument({4, 5}, {{{5, 1}}}, {{{5, 1}}}, {nullptr}, {nullptr}, Scale{});
    EXPECT_THROW(Op::MakeInvoker().Run(a), std::runtime_error);

    using Deep      = DeviceElementwiseStrided<Tuple<float>, Tuple<float>, Scale, 7>;
    const auto deep = Deep::MakeArgument({}, {}, {}, {nullptr}, {nullptr}, Scale{});
    EXPECT_NE(Deep().WhyNotSupported(&deep).find("7 dimensions"), std::string::npos);
}

} // namespace
} // namespace ck::test
