// Tensors of eight bits computed as f16: int8 to the bit, e4m3 floats within the bound of the
// source file, values that are too large, and NaN.
#include "library/tensor_operation_instance/complete.hpp"
#include "library/tensor_operation_instance/reference.hpp"
#include <array>
#include <climits>
#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace ck::test::upcast {

using enum Direction;

struct Case
{
    const char* name;
    Family family;
    double largest;
    int least_exponent; ///< exponent of normal numbers; not used for int8
};
const Case i8_forward{
    "i8_forward", ConvFamily<forward, std::int8_t, std::int8_t, std::int8_t>::key(), 127, 0},
    i8_backward_data{"i8_backward_data",
                     ConvFamily<backward_data, std::int8_t, std::int8_t, std::int8_t>::key(),
                     127,
                     0},
    f8_forward{"f8_forward", ConvFamily<forward, f8_t, f8_t, f8_t>::key(), 240, -7},
    f8_ocp_forward{
        "f8_ocp_forward", ConvFamily<forward, f8_ocp_t, f8_ocp_t, f8_ocp_t>::key(), 448, -6};

std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

Family in_halves(Family f)
{
    f.a = f.b = f.c = f.compute_a = f.compute_b = type_name<half_t>;
    return f;
}
bool is_upcast(const ConvKernel& kernel) { return kernel.name.starts_with("Upcast<"); }
bool is_int8(const Case& c) { return c.family.a == type_name<std::int8_t>; }

/// A problem, its operands, and the direction's result in f64.
struct Tensors
{
    ConvProblem problem;
    Values x, w, y;

    Tensors(Kind kind, index_t rank, const Layout& layout) : problem(problem_of(kind, rank))
    {
        set_layout(problem, layout);
        x = Values::integers(problem.input_lengths(), 1);
        w = Values::integers(problem.filter_lengths(), 2);
        y = Values::integers(problem.output_lengths(), 3);
    }
    /// f() for each element of both operands.
    template <class F>
    void fill(Direction direction, const F& f)
    {
        for(Values* const v : {direction == forward ? &x : &y, &w})
            for(double& value : v->values)
                value = f();
    }
    Values result(Direction direction) const
    {
        ConvProblem p = problem;
        set_layout(p, {"", as_listed, as_listed});
        const Element& f64 = named_element<double>().second;
        const OnDevice a(x, p.input_strides, f64), b(w, p.filter_strides, f64),
            c(y, p.output_strides, f64);
        const auto pointer = [](const OnDevice& of) { return static_cast<double*>(of.pointer()); };
        Values r           = direction == forward ? y : x;
        if(direction == forward)
            ref::naive_conv_fwd(p, pointer(a), pointer(b), pointer(c));
        else
            ref::naive_conv_bwd_data(p, pointer(a), pointer(b), pointer(c));
        (direction == forward ? c : a).memory.FromDevice(r.values.data());
        return r;
    }
};

bool is_layout_converted(const ConvKernel& kernel)
{
    return kernel.name.starts_with("Upcast<ChannelsLast<");
}

/// f(kernel, setup) of each kernel that computes it, of those on copies and of others at most
/// `enough`; how many did.
template <class F>
int for_each_kernel(const Case& c, const Tensors& t, const F& f, int enough = INT_MAX)
{
    KernelSetup setup{c.family, t.problem, {t.x, t.w, t.y, t.result(c.family.direction)}, 1, true};
    std::array<int, 2> count{};
    for(const ConvKernel* const kernel : kernels_for(c.family, setup.argument))
    {
        int& of_kind = count[is_layout_converted(*kernel)];
        if(is_upcast(*kernel) && of_kind < enough && setup.supports(*kernel))
        {
            f(*kernel, setup);
            ++of_kind;
        }
    }
    return count[0] + count[1];
}

/// f(number, got) of each element of the result of the kernel.
template <class F>
void for_each_element(const ConvKernel& kernel, KernelSetup& setup, const F& f)
{
    setup.mistakes(kernel);
    setup.expected.for_each_offset(setup.c_strides, [&](std::size_t i, std::size_t offset) {
        f(i, setup.c_element.load(setup.c->bytes.data() + offset * setup.c_element.size));
    });
}

ConvArgument argument_of(const ConvProblem& problem)
{
    ConvArgument argument;
    argument.problem     = problem;
    argument.saturates   = true;
    argument.operation_a = argument.operation_b = argument.operation_c =
        operation("PassThrough").object;
    argument.a = argument.b = {nullptr};
    return argument;
}
/// The kernels for a problem, without a workspace.
std::vector<const ConvKernel*> kernels(const Case& c, const ConvProblem& problem)
{
    std::vector<const ConvKernel*> r;
    for(const ConvKernel* const kernel : kernels_for(c.family, argument_of(problem)))
        if(is_upcast(*kernel))
            r.push_back(kernel);
    return r;
}

class Upcast : public testing::TestWithParam<Case>
{
protected:
    void SetUp() override
    {
        CK_SKIP_IF_LIBRARY_LACKS(GetParam().family);
        CK_SKIP_IF_LIBRARY_LACKS(in_halves(GetParam().family));
    }
    const Case& of            = GetParam();
    const Direction direction = of.family.direction;
};

class UpcastOfFloats : public Upcast
{};

TEST_P(Upcast, AreExactForIntegers)
{
    struct Problem
    {
        Kind kind;
        index_t rank;
        std::vector<std::size_t> in_layouts;
    };
    const Problem problems[]{{Kind::grouped, 2, {0, 1, 2, 3}},
                             {Kind::grouped, 1, {0}},
                             {Kind::grouped, 3, {2}},
                             {Kind::dense, 2, {1}},
                             {Kind::small_groups, 2, {1, 3}},
                             {Kind::groups_of_4, 2, {1, 2}}};
    for(const Problem& p : problems)
        for(const std::size_t layout : p.in_layouts)
        {
            // Conversions are the same before all kernels: the first layout has them all.
            const int enough = layout == p.in_layouts[0] ? INT_MAX : 2;
            SCOPED_TRACE(std::to_string(static_cast<int>(p.kind)) + ' ' + layouts[layout].name +
                         ' ' + std::to_string(p.rank));
            int on_copies      = 0;
            const int computed = for_each_kernel(
                of,
                Tensors(p.kind, p.rank, layouts[layout]),
                [&](const ConvKernel& kernel, KernelSetup& setup) {
                    EXPECT_EQ(setup.mistakes(kernel), 0u) << kernel.name;
                    on_copies += is_layout_converted(kernel);
                },
                enough);
            EXPECT_GT(computed, on_copies);
            EXPECT_EQ(on_copies > 0, layout >= 2) << "channels first";
        }
}

/// The longest sums that are taken, of the largest products, which are too large for f16, of one
/// sign or both.
TEST_P(Upcast, SaturateAsInOneRounding)
{
    for(const bool both_signs : {false, true})
    {
        Tensors t(Kind::dense_one_tap, 1, layouts[1]);
        (direction == forward ? t.problem.in_channels : t.problem.out_channels) = 2048;
        (direction == forward ? t.problem.out_channels : t.problem.in_channels) = 8;
        set_layout(t.problem, layouts[1]);
        t.x = Values::integers(t.problem.input_lengths(), 1);
        t.w = Values::integers(t.problem.filter_lengths(), 2);
        t.y = Values::integers(t.problem.output_lengths(), 3);
        std::mt19937 random(1);
        const double least = is_int8(of) ? -128 : -of.largest;
        t.fill(direction, [&] { return both_signs && random() % 2 == 0 ? of.largest : least; });
        const int computed =
            for_each_kernel(of, t, [&](const ConvKernel& kernel, KernelSetup& setup) {
                EXPECT_EQ(setup.mistakes(kernel), 0u) << kernel.name;
            });
        EXPECT_GT(computed, 0);
    }
}

TEST_P(UpcastOfFloats, AreRoundedTwice)
{
    Tensors t(Kind::dense, 2, layouts[1]);
    std::mt19937 random(1);
    std::normal_distribution<double> number(0, 1);
    const Element& e = element(of.family.a);
    t.fill(direction, [&] {
        std::uint8_t rounded;
        e.store(&rounded, number(random));
        return e.load(&rounded);
    });
    const Values exact = t.result(direction);
    const int computed = for_each_kernel(of, t, [&](const ConvKernel& kernel, KernelSetup& setup) {
        double worst = 0;
        for_each_element(kernel, setup, [&](std::size_t i, double got) {
            const double right = exact.values[i];
            const int exponent =
                std::max(right == 0 ? of.least_exponent : std::ilogb(right), of.least_exponent);
            worst = std::max(worst, std::abs(got - right) / std::ldexp(1., exponent - 3));
        });
        EXPECT_LT(worst, 0.505) << kernel.name; // 0.504, and roundings of f32
        EXPECT_GT(worst, 0.3) << kernel.name;
    });
    EXPECT_GT(computed, 0);
}

TEST_P(UpcastOfFloats, KeepNan)
{
    Tensors t(Kind::groups_of_4, 2, layouts[1]);
    t.x.values[t.x.values.size() / 2] = std::numeric_limits<double>::quiet_NaN();
    const Values right                = t.result(direction);
    const int computed = for_each_kernel(of, t, [&](const ConvKernel& kernel, KernelSetup& setup) {
        int nans = 0;
        for_each_element(kernel, setup, [&](std::size_t i, double got) {
            nans += std::isnan(got);
            EXPECT_EQ(std::isnan(got), std::isnan(right.values[i])) << kernel.name << ' ' << i;
        });
        EXPECT_GT(nans, 0);
    });
    EXPECT_GT(computed, 0);
}

TEST_P(Upcast, AreForShortSumsOfInt8)
{
    ConvProblem p = problem_of(Kind::dense_one_tap, 2);
    p.in_channels = p.out_channels = 2048;
    set_layout(p, layouts[1]);
    EXPECT_GT(kernels(of, p).size(), 0u);
    const auto asked = kernels(of, p);
    p.in_channels = p.out_channels = 2049;
    set_layout(p, layouts[1]);
    if(!is_int8(of))
    {
        EXPECT_GT(kernels(of, p).size(), 0u);
        return;
    }
    EXPECT_EQ(kernels(of, p).size(), 0u);
    for(const ConvKernel* const kernel : asked)
        EXPECT_NE(kernel->supports(argument_of(p)).reason.find("sums have 2049 products"),
                  std::string::npos);
}

TEST_P(Upcast, NeedAWorkspace)
{
    const ConvProblem p = Tensors(Kind::groups_of_4, 2, layouts[1]).problem;
    const auto copies   = static_cast<std::size_t>(2 * (element_count(p.input_lengths()) +
                                                      element_count(p.filter_lengths()) +
                                                      element_count(p.output_lengths())));
    int computed        = 0;
    for(const ConvKernel* const kernel : kernels(of, p))
    {
        ConvArgument argument = argument_of(p);
        EXPECT_FALSE(kernel->supports(argument));
        EXPECT_FALSE(kernel->predict_if_supported(argument));
        argument.workspace = reinterpret_cast<void*>(std::uintptr_t{16});
        if(!kernel->supports(argument))
            continue;
        EXPECT_GE(kernel->workspace_size(argument), copies);
        EXPECT_EQ(kernel->predict_if_supported(argument), kernel->predict(argument));
        ++computed;
    }
    EXPECT_GT(computed, 0);
}

TEST_P(Upcast, LeaveRoomForTensorsThatFillMemory)
{
    ConvProblem p = Tensors(Kind::groups_of_4, 2, layouts[1]).problem;
    p.batch       = 1 << 20;
    set_layout(p, layouts[1]);
    ASSERT_GT(kernels(of, p).size(), 0u);
    for(const ConvKernel* const kernel : kernels(of, p))
        EXPECT_NE(kernel->supports(argument_of(p)).reason.find("4 GiB at most"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Families,
                         Upcast,
                         testing::Values(i8_forward, i8_backward_data, f8_forward, f8_ocp_forward),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Families,
                         UpcastOfFloats,
                         testing::Values(f8_forward, f8_ocp_forward),
                         name_of);

} // namespace ck::test::upcast
