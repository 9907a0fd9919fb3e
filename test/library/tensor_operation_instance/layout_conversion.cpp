// Kernels on copies: tensors that are channels first, or lie in any order, on a host with exact
// integers. Workspaces are full of NaN.
#include "library/tensor_operation_instance/complete.hpp"
#include "library/tensor_operation_instance/reference.hpp"
#include <algorithm>
#include <cstdint>
#include <set>

namespace ck::test::layout_conversion {
namespace {

constexpr Direction directions[]{
    Direction::forward, Direction::backward_data, Direction::backward_weight};

template <class T>
Family family_of(Direction direction)
{
    using enum Direction;
    return direction == forward         ? ConvFamily<forward, T, T, T>::key()
           : direction == backward_data ? ConvFamily<backward_data, T, T, T>::key()
                                        : ConvFamily<backward_weight, T, T, T>::key();
}

const Layout& channels_last  = layouts[1];
const Layout& filters_last   = layouts[2];
const Layout& channels_first = layouts[3];

KernelSetup setup_of(const Family& family, index_t rank, Kind kind, const Layout& layout)
{
    const Reference& r  = Reference::of(family.direction, rank, kind);
    ConvProblem problem = r.problem;
    set_layout(problem, layout);
    return {family, problem, {r.x, r.w, r.y, r.sums}, 2};
}

/// Runs the first kernel on copies that computes it, and the first on filled ones if there are
/// channels to fill up, and expects the right results.
void expect_right(const Family& family, index_t rank, Kind kind, const Layout& layout)
{
    SCOPED_TRACE(std::string(name(family.direction)) + ' ' + family.a + ' ' + family.operation_c +
                 ' ' + layout.name + ", rank " + std::to_string(rank) + ", problem " +
                 std::to_string(static_cast<int>(kind)));
    KernelSetup setup = setup_of(family, rank, kind, layout);
    std::string why;
    std::set<bool> ran;
    for(const ConvKernel* const kernel : kernels_for(family, setup.argument))
    {
        const bool filled = kernel->name.starts_with("Padded");
        if(kernel->on_copies == nullptr || ran.contains(filled))
            continue;
        if(const Support s = setup.supports(*kernel); !s)
        {
            why += kernel->name + ": " + s.reason + '\n';
            continue;
        }
        EXPECT_EQ(setup.mistakes(*kernel), 0u) << kernel->name;
        ran.insert(filled);
    }
    const bool fills = kind == Kind::odd_channels && family.d.empty() &&
                       family.operation_a == "PassThrough" && family.operation_b == "PassThrough";
    EXPECT_EQ(ran.contains(true), fills) << why;
    EXPECT_EQ(ran.contains(false), std::string(layout.name) != channels_last.name) << why;
}

/// Strides of a dimension order each for X, W and Y.
ConvProblem mixed(ConvProblem p, const Layout& x, const Layout& w, const Layout& y)
{
    ConvProblem of_w = p, of_y = p;
    set_layout(p, x);
    set_layout(of_w, w);
    set_layout(of_y, y);
    p.filter_strides = of_w.filter_strides;
    p.output_strides = of_y.output_strides;
    return p;
}

/// With a workspace that nothing reads.
ConvArgument asked(const ConvProblem& problem)
{
    static const element_wise::PassThrough pass_through;
    ConvArgument a;
    a.problem = problem;
    a.a = a.b     = {nullptr};
    a.operation_a = a.operation_b = a.operation_c = &pass_through;
    a.workspace                                   = reinterpret_cast<void*>(std::uintptr_t{16});
    return a;
}

/// What the family's kernels on copies copy; empty where select_kernel() looks at none.
std::string copied(const Family& family, const ConvArgument& a)
{
    const ConvKernel* const kernel = kernels_for(family, a).back();
    return kernel->on_copies == nullptr ? "" : kernel->copied_tensors(a);
}

} // namespace

TEST(LayoutConversion, EveryFamilyIsRight)
{
    std::size_t ran = 0;
    for(const Family& family : families())
    {
        if(family.a == "f64") // see RefuseElementsOf8Bytes
            continue;
        for(const Kind kind : {Kind::grouped, Kind::odd_channels})
            expect_right(family, 2, kind, channels_first);
        expect_right(family, 2, Kind::odd_channels, channels_last);
        ++ran;
    }
    EXPECT_GE(ran, 3u);
}

TEST(LayoutConversion, AllRanksAndKindsAreRight)
{
    for(const Direction direction : directions)
        for(const Family& family : {family_of<half_t>(direction),
                                    family_of<float>(direction),
                                    family_of<std::int8_t>(direction)})
        {
            if(library_lacks(family))
                continue;
            for(const index_t rank : {1, 3})
                expect_right(family, rank, Kind::grouped, channels_first);
            for(const Kind kind : {Kind::small_groups, Kind::depthwise, Kind::dense_one_tap})
                expect_right(family, 2, kind, channels_first);
        }
}

TEST(LayoutConversion, AnyOrderOfDimensionsIsRight)
{
    const Layout orders[]{{"GNCHW GKCYX GNKHW", as_listed, as_listed},
                          {"CHWGN", {2, 3, 4, 5, 0, 1}, {2, 3, 4, 5, 0, 1}},
                          {"HNCGW", {3, 4, 1, 2, 0, 5}, {3, 1, 4, 2, 0, 5}}};
    for(const Direction direction : directions)
        if(const Family family = family_of<half_t>(direction); !library_lacks(family))
            for(const Layout& order : orders)
                for(const index_t rank : {2, 3})
                    for(const Kind kind : {Kind::grouped, Kind::small_groups, Kind::odd_channels})
                        expect_right(family, rank, kind, order);
}

TEST(LayoutConversion, AreOfWhatIsNotChannelsLastAlone)
{
    const Layout* const both[]{&channels_last, &channels_first};
    for(const Direction direction : directions)
    {
        const Family family = family_of<half_t>(direction);
        if(library_lacks(family))
            continue;
        const char* const names[]{direction == Direction::backward_data ? "dX" : "X",
                                  direction == Direction::backward_weight ? "dW" : "W",
                                  direction == Direction::forward ? "Y" : "dY"};
        const std::size_t order[3][3]{{0, 1, 2}, {2, 1, 0}, {2, 0, 1}}; // A, B, C
        for(std::size_t first = 0; first < 8; ++first) // bits: whether channels are first
        {
            const ConvProblem p = mixed(problem_of(Kind::grouped, 2),
                                        *both[first & 1],
                                        *both[first >> 1 & 1],
                                        *both[first >> 2 & 1]);
            std::string expected;
            for(const std::size_t i : order[static_cast<std::size_t>(direction)])
                if(first >> i & 1)
                    expected += (expected.empty() ? "" : ", ") + std::string(names[i]);
            EXPECT_EQ(copied(family, asked(p)), expected) << first;
            EXPECT_EQ(kernels_for(family, asked(p)).size(),
                      kernels_of(family).size() * (first == 0 ? 1 : 2));
        }
        ConvProblem p = problem_of(Kind::dense_one_tap, 2); // filters of one tap coincide
        set_layout(p, channels_first);
        EXPECT_EQ(copied(family, asked(p)).find('W'), std::string::npos);
        p.input   = {1, 1, 1}; // images of one pixel behave alike
        p.pad_low = p.pad_high = {0, 0, 0};
        set_layout(p, channels_first);
        EXPECT_EQ(copied(family, asked(p)), "");
    }
}

TEST(LayoutConversion, StayInTheirWorkspace)
{
    for(const Direction direction : directions)
    {
        const Family family = family_of<half_t>(direction);
        if(library_lacks(family))
            continue;
        for(const Kind kind : {Kind::grouped, Kind::odd_channels, Kind::small_groups})
        {
            KernelSetup setup = setup_of(family, 2, kind, channels_first);
            for(const ConvKernel& kernel : layout_converted_kernels_of(family))
            {
                ConvArgument a          = setup.argument;
                a.workspace             = nullptr;
                const std::size_t bytes = kernel.workspace_size(a);
                if(bytes == 0)
                    continue;
                EXPECT_EQ(bytes, kernel.workspace_size(setup.argument));
                EXPECT_NE(kernel.supports(a).reason.find("there is no workspace"),
                          std::string::npos);
                EXPECT_THROW(kernel.run(a, {}), std::runtime_error);
                constexpr std::size_t guard = 256;
                std::vector<unsigned char> memory(bytes + 2 * guard, 0xA5);
                DeviceMem workspace(memory.size());
                workspace.ToDevice(memory.data());
                a.workspace = static_cast<char*>(workspace.GetDeviceBuffer()) + guard + 8;
                EXPECT_NE(kernel.supports(a).reason.find("multiple of 16"), std::string::npos);
                a.workspace = static_cast<char*>(workspace.GetDeviceBuffer()) + guard;
                ASSERT_TRUE(kernel.supports(a));
                kernel.run(a, {});
                workspace.FromDevice(memory.data());
                const auto is_untouched = [](unsigned char c) { return c == 0xA5; };
                EXPECT_TRUE(std::all_of(memory.begin(), memory.begin() + guard, is_untouched));
                EXPECT_TRUE(std::all_of(memory.end() - guard, memory.end(), is_untouched));
                break;
            }
        }
    }
}

TEST(LayoutConversion, AreChosenByTheirTime)
{
    for(const Direction direction : directions)
    {
        const Family family = family_of<half_t>(direction);
        if(library_lacks(family))
            continue;
        ConvProblem p = problem_of(Kind::dense, 2);
        p.batch       = 64;
        p.input       = {1, 56, 56};
        set_layout(p, channels_first);
        ConvArgument a                 = asked(p);
        const ConvKernel* const chosen = select_kernel(family, a);
        ASSERT_NE(chosen, nullptr);
        for(const ConvKernel* const kernel : kernels_for(family, a))
            if(const double time = kernel->supports(a) ? kernel->predict(a) : 0; time > 0)
            {
                EXPECT_LE(chosen->predict(a), time) << kernel->name;
            }
#if defined(CK_LIBRARY_IS_COMPLETE)
        ASSERT_NE(chosen->on_copies, nullptr) << "each element is loaded alone";
#endif
        if(chosen->on_copies == nullptr) // then no kernel has vectors
            continue;
        ConvProblem last = p;
        set_layout(last, channels_last);
        EXPECT_GT(chosen->predict(a), chosen->on_copies->predict(asked(last)));
        set_layout(a.problem, filters_last); // with other filters, dW goes through the workspace
        a.workspace = nullptr;
        ASSERT_NE(select_kernel(family, a), nullptr) << why_none(family, a);
        EXPECT_EQ(select_kernel(family, a)->on_copies, nullptr);
        EXPECT_EQ(why_none(family, a), "");
    }
}

TEST(LayoutConversion, OfNoImages)
{
    for(const Direction direction : directions)
    {
        const Family family = family_of<float>(direction);
        if(library_lacks(family))
            continue;
        ConvProblem p = problem_of(Kind::odd_channels, 2);
        p.batch       = 0;
        set_layout(p, channels_first);
        const Values x{p.input_lengths(), {}}, y{p.output_lengths(), {}},
            w = Values::integers(p.filter_lengths(), 1),
            zeros{p.filter_lengths(), std::vector<double>(w.values.size())};
        KernelSetup setup(family,
                          p,
                          {x,
                           w,
                           y,
                           direction == Direction::forward         ? y
                           : direction == Direction::backward_data ? x
                                                                   : zeros},
                          1);
        const auto kernels = layout_converted_kernels_of(family);
        const auto kernel  = std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) {
            return static_cast<bool>(setup.supports(k));
        });
        ASSERT_NE(kernel, kernels.end());
        EXPECT_EQ(setup.mistakes(*kernel), 0u);
    }
}

TEST(LayoutConversion, RefuseWithAReason)
{
    const Family family = family_of<half_t>(Direction::forward);
    if(library_lacks(family))
        return;
    const ConvKernel& kernel = layout_converted_kernels_of(family).front();
    ConvProblem p            = problem_of(Kind::grouped, 2);
    set_layout(p, channels_first);
    const auto why = [&](const ConvArgument& a) { return kernel.supports(a).reason; };
    ConvArgument a = asked(p);
    a.d.push_back({nullptr, p.output_strides});
    EXPECT_NE(why(a).find("1 D tensors, but the kernel's family has 0"), std::string::npos);
    alignas(16) static char memory[64];
    a   = asked(p);
    a.a = {memory};
    a.c = memory + 16;
    EXPECT_NE(why(a).find("Y, which is written, shares memory with X"), std::string::npos);
    a                           = asked(p);
    a.problem.output_strides[5] = 0;
    EXPECT_NE(why(a).find("a stride of Y, which is written, is 0"), std::string::npos);
    set_layout(p, channels_last);
    EXPECT_NE(why(asked(p)).find("none is copied"), std::string::npos);
}

TEST(LayoutConversion, RefuseElementsOf8Bytes)
{
    const Family family = family_of<double>(Direction::forward);
    if(library_lacks(family))
        return;
    ConvProblem p = problem_of(Kind::grouped, 2);
    set_layout(p, channels_first);
    EXPECT_EQ(kernels_for(family, asked(p)).size(), kernels_of(family).size());
    EXPECT_NE(
        layout_converted_kernels_of(family).front().supports(asked(p)).reason.find("has 8 bytes"),
        std::string::npos);
}

} // namespace ck::test::layout_conversion
