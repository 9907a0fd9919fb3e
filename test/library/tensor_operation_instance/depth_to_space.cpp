// Backward data of few channels by kernels of forward: exact integers, and what is not finite.
#include "ck/host_utility/device_prop.hpp"

#include "library/tensor_operation_instance/complete.hpp"
#include "library/tensor_operation_instance/reference.hpp"
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace ck::test::depth_to_space {

using enum Direction;

struct Named
{
    const char* name;
    index_t rank;
    long_index_t c, k;
    Spatial filter, input, stride, dilation, pad_low, pad_high;
};
constexpr Spatial one{1, 1, 1}, none{};
constexpr Named problems[]{
    {"ResNet's", 2, 3, 8, {1, 7, 7}, {1, 17, 19}, {1, 2, 2}, one, {0, 3, 3}, {0, 3, 3}},
    {"3x3", 2, 4, 16, {1, 3, 3}, {1, 9, 13}, one, one, {0, 1, 1}, {0, 1, 1}},
    {"3x3x3", 3, 3, 8, {3, 3, 3}, {5, 6, 7}, one, one, one, one},
    {"a line", 1, 1, 24, {1, 1, 5}, {1, 1, 31}, {1, 1, 2}, one, {0, 0, 2}, {0, 0, 1}},
    {"strides of three", 2, 2, 8, {1, 4, 5}, {1, 14, 11}, {1, 3, 2}, one, {0, 1, 0}, {0, 2, 3}},
    {"taps apart", 2, 5, 8, {1, 3, 3}, {1, 12, 10}, {1, 1, 2}, {1, 2, 3}, {0, 2, 3}, {0, 1, 3}},
    {"cropped", 2, 3, 8, {1, 3, 3}, {1, 12, 14}, {1, 1, 2}, one, {0, -2, 1}, {0, 1, -3}},
    {"odd K", 2, 3, 11, {1, 5, 3}, {1, 7, 9}, {1, 2, 1}, one, {0, 2, 1}, {0, 2, 1}}};

ConvProblem problem_of(const Named& n)
{
    ConvProblem p;
    p.rank         = n.rank;
    p.batch        = 2;
    p.in_channels  = n.c;
    p.out_channels = n.k;
    p.filter       = n.filter;
    p.input        = n.input;
    p.stride       = n.stride;
    p.dilation     = n.dilation;
    p.pad_low      = n.pad_low;
    p.pad_high     = n.pad_high;
    return p;
}

/// dX of the values.
Values gradient(ConvProblem p, const Values& w, const Values& y)
{
    set_layout(p, {"", as_listed, as_listed});
    const Element& f64 = named_element<double>().second;
    Values x           = Values::integers(p.input_lengths(), 1);
    const OnDevice x_device(x, p.input_strides, f64), w_device(w, p.filter_strides, f64),
        y_device(y, p.output_strides, f64);
    const auto pointer = [](const OnDevice& t) { return static_cast<double*>(t.pointer()); };
    ref::naive_conv_bwd_data(p, pointer(x_device), pointer(w_device), pointer(y_device));
    x_device.memory.FromDevice(x.values.data());
    return x;
}

template <class T>
Family family_of()
{
    return ConvFamily<backward_data, T, T, T>::key();
}

bool is_by_blocks(const ConvKernel& kernel) { return kernel.name.starts_with("DepthToSpace<"); }

/// Kernels on copies that are run: what is before them is the same for all.
constexpr int enough_layout_converted = 1;

/// How many kernels computed it, and how many of them on copies.
struct Ran
{
    int all = 0, on_copies = 0;
};
Ran run_all(const Family& family, const ConvProblem& p, const Values& w, const Values& y)
{
    const Values x = gradient(p, w, y);
    KernelSetup setup{family, p, {x, w, y, x}, 1};
    Ran ran;
    for(const ConvKernel* const kernel : kernels_for(family, setup.argument))
        if(is_by_blocks(*kernel) && setup.supports(*kernel))
        {
            const bool on_copies = kernel->name.starts_with("DepthToSpace<ChannelsLast<");
            if(on_copies && ran.on_copies == enough_layout_converted)
                continue;
            EXPECT_EQ(setup.mistakes(*kernel), 0u) << kernel->name;
            ++ran.all;
            ran.on_copies += on_copies;
        }
    return ran;
}

/// What run() throws; empty: nothing.
std::string why_not_run(const ConvKernel& kernel, const ConvArgument& argument)
{
    try
    {
        kernel.run(argument, StreamConfig{});
        return "";
    }
    catch(const std::runtime_error& e)
    {
        return e.what();
    }
}

long_index_t count(ConvProblem p, const Family& family)
{
    set_layout(p, layouts[1]);
    ConvArgument argument;
    argument.problem     = p;
    argument.operation_a = argument.operation_b = argument.operation_c =
        operation("PassThrough").object;
    argument.a = argument.b = {nullptr};
    const auto kernels      = kernels_for(family, argument);
    return std::count_if(kernels.begin(), kernels.end(), [](const ConvKernel* kernel) {
        return is_by_blocks(*kernel);
    });
}

/// The parameter is the family of the element type.
class DepthToSpace : public testing::TestWithParam<Family>
{
protected:
    void SetUp() override
    {
        forward_family.direction = forward;
        CK_SKIP_IF_LIBRARY_LACKS(family);
        CK_SKIP_IF_LIBRARY_LACKS(forward_family);
        if(arch::is_amd(current_target()))
            GTEST_SKIP() << "AMD GPUs have no blocks of pixels, as DepthToSpaceOffer checks";
    }

    const Family family   = GetParam();
    Family forward_family = GetParam();
};

/// What devices are offered, by the element type's family.
class DepthToSpaceOffer : public testing::TestWithParam<Family>
{};

TEST_P(DepthToSpaceOffer, IsOfEveryDeviceButAmds)
{
    Family forward_family    = GetParam();
    forward_family.direction = forward;
    CK_SKIP_IF_LIBRARY_LACKS(GetParam());
    CK_SKIP_IF_LIBRARY_LACKS(forward_family);
    for(const Named& named : problems)
        EXPECT_EQ(count(problem_of(named), GetParam()) > 0, !arch::is_amd(current_target()))
            << named.name;
}

TEST_P(DepthToSpace, IsRight)
{
    for(const Named& named : problems)
        for(const std::size_t layout : {1u, 3u})
        {
            SCOPED_TRACE(std::string(named.name) + ' ' + layouts[layout].name);
            ConvProblem p = problem_of(named);
            set_layout(p, layouts[layout]);
            const Ran ran = run_all(family,
                                    p,
                                    Values::integers(p.filter_lengths(), 2),
                                    Values::integers(p.output_lengths(), 3));
            EXPECT_GT(ran.all, 0);
            EXPECT_EQ(ran.on_copies > 0, layout == 3) << "channels first";
        }
}

TEST_P(DepthToSpace, InfAndNanReachWhatTheirTapsMeet)
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    for(const Named& named : problems)
        for(const bool in_filter : {false, true})
        {
            SCOPED_TRACE(std::string(named.name) + (in_filter ? ", W" : ", dY"));
            ConvProblem p = problem_of(named);
            set_layout(p, layouts[1]);
            Values w                  = Values::integers(p.filter_lengths(), 2),
                   y                  = Values::integers(p.output_lengths(), 3);
            auto& values              = (in_filter ? w : y).values;
            values[values.size() / 2] = inf;
            const Values x            = gradient(p, w, y);
            const Element& of_c       = element(family.c);
            KernelSetup setup{family, p, {x, w, y, x}, 1};
            int computed = 0;
            for(const ConvKernel* const kernel : kernels_for(family, setup.argument))
            {
                if(!is_by_blocks(*kernel) || !setup.supports(*kernel))
                    continue;
                ++computed;
                setup.mistakes(*kernel); // NaN differ from themselves
                x.for_each_offset(p.input_strides, [&](std::size_t i, std::size_t offset) {
                    const double got = of_c.load(setup.c->bytes.data() + offset * of_c.size);
                    EXPECT_TRUE(got == x.values[i] || (std::isnan(got) && std::isnan(x.values[i])))
                        << kernel->name << ", element " << i << ": " << got << ", not "
                        << x.values[i];
                });
            }
            EXPECT_GT(computed, 0);
        }
}

TEST_P(DepthToSpace, IsForFewChannelsOfOneGroup)
{
    const ConvProblem p = problem_of(problems[0]);
    EXPECT_GT(count(p, family), 0);
    ConvProblem other = p;
    other.in_channels = 17;
    EXPECT_EQ(count(other, family), 0) << "many channels";
    other        = p;
    other.groups = 2;
    EXPECT_EQ(count(other, family), 0) << "groups";
    other        = p;
    other.filter = other.stride = one;
    other.pad_low = other.pad_high = none;
    other.in_channels              = 16;
    EXPECT_EQ(count(other, family), 0) << "one tap, where blocks have nothing to share";
    EXPECT_EQ(count(p, forward_family), 0) << "forward";
}

TEST_P(DepthToSpace, SaysWhatIsMissing)
{
    ConvProblem p = problem_of(problems[0]);
    set_layout(p, layouts[1]);
    const Values w = Values::integers(p.filter_lengths(), 2),
                 y = Values::integers(p.output_lengths(), 3), x = gradient(p, w, y);
    KernelSetup setup{family, p, {x, w, y, x}, 1};
    for(const ConvKernel* const kernel : kernels_for(family, setup.argument))
    {
        if(!is_by_blocks(*kernel) || !setup.supports(*kernel))
            continue;
        ConvArgument argument = setup.argument;
        argument.workspace    = nullptr;
        EXPECT_NE(kernel->supports(argument).reason.find("workspace"), std::string::npos);
        EXPECT_EQ(why_not_run(*kernel, argument),
                  "there is no workspace, but blocks of dX's pixels are computed in it");
        argument   = setup.argument;
        argument.c = const_cast<void*>(argument.a[0]);
        EXPECT_NE(kernel->supports(argument).reason.find("shares memory with dY"),
                  std::string::npos);
        argument.a = {};
        EXPECT_NE(kernel->supports(argument).reason.find("0 A"), std::string::npos);
        return;
    }
    FAIL() << "no kernel by blocks";
}

const auto types = testing::Values(family_of<half_t>(), family_of<bhalf_t>(), family_of<float>());
const auto name_of_type = [](const auto& info) { return info.param.a; };
INSTANTIATE_TEST_SUITE_P(Types, DepthToSpace, types, name_of_type);
INSTANTIATE_TEST_SUITE_P(Types, DepthToSpaceOffer, types, name_of_type);

} // namespace ck::test::depth_to_space
