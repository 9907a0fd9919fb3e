// Reductions against the CPU's plain loops, of integers, whose sums are exact in any order.
//
// Labels: emulated on one target
#include "ck/ck.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_reduce.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_reduce_multiblock.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_reduce_strided.hpp"
#include "ck/tensor_operation/gpu/device/reduction_operator_mapping.hpp"

#include <gtest/gtest.h>

#include "placed_memory.hpp"
#include <cmath>
#include <random>

namespace ck::test {
namespace {

using tensor_operation::element_wise::PassThrough;

/// A reduction of some dimensions of a tensor.
template <std::size_t rank, std::size_t reduced>
struct Problem
{
    static constexpr std::size_t kept = rank == reduced ? 1 : rank - reduced;

    std::array<index_t, rank> lengths, strides;
    std::array<index_t, kept> out_lengths, out_strides;
    std::array<int, reduced> dims;
    double alpha = 1, beta = 0;
};

/// A reduction over `dims` of a tensor whose dimensions follow each other in memory in `order`,
/// slowest first, with a gap of three elements after the fastest; the output has gaps, too.
template <std::size_t rank, std::size_t reduced>
Problem<rank, reduced> make_problem(const std::array<index_t, rank>& lengths,
                                    const std::array<int, reduced>& dims,
                                    const std::array<std::size_t, rank>& order)
{
    Problem<rank, reduced> p{lengths, {}, {}, {}, dims};
    index_t next = 1;
    for(std::size_t i = rank; i-- > 0;)
    {
        p.strides[order[i]] = next;
        next                = next * lengths[order[i]] + (i + 1 == rank ? 3 : 0);
    }
    std::size_t at = 0;
    for(std::size_t i = 0; i < rank; ++i)
        if(std::find(dims.begin(), dims.end(), static_cast<int>(i)) == dims.end())
            p.out_lengths[at++] = lengths[i];
    if(at == 0)
        p.out_lengths[0] = 1;
    next = 2;
    for(std::size_t i = 0; i < p.kept; ++i) // the first one fastest
    {
        p.out_strides[i] = next;
        next *= std::max(p.out_lengths[i], 1);
    }
    return p;
}

template <std::size_t n>
std::size_t space(const std::array<index_t, n>& lengths, const std::array<index_t, n>& strides)
{
    std::size_t last = 0;
    for(std::size_t i = 0; i < n; ++i)
        last += static_cast<std::size_t>(std::max(lengths[i] - 1, 0) * strides[i]);
    return last + 1;
}

template <class Op, class P, class In, class Acc>
auto make_argument(const P& p, const void* in, void* out, const In& in_op, const Acc& acc_op)
{
    return Op::MakeArgument(p.lengths,
                            p.strides,
                            p.out_lengths,
                            p.out_strides,
                            p.dims,
                            p.alpha,
                            p.beta,
                            in,
                            nullptr,
                            out,
                            nullptr,
                            in_op,
                            acc_op);
}

/// Compares reductions by 1, 16 and 256 threads for each result, and under the positional name,
/// with the reference. values: the input's memory, gaps included.
template <class Reduce, bool nan, std::size_t rank, std::size_t reduced, class In, class Acc>
void expect_right(const Problem<rank, reduced>& p,
                  const std::vector<float>& values,
                  const In& in_op,
                  const Acc& acc_op)
{
    constexpr auto r = static_cast<index_t>(rank), d = static_cast<index_t>(reduced);
    using Reference = tensor_operation::host::
        ReferenceReduce<float, float, float, r, d, Reduce, In, Acc, nan, false>;
    std::vector<float> expected(space(p.out_lengths, p.out_strides) + 1, 5.f);
    const std::vector<float> before = expected;
    const auto reference =
        make_argument<Reference>(p, values.data(), expected.data(), in_op, acc_op);
    ASSERT_EQ(Reference().WhyNotSupported(&reference), "");
    Reference::MakeInvoker().Run(reference);

    const PlacedMemory in = on_device(values), out(sizeof(float) * expected.size());
    const auto run        = [&](auto op) {
        using Op = decltype(op);
        out.ToDevice(before.data());
        const auto argument =
            make_argument<Op>(p, in.GetDeviceBuffer(), out.GetDeviceBuffer(), in_op, acc_op);
        ASSERT_EQ(op.WhyNotSupported(&argument), "");
        Op::MakeInvoker().Run(argument);
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        std::vector<float> got(expected.size());
        out.FromDevice(got.data());
        for(std::size_t i = 0; i < got.size(); ++i)
            EXPECT_TRUE(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))
                << op.GetTypeString() << " of rank " << rank << ", " << reduced
                << " reduced: element " << i << " is " << got[i] << ", not " << expected[i];
    };
    using tensor_operation::device::DeviceReduceMultiBlock;
    using tensor_operation::device::DeviceReduceStrided;
    run(DeviceReduceStrided<float, float, float, r, d, Reduce, In, Acc, nan, 1>{});
    run(DeviceReduceStrided<float, float, float, r, d, Reduce, In, Acc, nan, 16>{});
    run(DeviceReduceStrided<float, float, float, r, d, Reduce, In, Acc, nan, 256>{});
    run(DeviceReduceMultiBlock<float,
                               float,
                               float,
                               r,
                               d,
                               Reduce,
                               In,
                               Acc,
                               InMemoryDataOperationEnum::Set,
                               nan,
                               false,
                               false,
                               256,
                               32,
                               8,
                               1,
                               1,
                               0,
                               1,
                               1>{});
}

template <std::size_t rank, std::size_t reduced>
std::vector<float> integers(const Problem<rank, reduced>& p)
{
    std::mt19937 random(static_cast<unsigned>(rank * 8 + reduced));
    std::vector<float> values(space(p.lengths, p.strides));
    for(float& x : values)
        x = static_cast<float>(static_cast<int>(random() % 41) - 20);
    return values;
}

template <ReduceTensorOp op, std::size_t rank, std::size_t reduced>
void expect_named(Problem<rank, reduced> p)
{
    using Binary      = typename reduce_binary_operator<op>::opType;
    using Unary       = reduce_unary_operator<op, true, true>;
    const auto [a, b] = Unary::GetElementwiseOperator(4);
    expect_right<Binary, true>(p, integers(p), a, b);
    p.alpha = 2;
    p.beta  = 3;
    expect_right<Binary, true>(p, integers(p), a, b);
}

const auto all_6_to_3 = make_problem<6, 3>({2, 3, 5, 4, 6, 3}, {3, 4, 5}, {1, 3, 4, 5, 0, 2});

TEST(Reduce, IsTheReferencesForEachOperation)
{
    expect_named<ReduceTensorOp::ADD>(all_6_to_3);
    expect_named<ReduceTensorOp::MIN>(all_6_to_3);
    expect_named<ReduceTensorOp::MAX>(all_6_to_3);
    expect_named<ReduceTensorOp::AMAX>(all_6_to_3);
    expect_named<ReduceTensorOp::NORM1>(all_6_to_3);
    expect_named<ReduceTensorOp::AVG>(all_6_to_3);
    expect_named<ReduceTensorOp::MUL>(make_problem<2, 1>({5, 3}, {1}, {0, 1}));
}

TEST(Reduce, TakesAnyDimensions)
{
    expect_named<ReduceTensorOp::ADD>(
        make_problem<6, 3>({2, 3, 5, 4, 6, 3}, {4, 0, 2}, {5, 4, 3, 2, 1, 0}));
    expect_named<ReduceTensorOp::ADD>(make_problem<3, 3>({5, 7, 20}, {0, 1, 2}, {0, 1, 2}));
    expect_named<ReduceTensorOp::ADD>(make_problem<1, 1>({1000}, {0}, {0}));
    expect_named<ReduceTensorOp::ADD>(make_problem<4, 1>({7, 1, 50, 3}, {2}, {0, 1, 2, 3}));
    expect_named<ReduceTensorOp::ADD>(make_problem<2, 1>({300, 2}, {1}, {1, 0}));
}

TEST(Reduce, OfNothingIsTheIdentity)
{
    expect_named<ReduceTensorOp::ADD>(make_problem<2, 1>({3, 0}, {1}, {0, 1}));
    expect_named<ReduceTensorOp::MAX>(make_problem<2, 1>({3, 0}, {1}, {0, 1})); // minus infinity
    expect_named<ReduceTensorOp::ADD>(make_problem<2, 1>({0, 3}, {1}, {0, 1})); // no result
}

/// A NaN is in the first, a middle and the last place.
TEST(Reduce, LetsNanThroughOrLeavesItOut)
{
    const auto p              = make_problem<2, 1>({4, 300}, {1}, {0, 1});
    std::vector<float> values = integers(p);
    const float nan           = std::nanf("");
    values[0]                 = values[static_cast<std::size_t>(p.strides[0]) + 150] =
        values[2 * static_cast<std::size_t>(p.strides[0]) + 299] = nan;
    using tensor_operation::element_wise::UnaryAbs;
    expect_right<reduce::AMax, true>(p, values, UnaryAbs{}, PassThrough{});
    expect_right<reduce::AMax, false>(p, values, UnaryAbs{}, PassThrough{});
    expect_right<reduce::Max, true>(p, values, PassThrough{}, PassThrough{});
    expect_right<reduce::Min, false>(p, values, PassThrough{}, PassThrough{});
    expect_right<reduce::Add, false>(p, values, PassThrough{}, PassThrough{});
    // The reference itself is right, too.
    using Reference = tensor_operation::host::ReferenceReduce<float,
                                                              float,
                                                              float,
                                                              2,
                                                              1,
                                                              reduce::AMax,
                                                              UnaryAbs,
                                                              PassThrough,
                                                              true,
                                                              false>;
    std::vector<float> out(7);
    Reference::MakeInvoker().Run(
        make_argument<Reference>(p, values.data(), out.data(), UnaryAbs{}, PassThrough{}));
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[2]) && std::isnan(out[4]));
    EXPECT_EQ(out[6], 20);
}

TEST(Reduce, SaysWhyItRefuses)
{
    using Op          = tensor_operation::device::DeviceReduceStrided<float,
                                                             float,
                                                             float,
                                                             3,
                                                             1,
                                                             reduce::Add,
                                                             PassThrough,
                                                             PassThrough,
                                                             true,
                                                             1>;
    const auto expect = [](const char* words, auto change) {
        auto p          = make_problem<3, 1>({4, 5, 6}, {1}, {0, 1, 2});
        const float* in = nullptr;
        change(p, in);
        const auto a = make_argument<Op>(
            p, in, in == nullptr ? nullptr : const_cast<float*>(in), PassThrough{}, PassThrough{});
        const std::string why = Op().WhyNotSupported(&a);
        EXPECT_NE(why.find(words), std::string::npos) << words << " is not in: " << why;
        EXPECT_EQ(Op::IsSupportedArgument(a), why.empty());
    };
    const float x[2]{};
    expect("", [](auto&, auto&) {});
    expect("a reduced dimension is 3", [](auto& p, auto&) { p.dims[0] = 3; });
    expect("a reduced dimension is -1", [](auto& p, auto&) { p.dims[0] = -1; });
    expect("length 1 of the output is 7", [](auto& p, auto&) { p.out_lengths[1] = 7; });
    expect("must not be negative", [](auto& p, auto&) { p.strides[0] = -1; });
    expect("a length is -4", [](auto& p, auto&) { p.lengths[0] = p.out_lengths[0] = -4; });
    expect("the output, which is written", [](auto& p, auto&) { p.out_strides[0] = 0; });
    expect("shares memory", [&](auto&, auto& in) { in = x; });
    expect("not a multiple of the 4 bytes", [&](auto&, auto& in) {
        in = reinterpret_cast<const float*>(reinterpret_cast<const char*>(x) + 2);
    });
    const auto a = make_argument<Op>(make_problem<3, 1>({4, 5, 6}, {1}, {0, 1, 2}),
                                     nullptr,
                                     nullptr,
                                     PassThrough{},
                                     PassThrough{});
    EXPECT_THROW(Op::MakeInvoker().Run(a), std::runtime_error);
}

} // namespace
} // namespace ck::test
