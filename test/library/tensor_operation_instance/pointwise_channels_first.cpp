// 1x1 convolutions of channels-first tensors by kernels of another direction, with exact integers.
#include "library/tensor_operation_instance/complete.hpp"
#include "library/tensor_operation_instance/reference.hpp"

namespace ck::test::pointwise_channels_first {
namespace {

const Layout& channels_first = layouts[3];

template <class T>
Family family_of(Direction direction)
{
    using enum Direction;
    return direction == forward         ? ConvFamily<forward, T, T, T>::key()
           : direction == backward_data ? ConvFamily<backward_data, T, T, T>::key()
                                        : ConvFamily<backward_weight, T, T, T>::key();
}

bool is_exchanged(const ConvKernel& kernel) { return kernel.name.starts_with("ChannelsFirst1x1<"); }

/// How many kernels computed it.
int run_all(const Family& family, index_t rank, Kind kind, const Layout& layout)
{
    const Reference& r  = Reference::of(family.direction, rank, kind);
    ConvProblem problem = r.problem;
    set_layout(problem, layout);
    KernelSetup setup{family, problem, {r.x, r.w, r.y, r.sums}, 2};
    int count = 0;
    for(const ConvKernel* const kernel : kernels_for(family, setup.argument))
        if(is_exchanged(*kernel) && setup.supports(*kernel))
        {
            EXPECT_EQ(setup.mistakes(*kernel), 0u) << kernel->name;
            ++count;
        }
    return count;
}

} // namespace

TEST(PointwiseChannelsFirst, IsRight)
{
    for(const Direction direction :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
        for(const Family& family : {family_of<half_t>(direction), family_of<float>(direction)})
        {
            Family other    = family;
            other.direction = direction == Direction::forward         ? Direction::backward_data
                              : direction == Direction::backward_data ? Direction::backward_weight
                                                                      : Direction::forward;
            if(library_lacks(family) || library_lacks(other))
                continue;
            for(const index_t rank : {1, 2, 3})
                EXPECT_GT(run_all(family, rank, Kind::dense_pointwise, channels_first), 0)
                    << family.a << " rank " << rank;
        }
}

TEST(PointwiseChannelsFirst, IsForOneTapAndPixelsSideBySide)
{
    const Family family = family_of<half_t>(Direction::forward);
    EXPECT_EQ(run_all(family, 2, Kind::dense_pointwise, layouts[1]), 0) << "channels last";
    EXPECT_EQ(run_all(family, 2, Kind::dense, channels_first), 0) << "several taps";
    EXPECT_EQ(run_all(family, 2, Kind::dense_one_tap, channels_first), 0) << "padding";
    EXPECT_EQ(run_all(family, 2, Kind::grouped, channels_first), 0);
}

} // namespace ck::test::pointwise_channels_first
