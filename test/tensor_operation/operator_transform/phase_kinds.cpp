// Kinds of phases against all phases, one by one.
#include "ck/tensor_operation/operator_transform/phase_kinds.hpp"

#include <gtest/gtest.h>

#include "tensor_operation/operator_transform/products.hpp"
#include <map>

namespace ck {
namespace {

template <class Transform>
void expect_counted(const ConvProblem& p)
{
    const Transform b          = Transform::make(p, 1);
    const PhaseKinds all_kinds = phase_kinds(b);
    std::map<index_t, long_index_t> counted, all;
    for(const PhaseKind& kind : all_kinds)
        counted[b.residues(kind.number).tap_count()] += kind.count;
    for(index_t number = 0; number < b.phase_count(); ++number)
        ++all[b.residues(number).tap_count()];
    EXPECT_EQ(counted, all);
}

TEST(PhaseKinds, count_the_phases_of_each_number_of_taps)
{
    Random random{std::mt19937(3)};
    for(int i = 0; i < 2000; ++i)
    {
        ConvProblem p = random_problem(static_cast<index_t>(random(1, 3)), random);
        if(i % 4 == 0)
            p.stride[2] = random(5, 60);
        expect_counted<BackwardData>(p);
        expect_counted<BackwardDataByPixel>(p);
        ASSERT_FALSE(testing::Test::HasFailure());
    }
}

} // namespace
} // namespace ck
