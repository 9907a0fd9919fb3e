// Convolutions of patches: kernels of long vectors take pixels of few channels.
#include "convolution/lattice/checks.hpp"
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {
namespace {

/// Vectors of 4 along the reduction.
constexpr GemmTuning patch_tuning{.block_tile  = {64, 64, 16},
                                  .wave_m      = 32,
                                  .wave_n      = 32,
                                  .instruction = arch::Matrix::dot_f32_8x4x2_f16, // anywhere
                                  .a_vector    = 4,
                                  .b_vector    = 4,
                                  .c_vector    = 4};

TEST(Patches, AreLinesOfManyChannels)
{
    const InstanceOf<half_t, patch_tuning> vectors("patches");
    const auto patches = [](long_index_t c, long_index_t length, long_index_t rows) {
        return make_packed_problem<2>(1,
                                      2,
                                      8,
                                      c,
                                      {rows, length},
                                      {2 * rows + 1, 3 * length},
                                      {rows, length},
                                      {1, 1},
                                      {0, 0},
                                      {0, 0});
    };
    for(const ConvProblem& p : {patches(3, 4, 4), patches(1, 16, 3), patches(2, 2, 2)})
        expect_right(vectors, p);
    expect_right(vectors,
                 make_packed_problem<3>(
                     1, 1, 4, 1, {2, 2, 4}, {4, 4, 8}, {2, 2, 4}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}));
    expect_right(vectors, make_packed_problem<1>(1, 2, 8, 3, {4}, {20}, {4}, {1}, {0}, {0}));
    expect_refusal(
        vectors,
        make_packed_problem<2>(1, 2, 8, 3, {4, 4}, {8, 12}, {4, 2}, {1, 1}, {0, 0}, {0, 0}),
        "C is 3, not a multiple of 4");
}

} // namespace
} // namespace ck::test
