#include "ck/library/tensor_operation_instance/registry.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ck::tensor_operation::device::instance {

namespace {

using element_wise::PassThrough;

template <class T>
using Forward = ConvFamily<Direction::forward, T, T, T>;

} // namespace

TEST(Registry, FamiliesAreThereOnceAndHaveKernels)
{
    const std::vector<Family> all = families();
    EXPECT_GE(all.size(), 3u);
    for(const Family& family : all)
    {
        int times = 0;
        for(const Family& other : all)
            times += family == other;
        EXPECT_EQ(times, 1);
        EXPECT_FALSE(kernels_of(family).empty());
    }
}

TEST(Registry, NamesAreUniqueInAFamilyAndBeginWithTheEngine)
{
    const std::set<std::string> engines{"Xdl", "Wmma", "Dl", "Mma", "Wgmma"};
    for(const Family& family : families())
    {
        std::set<std::string> names;
        for(const ConvKernel& kernel : kernels_of(family))
        {
            EXPECT_TRUE(names.insert(kernel.name).second) << "twice: " << kernel.name;
            ASSERT_EQ(kernel.name.front(), '_');
            EXPECT_EQ(engines.count(kernel.name.substr(1, kernel.name.find('<') - 1)), 1u)
                << kernel.name;
            EXPECT_EQ(kernel.name.find_first_of("+;=\n"), std::string::npos) << kernel.name;
        }
    }
}

TEST(Registry, AnswersTheSameEveryTime)
{
    for(const Family& family : families())
        EXPECT_EQ(kernels_of(family).data(), kernels_of(family).data());
}

TEST(Registry, KernelsRefuseWhatIsNoProblem)
{
    const PassThrough pass;
    ConvArgument nonsense{};
    nonsense.valid       = refused("nonsense");
    nonsense.a           = {nullptr};
    nonsense.b           = {nullptr};
    nonsense.operation_a = nonsense.operation_b = nonsense.operation_c = &pass;
    const auto kernels = kernels_of(Forward<half_t>::key());
    for(const ConvKernel& kernel : kernels)
    {
        EXPECT_EQ(kernel.supports(nonsense).reason, "nonsense");
        EXPECT_EQ(kernel.workspace_size(nonsense), 0u);
    }
}

TEST(Registry, SelectsAKernelThatSupportsTheArgument)
{
    const PassThrough pass;
    ConvArgument argument{};
    argument.problem =
        make_packed_problem<2>(1, 1, 64, 64, {3, 3}, {8, 8}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    argument.a           = {nullptr};
    argument.b           = {nullptr};
    argument.operation_a = argument.operation_b = argument.operation_c = &pass;
    const ConvKernel* const chosen = select_kernel(Forward<half_t>::key(), argument);
    ASSERT_NE(chosen, nullptr);
    EXPECT_TRUE(chosen->supports(argument));
    argument.valid = refused("nonsense");
    EXPECT_EQ(select_kernel(Forward<half_t>::key(), argument), nullptr);
}

TEST(Registry, OtherFamiliesAreEmpty)
{
    const Family there = Forward<half_t>::key();
    ASSERT_FALSE(kernels_of(there).empty());
    const auto is_empty = [&](auto change) {
        Family other = there;
        change(other);
        return kernels_of(other).empty();
    };
    EXPECT_TRUE(kernels_of(Forward<double>::key()).empty());
    EXPECT_TRUE(kernels_of(Forward<char>::key()).empty()) << "a type without a name";
    EXPECT_TRUE(is_empty([](Family& f) { f.b = "f32"; }));
    EXPECT_TRUE(is_empty([](Family& f) { f.d = "f16"; }));
    EXPECT_TRUE(is_empty([](Family& f) { f.compute_b = "f32"; }));
    EXPECT_TRUE(is_empty([](Family& f) { f.operation_a = "Scale"; }));
}

TEST(Family, NamesTypesAndOperations)
{
    using element_wise::Bilinear;
    using element_wise::ScaleAdd;
    const Family f = ConvFamily<Direction::forward,
                                Tuple<half_t, half_t>,
                                float,
                                bhalf_t,
                                Tuple<float, bhalf_t>,
                                ScaleAdd,
                                PassThrough,
                                Bilinear>::key();
    const Family expected{Direction::forward,
                          "f16 f16",
                          "f32",
                          "bf16",
                          "f32 bf16",
                          "f16",
                          "f32",
                          "ScaleAdd",
                          "PassThrough",
                          "Bilinear"};
    EXPECT_EQ(f, expected);
}

} // namespace ck::tensor_operation::device::instance
