// Labels: optimized where sanitized, not on AMD
// Backward weight by group slabs (Pipeline::group_slabs), against the definition.
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test {
namespace {

using namespace tensor_operation::device;

constexpr arch::Matrix f16  = arch::Matrix::mma_f32_16x8x16_f16,
                       bf16 = arch::Matrix::mma_f32_16x8x16_bf16;

/// Slabs of so many channels at y x x taps, of which a warp has `of_warp`.
constexpr GemmTuning
slab_tuning(arch::Matrix id, index_t slab, index_t y, index_t x, index_t of_warp, index_t pixels)
{
    return {.block_tile        = {64, y * x * slab, pixels},
            .wave_m            = slab,
            .wave_n            = of_warp * slab,
            .instruction       = id,
            .a_vector          = 1,
            .b_vector          = 1,
            .c_vector          = 1,
            .pipeline          = Pipeline::group_slabs,
            .min_blocks_per_cu = 2,
            .window            = {.y = y, .x = x}};
}

/// Draws problems of so many channels a group, and so many groups that they are whole packs.
struct DrawGroups : Draw
{
    long_index_t channels;

    ConvProblem problem(index_t rank)
    {
        ConvProblem p              = Draw::problem(rank);
        p.batch                    = (*this)(1, 2);
        const long_index_t of_pack = std::max<long_index_t>(1, pack / channels);
        p.groups                   = of_pack * (*this)(1, 160 / (of_pack * channels));
        p.in_channels = p.out_channels = channels;
        set_packed_strides(p);
        return p;
    }
};

/// Expects the results of problems of all ranks in 1, 2, and 3 partials.
template <class T, GemmTuning tuning, class Weight = float>
void expect_right(long_index_t channels, unsigned seed)
{
    index_t split_k = 0;
    DrawGroups draw{{std::mt19937(seed)}, channels};
    CK_SKIP_WITHOUT(arch::Requirement::wgmma,
                    (expect_right_weight<T, tuning, T, Weight>(draw.problem(2), 1)).reason);
    for(index_t rank = 1; rank <= 3; ++rank)
        for(int i = 0; i < 3; ++i)
        {
            const ConvProblem p = draw.problem(rank);
            split_k             = split_k % 3 + 1;
            SCOPED_TRACE(text(p) + " G " + std::to_string(p.groups));
            EXPECT_EQ((expect_right_weight<T, tuning, T, Weight>(p, split_k)).reason, "");
        }
}

TEST(GroupSlabs, backward_weight_of_8_channels)
{
    expect_right<half_t, slab_tuning(f16, 8, 3, 3, 9, 64)>(8, 1);
}
TEST(GroupSlabs, backward_weight_of_4_channels)
{
    expect_right<bhalf_t, slab_tuning(bf16, 8, 3, 3, 9, 128), bhalf_t>(4, 2);
}
TEST(GroupSlabs, backward_weight_of_1_channel)
{
    expect_right<half_t, slab_tuning(f16, 8, 2, 3, 6, 64)>(1, 3);
}
TEST(GroupSlabs, backward_weight_of_16_channels)
{
    expect_right<bhalf_t, slab_tuning(bf16, 16, 3, 3, 9, 64)>(16, 4);
}
TEST(GroupSlabs, backward_weight_of_32_channels)
{
    expect_right<half_t, slab_tuning(f16, 32, 3, 3, 3, 128), half_t>(32, 5);
}
TEST(GroupSlabs, backward_weight_of_64_channels)
{
    expect_right<half_t, slab_tuning(f16, 64, 1, 3, 1, 64)>(64, 6);
}

} // namespace
} // namespace ck::test
