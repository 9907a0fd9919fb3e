// Strides far longer than images: checking and computing cost no more than the image requires.
//
// Labels: emulated on one target
#include "convolution/arguments/arguments.hpp"
#include <chrono>

namespace ck::test {
namespace {

using Clock = std::chrono::steady_clock;

/// 2x5 pixels under a stride, one window in the middle and two beside it.
ConvProblem strided(long_index_t stride)
{
    return make_packed_problem<2>(1,
                                  1,
                                  2,
                                  3,
                                  {2, 3},
                                  {2, 5},
                                  {stride, stride},
                                  {1, 1},
                                  {stride / 2, stride / 3},
                                  {stride / 2, stride / 3});
}

/// A kernel with two buffers: every device has a model of it.
constexpr GemmTuning modelled = [] {
    GemmTuning t = scalar_loads;
    t.pipeline   = Pipeline::double_buffer;
    return t;
}();

template <class Op>
class LongStrides : public testing::Test
{};
using Modelled =
    testing::Types<device::ConvOperation<device::ForwardDirection, Plain, modelled>,
                   device::ConvOperation<device::BackwardDataDirection, Plain, modelled>,
                   device::BackwardWeightOperation<Plain, modelled>>;
TYPED_TEST_SUITE(LongStrides, Modelled);

TYPED_TEST(LongStrides, ArePredictedAndRunInTheTimeOfTheImage)
{
    for(const long_index_t stride : {7ll, 1000ll, 16000ll, 1ll << 28, 2147483647ll})
    {
        ConvProblem p = strided(stride);
        if(stride > 1 << 28)
            p.pad_low = p.pad_high = {0, 1, 2};
        set_packed_strides(p);
        SCOPED_TRACE(stride);
        const auto size = [](const TensorLengths& l) {
            return std::vector<float>(static_cast<std::size_t>(element_count(l)), 1.f);
        };
        Floats x(size(p.input_lengths())), w(size(p.filter_lengths())), y(size(p.output_lengths()));
        const auto a     = argument_of<TypeParam>(p, x, w, y);
        const auto begin = Clock::now();
        ASSERT_EQ(supports<TypeParam>(a).reason, "");
        EXPECT_GT(TypeParam::predict(a), 0);
        run<TypeParam>(a);
        EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
    }
}

TEST(Phases, AreAtMostAsManyAsPixels)
{
    for(const long_index_t stride : {6ll, 16000ll, 1ll << 28})
        EXPECT_EQ(BackwardDataByPixel::make(strided(stride), 1).phase_count(), 10);
    EXPECT_EQ(BackwardDataByPixel::make(strided(2), 1).phase_count(), 4);
}

} // namespace
} // namespace ck::test
