// Host tensors: descriptors, element access, loops over all elements.
#include "ck/library/utility/host_tensor.hpp"

#include "ck/library/utility/literals.hpp"
#include "ck/library/utility/numeric.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace {

using Sizes = std::vector<std::size_t>;

TEST(HostTensorDescriptor, PacksByDefault)
{
    const HostTensorDescriptor desc({2, 3, 4});
    EXPECT_EQ(desc.GetNumOfDimension(), 3u);
    EXPECT_EQ(desc.GetLengths(), (Sizes{2, 3, 4}));
    EXPECT_EQ(desc.GetStrides(), (Sizes{12, 4, 1}));
    EXPECT_EQ(desc.GetElementSize(), 24u);
    EXPECT_EQ(desc.GetElementSpaceSize(), 24u);
    EXPECT_EQ(desc.GetOffsetFromMultiIndex(1, 2, 3), 23u);
    EXPECT_EQ(desc.GetOffsetFromMultiIndex(Sizes{1, 0, 3}), 15u);
}

TEST(HostTensorDescriptor, TakesLengthsAsClientsGiveThem)
{
    using namespace ck::literals;
    const HostTensorDescriptor expected({2, 3});
    const int two = 2;
    EXPECT_EQ(HostTensorDescriptor(std::vector<ck::index_t>{2, 3}), expected);
    EXPECT_EQ(HostTensorDescriptor(std::array<ck::long_index_t, 2>{2, 3}), expected);
    EXPECT_EQ(HostTensorDescriptor({2_uz, 3_zu}), expected);
    EXPECT_EQ(HostTensorDescriptor({two, 3L}), expected); // mixed: as long_index_t
    EXPECT_EQ(HostTensorDescriptor({2, 3}, {3, 1}), expected);
    EXPECT_EQ(HostTensorDescriptor({2, 3}, {3_uz, 1_uz}), expected);
    EXPECT_EQ(HostTensorDescriptor({two, 3L}, {3L, two - 1}), expected);
    EXPECT_EQ(HostTensorDescriptor(Sizes{2, 3}, std::array<int, 2>{3, 1}), expected);
    EXPECT_EQ(HostTensorDescriptor().GetNumOfDimension(), 0u);
}

TEST(HostTensorDescriptor, SpaceCountsGapsAndSharedElements)
{
    EXPECT_EQ(HostTensorDescriptor({2, 3}, {10, 2}).GetElementSpaceSize(), 15u);
    EXPECT_EQ(HostTensorDescriptor({4, 3}, {0, 1}).GetElementSpaceSize(), 3u);
    EXPECT_EQ(HostTensorDescriptor({0, 3}, {3, 1}).GetElementSpaceSize(), 0u);
    EXPECT_EQ(HostTensorDescriptor({0, 3}).GetElementSize(), 0u);
}

TEST(HostTensorDescriptor, Prints)
{
    std::ostringstream os;
    os << HostTensorDescriptor({128, 128, 71, 71}, {645248, 1, 9088, 128});
    EXPECT_EQ(os.str(), "dim 4, lengths {128, 128, 71, 71}, strides {645248, 1, 9088, 128}");
}

TEST(HostTensorDescriptor, RefusesNonsense)
{
    EXPECT_THROW(HostTensorDescriptor({2, -3}), std::invalid_argument);
    EXPECT_THROW(HostTensorDescriptor({2, 3}, {3, -1}), std::invalid_argument);
    EXPECT_THROW(HostTensorDescriptor({2, 3}, {1}), std::invalid_argument);
}

TEST(HostTensorDescriptor, RefusesWhatNoAddressReaches)
{
    EXPECT_THROW(HostTensorDescriptor({1ll << 32, 1ll << 32}), std::invalid_argument);
    EXPECT_THROW(HostTensorDescriptor({2, 3}, {1ll << 62, 1ll << 62}), std::invalid_argument);
    EXPECT_THROW(HostTensorDescriptor({1ll << 32, 1ll << 32}, {0, 0}), std::invalid_argument);
    EXPECT_THROW(HostTensorDescriptor({1ll, 1ll << 32, 1ll << 32}), std::invalid_argument);
    EXPECT_EQ(HostTensorDescriptor({0ll, 1ll << 32, 1ll << 32}).GetElementSpaceSize(), 0u);
    EXPECT_EQ(HostTensorDescriptor({1ll << 31, 1ll << 31}).GetElementSize(), std::size_t{1} << 62);
}

TEST(HostTensorDescriptor, Transposes)
{
    const HostTensorDescriptor nchw({2, 3, 4, 5});
    const auto nhwc = transpose_host_tensor_descriptor_given_new2old(nchw, Sizes{0, 2, 3, 1});
    EXPECT_EQ(nhwc.GetLengths(), (Sizes{2, 4, 5, 3}));
    EXPECT_EQ(nhwc.GetStrides(), (Sizes{60, 5, 1, 20}));
    EXPECT_THROW(transpose_host_tensor_descriptor_given_new2old(nchw, Sizes{0, 2, 3}),
                 std::out_of_range);
    EXPECT_THROW(transpose_host_tensor_descriptor_given_new2old(nchw, Sizes{0, 2, 3, 4}),
                 std::out_of_range);
}

TEST(HostTensor, FindsElementsThroughStrides)
{
    Tensor<float> t({2, 3}, {1, 2});
    EXPECT_EQ(t.GetElementSpaceSizeInBytes(), 24u);
    t(1, 2) = 5.f;
    EXPECT_EQ(t.mData[5], 5.f);
    EXPECT_EQ(std::as_const(t)(Sizes{1, 2}), 5.f);
    t(Sizes{0, 1}) = 3.f;
    EXPECT_EQ(t.mData[2], 3.f);
    EXPECT_EQ(t.GetOffsetFromMultiIndex(1, 1), 3u);
    t.SetZero();
    EXPECT_EQ(t.mData, std::vector<float>(6, 0.f));
}

/// What f throws as std::out_of_range; empty: nothing.
template <class F>
std::string out_of_range(const F& f)
{
    try
    {
        f();
    }
    catch(const std::out_of_range& e)
    {
        return e.what();
    }
    return "";
}

TEST(HostTensor, ChecksIndices)
{
    Tensor<float> t({2, 3, 4}, {16, 4, 1});
    const Tensor<float>& same = t;
    const std::string rule    = ", but there must be one for each, from 0 to below it",
                      who = "HostTensorDescriptor: indices {", lengths = "} of lengths {2, 3, 4}";
    const auto all = [&](const std::string& indices, auto... is) {
        const std::string why = who + indices + lengths + rule;
        const Sizes list{static_cast<std::size_t>(is)...};
        EXPECT_EQ(out_of_range([&] { t(is...) = 1; }), why);
        EXPECT_EQ(out_of_range([&] { static_cast<void>(same(is...)); }), why);
        EXPECT_EQ(out_of_range([&] { t(list) = 1; }), why);
        EXPECT_EQ(out_of_range([&] { static_cast<void>(same(list)); }), why);
        EXPECT_EQ(out_of_range([&] { static_cast<void>(t.GetOffsetFromMultiIndex(is...)); }), why);
        EXPECT_EQ(out_of_range([&] { static_cast<void>(t.mDesc.GetOffsetFromMultiIndex(list)); }),
                  why);
    };
    all("2, 0, 0", 2, 0, 0);
    all("0, 3, 0", 0, 3, 0); // has memory but no element
    all("0, 0, 4", 0, 0, 4);
    all("-1, 0, 0", -1, 0, 0);
    all("0, 1, -4", 0, 1, -4); // the first in memory
    all("1152921504606846976, 0, 0", std::size_t{1} << 60, 0, 0);
    all("0, 0", 0, 0);
    all("0, 0, 0, 0", 0, 0, 0, 0);
    all("");
    EXPECT_EQ(&t(1, 2, 3), t.data() + 27);
    EXPECT_EQ(out_of_range([] {
                  Tensor<float>({0, 3})(0, 0) = 1;
              }),
              who + "0, 0} of lengths {0, 3}" + rule);
    t.mData.resize(27);
    EXPECT_EQ(out_of_range([&] { t(1, 2, 3) = 1; }),
              "Tensor: an element is number 27 in memory, which has 27");
    t(1, 2, 2) = 1;
}

TEST(HostTensor, IsMadeOfWhatDescribesIt)
{
    EXPECT_EQ(Tensor<int>({2, 3}).size(), 6u);
    EXPECT_EQ(Tensor<int>(std::vector<int>{2, 3}).size(), 6u);
    EXPECT_EQ(Tensor<int>(Sizes{2, 3}, Sizes{8, 1}).size(), 11u);
    EXPECT_EQ(Tensor<int>(HostTensorDescriptor({4})).size(), 4u);
    EXPECT_EQ(Tensor<int>({0, 3}).size(), 0u);
}

TEST(HostTensor, CopiesMovesAndConverts)
{
    Tensor<float> t({3});
    t.mData            = {1.f, -2.f, 300.f};
    Tensor<float> copy = t;
    copy(0)            = 7.f;
    EXPECT_EQ(t(0), 1.f);
    const Tensor<float> moved = std::move(copy);
    EXPECT_EQ(moved(0), 7.f);

    const Tensor<ck::bhalf_t> b(t);
    EXPECT_EQ(b(0), 0x3f80);
    EXPECT_EQ(b.CopyAsType<double>().mData, (std::vector<double>{1, -2, 300}));
}

TEST(HostTensor, IsARangeAndASpan)
{
    Tensor<float> t({2, 2});
    t.mData   = {1, 2, 3, 4};
    float sum = 0;
    for(const float x : t)
        sum += x;
    EXPECT_EQ(sum, 10.f);
    EXPECT_EQ(t.AsSpan<float>()[3], 4.f);
    EXPECT_EQ(std::as_const(t).AsSpan<unsigned char>().size(), 16u);
}

TEST(HostTensor, VisitsEveryIndexInOrder)
{
    Tensor<int> t({2, 3}, {1, 2});
    std::vector<Sizes> visited;
    t.ForEach([&](Tensor<int>& self, const Sizes& index) {
        self(index) = static_cast<int>(visited.size());
        visited.push_back(index);
    });
    EXPECT_EQ(visited, (std::vector<Sizes>{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}));
    EXPECT_EQ(t(1, 1), 4);
    int count = 0;
    Tensor<int>({0, 3}).ForEach([&](auto&, const Sizes&) { ++count; });
    EXPECT_EQ(count, 0);
}

template <std::size_t... d>
void generate_in_rank(std::index_sequence<d...>)
{
    for(std::size_t threads : {1, 3})
    {
        Tensor<int> t(Sizes{(d % 3 + 1)...});
        t.mData.assign(t.size(), -1);
        // The packed offset, from the indices.
        t.GenerateTensorValue(
            [strides = t.GetStrides()](auto... i) {
                std::size_t k = 0, offset = 0;
                ((offset += i * strides[k++]), ...);
                return static_cast<int>(offset);
            },
            threads);
        for(std::size_t i = 0; i < t.size(); ++i)
            ASSERT_EQ(t.mData[i], static_cast<int>(i)) << "rank " << sizeof...(d);
    }
}

TEST(HostTensor, GeneratesValuesInEveryRank)
{
    generate_in_rank(std::make_index_sequence<1>{});
    generate_in_rank(std::make_index_sequence<2>{});
    generate_in_rank(std::make_index_sequence<3>{});
    generate_in_rank(std::make_index_sequence<4>{});
    generate_in_rank(std::make_index_sequence<5>{});
    generate_in_rank(std::make_index_sequence<6>{});
    generate_in_rank(std::make_index_sequence<12>{});
    Tensor<int> seven({1, 1, 1, 1, 1, 1, 1});
    EXPECT_THROW(seven.GenerateTensorValue([](auto...) { return 0; }), std::runtime_error);
}

TEST(ParallelTensorFunctor, VisitsEveryIndexOnce)
{
    for(std::size_t threads : {0, 1, 2, 5, 100})
    {
        std::array<std::atomic<int>, 12> visits{};
        const auto f = [&](std::size_t i, std::size_t j) { ++visits[i * 4 + j]; };
        make_ParallelTensorFunctor(f, 3, 4u)(threads);
        for(const auto& n : visits)
            EXPECT_EQ(n, 1);
    }
    make_ParallelTensorFunctor([](std::size_t) { FAIL(); }, 0)(2);
    const auto functor = make_ParallelTensorFunctor([](auto...) {}, 3, 4);
    EXPECT_EQ(functor.GetNdIndices(7), (std::array<std::size_t, 2>{1, 3}));
}

TEST(LogRange, SeparatesElements)
{
    std::ostringstream os;
    LogRange(os, std::vector<int>{1, 2, 3}, ", ") << ';';
    LogRange(os, std::vector<int>{}, ", ") << ';';
    LogRangeAsType<float>(os, std::vector<ck::bhalf_t>{0x3f80, 0x4000}, " ");
    EXPECT_EQ(os.str(), "1, 2, 3;;1 2");
}

TEST(HostTensor, UnpacksArguments)
{
    EXPECT_EQ(call_f_unpack_args([](int a, int b) { return a - b; }, std::array<int, 2>{5, 3}), 2);
    EXPECT_EQ((construct_f_unpack_args<std::pair<int, int>>(std::array<int, 2>{5, 3})),
              std::pair(5, 3));
    const int values[] = {2, 3, 4};
    EXPECT_EQ(ck::accumulate_n<int>(values, 2, 1, std::multiplies<>{}), 6);
}

TEST(HostTensorDescriptor, StridesAreThoseOfALayoutTag)
{
    using namespace ck::tensor_layout;
    using convolution::GKYXC, convolution::NGCHW, convolution::NHWGC, convolution::NHWGK;
    const std::vector<std::size_t> lengths{2, 3, 4, 5, 6}; // G N C H W
    const std::vector<std::size_t> nhwgc{4, 240, 1, 48, 8}, ngchw{120, 240, 30, 6, 1};
    const auto why = [](const auto&... arguments) -> std::string {
        try
        {
            static_cast<void>(HostTensorDescriptor(arguments...));
            return "";
        }
        catch(const std::invalid_argument& e)
        {
            return e.what();
        }
    };
    EXPECT_EQ(why(lengths, nhwgc, NHWGC{}), "");
    EXPECT_EQ(why(lengths, nhwgc, NHWGK{}), "");
    EXPECT_EQ(why(lengths, ngchw, NGCHW{}), "");
    EXPECT_EQ(why(lengths, ngchw, BypassLayoutVerification{}), "");
    EXPECT_EQ(why(lengths, ngchw, convolution::G_K{}), ""); // says nothing of five dimensions
    EXPECT_EQ(
        why(lengths, ngchw, NHWGC{}),
        "HostTensorDescriptor: the stride of W is 1 and that of G is 120, but the layout NHWGC "
        "has G closer together");
    EXPECT_EQ(why(std::vector{2, 3}, std::vector{3, 1}, GKYXC{}),
              "HostTensorDescriptor: 2 lengths, but the layout GKYXC has 5");
    // lengths of 1 may have any stride
    EXPECT_EQ(why(std::vector{1, 3, 4, 5, 6}, std::vector{9999, 120, 1, 24, 4}, NHWGC{}), "");
    EXPECT_EQ(why(std::vector{2, 3}, std::vector{3, 1}, gemm::RowMajor{}), "");
    EXPECT_NE(why(std::vector{2, 3}, std::vector{3, 1}, gemm::ColumnMajor{}), "");
    EXPECT_EQ(why(std::vector{2, 3}, std::vector{1, 2}, gemm::ColumnMajor{}), "");
    EXPECT_EQ(HostTensorDescriptor({2, 3}, {3, 1}, gemm::RowMajor{}), HostTensorDescriptor({2, 3}));
}

/// Like programs of matrices, it passes numbers in braces: any integer type, no constants.
template <class Integer>
void expect_matrices_of(Integer rows, Integer columns)
{
    using namespace ck::tensor_layout;
    const Integer one = 1;
    const HostTensorDescriptor by_rows({rows, columns}, {columns, one}, gemm::RowMajor{}),
        by_columns({rows, columns}, {one, rows}, gemm::ColumnMajor{});
    EXPECT_EQ(by_rows, HostTensorDescriptor({rows, columns}));
    EXPECT_EQ(by_columns, HostTensorDescriptor({rows, columns}, {one, rows}));
    EXPECT_THROW(HostTensorDescriptor({rows, columns}, {one, rows}, gemm::RowMajor{}),
                 std::invalid_argument);
    if constexpr(std::is_signed_v<Integer>)
    {
        EXPECT_THROW(HostTensorDescriptor({rows, -columns}, {columns, one}, gemm::RowMajor{}),
                     std::invalid_argument);
    }
}
TEST(HostTensorDescriptor, LayoutsOfNumbersInBraces)
{
    expect_matrices_of<int>(2, 3);
    expect_matrices_of<long>(2, 3);
    expect_matrices_of<std::size_t>(2, 3);
    const std::size_t stride = 3;
    EXPECT_EQ(
        HostTensorDescriptor({2, 3}, {stride, stride / 3}, ck::tensor_layout::gemm::RowMajor{}),
        HostTensorDescriptor({2, 3}));
}

} // namespace
