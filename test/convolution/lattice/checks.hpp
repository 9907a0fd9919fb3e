#pragma once
// One problem of an instance: computed correctly, or refused with an explanation.
#include <gtest/gtest.h>

#include "convolution/lattice/instance.hpp"

namespace ck::test {

inline ConvProblem small_groups(long_index_t groups,
                                long_index_t k,
                                long_index_t c,
                                PackedOrder order = PackedOrder::group_inside)
{
    return make_packed_problem<2>(
        groups, 2, k, c, {3, 2}, {7, 5}, {1, 2}, {1, 1}, {1, 0}, {1, 1}, order);
}

inline void expect_right(const Instance& instance, const ConvProblem& p)
{
    SCOPED_TRACE(instance.name() + "\n" + text(p));
    ASSERT_EQ(instance.refusal(p), "");
    const Tensors tensors(instance.direction(), p, instance.type(), Data::integers);
    instance.run(p, tensors.input(), tensors.filter(), tensors.output());
    EXPECT_EQ(tensors.mistakes(false), "");
    if(element_count(p.output_lengths()) > 0)
        instance.expect_right_epilogue(p);
}

inline void expect_refusal(const Instance& instance, const ConvProblem& p, const std::string& what)
{
    const std::string reason = instance.refusal(p);
    EXPECT_NE(reason.find(what), std::string::npos)
        << "the reason is '" << reason << "', without '" << what << "'";
}

} // namespace ck::test
