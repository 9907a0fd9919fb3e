// Backward data whose tiles have all phases of strides of 2.
//
// Labels: not on AMD
// Cases not sanitized: FusedPhases.of_two_strided_dimensions
// Cases not sanitized: FusedPhases.of_tall_tiles FusedPhases.of_three_strided_dimensions
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::fused_phases {
namespace {

using namespace tensor_operation::device;
using enum arch::Matrix;

constexpr GemmTuning fused_tuning(arch::Matrix id, index_t phases, index_t wave_m, index_t n)
{
    GemmTuning t   = map_tuning(id, 8 * wave_m, n, 2);
    t.wave_m       = wave_m;
    t.pipeline     = Pipeline::fused_phases;
    t.fused.phases = phases;
    return t;
}

template <class T, GemmTuning tuning, class C = T>
using Fused = ConvOperation<BackwardDataDirection,
                            ConvTypes<T, T, C, PassThrough, PassThrough, PassThrough>,
                            tuning>;

/// Computes `count` problems of a rank, `strided` of whose dimensions have a stride of 2; fails if
/// four times as many are refused before, or one not because its filters are too large to be kept.
template <class T, GemmTuning tuning, class C = T>
void compute(unsigned seed, index_t rank, index_t strided, int count)
{
    using Operation = Fused<T, tuning, C>;
    Draw draw{std::mt19937(seed)};
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, expect_right_of<Operation>(draw.problem(1)).reason);
    int ran = 0, refused = 0;
    while(ran < count && refused < 4 * count)
    {
        ConvProblem p      = draw.problem(rank);
        index_t left       = strided;
        const auto turn_by = static_cast<std::size_t>(draw(0, rank - 1));
        for(std::size_t n = 0; n < static_cast<std::size_t>(rank); ++n)
        {
            const std::size_t i = 5 - (n + turn_by) % static_cast<std::size_t>(rank) - 3;
            p.stride[i]         = left > 0 ? 2 : 1;
            if(left-- > 0)
            {
                p.filter[i]   = draw(2, 5);
                p.dilation[i] = 2 * draw(0, 1) + 1;
            }
        }
        if(element_count(p.output_lengths()) == 0)
            continue;
        set_packed_strides(p);
        SCOPED_TRACE(text(p));
        const Support s = expect_right_of<Operation>(p);
        (s ? ran : refused) += 1;
        if(!s)
        {
            EXPECT_NE(s.reason.find("of shared memory"), std::string::npos) << s.reason;
        }
    }
    EXPECT_EQ(ran, count);
}
/// Tunings by the number of phases.
constexpr GemmTuning two   = fused_tuning(wgmma_f32_16x8x16_f16, 2, 16, 128),
                     four  = fused_tuning(wgmma_f32_16x8x16_f16, 4, 16, 64),
                     eight = fused_tuning(wgmma_f32_16x8x16_bf16, 8, 16, 32);
static_assert(Fused<half_t, four>::Kernel::deferred_passes == 2);
static_assert(Fused<bhalf_t, eight>::Kernel::deferred_passes == 2);

TEST(FusedPhases, of_one_strided_dimension)
{
    for(const index_t rank : {1, 2, 3})
        compute<half_t, two>(1, rank, 1, 4);
}
TEST(FusedPhases, of_two_strided_dimensions)
{
    for(const index_t rank : {2, 3})
        compute<half_t, four>(2, rank, 2, 8);
}
TEST(FusedPhases, of_three_strided_dimensions) { compute<bhalf_t, eight>(3, 3, 3, 8); }

/// Two instructions' rows of a warp, by 32 columns of each phase.
constexpr GemmTuning tall = fused_tuning(wgmma_f32_16x8x16_bf16, 4, 32, 32);

TEST(FusedPhases, of_tall_tiles) { compute<bhalf_t, tall>(4, 2, 2, 6); }

/// Tiles that are not deferred.
constexpr GemmTuning of_floats = [] {
    GemmTuning t = fused_tuning(wgmma_f32_16x8x16_f16, 4, 16, 64);
    t.c_vector   = 4;
    return t;
}();

TEST(FusedPhases, of_floats) { compute<half_t, of_floats, float>(5, 2, 2, 4); }

/// A slot that is one warpgroup's, then the other's, could look full to the one that waits for its
/// next copy while the previous copy is still on its way.
template <GemmTuning tuning>
void expect_slots_of_one_warpgroup()
{
    using Operation = Fused<half_t, tuning>;
    ConvProblem p;
    p.rank = 2, p.batch = 1, p.out_channels = 128, p.in_channels = 64;
    p.filter = {1, 3, 3}, p.input = {1, 9, 9}, p.stride = {1, 2, 2};
    set_packed_strides(p);
    const OnDevice<half_t> dy(p.output_lengths(), p.output_strides, 1, false),
        w(p.filter_lengths(), p.filter_strides, 2, false),
        dx(p.input_lengths(), p.input_strides, 3, true);
    typename Operation::Argument argument{};
    argument.problem = p;
    argument.a = dy.pointer(), argument.b = w.pointer(), argument.c = dx.pointer();
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, Operation::supports(argument).reason);
    using Kernel       = typename Operation::Kernel;
    const auto params  = Operation::make_params(argument);
    const index_t room = (Kernel::pool_bytes - params.filter_bytes) / Kernel::slice_bytes;
    EXPECT_EQ(room, 7) << "a number that is not a multiple of the two warpgroups";
    EXPECT_EQ(params.stages, 6);
}
TEST(FusedPhases, slots_are_of_one_warpgroup_each) { expect_slots_of_one_warpgroup<four>(); }

template <GemmTuning tuning>
void expect_refusals()
{
    using Operation = Fused<half_t, tuning>;
    Draw draw{std::mt19937(6)};
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, expect_right_of<Operation>(draw.problem(1)).reason);
    const auto expect = [&](const char* why, const auto& change) {
        ConvProblem p = draw.problem(2);
        p.filter = {1, 3, 3}, p.input = {1, 9, 9}, p.out_channels = 64, p.stride = {1, 2, 2},
        p.dilation = {1, 1, 1};
        change(p);
        set_packed_strides(p);
        const Support s = expect_right_of<Operation>(p);
        EXPECT_NE(s.reason.find(why), std::string::npos) << s.reason;
    };
    expect("", [](ConvProblem&) {});
    expect("longer than 2", [](ConvProblem& p) { p.stride[1] = 3; });
    expect("are even", [](ConvProblem& p) { p.dilation[2] = 2; });
    expect("shorter than the stride", [](ConvProblem& p) { p.filter[2] = 1; });
    expect("of shared memory", [](ConvProblem& p) { p.out_channels = 512; });
    expect("as many dimensions", [](ConvProblem& p) { p.stride[1] = 1; });
}
TEST(FusedPhases, refusals) { expect_refusals<four>(); }

} // namespace
} // namespace ck::test::fused_phases
