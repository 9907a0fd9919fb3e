// Labels: not emulated
// How blocks divide matrices, also those of more than 2^31 elements: every channel of every row has
// one thread.
#include "ck/tensor_operation/gpu/batch_norm/tiling.hpp"

#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck::batch_norm {
namespace {

struct Found
{
    long_index_t at, last_row;
    index_t rows, channels, row_lane, first_in_tile, last_in_tile;
};

/// What threads say of their places.
template <index_t vector>
struct Places
{
    static constexpr index_t block_size            = batch_norm::block_size;
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
        Found f{place.at, place.at, place.rows, place.channels, place.row_lane, 0, 0};
        f.first_in_tile = place.in_tile(p.tiling, 0);
        f.last_in_tile  = place.in_tile(p.tiling, place.channels - 1);
        f.last_row += (place.rows - 1) * p.tiling.channels;
        p.found[long_index_t{arch::block_index()} * block_size + arch::thread_index()] = f;
    }
};

template <index_t vector>
void check(long_index_t rows, long_index_t channels, bool vectors)
{
    SCOPED_TRACE(testing::Message() << rows << " rows, " << channels << " channels, vectors "
                                    << vectors << " of " << vector);
    const Tiling t = Tiling::make(rows, channels, vector, 4, vectors);
    ASSERT_LE(t.lanes * vector, most_tile);
    ASSERT_LE(t.lanes * t.row_lanes, block_size);
    ASSERT_GE(t.ranges * t.rows_a_range, rows);
    ASSERT_LT((t.ranges - 1) * t.rows_a_range, rows);
    std::vector<Found> found(static_cast<std::size_t>(t.grid_size()) * block_size);
    const DeviceMem memory(found.size() * sizeof(Found));
    HIP_CHECK_ERROR(arch::launch<Places<vector>>(
        t.grid_size(), nullptr, {t, static_cast<Found*>(memory.GetDeviceBuffer())}));
    memory.FromDevice(found.data());
    // Of the first row lane, threads together have the channels of each range once.
    std::vector<long_index_t> of_range(static_cast<std::size_t>(t.ranges));
    for(std::size_t i = 0; i < found.size(); ++i)
    {
        const Found& f           = found[i];
        const auto block         = static_cast<long_index_t>(i / block_size);
        const long_index_t range = block / t.tiles, tile = block % t.tiles * t.lanes * vector;
        if(f.channels == 0)
            continue;
        const long_index_t first_row = range * t.rows_a_range;
        ASSERT_EQ(f.at, first_row * channels + tile + f.first_in_tile);
        ASSERT_LT(tile + f.last_in_tile, channels);
        ASSERT_LT(f.last_in_tile, t.lanes * vector);
        ASSERT_EQ(f.rows, std::min(t.rows_a_range, rows - first_row));
        ASSERT_LT(f.last_row + f.last_in_tile - f.first_in_tile, rows * channels);
        if(f.row_lane == 0)
            of_range[static_cast<std::size_t>(range)] += f.channels;
    }
    for(const long_index_t n : of_range)
        ASSERT_EQ(n, channels);
}

} // namespace

TEST(BatchNormTiling, HasEveryElementOnce)
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

TEST(BatchNormTiling, HoldsBeyondTwoToThe31)
{
    check<8>(long_index_t{1} << 30, 64, true);
    check<4>((long_index_t{1} << 41) + 7, 4, true); // ranges of no more rows than 32 bits count
    check<8>((long_index_t{1} << 34) + 3, 3, false);
    check<8>(70000, 40000, true);
}

} // namespace ck::batch_norm
