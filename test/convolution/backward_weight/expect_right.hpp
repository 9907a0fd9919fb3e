#pragma once
// Backward weight of random grouped problems in several splits, compared exactly.
#include "convolution/backward_weight/weight.hpp"

namespace ck::test {

/// Random problems of both channel-last orders, each with several splits: more than there are
/// slices among them.
template <class C>
void expect_weight_right(unsigned seed, index_t vector)
{
    typename C::Op op;
    int ran = 0, in_one_stage = 0;
    for(const Order order : {channels_last, groups_first})
        for(const ConvParam& p : problems(C::rank, vector, seed++, 3))
        {
            Tensors<C> t(p, order);
            const auto any = t.argument(1);
            CK_SKIP_WITHOUT(C::Op::Kernel::requirement, op.WhyNotSupported(&any));
            const auto expected = t.expected();
            for(const index_t split : {1, 2, 7, 1000, -1})
            {
                SCOPED_TRACE(testing::Message() << p << ", split_k " << split);
                t.w.fill_with_nan();
                const auto argument = t.argument(split);
                EXPECT_LE(argument.plan.split.partial_sums, split == -1 ? 1000 : split);
                EXPECT_EQ(argument.plan.one_stage(), op.GetWorkSpaceSize(&argument) == 0);
                in_one_stage += argument.plan.one_stage();
                EXPECT_EQ(differences(computed(op, argument, t.w), expected), 0u);
                ++ran;
            }
        }
    EXPECT_EQ(ran, 30);
    EXPECT_GT(in_one_stage, 0);
    EXPECT_LT(in_one_stage, 30);
}

} // namespace ck::test
