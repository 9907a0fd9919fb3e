#include "ck/library/tensor_operation_instance/gpu/convolution_backward_data.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ck::tensor_operation::device::instance::convolution_backward_data {

template <index_t rank, class In, class Wei, class Out, class T>
using Op = DeviceConvBwdData<rank, In, Wei, Out, T, T, T, PassThrough, PassThrough, PassThrough>;

template <class DeviceOp>
using Factory = DeviceOperationInstanceFactory<DeviceOp>;

template <class DeviceOp>
struct EveryKey : testing::Test
{};
template <class T>
using Key1 = Op<1, NWC, KXC, NWK, T>;
template <class T>
using Key2 = Op<2, NHWC, KYXC, NHWK, T>;
template <class T>
using Key3 = Op<3, NDHWC, KZYXC, NDHWK, T>;
using Keys = testing::Types<Key1<F16>,
                            Key1<BF16>,
                            Key1<F32>,
                            Key2<F16>,
                            Key2<BF16>,
                            Key2<F32>,
                            Key3<F16>,
                            Key3<BF16>,
                            Key3<F32>>;
TYPED_TEST_SUITE(EveryKey, Keys);

/// An argument of N 1, the given channels, input 5 in each dimension, filter 3, pads 1.
template <class DeviceOp>
struct Signature;
template <index_t rank, class In, class Wei, class Out, class T>
struct Signature<Op<rank, In, Wei, Out, T>>
{
    static auto argument(Op<rank, In, Wei, Out, T>& op, index_t k, index_t c)
    {
        const std::vector<index_t> five(rank, 5), three(rank, 3), one(rank, 1);
        return op.MakeArgumentPointer(nullptr,
                                      nullptr,
                                      nullptr,
                                      1,
                                      k,
                                      c,
                                      five,
                                      three,
                                      five,
                                      one,
                                      one,
                                      one,
                                      one,
                                      PassThrough{},
                                      PassThrough{},
                                      PassThrough{});
    }
};

TYPED_TEST(EveryKey, HasUniqueInstancesOfItsTypeInAStableOrder)
{
    const auto ops   = Factory<TypeParam>::GetInstances();
    const auto again = Factory<TypeParam>::GetInstances();
    ASSERT_GE(ops.size(), 2u); // wide loads, and any channels
    ASSERT_EQ(ops.size(), again.size());
    std::set<std::string> names;
    for(std::size_t i = 0; i < ops.size(); ++i)
    {
        auto& op = ops[i]; // like clients that call non-const functions
        ASSERT_NE(op, nullptr);
        EXPECT_NE(dynamic_cast<TypeParam*>(static_cast<BaseOperator*>(op.get())), nullptr);
        EXPECT_TRUE(names.insert(op->GetTypeString()).second) << "twice: " << op->GetTypeString();
        EXPECT_EQ(op->GetTypeString(), again[i]->GetTypeString());
        EXPECT_NE(op->MakeInvokerPointer(), nullptr);
    }
}

TYPED_TEST(EveryKey, SupportsEvenAndOddChannels)
{
    for(const auto& [k, c] : {std::array{64, 64}, std::array{7, 3}, std::array{1, 1}})
    {
        int supporting = 0, refusing = 0;
        for(const auto& op : Factory<TypeParam>::GetInstances())
        {
            const auto argument = Signature<TypeParam>::argument(*op, k, c);
            const bool supports = op->IsSupportedArgument(argument.get());
            ++(supports ? supporting : refusing);
            EXPECT_EQ(op->WhyNotSupported(argument.get()).empty(), supports);
        }
        EXPECT_GE(supporting, 1) << "K " << k << ", C " << c;
        if(k == 7)
        {
            EXPECT_GE(refusing, 1) << "wide loads of odd channels";
        }
    }
}

TEST(ConvolutionBackwardDataFactory, HasDoubles)
{
    EXPECT_FALSE((Factory<Key2<F64>>::GetInstances().empty()));
}

TEST(ConvolutionBackwardDataFactory, KeysWithoutInstancesAreEmpty)
{
    EXPECT_TRUE((Factory<Op<2, GNHWC, GKYXC, GNHWK, F16>>::GetInstances().empty()));
    EXPECT_TRUE((Factory<Op<1, NHWC, KYXC, NHWK, F16>>::GetInstances().empty()));
    using Mixed = DeviceConvBwdData<2,
                                    NHWC,
                                    KYXC,
                                    NHWK,
                                    F32,
                                    F16,
                                    F16,
                                    PassThrough,
                                    PassThrough,
                                    PassThrough>;
    EXPECT_TRUE(Factory<Mixed>::GetInstances().empty());
}

TEST(ConvolutionBackwardDataFactory, ReturnsOperationsOfTheExactAbstractType)
{
    static_assert(std::is_same_v<decltype(Factory<Key2<F16>>::GetInstances()),
                                 std::vector<std::unique_ptr<Key2<F16>>>>);
}

} // namespace ck::tensor_operation::device::instance::convolution_backward_data
