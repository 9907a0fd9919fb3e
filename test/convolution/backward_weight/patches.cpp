// Convolutions of patches: kernels of long vectors take pixels of few channels.
#include "convolution/backward_weight/weight.hpp"

namespace ck::test {
namespace {

TEST(Patches, AreLinesOfManyChannels)
{
    using C = Case<2,
                   half_t,
                   half_t,
                   GemmTuning{.block_tile  = {64, 64, 16},
                              .wave_m      = 32,
                              .wave_n      = 32,
                              .instruction = arch::Matrix::dot_f32_8x4x2_f16,
                              .a_vector    = 4,
                              .b_vector    = 4,
                              .c_vector    = 4}>;
    C::Op op;
    for(const ConvParam& p :
        {ConvParam(2, 1, 2, 8, 3, {4, 4}, {9, 12}, {4, 4}, {1, 1}, {0, 0}, {0, 0}),
         ConvParam(2, 1, 3, 8, 1, {3, 16}, {9, 52}, {3, 16}, {1, 1}, {0, 0}, {0, 0}),
         ConvParam(2, 1, 2, 4, 2, {2, 2}, {8, 6}, {2, 2}, {1, 1}, {0, 0}, {0, 0})})
    {
        SCOPED_TRACE(testing::Message() << p);
        Tensors<C> t(p, channels_last);
        const auto expected = t.expected();
        for(const index_t split : {1, 3, -1})
        {
            t.w.fill_with_nan();
            const auto argument = t.argument(split);
            ASSERT_EQ(op.WhyNotSupported(&argument), "");
            EXPECT_EQ(differences(computed(op, argument, t.w), expected), 0u);
        }
    }
}

} // namespace
} // namespace ck::test
