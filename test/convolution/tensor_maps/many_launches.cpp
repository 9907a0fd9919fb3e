// Repeated launches have the same result. Copies end in any order, and a kernel that waits for the
// wrong one, or does not wait, may be right almost always. Some launches follow each other at once,
// as in a graph: with such an error, 3 of 257760 of these were wrong, and none of 615000 that each
// waited for the previous one (docs/notes/hopper_kernels.md).
//
// Labels: not sanitized, not on AMD, not emulated
#include "convolution/lattice/large.hpp"
#include "convolution/tensor_maps/tensor_maps.hpp"
#include <cstdint>
#include <vector>

namespace ck::test::many_launches {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

/// Sets a number if two tensors differ.
struct Compare : Elementwise
{
    struct Params
    {
        const std::uint32_t *a, *b;
        long_index_t words, grid;
        std::uint32_t* different;
    };
    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        for_each(p.words, p.grid, [&](long_index_t i) {
            if(p.a[i] != p.b[i])
                *p.different = 1;
        });
    }
};

/// Backward data with stride 2. On a device the tensors are larger than its cache.
template <GemmTuning tuning>
void expect_one_result()
{
    constexpr bool emulated = arch::emulated;
    constexpr int launches  = emulated ? 2 : 20000;
    constexpr int together  = emulated ? 2 : 10; // launches, each to a tensor of its own
    constexpr index_t grid  = emulated ? 2 : 1 << 12;
    using Operation         = MapOperation<BackwardDataDirection, half_t, tuning>;
    ConvProblem p;
    p.rank = 2, p.batch = emulated ? 1 : 256, p.out_channels = 128, p.in_channels = 64;
    p.filter = {1, 3, 3}, p.stride = {1, 2, 2}, p.pad_low = p.pad_high = {0, 1, 1};
    p.input = emulated ? Spatial{1, 12, 12} : Spatial{1, 56, 56};
    set_packed_strides(p);
    const auto size_of = [](const TensorLengths& lengths) {
        return static_cast<std::size_t>(element_count(lengths)) * sizeof(half_t);
    };
    const DeviceMem dy(size_of(p.output_lengths())), w(size_of(p.filter_lengths())),
        expected(size_of(p.input_lengths())), different(sizeof(std::uint32_t));
    std::vector<DeviceMem> dx;
    for(int i = 0; i < together; ++i)
        dx.emplace_back(size_of(p.input_lengths()));
    const auto pointer = [](const DeviceMem& m) {
        return static_cast<half_t*>(m.GetDeviceBuffer());
    };
    const auto fill = [&](const DeviceMem& m, bool nans) {
        const auto size = static_cast<long_index_t>(m.GetBufferSize() / sizeof(half_t));
        HIP_CHECK_ERROR(arch::launch<Fill>(grid, nullptr, {pointer(m), size, grid, nans}));
    };
    fill(dy, false), fill(w, false);
    typename Operation::Argument argument{};
    argument.problem = p;
    argument.a = pointer(dy), argument.b = pointer(w), argument.c = pointer(dx[0]);
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, Operation::supports(argument).reason);
    ASSERT_TRUE(Operation::supports(argument)) << Operation::supports(argument).reason;
    ref::naive_conv_bwd_data(p, pointer(expected), pointer(w), pointer(dy));
    std::uint32_t found = 0;
    different.ToDevice(&found);
    for(int launch = 0; launch < launches && found == 0; launch += together)
    {
        for(const DeviceMem& result : dx)
            fill(result, true);
        for(const DeviceMem& result : dx)
        {
            argument.c = pointer(result);
            Operation::run(argument, StreamConfig{});
        }
        for(const DeviceMem& result : dx)
            HIP_CHECK_ERROR(arch::launch<Compare>(
                grid,
                nullptr,
                {static_cast<const std::uint32_t*>(result.GetDeviceBuffer()),
                 static_cast<const std::uint32_t*>(expected.GetDeviceBuffer()),
                 static_cast<long_index_t>(result.GetBufferSize() / sizeof(std::uint32_t)),
                 grid,
                 static_cast<std::uint32_t*>(different.GetDeviceBuffer())}));
        if(launch % (50 * together) == 0 || launch + together >= launches)
            different.FromDevice(&found);
        EXPECT_EQ(found, 0u) << "by launch " << launch + together;
    }
}

constexpr GemmTuning fused = [] {
    GemmTuning t   = map_tuning(wgmma_f32_16x8x16_f16, 128, 64, 2);
    t.pipeline     = Pipeline::fused_phases;
    t.fused.phases = 4;
    return t;
}();
constexpr GemmTuning deferred = map_tuning(wgmma_f32_16x8x16_f16, 128, 256, 4);

TEST(ManyLaunches, of_fused_phases) { expect_one_result<fused>(); }
TEST(ManyLaunches, of_tiles_of_one_phase) { expect_one_result<deferred>(); }

} // namespace
} // namespace ck::test::many_launches
