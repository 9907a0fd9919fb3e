// What the library knows of kernels without asking them, compared with what they answer.
#include "tensor_operation_instance/kernel_facts.hpp"

#include "ck/host_utility/device_prop.hpp"
#include "ck/library/tensor_operation_instance/any_size.hpp"
#include "ck/tensor_operation/gpu/conv/model/measured_time.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"
#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"

#include <gtest/gtest.h>

#include "library/tensor_operation_instance/complete.hpp"
#include "tensor_operation/gpu/conv/model/prediction_lines.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ck::tensor_operation::device::instance::kernel_facts {
namespace {

using element_wise::PassThrough;

ConvArgument argument_of(const ConvProblem& p, std::uintptr_t address = 0)
{
    static const PassThrough pass;
    ConvArgument argument{};
    argument.problem     = p;
    argument.a           = {reinterpret_cast<const void*>(address)};
    argument.b           = {reinterpret_cast<const void*>(address * 3)};
    argument.c           = reinterpret_cast<void*>(address * 5);
    argument.operation_a = argument.operation_b = argument.operation_c = &pass;
    argument.workspace = reinterpret_cast<void*>(std::uintptr_t{16}); // only asks about it
    argument.split_k   = -1;
    return argument;
}

ConvProblem channels_first(ConvProblem p)
{
    constexpr std::array<std::size_t, 6> order{1, 0, 2, 3, 4, 5};
    p.input_strides  = ck::detail::packed_strides(p.input_lengths(), order);
    p.output_strides = ck::detail::packed_strides(p.output_lengths(), order);
    return p;
}

/// Arguments of many kinds: each kernel is for some of them.
std::vector<ConvArgument> arguments()
{
    std::vector<ConvProblem> problems;
    const auto image = [&](long_index_t groups,
                           long_index_t n,
                           long_index_t k,
                           long_index_t c,
                           long_index_t filter,
                           long_index_t size,
                           long_index_t stride = 1,
                           long_index_t pad    = 0) {
        problems.push_back(make_packed_problem<2>(groups,
                                                  n,
                                                  k,
                                                  c,
                                                  {filter, filter},
                                                  {size, size},
                                                  {stride, stride},
                                                  {1, 1},
                                                  {pad, pad},
                                                  {pad, pad}));
    };
    image(1, 2, 64, 64, 3, 8, 1, 1);
    image(1, 32, 256, 128, 3, 28, 2, 1);
    image(1, 64, 512, 256, 1, 14);
    image(1, 8, 40, 24, 1, 9, 2);
    image(1, 8, 64, 3, 7, 32, 2, 3);
    image(1, 4, 96, 3, 4, 32, 4);
    image(1, 3, 37, 53, 5, 11, 3, 2);
    image(1, 2, 1, 1, 3, 8);
    image(1, 0, 64, 64, 3, 8, 1, 1);
    image(1, 2, 64, 64, 3, 2); // Y is empty
    image(32, 16, 1, 1, 3, 14, 1, 1);
    image(32, 16, 1, 1, 7, 14, 2, 3);
    image(24, 4, 8, 8, 3, 14, 1, 1);
    image(4, 4, 64, 64, 3, 14, 1, 1);
    image(3, 4, 16, 32, 3, 14, 2, 1);
    image(1, 2, 16, 16, 2, 9, 5); // few of dX's pixels are reached
    problems.push_back(
        make_packed_problem<1>(16, 2, 1, 1, {4}, {100000}, {1}, {1}, {3}, {0})); // a long line
    problems.push_back(make_packed_problem<1>(1, 2, 32, 32, {7}, {5000}, {1}, {9}, {27}, {27}));
    problems.push_back(make_packed_problem<3>(
        1, 1, 32, 16, {3, 3, 3}, {5, 9, 9}, {1, 2, 1}, {1, 1, 2}, {1, 1, 2}, {1, 1, 2}));
    std::vector<ConvArgument> all;
    for(const ConvProblem& p : problems)
        for(const ConvProblem& laid : {p, channels_first(p)})
        {
            all.push_back(argument_of(laid));
            all.push_back(argument_of(laid, (std::uintptr_t{1} << 40) + 8));
        }
    all.push_back(argument_of(ConvProblem{.rank = 4}));
    return all;
}

/// Those whose operations are PassThrough.
std::vector<Family> plain_families()
{
    std::vector<Family> all = families();
    std::erase_if(all, [](const Family& f) {
        return !f.d.empty() || f.operation_a != "PassThrough" || f.operation_b != "PassThrough" ||
               f.operation_c != "PassThrough";
    });
    return all;
}

/// What select_kernel() is to return: asked are all kernels, one after the other.
const ConvKernel* first_of_the_fastest(const Family& family, const ConvArgument& argument)
{
    const ConvKernel* best = nullptr;
    double least           = 0;
    for(const ConvKernel* const kernel : kernels_for(family, argument))
        if(kernel->supports(argument))
            if(const double time = kernel->predict(argument);
               best == nullptr || (time > 0 && (least == 0 || time < least)))
            {
                best  = kernel;
                least = time;
            }
    return best;
}

TEST(KernelFacts, NoKernelIsRuledOutThatSupportsTheArgumentInLessTime)
{
    const WithoutReasons whatever_they_are;
    int supported = 0, refused = 0, slower = 0;
    for(const Family& family : plain_families())
        for(const ConvArgument& argument : arguments())
            for(const ConvKernel& kernel : kernels_of(family))
            {
                if(kernel.facts == nullptr)
                    continue;
                const AskedArgument asked(argument);
                const bool is_out = is_ruled_out(*kernel.facts, asked);
                if(!kernel.supports(argument))
                {
                    refused += is_out;
                    continue;
                }
                ++supported;
                ASSERT_FALSE(is_out) << kernel.name;
                const double time = kernel.predict(argument);
                if(time == 0)
                    continue; // it is not modelled
                asked.below = time * (1 + 1e-12);
                ASSERT_FALSE(is_ruled_out(*kernel.facts, asked)) << kernel.name << ' ' << time;
                asked.below = time / 100;
                slower += is_ruled_out(*kernel.facts, asked);
            }
    EXPECT_GT(supported, 0);
    EXPECT_GT(refused, 0);
    [[maybe_unused]] const bool some_are_modelled = slower > 0;
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_TRUE(some_are_modelled);
#endif
}

/// What any device and tensor suit, unless the pipeline has rules.
GemmTuning plain_tuning(Pipeline pipeline)
{
    return {.block_tile  = {64, 64, 8},
            .wave_m      = 64,
            .wave_n      = 64,
            .instruction = {},
            .a_vector    = 1,
            .b_vector    = 1,
            .c_vector    = 1,
            .pipeline    = pipeline};
}

bool is_out(const GemmTuning& tuning,
            const ConvProblem& p,
            Direction direction   = Direction::forward,
            const ElementBytes& e = {2, 2, 2})
{
    return is_ruled_out({tuning, direction, e, 0, false}, AskedArgument(argument_of(p)));
}

TEST(KernelFacts, KernelsOfOnePixelAreForNoOtherFilterOrStride)
{
    for(const Pipeline pipeline :
        {Pipeline::pointwise, Pipeline::pointwise_channels_first, Pipeline::intra_block_split_k})
    {
        const auto is_out_with = [&](const Spatial& filter, const Spatial& stride) {
            return is_out(
                plain_tuning(pipeline),
                make_packed_problem<3>(1, 2, 8, 8, filter, {5, 5, 5}, stride, {1, 1, 1}, {}, {}));
        };
        EXPECT_FALSE(is_out_with({1, 1, 1}, {1, 1, 1}));
        for(std::size_t i = 0; i < 3; ++i)
        {
            Spatial two{1, 1, 1};
            two[i] = 2;
            EXPECT_TRUE(is_out_with(two, {1, 1, 1})) << i;
            EXPECT_TRUE(is_out_with({1, 1, 1}, two)) << i;
        }
    }
}

TEST(KernelFacts, PipelinesAreForTheirChannelsAndGroups)
{
    const auto out = [](Pipeline pipeline, long_index_t groups, long_index_t k, long_index_t c) {
        GemmTuning t = plain_tuning(pipeline);
        t.window.z = t.window.y = t.window.x = t.window.stride = 1;
        return is_out(t,
                      make_packed_problem<2>(
                          groups, 2, k, c, {1, 1}, {5, 5}, {1, 1}, {1, 1}, {0, 0}, {0, 0}));
    };
    for(const Pipeline depthwise :
        {Pipeline::direct, Pipeline::long_filter, Pipeline::sliding_window})
    {
        EXPECT_FALSE(out(depthwise, 8, 1, 1));
        EXPECT_TRUE(out(depthwise, 8, 2, 1));
        EXPECT_TRUE(out(depthwise, 8, 1, 2));
    }
    EXPECT_FALSE(out(Pipeline::small_groups, 2, 64, 64));
    EXPECT_TRUE(out(Pipeline::small_groups, 2, 64, 65));
    EXPECT_TRUE(out(Pipeline::small_groups, 2, 65, 64));
    for(const Pipeline slices : {Pipeline::channel_slices, Pipeline::channel_slice_windows})
    {
        EXPECT_FALSE(out(slices, 4, 8, 8));
        EXPECT_TRUE(out(slices, 4, 16, 8));
        EXPECT_TRUE(out(slices, 4, 8, 16));
    }
    EXPECT_FALSE(out(Pipeline::first_layer, 1, 64, 8));
    EXPECT_TRUE(out(Pipeline::first_layer, 1, 64, 9));
    EXPECT_TRUE(out(Pipeline::first_layer, 2, 64, 8));
    for(const Pipeline any : {Pipeline::single_buffer, Pipeline::double_buffer})
        EXPECT_FALSE(out(any, 3, 5, 7));
}

/// The operands A, B and C of each direction, as tensors: 0 is X, 1 is W and 2 is Y.
constexpr std::pair<Direction, std::array<std::size_t, 3>> operands_of[] = {
    {Direction::forward, {0, 1, 2}},
    {Direction::backward_data, {2, 1, 0}},
    {Direction::backward_weight, {2, 0, 1}}};

/// Tensors of 16 channels, one of which may be accessed in fewer elements at a time: a stride says
/// so, or its address, of which there are `allowed` elements.
TEST(KernelFacts, VectorsFitTheTensorsOfTheDirection)
{
    for(const auto& [direction, tensors] : operands_of)
        for(std::size_t narrow = 0; narrow < 3; ++narrow)
            for(const bool by_address : {false, true})
                for(const index_t element : {2, 4})
                    for(const long_index_t groups : {1, 2})
                    {
                        ConvProblem p = make_packed_problem<2>(
                            groups, 2, 16, 16, {1, 1}, {5, 5}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
                        ElementBytes bytes{2, 2, 2};
                        (narrow == 0   ? bytes.input
                         : narrow == 1 ? bytes.filter
                                       : bytes.output) = element;
                        if(!by_address)
                            (narrow == 0   ? p.input_strides
                             : narrow == 1 ? p.filter_strides
                                           : p.output_strides)[1] += 4;
                        ConvArgument argument = argument_of(p);
                        const void* const at  = reinterpret_cast<const void*>(
                            std::uintptr_t{by_address ? (1u << 20) + 8u : 1u << 20});
                        argument.a[0] = tensors[0] == narrow ? at : nullptr;
                        argument.b[0] = tensors[1] == narrow ? at : nullptr;
                        argument.c    = tensors[2] == narrow ? const_cast<void*>(at) : nullptr;
                        const index_t allowed = by_address ? 8 / element : 4;
                        for(std::size_t wide = 0; wide < 3; ++wide)
                            for(const index_t vector : {allowed, 2 * allowed})
                            {
                                GemmTuning t               = plain_tuning(Pipeline::single_buffer);
                                (wide == 0   ? t.a_vector
                                 : wide == 1 ? t.b_vector
                                             : t.c_vector) = vector;
                                const bool partial =
                                    direction == Direction::backward_weight && wide == 2;
                                EXPECT_EQ(is_ruled_out({t, direction, bytes, 0, false},
                                                       AskedArgument(argument)),
                                          vector > allowed && tensors[wide] == narrow &&
                                              groups == 1 && !partial)
                                    << static_cast<int>(direction) << ' ' << narrow << wide
                                    << by_address << element << groups << vector;
                            }
                    }
}

TEST(KernelFacts, WithoutAModelAKernelLosesToAnyRival)
{
    const ConvArgument argument = argument_of(
        make_packed_problem<2>(1, 2, 16, 16, {1, 1}, {5, 5}, {1, 1}, {1, 1}, {0, 0}, {0, 0}));
    GemmTuning t  = plain_tuning(Pipeline::double_buffer);
    t.instruction = arch::Matrix::dot_f32_8x4x1_f32;
    ASSERT_FALSE(is_modelled(t));
    const KernelFacts facts{t, Direction::forward, {4, 4, 4}, 0, false};
    const AskedArgument asked(argument);
    EXPECT_FALSE(is_ruled_out(facts, asked));
    asked.below = 1e300;
    EXPECT_TRUE(is_ruled_out(facts, asked));
}

/// Whole tiles on all units: nothing separates the bound from the prediction.
TEST(KernelFacts, TheBoundOfWholeTilesIsThePredictedTime)
{
    const WithoutReasons whatever_they_are;
    std::set<std::pair<Pipeline, Direction>> seen;
    for(const long_index_t groups : {1, 4})
        for(const Family& family : plain_families())
        {
            const ConvArgument argument = argument_of(make_packed_problem<2>(
                groups, 64, 256, 256, {3, 3}, {32, 32}, {1, 1}, {1, 1}, {1, 1}, {1, 1}));
            const AskedArgument asked(argument);
            for(const ConvKernel& kernel : kernels_of(family))
            {
                if(kernel.facts == nullptr || !is_for_nvidia(kernel.facts->tuning) ||
                   kernel.facts->tuning.pipeline > Pipeline::async_copies ||
                   !kernel.supports(argument))
                    continue;
                asked.below = kernel.predict(argument) * (1 - 1e-3);
                EXPECT_TRUE(is_ruled_out(*kernel.facts, asked)) << kernel.name << groups;
                seen.insert({kernel.facts->tuning.pipeline, kernel.facts->direction});
            }
        }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_EQ(seen.size(), 9u);
#endif
}

/// Of one tap, in forward; the tiles of f16 have 128 x 128 elements.
TEST(KernelFacts, TheBoundOfTensorMapsIsThatOfWholeTilesAndHalfSlices)
{
    const GemmTuning t{.block_tile        = {128, 128, 64},
                       .wave_m            = 16,
                       .wave_n            = 128,
                       .instruction       = arch::Matrix::wgmma_f32_16x8x16_f16,
                       .a_vector          = 8,
                       .b_vector          = 8,
                       .c_vector          = 8,
                       .pipeline          = Pipeline::tensor_maps,
                       .min_blocks_per_cu = 2,
                       .stages            = 3};
    const double units = compute_unit_count();
    const auto bound   = [&](const ConvProblem& p, Direction direction) {
        const ConvArgument argument = argument_of(p);
        const AskedArgument asked(argument);
        double low = 0, high = 1e9;
        for(int i = 0; i < 50; ++i)
        {
            asked.below = (low + high) / 2;
            (is_ruled_out({t, direction, {2, 2, 2}, 0, false}, asked) ? low : high) = asked.below;
        }
        return low;
    };
    const auto expected = [&](double tiles, double slices, double bytes, bool phases = false) {
        const TileCycles of = tile_cycles(t, false, 1e-9);
        const double places = 2 * units, ends = of.start + (1 - of.hidden_store) * of.store,
                     shared =
                         tiles * slices * of.slice / units + std::max(1., tiles / places) * ends,
                     whole = std::ceil(tiles / places) * (slices * of.slice * 2 + ends);
        return line_of(t, phases ? Computed::dx : Computed::y, false)
            .at(memory(t, false).overlapped(
                phases ? shared : std::min(whole, shared + stream_k_sum_cycles), bytes));
    };
    for(const auto& [rows, k, c, filter, tiles, slices] :
        {std::tuple(128, 128, 512, 1, 1., 8.),
         std::tuple(129, 128, 512, 1, 2., 8.),
         std::tuple(1280, 264, 512, 1, 30., 8.),
         std::tuple(12800, 256, 1024, 1, 200., 16.),
         std::tuple(128000, 512, 1024, 1, 4000., 16.),
         std::tuple(128, 128, 72, 3, 1., 9 * 1.5),
         std::tuple(128, 128, 32, 3, 1., 9 * .5)})
    {
        const double taps   = filter * filter;
        const double bytes  = 2. * (rows * c * taps + k * c * taps + rows * k);
        const ConvProblem p = make_packed_problem<2>(
            1, rows, k, c, {filter, filter}, {filter, filter}, {1, 1}, {1, 1}, {0, 0}, {0, 0});
        EXPECT_NEAR(bound(p, Direction::forward) / expected(tiles, slices, bytes), 1, 1e-5)
            << rows << ' ' << k << ' ' << c << ' ' << filter;
    }
    for(const long_index_t n : {8, 8000}) // a phase has 4 pixels of the image's 16, and one tap
    {
        const ConvProblem p =
            make_packed_problem<2>(1, n, 1024, 128, {2, 2}, {4, 4}, {2, 2}, {1, 1}, {0, 0}, {0, 0});
        EXPECT_NEAR(bound(p, Direction::backward_data) /
                        expected(std::ceil(static_cast<double>(4 * n) / 128),
                                 4 * 16,
                                 moved_bytes<BackwardDataDirection>(p, {2, 2, 2}),
                                 true),
                    1,
                    1e-5)
            << n;
    }
}

TEST(KernelFacts, EachRefusalSaysWhy)
{
    int refusals = 0;
    for(const Family& family : plain_families())
        for(ConvArgument argument : arguments())
        {
            argument.workspace = nullptr;
            for(const ConvKernel* const kernel : kernels_for(family, argument))
                if(const Support s = kernel->supports(argument); !s)
                {
                    ++refusals;
                    EXPECT_GT(s.reason.size(), 10u) << kernel->name;
                }
        }
    EXPECT_GT(refusals, 0);
}

/// "Im2col" of "Im2col<Xdl<256, ...": what a kernel does before or after another one; empty:
/// nothing.
std::string rewrite_of(const ConvKernel& kernel)
{
    const std::size_t inner = kernel.name.find('<');
    return kernel.name.find('<', inner + 1) == std::string::npos ? ""
                                                                 : kernel.name.substr(0, inner);
}

/// The first kernel of each rewrite that supports the argument: its workspace and its cycles.
std::string rewrites_of(const Family& family, const ConvArgument& argument)
{
    std::map<std::string, std::vector<const ConvKernel*>> rewrites;
    for(const ConvKernel* const kernel : kernels_for(family, argument))
        if(const std::string name = rewrite_of(*kernel); !name.empty())
            rewrites[name].push_back(kernel);
    std::string text;
    for(const auto& [name, kernels] : rewrites)
    {
        const auto first = std::find_if(kernels.begin(), kernels.end(), [&](const auto* kernel) {
            return static_cast<bool>(kernel->supports(argument));
        });
        if(first == kernels.end())
            continue;
        char numbers[64];
        std::snprintf(numbers,
                      sizeof numbers,
                      " %zu bytes %.6g cycles;",
                      (*first)->workspace_size(argument),
                      (*first)->predict(argument));
        text += ' ' + name + numbers;
    }
    return text;
}

/// In rewrites.txt, for a family of each type and a problem in each layout.
#if defined(CK_LIBRARY_IS_COMPLETE) && defined(CK_RUNTIME_HOST)
TEST(Rewrites, AreAsTheyWere)
{
    const WithoutReasons whatever_they_are;
    const AssumedComputeUnits units(132);
    Lines lines;
    for(const Family& family : plain_families())
    {
        if(family.a.starts_with("b") || family.a != family.b || family.compute_a == "f64")
            continue; // bf16 and bf8 are as f16 and f8
        const std::vector<ConvArgument> all = arguments();
        for(std::size_t i = 0; i < all.size(); i += 2) // others have other addresses
            if(const std::string text = rewrites_of(family, all[i]); !text.empty())
                lines.add(std::to_string(static_cast<int>(family.direction)) + ' ' + family.a +
                          ' ' + family.c + ' ' + family.compute_a + ' ' + std::to_string(i / 2) +
                          ':' + text);
    }
    lines.compare("rewrites.txt");
}
#endif

TEST(KernelFacts, TheFirstOfTheFastestIsSelected)
{
    const WithoutReasons whatever_they_are;
    int selected = 0;
    for(const Family& family : plain_families())
        for(ConvArgument argument : arguments())
            for(const bool with_workspace : {true, false})
            {
                if(!with_workspace)
                    argument.workspace = nullptr;
                const ConvKernel* const best = first_of_the_fastest(family, argument);
                ASSERT_EQ(select_kernel(family, argument), best)
                    << (best == nullptr ? std::string("none") : best->name);
                selected += best != nullptr;
            }
    EXPECT_GT(selected, 0);
}

/// Kept choices are those for arguments like the ones before; each comes twice.
TEST(KernelFacts, AnySizeTakesWhatIsSelected)
{
    const WithoutReasons whatever_they_are;
    int taken = 0;
    for(const Family& family : plain_families())
    {
        const ConvKernel& any_size = large_tensor_kernel(family);
        for(int time = 0; time < 2; ++time)
            for(ConvArgument argument : arguments())
                for(const auto& [with_workspace, split_k] :
                    {std::pair{true, -1}, {true, 1}, {false, -1}})
                {
                    if(!with_workspace)
                        argument.workspace = nullptr;
                    argument.split_k                 = split_k;
                    const ConvKernel* const selected = select_kernel(family, argument);
                    ASSERT_EQ(static_cast<bool>(any_size.supports(argument)), selected != nullptr);
                    ASSERT_EQ(any_size.predict(argument),
                              selected == nullptr ? 0 : selected->predict(argument));
                    if(with_workspace)
                    {
                        ASSERT_EQ(any_size.workspace_size(argument),
                                  selected == nullptr ? 0u : selected->workspace_size(argument));
                    }
                    taken += selected != nullptr;
                }
    }
    EXPECT_GT(taken, 0);
}

} // namespace
} // namespace ck::tensor_operation::device::instance::kernel_facts
