#pragma once
// Halo tiles: the input pixels that a tile of output pixels reads with all filter taps, copied
// once. Each tap reads the same halo tile at another offset.
#include "ck/tensor_operation/operator_transform/pixel_windows.hpp"
#include "ck/tensor_operation/operator_transform/rotated_phase.hpp"

namespace ck {

/// The geometry of a launch's halo tiles, as a kernel uses it. Axes are w, h, d and images.
///
/// A tile consists of one or more sub-tiles of 64 output pixels, adjacent along one axis. A
/// sub-tile consists of eight groups, adjacent along one axis, of eight pixels adjacent along w.
/// The pixels of a halo tile are lines, w fastest.
///
/// With stride s, every s-th pixel of the windows forms a plane. Taps whose offsets are equal
/// modulo s read the same plane; each such tap group has its own halo tile. If one line of LDS
/// holds s pixels adjacent along w, planes exist along h and d only, and a "line" below is one of
/// these pixels.
struct HaloTiles
{
    static constexpr index_t most_phases = 8, most_tap_groups = 8, most_planes = 8;
    static constexpr index_t group = 8, groups = 8, sub_tile = group * groups;

    struct TapGroup
    {
        index_t plane;      ///< first pixel (w, h, d) with w fastest
        index_t first[3];   ///< pixel of the plane, and w_lines of them along w, that belongs to
                            ///< output pixel 0
        index_t first_line; ///< line of a tile's first pixel at the first tap
        index_t first_tap;  ///< the tap group's first tap in the filter
        index_t taps[3];
    };
    struct Phase
    {
        index_t count[3]; ///< output pixels of an image
        index_t first_tap_group, tap_groups;
    };
    TapGroup tap_group[most_tap_groups];
    Phase of_phase[most_phases];

    index_t extent[4];                   ///< output pixels of a tile
    index_t group_axis, sub_tile_axis;   ///< axes along which groups and sub-tiles are adjacent
    index_t w_lines;                     ///< lines from an output pixel to the next along w
    index_t halo[4];                     ///< lines of a halo tile, along w a multiple of w_lines
    index_t group_lines, sub_tile_lines; ///< lines from a group, and a sub-tile, to the next
    /// The steps in a tile without a halo: lines from a group, and a sub-tile, to the next.
    struct Own
    {
        index_t group_lines, sub_tile_lines;
    };
    Own own;
    index_t step[3];      ///< pixels of a plane from a line to the next, per axis
    index_t line_step[3]; ///< lines from a tap of a tap group to the next
    index_t tap_step[3];  ///< taps of the filter from a tap of a tap group to the next, x fastest
    Divisor tiles[3];     ///< tiles of the phase with the most tiles, w h d
    Divisor phases;
    index_t tile_count; ///< tiles of all phases and images

    constexpr index_t lines() const { return halo[0] * halo[1] * halo[2] * halo[3]; }
    /// Output pixels from a sub-tile to the next along its axis.
    constexpr index_t sub_tile_pixels() const
    {
        return (sub_tile_axis == 0 ? group : 1) * (sub_tile_axis == group_axis ? groups : 1);
    }

    /// A tile's first output pixel.
    struct Tile
    {
        index_t phase_index;
        index_t origin[4];

        /// Whether the tile has pixels of its phase.
        CK_HOST_DEVICE constexpr bool exists(const HaloTiles& p) const
        {
            const Phase& c = p.of_phase[phase_index];
            return origin[0] < c.count[0] && origin[1] < c.count[1] && origin[2] < c.count[2];
        }
    };
    /// Tiles of all phases at one place have consecutive numbers.
    CK_HOST_DEVICE constexpr Tile tile(index_t number) const
    {
        Tile t{};
        index_t rest  = quotient(number, phases);
        t.phase_index = rotated_phase(number - rest * phases.value, rest, phases);
        for(int i = 0; i < 3; ++i)
        {
            const index_t next = quotient(rest, tiles[i]);
            t.origin[i]        = (rest - next * tiles[i].value) * extent[i];
            rest               = next;
        }
        t.origin[3] = rest * extent[3];
        return t;
    }

    /// Computes the place of row r of sub-tile u in a tile.
    CK_HOST_DEVICE constexpr void place(index_t (&at)[4], index_t u, index_t r) const
    {
        for(int i = 0; i < 4; ++i)
            at[i] = (i == 0 ? r % group : 0) +
                    (i == group_axis ? r / group * (i == 0 ? group : 1) : 0) +
                    (i == sub_tile_axis ? u * sub_tile_pixels() : 0);
    }
    /// Index of row r of sub-tile u among the output pixels (image, d, h, w) of its phase in a tile
    /// of `images` images; -1 if there is no such pixel.
    CK_HOST_DEVICE constexpr index_t row(const Tile& t, index_t u, index_t r, index_t images) const
    {
        const Phase& c = of_phase[t.phase_index];
        index_t at[4]{};
        place(at, u, r);
        for(int i = 0; i < 4; ++i)
            at[i] += t.origin[i];
        if(at[0] >= c.count[0] || at[1] >= c.count[1] || at[2] >= c.count[2] || at[3] >= images)
            return -1;
        return ((at[3] * c.count[2] + at[2]) * c.count[1] + at[1]) * c.count[0] + at[0];
    }

    /// Makes tiles of `sub_tiles` sub-tiles for windows of `images` images. Returns null on
    /// success, or the reason: too many phases or tap groups, or no halo tile of at most
    /// `most_lines` pixels. windows(i): of phase i. filter: its lengths, x y z. rank: further axes
    /// are not divided. w_lines: adjacent pixels along w in one line; the windows' step along w, or
    /// 1.
    template <class Windows>
    static constexpr const char* make(HaloTiles& r,
                                      index_t phase_count,
                                      const Windows& windows,
                                      const index_t (&filter)[3],
                                      index_t rank,
                                      index_t images,
                                      index_t sub_tiles,
                                      index_t most_lines,
                                      index_t w_lines = 1);

private:
    /// Adds the tap groups of one phase, w fastest. Raises `reach` to the most lines between a
    /// tile's first pixel and a tap, and adds the taps to `taps`. Returns null on success, or the
    /// reason.
    constexpr const char* add(Phase& c,
                              const PixelWindows& w,
                              index_t& tap_groups,
                              index_t (&offset)[most_tap_groups][3],
                              index_t (&reach)[3],
                              const index_t (&filter)[3]);
    constexpr void set_shape(index_t group_along,
                             index_t sub_tile_along,
                             index_t sub_tiles,
                             const index_t (&reach)[3]);
};

constexpr const char* HaloTiles::add(Phase& c,
                                     const PixelWindows& w,
                                     index_t& tap_groups,
                                     index_t (&offset)[most_tap_groups][3],
                                     index_t (&reach)[3],
                                     const index_t (&filter)[3])
{
    if(w_lines > 1 && w.dimension[0].step != w_lines)
        return "windows along w are not as many pixels apart as a line has";
    c.first_tap_group = tap_groups;
    index_t distance[3]{}, cycle[3]{}, of_dimension[3]{}; // of taps in one halo tile
    for(int i = 0; i < 3; ++i)
    {
        const PixelWindows::Dimension& d = w.dimension[i];
        c.count[i]                       = d.count.value;
        step[i]                          = i == 0 ? d.step / w_lines : d.step;
        distance[i]                      = d.offset_step < 0 ? -d.offset_step : d.offset_step;
        cycle[i]        = distance[i] == 0 ? 1 : step[i] / math::gcd(step[i], distance[i]);
        of_dimension[i] = math::min(cycle[i], d.taps.value);
        line_step[i]    = static_cast<index_t>(long_index_t{d.offset_step} * cycle[i] / step[i]);
        tap_step[i]     = d.filter_step * cycle[i];
    }
    for(index_t n = 0; n < of_dimension[0] * of_dimension[1] * of_dimension[2]; ++n)
    {
        if(tap_groups == most_tap_groups)
            return "the strides let taps share halo tiles in more than 8 ways";
        TapGroup& tap_group = this->tap_group[tap_groups];
        tap_group.first_tap = tap_group.plane = 0;
        const index_t tap[3]                  = {n % of_dimension[0],
                                                 n / of_dimension[0] % of_dimension[1],
                                                 n / of_dimension[0] / of_dimension[1]};
        for(int i = 2; i >= 0; --i)
        {
            const PixelWindows::Dimension& d = w.dimension[i];
            const index_t away               = d.offset + d.offset_step * tap[i];
            const index_t first              = d.first + away % step[i];
            const index_t of_plane           = math::integer_divide_floor(first, step[i]);
            tap_group.first[i]               = math::integer_divide_floor(first, d.step);
            tap_group.plane = tap_group.plane * step[i] + first - of_plane * step[i];
            offset[tap_groups][i] =
                away / step[i] + of_plane - tap_group.first[i] * d.step / step[i];
            tap_group.taps[i] = (d.taps.value - tap[i] + cycle[i] - 1) / cycle[i];
            reach[i]          = math::max(reach[i],
                                 offset[tap_groups][i] +
                                     math::max(0, line_step[i] * (tap_group.taps[i] - 1)));
            tap_group.first_tap =
                tap_group.first_tap * filter[i] + d.filter + d.filter_step * tap[i];
        }
        ++tap_groups;
    }
    c.tap_groups = tap_groups - c.first_tap_group;
    return nullptr;
}

constexpr void HaloTiles::set_shape(index_t group_along,
                                    index_t sub_tile_along,
                                    index_t sub_tiles,
                                    const index_t (&reach)[3])
{
    group_axis    = group_along;
    sub_tile_axis = sub_tile_along;
    for(int i = 0; i < 4; ++i)
        extent[i] = i == 0 ? group : 1;
    extent[group_along] *= groups;
    extent[sub_tile_along] *= sub_tiles;
    for(int i = 0; i < 4; ++i)
        halo[i] = extent[i] + (i < 3 ? reach[i] : 0);
    halo[0] = math::integer_least_multiple(w_lines * (extent[0] - 1) + 1 + reach[0], w_lines);
    const index_t lines_along[4] = {
        w_lines, halo[0], halo[0] * halo[1], halo[0] * halo[1] * halo[2]};
    group_lines            = (group_along == 0 ? group : 1) * lines_along[group_along];
    sub_tile_lines         = sub_tile_pixels() * lines_along[sub_tile_along];
    const index_t along[4] = {
        1, extent[0], extent[0] * extent[1], extent[0] * extent[1] * extent[2]};
    own = {(group_along == 0 ? group : 1) * along[group_along],
           sub_tile_pixels() * along[sub_tile_along]};
}

template <class Windows>
constexpr const char* HaloTiles::make(HaloTiles& r,
                                      index_t phase_count,
                                      const Windows& windows,
                                      const index_t (&filter)[3],
                                      index_t rank,
                                      index_t images,
                                      index_t sub_tiles,
                                      index_t most_lines,
                                      index_t w_lines)
{
    r         = {};
    r.w_lines = w_lines;
    if(phase_count > most_phases)
        return "the strides make more than 8 phases";
    r.phases           = make_divisor(phase_count);
    index_t tap_groups = 0, offset[most_tap_groups][3]{}, reach[3]{}, most[3]{};
    for(index_t i = 0; i < phase_count; ++i)
    {
        Phase& c = r.of_phase[i];
        if(const char* reason = r.add(c, windows(i), tap_groups, offset, reach, filter))
            return reason;
        for(int a = 0; a < 3; ++a)
            most[a] = math::max(most[a], c.count[a]);
    }

    if(r.step[0] * r.step[1] * r.step[2] > most_planes)
        return "the strides make more than 8 planes of pixels";

    // Choose the shape that moves the fewest lines: each tap reads a tile's lines and as many of
    // the filter; the halo tile is written once.
    long_index_t taps = 0;
    for(index_t i = 0; i < tap_groups; ++i)
        taps += r.tap_group[i].taps[0] * r.tap_group[i].taps[1] * r.tap_group[i].taps[2];
    long_index_t fewest = -1;
    HaloTiles best      = r;
    for(index_t group_along = 0; group_along < rank; ++group_along)
        for(index_t sub_tile_along = 0; sub_tile_along < 4; ++sub_tile_along)
        {
            if(sub_tile_along >= rank && sub_tile_along < 3)
                continue;
            r.set_shape(group_along, sub_tile_along, sub_tiles, reach);
            bool fits = r.lines() <= most_lines;
            for(int i = 0; i < 3; ++i)
                fits = fits && r.halo[i] <= (i == 0 ? w_lines : 1) * 256; // of a box
            if(!fits)
                continue;
            long_index_t tiles = phase_count;
            for(int i = 0; i < 4; ++i)
                tiles *= math::integer_divide_ceil(i < 3 ? most[i] : images, r.extent[i]);
            const long_index_t moved =
                tiles * (2 * sub_tiles * sub_tile * taps + long_index_t{tap_groups} * r.lines());
            if(fewest < 0 || moved < fewest)
            {
                fewest = moved;
                best   = r;
            }
        }
    if(fewest < 0)
        return "no halo tile of the windows of a tile fits beside the filters in shared memory";
    r                   = best;
    long_index_t number = phase_count * math::integer_divide_ceil(images, r.extent[3]);
    for(int i = 0; i < 3; ++i)
    {
        r.tiles[i] = make_divisor(math::integer_divide_ceil(most[i], r.extent[i]));
        number *= r.tiles[i].value;
    }
    if(number > (1 << 30))
        return "there are more than 2^30 tiles";
    r.tile_count                 = static_cast<index_t>(number);
    const index_t lines_along[3] = {1, r.halo[0], r.halo[0] * r.halo[1]},
                  taps_along[3]  = {1, filter[0], filter[0] * filter[1]};
    for(int i = 0; i < 3; ++i)
    {
        r.line_step[i] =
            math::wrapping_product(r.line_step[i], lines_along[i]); // arbitrary for one tap
        r.tap_step[i] *= taps_along[i];
        for(index_t n = 0; n < tap_groups; ++n)
            r.tap_group[n].first_line += offset[n][i] * lines_along[i];
    }
    return nullptr;
}

} // namespace ck
