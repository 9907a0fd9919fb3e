// Floats multiplied as 3xTF32 of tf32: exact integers, errors of others, Inf and NaN.
#include "ck/host_utility/device_prop.hpp"

#include "library/tensor_operation_instance/complete.hpp"
#include "library/tensor_operation_instance/reference.hpp"
#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <tuple>

namespace ck::test::tf32x3 {

using enum Direction;
Family family_of(Direction direction, bool as_tf32 = false)
{
    Family f = direction == forward ? ConvFamily<forward, float, float, float>::key()
               : direction == backward_data
                   ? ConvFamily<backward_data, float, float, float>::key()
                   : ConvFamily<backward_weight, float, float, float>::key();
    if(as_tf32)
        f.compute_a = f.compute_b = type_name<tf32_t>;
    return f;
}

bool is_of_products(const ConvKernel& kernel) { return kernel.name.starts_with("Tf32x3<"); }

/// A problem of one group of 64 channels, or of several of 32, and its tensors.
struct Tensors
{
    ConvProblem problem;
    Values x, w, y;

    Tensors(Direction direction, index_t rank, bool groups) : problem(problem_of(Kind::dense, rank))
    {
        if(direction == backward_weight)
            problem.batch = 32; // enough products
        if(groups)
            problem.groups = 2, problem.in_channels = 32, problem.out_channels = 64;
        set_layout(problem, layouts[1]);
        x = Values::integers(problem.input_lengths(), 1);
        w = Values::integers(problem.filter_lengths(), 2);
        y = Values::integers(problem.output_lengths(), 3);
    }
    Values& operand(Direction direction, bool first)
    {
        return first ? direction == forward ? x : y : direction == backward_weight ? x : w;
    }
};

/// The direction's result in f64.
Values result(Direction direction, const Tensors& t)
{
    ConvProblem p = t.problem;
    set_layout(p, {"", as_listed, as_listed});
    const Element& f64 = named_element<double>().second;
    const OnDevice x(t.x, p.input_strides, f64), w(t.w, p.filter_strides, f64),
        y(t.y, p.output_strides, f64);
    const auto pointer = [](const OnDevice& of) { return static_cast<double*>(of.pointer()); };
    if(direction == forward)
        ref::naive_conv_fwd(p, pointer(x), pointer(w), pointer(y));
    else if(direction == backward_data)
        ref::naive_conv_bwd_data(p, pointer(x), pointer(w), pointer(y));
    else
        ref::naive_conv_bwd_weight(p, pointer(x), pointer(w), pointer(y));
    const bool is_y = direction == forward, is_x = direction == backward_data;
    Values r = is_y ? t.y : is_x ? t.x : t.w;
    (is_y ? y : is_x ? x : w).memory.FromDevice(r.values.data());
    return r;
}

/// f(kernel, setup) of each kernel that computes it. If none does, why.
template <class F>
std::optional<std::string>
for_each_kernel(Direction direction, const Tensors& t, const Values& expected, const F& f)
{
    KernelSetup setup{family_of(direction), t.problem, {t.x, t.w, t.y, expected}, 2};
    std::string refusals;
    bool computed = false;
    for(const ConvKernel* const kernel : kernels_for(family_of(direction), setup.argument))
    {
        if(!is_of_products(*kernel))
            continue;
        if(const Support s = setup.supports(*kernel); !s)
        {
            refusals += kernel->name + ": " + s.reason + '\n';
            continue;
        }
        f(*kernel, setup);
        computed = true;
    }
    if(computed)
        return std::nullopt;
    return refusals.empty() ? "no kernel is offered" : refusals;
}

/// f(i, got) of each element that the last kernel wrote.
template <class F>
void for_each_element(const KernelSetup& setup, const F& f)
{
    setup.expected.for_each_offset(setup.c_strides, [&](std::size_t i, std::size_t offset) {
        f(i, setup.c_element.load(setup.c->bytes.data() + offset * setup.c_element.size));
    });
}

long_index_t count(const ConvProblem& problem, const Family& family)
{
    ConvArgument argument;
    argument.problem     = problem;
    argument.operation_a = argument.operation_b = argument.operation_c =
        operation("PassThrough").object;
    argument.a = argument.b = {nullptr};
    const auto kernels      = kernels_for(family, argument);
    return std::count_if(kernels.begin(), kernels.end(), [](const ConvKernel* kernel) {
        return is_of_products(*kernel);
    });
}

/// Skips where the library has none; a complete one has for every device but AMD's.
void require_products(Direction direction)
{
    CK_SKIP_IF_LIBRARY_LACKS(family_of(direction));
    CK_SKIP_IF_LIBRARY_LACKS(family_of(direction, true));
    const bool is_amd = arch::is_amd(current_target());
    if(count(Tensors(direction, 2, false).problem, family_of(direction)) > 0)
    {
        EXPECT_FALSE(is_amd);
        return;
    }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_TRUE(is_amd);
#endif
    GTEST_SKIP() << "the library has no kernel of tf32 that adds as threads do";
}

/// Whether all kernels that compute it are exact; why none does, if none does.
std::string expect_exact(Direction direction, index_t rank, bool groups)
{
    const Tensors t(direction, rank, groups);
    return for_each_kernel(direction,
                           t,
                           result(direction, t),
                           [](const ConvKernel& kernel, KernelSetup& setup) {
                               EXPECT_EQ(setup.mistakes(kernel), 0u) << kernel.name;
                           })
        .value_or("");
}

class Tf32x3 : public testing::TestWithParam<Direction>
{
protected:
    void SetUp() override { require_products(direction); }

    const Direction direction = GetParam();
};

/// The parameters are direction and rank.
class Tf32x3OfGroups : public testing::TestWithParam<std::tuple<Direction, index_t>>
{
protected:
    void SetUp() override { require_products(std::get<Direction>(GetParam())); }
};

std::string word(Direction direction)
{
    std::string word = name(direction);
    std::replace(word.begin(), word.end(), ' ', '_');
    return word;
}

TEST_P(Tf32x3, AreExactForIntegers)
{
    for(const index_t rank : {1, 2, 3})
    {
        SCOPED_TRACE(rank);
        EXPECT_EQ(expect_exact(direction, rank, false), "");
    }
}

TEST_P(Tf32x3OfGroups, AreExactForIntegers)
{
    const auto [direction, rank] = GetParam();
    std::istringstream refusals(expect_exact(direction, rank, true));
#if !defined(CK_RUNTIME_HOST)
    if(direction == backward_data) // wgmma transposes its filters first
    {
        EXPECT_NE(refusals.str(), "");
        for(std::string line; std::getline(refusals, line);)
            EXPECT_NE(line.find("tensor maps are of one group"), std::string::npos) << line;
        return;
    }
#endif
    EXPECT_EQ(refusals.str(), "");
}

/// A product of halves has an error of at most 2^-21 of itself. Roundings of a sum of at most 1152
/// products, each of 2^-24 at most, are as large as the root of their number: 34; twice that.
TEST_P(Tf32x3, AreAsGoodAsFloats)
{
    Tensors t(direction, 2, false);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> number(.5f, 1); // nothing cancels
    for(Values* const v : {&t.x, &t.w, &t.y})
        for(double& x : v->values)
            x = number(random);
    const Values expected = result(direction, t);
    const auto refusals =
        for_each_kernel(direction, t, expected, [&](const ConvKernel& kernel, KernelSetup& setup) {
            setup.mistakes(kernel); // rounded otherwise
            double worst = 0;
            for_each_element(setup, [&](std::size_t i, double got) {
                if(expected.values[i] != 0)
                    worst = std::max(worst, std::abs(got / expected.values[i] - 1));
            });
            EXPECT_LT(worst, std::ldexp(1., -21) + 64 * std::ldexp(1., -24)) << kernel.name;
            EXPECT_GT(worst, 0) << kernel.name;
        });
    EXPECT_EQ(refusals.value_or(""), "");
}

TEST_P(Tf32x3, KeepInfAndNan)
{
    for(const bool first : {false, true})
        for(const double value : {std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN(),
                                  double{std::numeric_limits<float>::max()}})
        {
            Tensors t(direction, 2, false);
            Values& operand                           = t.operand(direction, first);
            operand.values[operand.values.size() / 2] = value;
            const Values expected                     = result(direction, t);
            const auto refusals                       = for_each_kernel(
                direction, t, expected, [&](const ConvKernel& kernel, KernelSetup& setup) {
                    setup.mistakes(kernel); // NaN differ from themselves
                    for_each_element(setup, [&](std::size_t i, double got) {
                        const double right = static_cast<float>(expected.values[i]);
                        EXPECT_TRUE(got == right || (std::isnan(got) && std::isnan(right)) ||
                                    (std::isfinite(right) &&
                                     std::abs(got - right) <= 1e-6 * std::abs(right)))
                            << kernel.name << ", element " << i << ": " << got << ", not " << right;
                    });
                });
            EXPECT_EQ(refusals.value_or(""), "");
        }
}

TEST_P(Tf32x3, CopyChannelsSideBySide)
{
    int asked = 0;
    for(const index_t rank : {1, 2, 3})
    {
        const Tensors t(direction, rank, false);
        KernelSetup setup{
            family_of(direction), t.problem, {t.x, t.w, t.y, result(direction, t)}, 2};
        for(const ConvKernel* const kernel : kernels_for(family_of(direction), setup.argument))
            if(is_of_products(*kernel))
            {
                const std::string why = setup.supports(*kernel).reason;
                EXPECT_EQ(why.find("in the vectors of "), std::string::npos)
                    << kernel->name << ": " << why;
                ++asked;
            }
    }
    EXPECT_GT(asked, 0);
}

TEST_P(Tf32x3, AreForLongSumsOfFloats)
{
    const ConvProblem p = Tensors(direction, 2, false).problem;
    EXPECT_GT(count(p, family_of(direction)), 0);
    EXPECT_EQ(count(p, family_of(direction, true)), 0) << "who asks for tf32 wants one product";
    ConvProblem few = p;
    few.in_channels = few.out_channels = 8;
    few.batch                          = 1;
    few.filter                         = {1, 1, 1};
    set_layout(few, layouts[1]);
    EXPECT_EQ(count(few, family_of(direction)), 0) << "sums of few products";
}

TEST_P(Tf32x3, LeaveRoomForTensorsThatFillMemory)
{
    ConvArgument argument;
    argument.problem       = Tensors(direction, 2, false).problem;
    argument.problem.batch = 1 << 20;
    set_layout(argument.problem, layouts[1]);
    argument.operation_a = argument.operation_b = argument.operation_c =
        operation("PassThrough").object;
    argument.a = argument.b = {nullptr};
    int asked               = 0;
    for(const ConvKernel* const kernel : kernels_for(family_of(direction), argument))
        if(is_of_products(*kernel))
        {
            EXPECT_NE(kernel->supports(argument).reason.find("4 GiB at most"), std::string::npos);
            ++asked;
        }
    EXPECT_GT(asked, 0);
}

INSTANTIATE_TEST_SUITE_P(Directions,
                         Tf32x3,
                         testing::Values(forward, backward_data, backward_weight),
                         [](const auto& info) { return word(info.param); });
INSTANTIATE_TEST_SUITE_P(Directions,
                         Tf32x3OfGroups,
                         testing::Combine(testing::Values(forward, backward_data, backward_weight),
                                          testing::Values(1, 2, 3)),
                         [](const auto& info) {
                             return word(std::get<Direction>(info.param)) + '_' +
                                    std::to_string(std::get<index_t>(info.param)) + 'D';
                         });

} // namespace ck::test::tf32x3
