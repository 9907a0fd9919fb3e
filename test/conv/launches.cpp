// Planned launches: where among their parameters addresses are, and kernels at every residue.
#include "conv/launches.hpp"

#include "ck/arch/kernel.hpp"

#include "conv/convolution.hpp"
#include "conv/prepared.hpp"
#include "host_utility/named_addresses.hpp"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <set>
#include <stdexcept>
#include <tuple>

namespace ck::conv_test {
namespace {

/// A kernel that does nothing with two addresses, and a number between them.
struct TwoAddresses
{
    struct Params
    {
        const void* read;
        std::uintptr_t number;
        void* written;

        auto addresses() const { return std::tie(read, written); }
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size            = 64;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    CK_DEVICE static void run(const Params&, SharedStorage&) {}
};

constexpr std::size_t alignments[]{1, 2, 4, 8, 16};

/// Bytes of memory from an address on.
void* after(std::uintptr_t address, std::uintptr_t bytes)
{
    return reinterpret_cast<void*>(address + bytes);
}

conv::Resolved with_x_and_y()
{
    conv::Resolved r{};
    for(const conv::Slot slot : {conv::slot_x, conv::slot_y})
        r.uses[slot] = {true, 1};
    return r;
}

/// The parameters of a launch at other addresses.
std::vector<std::byte> params_at(const conv::PlannedLaunch& launch, const conv::Addresses& at)
{
    std::vector<std::byte> params(launch.launch.params.size());
    conv::copy_params(launch, at, params.data());
    return params;
}

} // namespace

TEST(PlannedLaunches, HaveAddressesOfSlotsAndOffsets)
{
    for(const std::size_t alignment : alignments)
    {
        const conv::Addresses at = conv::slot_addresses(with_x_and_y(), alignment, true);
        for(const conv::Slot slot : {conv::slot_x, conv::slot_y, conv::slot_workspace})
            EXPECT_EQ(at[slot] % (2 * alignment),
                      slot == conv::slot_workspace && alignment < 16 ? 0 : alignment);
        LaunchList list;
        list.add<TwoAddresses>(
            3, {after(at[conv::slot_x], 24), at[conv::slot_x], after(at[conv::slot_y], 0)});
        list.add<TwoAddresses>(5, {nullptr, 7, after(at[conv::slot_workspace], 1 << 30)});
        const auto planned = conv::in_slots(list, at);
        ASSERT_EQ(planned.size(), 2u);
        EXPECT_EQ(planned[0].launch.grid_size, 3);
        EXPECT_EQ(planned[1].launch.grid_size, 5);

        conv::Addresses of_run{};
        of_run[conv::slot_x]         = 0x7f0000000100;
        of_run[conv::slot_y]         = 0x7f0000100000;
        of_run[conv::slot_workspace] = 0x7f0000200000;
        std::uintptr_t words[3];
        std::memcpy(words, params_at(planned[0], of_run).data(), sizeof words);
        EXPECT_EQ(words[0], of_run[conv::slot_x] + 24);
        EXPECT_EQ(words[1], at[conv::slot_x]) << "a number that looks like an address";
        EXPECT_EQ(words[2], of_run[conv::slot_y]);
        std::memcpy(words, params_at(planned[1], of_run).data(), sizeof words);
        EXPECT_EQ(words[0], 0u);
        EXPECT_EQ(words[1], 7u);
        EXPECT_EQ(words[2], of_run[conv::slot_workspace] + (1 << 30));
    }
}

TEST(PlannedLaunches, HaveNoAddressesElsewhere)
{
    const conv::Addresses at = conv::slot_addresses(with_x_and_y(), 16, false);
    for(const std::uintptr_t elsewhere :
        {std::uintptr_t{16},
         at[conv::slot_x] + (at[conv::slot_y] - at[conv::slot_x]) / 2, // between X and Y: no W
         std::uintptr_t{0x7f0000000000}})
    {
        LaunchList list;
        list.add<TwoAddresses>(1, {after(at[conv::slot_x], 0), 0, after(elsewhere, 0)});
        EXPECT_THROW(conv::in_slots(list, at), std::runtime_error) << elsewhere;
    }
}

namespace {

LaunchList cleanly_made(const ConvPlan::Prepared& p, const conv::Addresses& at)
{
    test::clear_stack();
    return conv::launches_of(p.work, p.resolved, at);
}

/// Returns a name without its numbers.
std::string words_of(const std::string& kernel)
{
    std::string words;
    std::copy_if(kernel.begin(), kernel.end(), std::back_inserter(words), [](char c) {
        return c < '0' || c > '9';
    });
    return words;
}

/// Whether the launches are the planned ones at other addresses. Empty, or a kernel's.
void expect_named_addresses(const ConvSpec& spec, const std::string& kernel)
{
    SCOPED_TRACE(to_string(spec) + ' ' + kernel);
    const auto p             = conv::prepare_quietly(spec, {}, kernel);
    const conv::Addresses at = conv::slot_addresses(p->resolved, spec.alignment, p->workspace > 0);
    conv::Addresses other    = at;
    for(std::size_t slot = 0; slot < conv::slot_count; ++slot)
        if(at[slot] != 0) // addresses with the same residue
            other[slot] += (std::uintptr_t{0x123456} << 12) * (2 * slot + 1);
    const auto planned     = conv::in_slots(cleanly_made(*p, at), at);
    const LaunchList moved = cleanly_made(*p, other);
    ASSERT_EQ(planned.size(), moved.launches.size());
    for(std::size_t i = 0; i < planned.size(); ++i)
    {
        const ListedLaunch& m = moved.launches[i];
        EXPECT_EQ(planned[i].launch.make, m.make);
        EXPECT_EQ(planned[i].launch.grid_size, m.grid_size);
        EXPECT_EQ(params_at(planned[i], other), m.params) << "launch " << i;
    }
}

/// Kinds of kernels that take a spec, one kernel of each.
void expect_named_addresses(const ConvSpec& spec, std::set<std::string>& kinds)
{
    std::set<std::string> of_spec;
    if(!has_kernels(spec))
        return;
    for(const Candidate& c : conv::candidates_of(conv::resolve(spec), spec, {}))
        if(c.why_not.empty() && of_spec.insert(words_of(c.kernel)).second)
            expect_named_addresses(spec, c.kernel);
    kinds.merge(of_spec);
}

struct PlannedSizes
{
    long_index_t groups, k, c, side, filter, stride, pad;
};

} // namespace

// An address that parameters do not name would be that of another run.
TEST(PlannedLaunches, NameEveryAddressOfEveryKindOfKernel)
{
    constexpr PlannedSizes all[]{{1, 64, 64, 14, 3, 1, 1},
                                 {1, 128, 256, 14, 1, 1, 0},
                                 {1, 64, 64, 14, 3, 2, 1},
                                 {1, 64, 3, 32, 7, 2, 3},
                                 {1, 13, 17, 9, 3, 1, 1},
                                 {1, 3, 16, 32, 4, 4, 0},
                                 {1, 32, 16, 28, 1, 2, 0},
                                 {32, 1, 1, 20, 3, 1, 1},
                                 {32, 1, 1, 30, 13, 1, 6},
                                 {16, 4, 4, 14, 3, 1, 1},
                                 {8, 16, 16, 14, 3, 1, 1},
                                 {4, 64, 64, 14, 3, 1, 1}};
    std::set<std::string> kinds;
    for(const DataType type :
        {DataType::f16, DataType::bf16, DataType::f32, DataType::f64, DataType::i8, DataType::f8})
        for(const Direction direction :
            {Direction::forward, Direction::backward_data, Direction::backward_weight})
            for(const Layout layout : {Layout::channels_last, Layout::channels_first})
                for(const PlannedSizes& s : all)
                {
                    ConvSpec spec{.direction = direction,
                                  .type      = type,
                                  .layout    = layout,
                                  .groups    = s.groups,
                                  .n         = 4,
                                  .k         = s.k,
                                  .c         = s.c,
                                  .input     = {s.side, s.side},
                                  .filter    = {s.filter, s.filter},
                                  .strides   = {s.stride, s.stride},
                                  .pads      = {{s.pad, s.pad}, {s.pad, s.pad}}};
                    if((type == DataType::i8 || type == DataType::f8) &&
                       direction != Direction::forward)
                        continue;
                    if(type == DataType::f16)
                        spec.bias_gradient = direction == Direction::backward_weight;
                    expect_named_addresses(spec, kinds);
                    if(type == DataType::f32)
                    {
                        spec.compute = DataType::tf32;
                        expect_named_addresses(spec, kinds);
                    }
                    if(type != DataType::f16 || direction == Direction::backward_weight)
                        continue;
                    spec.epilogue = {.bias       = true,
                                     .residual   = Residual::after_activation,
                                     .activation = Activation::relu};
                    expect_named_addresses(spec, kinds);
                }
    if(kinds.empty())
        GTEST_SKIP() << no_kernels;
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(kinds.size(), 50u);
#endif
}

namespace {

/// "PaddedChannelsLast<Xdl<" of "PaddedChannelsLast<Xdl<256, 128, ...".
std::string kind_of(const std::string& kernel)
{
    return kernel.substr(0, kernel.find_first_of("0123456789"));
}

/// Runs the spec by the first kernels of each kind, at other addresses each time. Returns the
/// kinds. None in a library of chosen kernels that lacks them.
std::set<std::string> expect_right_anywhere(const ConvSpec& spec)
{
    std::set<std::string> kinds;
    Convolution tensors(spec, 3);
    for(const Candidate& c : conv::candidates_of(conv::resolve(spec), spec, {}))
    {
        if(!c.why_not.empty() || !kinds.insert(kind_of(c.kernel)).second)
            continue;
        const ConvPlan p(conv::prepare_quietly(spec, {}, c.kernel));
        for(int i = 0; i < 4; ++i)
            EXPECT_EQ(tensors.mistakes(p), 0u) << to_string(spec) << ' ' << p.kernel();
    }
    return kinds;
}

} // namespace

// The result's residue is another than the one that the plan was made with.
TEST(Residues, OfTensorsMayBeAnyThatTheAlignmentAllows)
{
    std::size_t ran = 0;
    std::set<std::string> kinds;
    for(const DataType type : {DataType::f16, DataType::f32, DataType::i8})
        for(const Direction direction :
            {Direction::forward, Direction::backward_data, Direction::backward_weight})
            for(const Layout layout : {Layout::channels_last, Layout::channels_first})
                for(const std::size_t alignment : alignments)
                {
                    ConvSpec spec{.direction = direction,
                                  .type      = type,
                                  .layout    = layout,
                                  .n         = 2,
                                  .k         = 13,
                                  .c         = 17,
                                  .input     = {4, 5},
                                  .filter    = {3, 3},
                                  .pads      = {{1, 1}, {1, 1}},
                                  .alignment = alignment};
                    if(alignment < (type == DataType::f16   ? 2u
                                    : type == DataType::f32 ? 4u
                                                            : 1u) ||
                       (type == DataType::i8 && direction != Direction::forward))
                        continue;
                    auto of_spec = expect_right_anywhere(spec);
                    ran += !of_spec.empty();
                    kinds.merge(of_spec);
                    if(type == DataType::i8 || direction == Direction::backward_weight)
                        continue;
                    spec.epilogue = {.bias       = true,
                                     .residual   = Residual::after_activation,
                                     .activation = Activation::relu};
                    kinds.merge(expect_right_anywhere(spec));
                }
    if(ran == 0)
        GTEST_SKIP() << no_kernels;
    const auto copies = std::count_if(kinds.begin(), kinds.end(), [](const std::string& kind) {
        return kind.find("PaddedChannelsLast<") != std::string::npos;
    });
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(ran, 50u);
#endif
    EXPECT_GE(copies, 1);
}

} // namespace ck::conv_test
