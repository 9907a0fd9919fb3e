// Labels: not emulated
// How blocks divide matrices, also those of more than 2^31 elements: every channel of every row has
// one thread.
#include "ck/tensor_operation/gpu/norm/tiling.hpp"

#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck::norm {
namespace {

struct Found
{
    long_index_t at, last_row, statistic, in_matrix, first_value; ///< the last three: of images
    index_t rows, channels, row_lane, first_in_tile, last_in_tile;
};

/// What threads say of their places.
template <index_t vector, class Tiling>
struct Places
{
    static constexpr index_t block_size            = norm::block_size;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    struct Params
    {
        Tiling tiling;
        Found* found;
    };
    struct SharedStorage
    {};

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        const Place<vector> place(p.tiling);
        Found f{place.at, place.at, 0, 0, 0, place.rows, place.channels, place.row_lane, 0, 0};
        f.first_in_tile = place.in_tile(p.tiling, 0);
        f.last_in_tile  = place.in_tile(p.tiling, place.channels - 1);
        f.last_row += (place.rows - 1) * p.tiling.channels;
        if constexpr(Tiling::has_groups)
        {
            const long_index_t channel = place.first_channel(p.tiling) + f.first_in_tile;
            f.statistic                = p.tiling.statistic(channel);
            f.in_matrix                = p.tiling.in_matrix(channel);
            f.first_value              = p.tiling.first_value(channel);
        }
        p.found[long_index_t{arch::block_index()} * block_size + arch::thread_index()] = f;
    }
};

/// t: of matrices of this size.
template <index_t vector, class Tiling>
void check(const Tiling& t, long_index_t matrices)
{
    const long_index_t rows = t.rows, channels = t.channels;
    SCOPED_TRACE(testing::Message() << matrices << " times " << rows << " rows, " << channels
                                    << " channels, vectors " << t.vectors << " of " << vector);
    ASSERT_LE(t.lanes * vector, most_tile);
    ASSERT_LE(t.lanes * t.row_lanes, block_size);
    ASSERT_GE(t.ranges * t.rows_a_range, rows);
    ASSERT_LT((t.ranges - 1) * t.rows_a_range, rows);
    ASSERT_EQ(t.grid_size(), matrices * t.ranges * t.tiles);
    std::vector<Found> found(static_cast<std::size_t>(t.grid_size()) * block_size);
    const DeviceMem memory(found.size() * sizeof(Found));
    using Kernel = Places<vector, Tiling>;
    HIP_CHECK_ERROR(arch::launch<Kernel>(
        t.grid_size(), nullptr, {t, static_cast<Found*>(memory.GetDeviceBuffer())}));
    memory.FromDevice(found.data());
    // The threads of the first row lane together have the channels of each range once.
    std::vector<long_index_t> of_range(static_cast<std::size_t>(matrices * t.ranges));
    for(std::size_t i = 0; i < found.size(); ++i)
    {
        const Found& f = found[i];
        if(f.channels == 0)
            continue;
        auto block = static_cast<long_index_t>(i / block_size);
        if constexpr(Tiling::has_groups)
            if(t.reversed)
                block = t.grid_size() - 1 - block;
        const long_index_t range = block / t.tiles, tile = block % t.tiles * t.lanes * vector,
                           matrix = range / t.ranges, first_row = range % t.ranges * t.rows_a_range,
                           before = matrix * rows * channels;
        ASSERT_EQ(f.at, before + first_row * channels + tile + f.first_in_tile);
        ASSERT_LT(tile + f.last_in_tile, channels);
        ASSERT_LT(f.last_in_tile, t.lanes * vector);
        ASSERT_EQ(f.rows, std::min(t.rows_a_range, rows - first_row));
        ASSERT_LT(f.last_row + f.last_in_tile - f.first_in_tile, before + rows * channels);
        if constexpr(Tiling::has_groups)
        {
            const long_index_t of = t.groups(), group = (tile + f.first_in_tile) / t.group;
            ASSERT_EQ(f.statistic, matrix * of + group);
            ASSERT_EQ(f.in_matrix, matrix * channels + tile + f.first_in_tile);
            ASSERT_EQ(f.first_value, before + group * t.group);
        }
        if(f.row_lane == 0)
            of_range[static_cast<std::size_t>(range)] += f.channels;
    }
    for(const long_index_t n : of_range)
        ASSERT_EQ(n, channels);
}

template <index_t vector>
void check(long_index_t rows, long_index_t channels, bool vectors)
{
    check<vector>(Tiling::make(rows, channels, vector, 4, vectors), 1);
}

template <index_t vector>
void check_images(long_index_t images,
                  long_index_t rows,
                  long_index_t channels,
                  long_index_t groups,
                  bool vectors)
{
    const ImageTiling t = ImageTiling::make(images, rows, channels, groups, vector, 4, vectors);
    check<vector>(t, images);
    check<vector>(t.backwards(), images);
}

} // namespace

TEST(NormTiling, HasEveryElementOnce)
{
    for(const long_index_t channels : {1, 2, 3, 8, 17, 96, 128, 129, 200, 2048, 5001})
        for(const long_index_t rows : {1, 2, 5, 1000, 4 * 528 * 16 + 1})
        {
            check<8>(rows, channels, false);
            check<2>(rows, channels, false);
            if(channels % 8 == 0)
                check<8>(rows, channels, true);
            if(channels % 4 == 0)
                check<4>(rows, channels, true);
        }
}

TEST(NormTiling, HoldsBeyondTwoToThe31)
{
    check<8>(long_index_t{1} << 30, 64, true);
    check<4>((long_index_t{1} << 41) + 7, 4, true); // ranges of no more rows than 32 bits count
    check<8>((long_index_t{1} << 34) + 3, 3, false);
    check<8>(70000, 40000, true);
}

TEST(NormTiling, HasEveryElementOfEveryImageOnce)
{
    for(const long_index_t images : {1, 7, 300})
        for(const long_index_t rows : {1, 5, 500})
        {
            if(images * rows > 7 * 500)
                continue;
            check_images<8>(images, rows, 96, 32, true);
            check_images<4>(images, rows, 160, 32, true);
            check_images<2>(images, rows, 15, 5, false);
            check_images<8>(images, rows, 129, 1, false);
        }
    check_images<8>(3, long_index_t{1} << 30, 64, 32, true);
}

TEST(NormTiling, KeepsMultiprocessorsBusy)
{
    // One image: as many blocks as run at once; of many, the last round is nearly full.
    const auto blocks = [](long_index_t images, long_index_t channels) {
        return ImageTiling::make(images, 1 << 20, channels, 32, 8, 4, true).grid_size();
    };
    EXPECT_EQ(blocks(1, 128), 528);
    EXPECT_EQ(blocks(1, 512), 528);
    EXPECT_EQ(blocks(16, 320), 528);
    for(long_index_t images = 1; images < 1000; ++images)
    {
        const index_t n = blocks(images, 128), rounds = (n + 527) / 528;
        EXPECT_GE(100 * n, 75 * 528 * rounds) << images << " images";
    }
}

/// By its definition: more ranges, one after another, are taken if a launch is a tenth faster.
TEST(NormTiling, AsksForRangesThatAreATenthFaster)
{
    for(const long_index_t most_blocks : {1, 7, 396, 528})
        for(long_index_t tiles = 1; tiles < 5 * most_blocks; ++tiles)
        {
            const auto rounds = [&](long_index_t ranges) {
                return (tiles * ranges + most_blocks - 1) / most_blocks;
            };
            long_index_t best = std::max<long_index_t>(most_blocks / tiles, 1);
            for(long_index_t ranges = best + 1; ranges * tiles <= 4 * most_blocks; ++ranges)
                if(10 * rounds(ranges) * best < 9 * rounds(best) * ranges)
                    best = ranges;
            ASSERT_EQ(Tiling::ranges_of(tiles, most_blocks), best) << tiles << " tiles";
        }
}

} // namespace ck::norm
