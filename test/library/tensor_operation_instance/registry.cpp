#include "ck/library/tensor_operation_instance/registry.hpp"

#include <gtest/gtest.h>

#include "library/tensor_operation_instance/complete.hpp"
#include <algorithm>
#include <atomic>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ck::tensor_operation::device::instance::registry {

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
            EXPECT_EQ(engines.count(kernel.name.substr(0, kernel.name.find('<'))), 1u)
                << kernel.name;
            EXPECT_EQ(kernel.name.find_first_of("+;=\n"), std::string::npos) << kernel.name;
        }
    }
}

TEST(Registry, AnswersTheSameEveryTime)
{
    const std::vector<Family> all = families();
    std::vector<std::span<const ConvKernel>> first;
    for(const Family& family : all)
        first.push_back(kernels_of(family));
    ASSERT_EQ(families(), all);
    std::set<const ConvKernel*> lists;
    for(std::size_t i = 0; i < all.size(); ++i)
    {
        const std::span<const ConvKernel> again = kernels_of(families()[i]);
        EXPECT_EQ(again.data(), first[i].data());
        EXPECT_EQ(again.size(), first[i].size());
        EXPECT_TRUE(lists.insert(again.data()).second) << "another family has the same list";
    }
    Family unknown = all.front();
    unknown.a += " of another kind";
    EXPECT_TRUE(kernels_of(unknown).empty());
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

/// An argument of one group whose operations are PassThrough.
ConvArgument argument_of(const ConvProblem& p)
{
    static const PassThrough pass;
    ConvArgument argument{};
    argument.problem     = p;
    argument.a           = {nullptr};
    argument.b           = {nullptr};
    argument.operation_a = argument.operation_b = argument.operation_c = &pass;
    return argument;
}

ConvProblem small_problem()
{
    return make_packed_problem<2>(1, 2, 64, 64, {3, 3}, {8, 8}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
}

void expect_none(const Family& family,
                 const ConvArgument& argument,
                 const std::vector<std::string>& words)
{
    EXPECT_EQ(select_kernel(family, argument), nullptr);
    for(const ConvKernel& kernel : kernels_of(family))
    {
        EXPECT_FALSE(kernel.supports(argument));
        EXPECT_EQ(kernel.workspace_size(argument), 0u);
        EXPECT_EQ(kernel.predict(argument), 0);
        EXPECT_THROW(kernel.run(argument, {}), std::runtime_error);
    }
    const std::string why = why_none(family, argument);
    for(const std::string& word : words)
        EXPECT_NE(why.find(word), std::string::npos) << '"' << word << "\" in: " << why;
}

TEST(Registry, KernelsSayInOneWhatTheySayInTwo)
{
    const Family families[] = {
        Forward<half_t>::key(),
        ConvFamily<Direction::backward_data, bhalf_t, bhalf_t, bhalf_t>::key(),
        ConvFamily<Direction::backward_weight, float, float, float>::key()};
    for(const Family& family : families)
    {
        int supported = 0;
        for(const bool with_workspace : {false, true})
            for(const long_index_t c : {64, 3})
            {
                ConvArgument argument = argument_of(make_packed_problem<2>(
                    1, 2, 64, c, {3, 3}, {8, 8}, {1, 1}, {1, 1}, {1, 1}, {1, 1}));
                argument.workspace =
                    with_workspace ? reinterpret_cast<void*>(std::uintptr_t{16}) : nullptr;
                const AskedArgument asked(argument); // like select_kernel(), asks all
                for(const ConvKernel* const kernel : kernels_for(family, argument))
                {
                    const std::optional<double> both = kernel->predict_if_supported(asked);
                    ASSERT_EQ(both, kernel->predict_if_supported(argument)) << kernel->name;
                    ASSERT_EQ(both.has_value(), !!kernel->supports(argument)) << kernel->name;
                    if(both)
                    {
                        EXPECT_EQ(*both, kernel->predict(argument)) << kernel->name;
                        ++supported;
                    }
                }
            }
        if(!kernels_of(family).empty())
        {
            EXPECT_GT(supported, 0);
        }
    }
}

TEST(Registry, ArgumentsThatMakeNoSenseAreRefusedBySentences)
{
    const Family families[] = {
        Forward<half_t>::key(),
        ConvFamily<Direction::backward_data, half_t, half_t, half_t>::key(),
        ConvFamily<Direction::backward_weight, half_t, half_t, half_t>::key()};
    int asked = 0;
    for(const Family& family : families)
    {
        const auto spoiled = [](auto change) {
            ConvArgument a = argument_of(small_problem());
            change(a);
            return a;
        };
        if(test::library_lacks(family))
            continue;
        ++asked;
        expect_none(
            family, spoiled([](auto& a) { a.problem.stride[2] = 0; }), {"stride in W", "is 0"});
        expect_none(family, spoiled([](auto& a) { a.problem.batch = -3; }), {"batch N is -3"});
        expect_none(family, spoiled([](auto& a) { a.problem.rank = 4; }), {"4 spatial dimensions"});
        expect_none(family,
                    spoiled([](auto& a) { a.problem.input_strides[1] = -1; }),
                    {"stride of N of the input tensor is -1"});
        expect_none(family,
                    spoiled([](auto& a) { a.operation_b = nullptr; }),
                    {"the operation of B is null"});
    }
    EXPECT_GE(asked, 1);
}

TEST(Registry, SplitKIsOneOrMoreOrAutomatic)
{
    const Family weight = ConvFamily<Direction::backward_weight, half_t, half_t, half_t>::key();
    CK_SKIP_IF_LIBRARY_LACKS(weight);
    ConvArgument a = argument_of(small_problem());
    for(const index_t split_k : {-2, -3})
    {
        a.split_k = split_k;
        expect_none(weight, a, {"split_k is " + std::to_string(split_k)});
        EXPECT_NE(select_kernel(Forward<half_t>::key(), a), nullptr) << "does not look at it";
    }
    for(const index_t split_k : {-1, 0, 1, 3, 1000})
    {
        a.split_k = split_k;
        EXPECT_NE(select_kernel(weight, a), nullptr) << split_k;
    }
}

TEST(Registry, AnswersSeveralThreads)
{
    const Family family            = Forward<half_t>::key();
    const ConvArgument argument    = argument_of(small_problem());
    const ConvKernel* const chosen = select_kernel(family, argument);
    std::atomic<int> same          = 0;
    std::vector<std::thread> threads;
    for(int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            same += select_kernel(family, argument) == chosen && why_none(family, argument).empty();
        });
    for(std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(same, 4);
}

TEST(Registry, SaysWhyNoKernelIsSelected)
{
    Family unknown = Forward<half_t>::key();
    unknown.b      = "f64";
    expect_none(unknown,
                argument_of(small_problem()),
                {"no kernels of the family forward, A f16, B f64, C f16"});
    unknown.d = "f32 i32";
    expect_none(unknown,
                argument_of(small_problem()),
                {"no kernels of the family forward, A f16, B f64, C f16, D f32 i32, "});
    EXPECT_EQ(why_none(Forward<half_t>::key(), argument_of(small_problem())), "");
}

/// Counts the words in which two families of a direction differ.
int words_apart(const Family& f, const Family& g)
{
    return (f.a != g.a) + (f.b != g.b) + (f.c != g.c) + (f.d != g.d) +
           (f.compute_a != g.compute_a) + (f.compute_b != g.compute_b) +
           (f.operation_a != g.operation_a) + (f.operation_b != g.operation_b) +
           (f.operation_c != g.operation_c);
}

TEST(Registry, NamesTheFamiliesThatDifferTheLeast)
{
    std::vector<Family> unknown(3, Forward<half_t>::key());
    unknown[0].b           = "f64";
    unknown[1].operation_c = "Nothing";
    unknown[2].a = unknown[2].b = unknown[2].c = unknown[2].compute_a = unknown[2].compute_b =
        "i32";
    for(const Family& family : unknown)
    {
        int least = 100, nearest = 0;
        for(const Family& other : families())
            if(other.direction == family.direction)
            {
                const int apart = words_apart(family, other);
                nearest         = apart < least ? 1 : nearest + (apart == least ? 1 : 0);
                least           = std::min(least, apart);
            }
        const std::string why = why_no_kernels(family);
        int lines             = 0;
        for(std::size_t at = why.find("\n  "); at != why.npos; at = why.find("\n  ", at + 1))
            ++lines;
        EXPECT_EQ(lines, nearest) << why;
        EXPECT_NE(why.find("; nearest that it has:\n  forward, A "), why.npos) << why;
    }
    EXPECT_EQ(why_no_kernels(Forward<half_t>::key()), "");
}

TEST(Registry, SelectsTheKernelThatPromisesToBeTheFastest)
{
    alignas(16) static char any_address[16];
    for(const Family& family :
        {Forward<half_t>::key(),
         Forward<float>::key(),
         Forward<double>::key(),
         ConvFamily<Direction::backward_weight, half_t, half_t, half_t>::key()})
        for(const index_t channels : {1, 3, 64})
            for(const index_t filter : {1, 3})
            {
                ConvArgument a             = argument_of(make_packed_problem<2>(1,
                                                                    2,
                                                                    channels,
                                                                    channels,
                                                                    {filter, filter},
                                                                    {9, 9},
                                                                    {1, 1},
                                                                    {1, 1},
                                                                    {0, 0},
                                                                    {0, 0}));
                a.workspace                = any_address;
                const ConvKernel* expected = nullptr;
                double least               = 0;
                for(const ConvKernel* const kernel : kernels_for(family, a))
                    if(kernel->supports(a))
                    {
                        const double cycles = kernel->predict(a);
                        if(expected == nullptr || (least == 0 && cycles > 0) ||
                           (cycles > 0 && cycles < least))
                        {
                            expected = kernel;
                            least    = cycles;
                        }
                    }
                ASSERT_NE(expected, nullptr);
                EXPECT_EQ(select_kernel(family, a), expected) << channels << ' ' << filter;
                const ConvKernel* const other =
                    select_kernel(family, a, [&](const ConvKernel& k) { return &k != expected; });
                EXPECT_NE(other, expected);
                ConvArgument wrong = a;
                wrong.valid        = refused("nonsense");
                EXPECT_EQ(why_none(family, wrong), "nonsense");
            }
}

TEST(Registry, NamesTheWorkspaceThatAllKernelsNeed)
{
    // D tensors of backward weight are read when the parts of the sum in a workspace are added up.
    using Fused = ConvFamily<Direction::backward_weight,
                             half_t,
                             half_t,
                             half_t,
                             Tuple<half_t>,
                             PassThrough,
                             PassThrough,
                             element_wise::Bilinear>;
    CK_SKIP_IF_LIBRARY_LACKS(Fused::key());
    static const element_wise::Bilinear bilinear{1, 1};
    ConvArgument a = argument_of(small_problem());
    a.operation_c  = &bilinear;
    a.d            = {{nullptr, a.problem.filter_strides}};
    EXPECT_EQ(select_kernel(Fused::key(), a), nullptr);
    std::size_t bytes     = 0;
    const std::string why = why_none(Fused::key(), a, &bytes);
    EXPECT_GT(bytes, 0u);
    EXPECT_EQ(why.find("without a workspace (of " + std::to_string(bytes) + " bytes, for "), 0u)
        << why;
    alignas(16) static char any_address[2];
    a.workspace                    = any_address;
    const ConvKernel* const chosen = select_kernel(Fused::key(), a);
    ASSERT_NE(chosen, nullptr) << why_none(Fused::key(), a);
    EXPECT_EQ(chosen->workspace_size(a), bytes);
    EXPECT_EQ(why_none(Fused::key(), a, &bytes), "");
    EXPECT_EQ(bytes, 0u);
    a.workspace = any_address + 1;
    EXPECT_NE(why_none(Fused::key(), a).find("16 bytes"), std::string::npos);
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
    EXPECT_TRUE(kernels_of(Forward<std::int32_t>::key()).empty());
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

} // namespace ck::tensor_operation::device::instance::registry
