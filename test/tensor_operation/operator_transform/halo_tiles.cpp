// HaloTiles, compared with the windows that they represent: every output pixel once, every tap
// once, the same pixels.
#include "ck/tensor_operation/operator_transform/halo_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace ck {
namespace {

constexpr index_t most_lines = 4000;

struct Made
{
    HaloTiles halo_tiles;
    const char* reason;
};

template <class Transform>
Made make(const ConvProblem& p, index_t sub_tiles, index_t w_lines = 1)
{
    const Transform transform = Transform::make(p, 1);
    const index_t filter[3]   = {static_cast<index_t>(p.filter[2]),
                                 static_cast<index_t>(p.filter[1]),
                                 static_cast<index_t>(p.filter[0])};
    Made m{};
    m.reason = HaloTiles::make(
        m.halo_tiles,
        transform.phase_count(),
        [&](index_t i) { return a_windows(transform, i); },
        filter,
        p.rank,
        static_cast<index_t>(p.batch),
        sub_tiles,
        most_lines,
        w_lines);
    return m;
}

/// The pixels w h d of the windows that a line of a halo tile holds.
std::vector<index_t> pixel_of_line(const HaloTiles& p,
                                   const HaloTiles::TapGroup& tap_group,
                                   const HaloTiles::Tile& tile,
                                   index_t line)
{
    std::vector<index_t> pixel(3);
    index_t plane = tap_group.plane;
    for(std::size_t i = 0; i < 3; ++i)
    {
        const index_t along = i == 0 ? p.w_lines : 1,
                      at    = (tap_group.first[i] + tile.origin[i]) * along + line % p.halo[i];
        pixel[i]            = plane % p.step[i] + p.step[i] * at;
        line /= p.halo[i];
        plane /= p.step[i];
    }
    return pixel;
}

/// Compares what all rows of all tiles meet with a phase's windows.
template <class Transform>
void expect_same_as_windows(const ConvProblem& p, index_t sub_tiles, const HaloTiles& halo_tiles)
{
    const Transform transform = Transform::make(p, 1);
    const auto batch          = static_cast<index_t>(p.batch);
    std::vector<std::vector<int>> seen; // seen of each phase and row
    for(index_t i = 0; i < transform.phase_count(); ++i)
    {
        const PixelWindows w = a_windows(transform, i);
        seen.emplace_back(
            static_cast<std::size_t>(w.dimension[0].count.value * w.dimension[1].count.value *
                                     w.dimension[2].count.value * batch));
    }
    for(index_t number = 0; number < halo_tiles.tile_count; ++number)
    {
        const HaloTiles::Tile tile = halo_tiles.tile(number);
        const PixelWindows w       = a_windows(transform, tile.phase_index);
        const HaloTiles::Phase& c  = halo_tiles.of_phase[tile.phase_index];
        for(index_t u = 0; u < sub_tiles; ++u)
            for(index_t r = 0; r < HaloTiles::sub_tile; ++r)
            {
                const index_t row = halo_tiles.row(tile, u, r, batch);
                if(row < 0)
                    continue;
                ASSERT_TRUE(tile.exists(halo_tiles));
                seen[static_cast<std::size_t>(tile.phase_index)][static_cast<std::size_t>(row)] +=
                    1;
                using Meeting = std::tuple<index_t, index_t, index_t, index_t, index_t>;
                std::vector<Meeting> met, expected; // tap in the filter, image, w, h, d
                const PixelWindows::Pixel pixel = w.pixel(row);
                for(index_t t = 0; t < w.tap_count(); ++t)
                {
                    const auto tap = w.tap(t);
                    expected.emplace_back(
                        tap.filter[0] +
                            static_cast<index_t>(p.filter[2]) *
                                (tap.filter[1] + static_cast<index_t>(p.filter[1]) * tap.filter[2]),
                        pixel.image,
                        pixel.spatial[0] + tap.offset[0],
                        pixel.spatial[1] + tap.offset[1],
                        pixel.spatial[2] + tap.offset[2]);
                }
                for(index_t i = 0; i < c.tap_groups; ++i)
                {
                    const HaloTiles::TapGroup& tap_group =
                        halo_tiles.tap_group[c.first_tap_group + i];
                    for(index_t t = 0;
                        t < tap_group.taps[0] * tap_group.taps[1] * tap_group.taps[2];
                        ++t)
                    {
                        const index_t at[3] = {t % tap_group.taps[0],
                                               t / tap_group.taps[0] % tap_group.taps[1],
                                               t / tap_group.taps[0] / tap_group.taps[1]};
                        index_t line        = tap_group.first_line + u * halo_tiles.sub_tile_lines +
                                       r / HaloTiles::group * halo_tiles.group_lines +
                                       r % HaloTiles::group * halo_tiles.w_lines,
                                tap = tap_group.first_tap;
                        for(int a = 0; a < 3; ++a)
                        {
                            line += at[a] * halo_tiles.line_step[a];
                            tap += at[a] * halo_tiles.tap_step[a];
                        }
                        ASSERT_TRUE(line >= 0 && line < halo_tiles.lines());
                        const auto x = pixel_of_line(halo_tiles, tap_group, tile, line);
                        const index_t image =
                            tile.origin[3] +
                            line / (halo_tiles.halo[0] * halo_tiles.halo[1] * halo_tiles.halo[2]);
                        met.emplace_back(tap, image, x[0], x[1], x[2]);
                    }
                }
                std::sort(met.begin(), met.end());
                std::sort(expected.begin(), expected.end());
                ASSERT_EQ(met, expected) << "phase " << tile.phase_index << " row " << row;
            }
    }
    for(const auto& rows : seen)
        EXPECT_EQ(std::count(rows.begin(), rows.end(), 1), static_cast<long>(rows.size()))
            << "each output pixel is in one tile";
}

/// w_lines: pixels that stand side by side, and the stride along w; 1: no such pixels.
template <class Transform>
void compare(unsigned seed, index_t w_lines = 1)
{
    std::mt19937 random(seed);
    const auto draw = [&](int low, int high) {
        return std::uniform_int_distribution<long_index_t>(low, high)(random);
    };
    int ran = 0;
    for(int i = 0; i < 300; ++i)
    {
        ConvProblem p;
        p.rank  = static_cast<index_t>(draw(1, 3));
        p.batch = draw(1, 5);
        for(std::size_t d = 3 - static_cast<std::size_t>(p.rank); d < 3; ++d)
        {
            p.filter[d]   = draw(1, 4);
            p.input[d]    = draw(1, p.rank == 1 ? 200 : p.rank == 2 ? 25 : 9);
            p.stride[d]   = draw(1, 3);
            p.dilation[d] = draw(1, 3);
            p.pad_low[d]  = draw(0, 3);
            p.pad_high[d] = draw(0, 3);
        }
        if(w_lines > 1)
            p.stride[2] = w_lines;
        const Spatial out = p.output();
        if(out[0] <= 0 || out[1] <= 0 || out[2] <= 0)
            continue;
        set_packed_strides(p);
        const index_t sub_tiles = 1 << draw(0, 2);
        const Made made         = make<Transform>(p, sub_tiles, w_lines);
        if(made.reason != nullptr)
        {
            EXPECT_NE(std::string(made.reason).find("strides"), std::string::npos) << made.reason;
            continue;
        }
        ++ran;
        expect_same_as_windows<Transform>(p, sub_tiles, made.halo_tiles);
        if(testing::Test::HasFailure())
            return;
    }
    EXPECT_GT(ran, 150);
}

TEST(HaloTiles, Forward) { compare<Forward>(1); }
TEST(HaloTiles, BackwardData) { compare<BackwardData>(2); }
TEST(HaloTiles, TwoPixelsSideBySide) { compare<Forward>(3, 2); }
TEST(HaloTiles, ThreePixelsSideBySide) { compare<Forward>(4, 3); }

TEST(HaloTiles, AreRefused)
{
    ConvProblem p;
    p.rank   = 3;
    p.input  = {30, 30, 30};
    p.stride = {3, 3, 1};
    set_packed_strides(p);
    EXPECT_STREQ(make<BackwardData>(p, 1).reason, "the strides make more than 8 phases");
    EXPECT_STREQ(make<Forward>(p, 1).reason, "the strides make more than 8 planes of pixels");
    p.stride = {1, 1, 1};
    EXPECT_EQ(make<Forward>(p, 1).reason, nullptr);
    EXPECT_STREQ(make<Forward>(p, 1, 2).reason,
                 "windows along w are not as many pixels apart as a line has");
    p.dilation = {29, 29, 29};
    p.filter   = {2, 2, 2};
    EXPECT_STREQ(make<Forward>(p, 1).reason,
                 "no halo tile of the windows of a tile fits beside the filters in shared memory");
}

} // namespace
} // namespace ck
