#pragma once
// How a copy between a packed tensor and one with channels in blocks is divided into tiles.
#include "ck/arch/block_memory.hpp"
#include "ck/convolution/blocked_layout.hpp"
#include "ck/tensor_description/flat_index.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ck::grid {

/// Parameters chosen by measurement.
struct BlockedCopyTuning
{
    index_t threads           = 256;
    index_t min_blocks_per_cu = 4;
    /// At least two workgroups fit on a compute unit.
    index_t shared_bytes  = math::min(48 << 10, arch::shared_bytes_of_cu / 2);
    index_t words         = 8;  ///< words that a thread moves at once
    index_t vectors       = 4;  ///< vectors of 16 bytes that a thread moves at once
    index_t run_alignment = 32; ///< bytes: where words of a run begin
    index_t run_lanes     = 0;  ///< threads of a run at least; 0: so many that banks differ
};

/// A dimension of the tile.
struct TileAxis
{
    index_t tile;        ///< its length in a tile
    long_index_t length; ///< its length in the tensor
    long_index_t packed_stride;
};

/// A dimension of the tile, where it stands in the packed tensor's order.
struct RunAxis
{
    Divisor length; ///< in a tile
    long_index_t stride;
    index_t shared; ///< elements in LDS
    index_t kind;   ///< 0: places; 1: others; 2: channels; 3: none of them
};

/// The run-time numbers of a copy: plain, a part of a kernel's arguments. Strides: elements.
struct BlockedCopyTile
{
    /// Maps a tile to offsets in the packed and the blocked tensor, and to its first place, other
    /// index and channel.
    FlatIndex<5, 5> tiles;
    /// Places: the dimension next to the channels in the blocked tensor. Others: the fastest
    /// remaining dimension of the packed tensor, unless it is copied one index at a time.
    TileAxis places, others, channels;
    long_index_t places_in_blocks; ///< places with padding
    index_t block;                 ///< C0
    long_index_t outer;            ///< elements from one block of channels to the next
    long_index_t places_blocked_stride;
    Divisor others_inner; ///< others are one or two dimensions of the blocked tensor
    long_index_t others_blocked_stride[2];

    Divisor chunks;                     ///< chunks of a block
    Divisor tile_places, tile_blocks;   ///< places, and blocks of channels, in a tile
    Divisor vectors;                    ///< vectors of a place's channels in a tile
    index_t shared_place, shared_other; ///< elements in LDS from one to the next

    /// Dimensions of a tile, fastest in the packed tensor first, then one of length 1. run_joins:
    /// the second follows the first in memory.
    RunAxis run[4];
    bool run_joins;
    Divisor run_lanes;
};

namespace detail {

struct CopyDim
{
    long_index_t length = 1, in_blocks = 1, packed = 0, blocked = 0;
};

/// The dimensions of places, and those left over.
struct CopyDims
{
    CopyDim places, others;
    long_index_t others_inner = 1, others_outer_stride = 0;
    std::vector<CopyDim> rest;
};

inline bool in_range(long_index_t x) { return x < (long_index_t{1} << 31); }

inline CopyDims copy_dims(const BlockedLayout& b, const PackedStrides& packed)
{
    std::vector<CopyDim> dims;
    for(std::size_t i = 0; i < 4; ++i)
        if(const long_index_t rows = i == 0 ? b.rows : b.lengths[i]; rows != 1)
            dims.push_back({b.lengths[i], rows, packed.outer[i], b.strides[i]});
    const auto take = [&](auto at) {
        const CopyDim d = *at;
        dims.erase(at);
        return d;
    };
    CopyDims r;
    if(!dims.empty()) // padded rows are places, whatever their stride
        r.places = take(std::min_element(dims.begin(), dims.end(), [](auto& x, auto& y) {
            return std::pair(x.length == x.in_blocks, x.blocked) <
                   std::pair(y.length == y.in_blocks, y.blocked);
        }));
    const auto joined = [&](CopyDim& d, const auto& condition) {
        const auto next = std::find_if(dims.begin(), dims.end(), [&](const CopyDim& n) {
            return d.length == d.in_blocks && n.length == n.in_blocks &&
                   n.packed == d.packed * d.length && in_range(d.length * n.length) && condition(n);
        });
        if(next == dims.end())
            return false;
        d.length = d.in_blocks *= take(next).length;
        return true;
    };
    CopyDim& p = r.places;
    while(joined(p, [&](const CopyDim& n) { return n.blocked == p.blocked * p.length; }))
        ;
    if(!dims.empty())
        r.others = take(std::min_element(
            dims.begin(), dims.end(), [](auto& x, auto& y) { return x.packed < y.packed; }));
    CopyDim& o = r.others;
    while(joined(o, [&](const CopyDim& n) { return n.blocked == o.blocked * o.length; }))
        ;
    r.others_inner = o.length;
    if(joined(o, [&](const CopyDim& n) { return r.others_outer_stride = n.blocked, true; }))
        while(joined(o, [&](const CopyDim& n) {
            return n.blocked == r.others_outer_stride * (o.length / r.others_inner);
        }))
            ;
    r.rest = dims;
    return r;
}

} // namespace detail

/// packed_vector: channels moved together; 1 if they are not adjacent in memory.
inline BlockedCopyTile make_blocked_copy_tile(const BlockedLayout& b,
                                              const PackedStrides& packed,
                                              index_t element_bytes,
                                              index_t packed_vector,
                                              const BlockedCopyTuning& tuning)
{
    const detail::CopyDims dims = detail::copy_dims(b, packed);
    const auto &p = dims.places, &o = dims.others;
    const index_t chunk = math::min(b.block, 16 / element_bytes);
    const index_t pad   = packed_vector > 1 ? chunk : 4 / element_bytes; // after a place's channels
    const index_t space = tuning.shared_bytes / element_bytes - pad;     // and after its places
    const index_t line  = 128 / element_bytes; // elements that are worth reading one after another

    // Lengths of a tile: first whole lines of the packed tensor, then places, then whatever fits.
    const auto blocks = [&](long_index_t elements) {
        return static_cast<index_t>(
            math::min(b.blocks(), math::max(long_index_t{1}, elements / b.block)));
    };
    const auto clamped = [](long_index_t x, long_index_t most) {
        return static_cast<index_t>(math::max(long_index_t{1}, math::min(x, most)));
    };
    index_t channels = b.block, others = 1;
    if(packed.channel == 1)
        channels *= b.channels <= 2 * line ? static_cast<index_t>(b.blocks()) : blocks(line);
    if(o.packed < p.packed && o.packed < packed.channel)
        others = clamped(o.length, line);
    index_t places = clamped((space / others - pad) / (channels + pad), p.in_blocks);
    if(const index_t step = places < 128 ? 4 : 32; step < places && places < p.in_blocks)
    { // whole sectors, in tiles that have as many
        places -= places % step;
        const auto tiles = math::integer_divide_ceil(p.in_blocks, long_index_t{places});
        places           = static_cast<index_t>(math::integer_least_multiple(
            math::integer_divide_ceil(p.in_blocks, tiles), long_index_t{step}));
    }
    if(others == 1)
        others = clamped(space / (places * (channels + pad) + pad), o.length);
    if(places == p.in_blocks && others == o.length)
        channels = math::max(channels, b.block * blocks(((space / others - pad) / places) - pad));

    BlockedCopyTile t{};
    t.places                   = {places, p.length, p.packed};
    t.others                   = {others, o.length, o.packed};
    t.channels                 = {channels, b.channels, packed.channel};
    t.places_in_blocks         = p.in_blocks;
    t.block                    = b.block;
    t.outer                    = b.outer;
    t.places_blocked_stride    = p.blocked;
    t.others_inner             = make_divisor(static_cast<index_t>(dims.others_inner));
    t.others_blocked_stride[0] = o.blocked;
    t.others_blocked_stride[1] = dims.others_outer_stride;
    t.chunks                   = make_divisor(b.block / chunk);
    t.tile_places              = make_divisor(places);
    t.tile_blocks              = make_divisor(channels / b.block);
    const auto exist = static_cast<index_t>(math::min(long_index_t{channels}, b.channels));
    t.vectors        = make_divisor(math::integer_divide_ceil(exist, packed_vector));
    t.shared_place   = channels + pad;
    t.shared_other   = places * t.shared_place;
    if(packed_vector == 1 && t.shared_other / pad % 2 == 0)
        t.shared_other += pad;

    const auto axis = [](index_t tile, const TileAxis& a, index_t shared, index_t kind) {
        return std::pair{static_cast<index_t>(math::min(long_index_t{tile}, a.length)),
                         RunAxis{{}, a.packed_stride, shared, kind}};
    };
    std::array axes{axis(places, t.places, t.shared_place, 0),
                    axis(others, t.others, t.shared_other, 1),
                    axis(channels, t.channels, 1, 2)};
    std::sort(axes.begin(), axes.end(), [](auto& x, auto& y) {
        return std::pair(x.first == 1, x.second.stride) < std::pair(y.first == 1, y.second.stride);
    });
    for(std::size_t i = 0; i < 3; ++i)
    {
        t.run[i]        = axes[i].second;
        t.run[i].length = make_divisor(axes[i].first);
    }
    t.run[3]            = {make_divisor(1), 0, 0, 3};
    const auto complete = [&](const RunAxis& a) {
        const std::array lengths{p.length, o.length, b.channels};
        return a.length.value == lengths[static_cast<std::size_t>(a.kind)];
    };
    t.run_joins = complete(t.run[0]) && t.run[1].length.value > 1 &&
                  t.run[1].stride == t.run[0].stride * t.run[0].length.value;
    const index_t runs = (t.run_joins ? 1 : t.run[1].length.value) * t.run[2].length.value;
    index_t lanes      = tuning.run_lanes == 0 ? 8 * element_bytes : tuning.run_lanes;
    while(lanes < tuning.threads && tuning.threads / lanes > runs)
        lanes *= 2;
    t.run_lanes = make_divisor(lanes);

    // Tiles.
    std::vector<std::array<long_index_t, 6>> all; // how many, the strides
    all.push_back({math::integer_divide_ceil(p.in_blocks, long_index_t{places}),
                   p.packed * places,
                   p.blocked * places,
                   places,
                   0,
                   0});
    all.push_back({math::integer_divide_ceil(o.length, long_index_t{others}),
                   o.packed * others,
                   0,
                   0,
                   others,
                   0});
    all.push_back({math::integer_divide_ceil(b.channels, long_index_t{channels}),
                   packed.channel * channels,
                   b.outer * (channels / b.block),
                   0,
                   0,
                   channels});
    for(const auto& d : dims.rest)
        all.push_back({d.length, d.packed, d.blocked, 0, 0, 0});
    while(all.size() < 5)
        all.push_back({1, 0, 0, 0, 0, 0});
    std::array<long_index_t, 5> lengths{};
    std::array<std::array<long_index_t, 5>, 5> strides{};
    for(std::size_t i = 0; i < 5; ++i)
    {
        lengths[i] = all[i][0];
        for(std::size_t s = 0; s < 5; ++s)
            strides[s][i] = all[i][s + 1];
    }
    t.tiles = decltype(t.tiles)::make(lengths, strides);
    return t;
}

} // namespace ck::grid
