// Packed launches: what their parameters may be of addresses, and kernels at every residue.
#include "conv/launches.hpp"

#include "ck/arch/kernel.hpp"

#include "conv/convolution.hpp"
#include "conv/prepared.hpp"
#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>

namespace ck::conv_test {
namespace {

/// A kernel that does nothing with an address, and a word made of it. number: for kernels that
/// differ.
template <int number>
struct TwoWords
{
    struct Params
    {
        std::uintptr_t address, word;
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size            = 64;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    CK_DEVICE static void run(const Params&, SharedStorage&) {}
};

using Make = std::function<void(std::uintptr_t x, std::uintptr_t y)>;

template <int number = 0>
void record(std::uintptr_t address, std::uintptr_t word, index_t grid_size = 1)
{
    const typename TwoWords<number>::Params params{address, word};
    LaunchRecord::current()->add<TwoWords<number>>(grid_size, params);
}

/// Whether launches made of the addresses of X and Y are packed.
bool are_packed(const Make& make, std::size_t alignment)
{
    ConvSpec spec      = spec_of_rank(2);
    spec.type          = DataType::i8;
    spec.alignment     = alignment;
    const auto of_slot = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
    conv::Resolved resolved{};
    resolved.sizes = conv::sizes_of(spec);
    for(const conv::Slot slot : {conv::slot_x, conv::slot_w, conv::slot_y})
        resolved.uses[slot] = {true, 1};
    ConvKernel kernel;
    kernel.run = [&](const ConvArgument& a, const StreamConfig&) {
        make(of_slot(a.a[0]), of_slot(a.c));
        return 0.f;
    };
    return conv::pack_launches({&kernel}, resolved, alignment, false).packed;
}

constexpr std::size_t alignments[]{1, 2, 4, 8, 16};

} // namespace

TEST(PackedLaunches, HaveAddressesAndConstants)
{
    for(const std::size_t alignment : alignments)
    {
        EXPECT_TRUE(are_packed([](auto x, auto) { record(x, 17); }, alignment));
        EXPECT_TRUE(are_packed([](auto x, auto) { record(x + 24, x - 7); }, alignment));
        EXPECT_TRUE(are_packed([](auto x, auto y) { record(y, x + (1 << 20)); }, alignment));
        EXPECT_TRUE(are_packed([&](auto x, auto) { record(x, x % alignment); }, alignment));
    }
}

// What a plan was made with stands for every address that it may be run with.
TEST(PackedLaunches, AreNotPackedWhereAParameterDependsOnAnAddressOtherwise)
{
    for(const std::size_t alignment : alignments)
    {
        SCOPED_TRACE("alignment " + std::to_string(alignment));
        for(std::size_t modulus = 2 * alignment; modulus <= 256; modulus *= 2)
        {
            EXPECT_FALSE(are_packed([&](auto x, auto) { record(x, x % modulus); }, alignment))
                << "modulo " << modulus;
            EXPECT_FALSE(
                are_packed([&](auto, auto y) { record(y, y % modulus / alignment); }, alignment))
                << "modulo " << modulus;
            EXPECT_FALSE(
                are_packed([&](auto x, auto) { record(x, x / modulus * modulus); }, alignment))
                << "rounded to " << modulus;
            EXPECT_FALSE(are_packed([&](auto x, auto) { record(x, x % modulus != 0); }, alignment))
                << "at no multiple of " << modulus;
            EXPECT_FALSE(
                are_packed([&](auto, auto y) { record(y, 0, 3 + (y % modulus != 0)); }, alignment))
                << "blocks, modulo " << modulus;
        }
        EXPECT_FALSE(are_packed([](auto x, auto y) { record(x, y - x); }, alignment));
        EXPECT_FALSE(are_packed([](auto x, auto y) { record(x, x < y); }, alignment));
        EXPECT_FALSE(are_packed([](auto x, auto) { record(x, x / 2); }, alignment));
        EXPECT_FALSE(are_packed([](auto x, auto) { record(x, ~x); }, alignment));
    }
}

// A flag that better addresses allow: dW of f64 is stored in vectors of 32 bytes where it lies so.
TEST(PackedLaunches, HaveFlagsOfBetterAddressesUnset)
{
    for(const std::size_t alignment : alignments)
        EXPECT_TRUE(
            are_packed([&](auto x, auto) { record(x, x % (2 * alignment) == 0); }, alignment));
}

// Kernels of narrower accesses serve where memory lies better.
TEST(PackedLaunches, ArePackedWhereAnotherKernelServesBetterAddresses)
{
    const Make make = [](auto x, auto) {
        if(x % 16 == 0)
            record<1>(x, 16);
        else
            record<2>(x, 4);
    };
    EXPECT_TRUE(are_packed(make, 4));
    EXPECT_TRUE(are_packed(make, 16));
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
        EXPECT_NE(p.explain().find("packed once"), std::string::npos) << p.kernel();
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
