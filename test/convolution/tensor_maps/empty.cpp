// Empty tensors, for which the driver makes no maps, are refused, except backward weight of an
// empty Y, whose dW is zeros (transposed_first.cpp computes one). Kernels without maps accept them.
//
// Labels: not on AMD, not emulated
#include "convolution/tensor_maps/tensor_maps.hpp"

namespace ck::test::empty {
namespace {

using namespace tensor_operation::device;

constexpr GemmTuning maps  = map_tuning(arch::Matrix::wgmma_f32_16x8x16_f16, 64, 64, 3, 4);
constexpr GemmTuning fused = [] {
    GemmTuning t   = map_tuning(arch::Matrix::wgmma_f32_16x8x16_f16, 128, 64, 2);
    t.pipeline     = Pipeline::fused_phases;
    t.fused.phases = 4;
    return t;
}();

ConvProblem problem(long_index_t batch, long_index_t height)
{
    ConvProblem p;
    p.rank = 2, p.batch = batch, p.out_channels = 64, p.in_channels = 64;
    p.filter = {1, 3, 3}, p.input = {1, height, 8}, p.stride = {1, 2, 2};
    set_packed_strides(p);
    return p;
}

/// without_y: why a problem whose Y is empty is refused.
template <class Refusal>
void expect_refusals(const Refusal& refusal, const std::string& without_y = "Y is empty, but")
{
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, refusal(problem(1, 8)));
    EXPECT_EQ(refusal(problem(1, 8)), "");
    EXPECT_NE(refusal(problem(0, 8)).find("N is 0"), std::string::npos) << refusal(problem(0, 8));
    const std::string reason = refusal(problem(1, 2));
    EXPECT_TRUE(without_y.empty() ? reason.empty() : reason.starts_with(without_y)) << reason;
}

template <class Direction, GemmTuning tuning>
std::string refusal_of(const ConvProblem& p)
{
    using Operation = MapOperation<Direction, half_t, tuning>;
    typename Operation::Argument a{};
    a.problem = p;
    return Operation::supports(a).reason;
}

TEST(EmptyTensors, forward) { expect_refusals(refusal_of<ForwardDirection, maps>); }

TEST(EmptyTensors, backward_data) { expect_refusals(refusal_of<BackwardDataDirection, maps>); }

TEST(EmptyTensors, fused_phases) { expect_refusals(refusal_of<BackwardDataDirection, fused>); }

template <GemmTuning tuning>
std::string refusal_of_weight(const ConvProblem& p)
{
    using Operation = BackwardWeightOperation<
        ConvTypes<half_t, half_t, half_t, PassThrough, PassThrough, PassThrough, Tuple<>>,
        tuning>;
    typename Operation::Argument a{};
    a.problem = p;
    a.split_k = -1;
    Operation::make_plan(a);
    return Operation::supports(a, true).reason;
}

TEST(EmptyTensors, backward_weight) { expect_refusals(refusal_of_weight<maps>, ""); }

} // namespace
} // namespace ck::test::empty
