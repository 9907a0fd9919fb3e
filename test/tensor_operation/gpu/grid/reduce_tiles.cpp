// Adds up partial sums that are stored tile by tile: of two kinds of tiles, of clusters, of merged
// groups, and of rows that are not whole runs.
#include "ck/tensor_operation/gpu/grid/reduce_tiles.hpp"

#include "ck/tensor_operation/gpu/conv/launch/reduce_launch.hpp"
#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"

#include "tensor_operation/gpu/grid/sums.hpp"

namespace ck::grid::reduce_tiles {
namespace {

using Sum = ReduceTiles<BackwardWeight, float, tensor_operation::element_wise::PassThrough>;

using tensor_operation::device::SplitPlan;

/// dW of several groups computed as one, from partial sums whose elements are small integers. Whole
/// tiles do not change.
void expect_right(const ConvProblem& p, const SplitPlan& of, index_t cluster = 1, index_t n = 64)
{
    SCOPED_TRACE(testing::Message()
                 << "groups " << p.groups << " K " << p.out_channels << " C " << p.in_channels
                 << " partial sums " << of.partial_sums << ' ' << of.last_tiles << ' '
                 << of.last_partial_sums << " cluster " << cluster);
    constexpr index_t m = 32;
    GemmTuning tuning{};
    tuning.block_tile   = {m, n, 64};
    tuning.maps.cluster = cluster;
    const auto groups = static_cast<index_t>(p.groups), rows = static_cast<index_t>(p.out_channels),
               channels        = static_cast<index_t>(p.in_channels),
               taps            = static_cast<index_t>(p.filter[2]);
    const index_t row_tiles    = math::integer_divide_ceil(groups * rows, m * cluster),
                  column_tiles = math::integer_divide_ceil(groups * taps * channels, n);
    const SplitTiles split     = SplitTiles::make(row_tiles * column_tiles,
                                              100,
                                              of.partial_sums,
                                              of.last_tiles,
                                              of.last_partial_sums,
                                              of.whole);
    Sums sums(p, long_index_t{split.partial_sums()} * cluster * m * n);
    Sum::Params s{};
    s.c          = sums.c();
    s.transform  = BackwardWeight::make(p, 1);
    s.c_group    = p.filter_strides[0];
    s.whole_runs = channels % Sum::vector == 0;
    s.channels   = make_divisor(channels);
    LaunchList list;
    const tensor_operation::device::PartialTiles<float> partial_sums{
        tuning, split, rows, taps * channels, groups};
    EXPECT_EQ(partial_sums.bytes(),
              sizeof(float) * static_cast<std::size_t>(split.partial_sums() * cluster * m * n));
    partial_sums.add<Sum>(list, s, sums.partial_sums());
    list.run(StreamConfig{});
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    sums.expect([&](index_t g, index_t k, index_t x, index_t channel) {
        const index_t row    = g * rows + k;
        const index_t column = (x * groups + g) * channels + channel;
        const index_t tile   = row / (m * cluster) * column_tiles + column / n;
        const index_t rank   = row / m % cluster;
        float expected       = 0;
        for(index_t i = 0; i < split.size(); ++i)
            if(const auto item = split(i); item.tile == tile)
                expected =
                    !item.is_partial
                        ? Sums::nan
                        : expected +
                              sums.partial(((item.partial * cluster + rank) * m + row % m) * n +
                                           column % n);
        return expected;
    });
}

TEST(ReduceTiles, OfOneKind)
{
    for(const index_t count : {1, 2, 9, 40})
    {
        expect_right(problem(1, 40, 24), {count, 0, 1, false}); // whole runs
        expect_right(problem(1, 7, 5), {count, 0, 1, false});
    }
}

TEST(ReduceTiles, OfTwoKinds)
{
    expect_right(problem(1, 40, 24), {2, 1, 40, false});
    expect_right(problem(1, 40, 24), {2, 3, 9, false});
    expect_right(problem(1, 100, 70), {3, 5, 7, false});
}

TEST(ReduceTiles, BehindWholeTiles)
{
    expect_right(problem(1, 40, 24), {1, 1, 17, true});
    expect_right(problem(1, 100, 70), {1, 5, 2, true});
}

/// Tiles of 96 and 288 runs, which are not multiples of a block's threads.
TEST(ReduceTiles, OfTilesThatAreNoWholeBlocks)
{
    for(const index_t n : {12, 36})
        for(const index_t count : {2, 9})
            expect_right(problem(1, 40, 24), {count, 1, 40, false}, 1, n);
}

TEST(ReduceTiles, OfClusters) { expect_right(problem(1, 100, 70), {3, 1, 7, false}, 2); }

TEST(ReduceTiles, MergedGroups)
{
    expect_right(problem(4, 4, 4), {9, 0, 1, false});
    expect_right(problem(6, 3, 2), {2, 0, 1, false});
    expect_right(problem(4, 20, 8), {2, 2, 5, false});
}

} // namespace
} // namespace ck::grid::reduce_tiles
