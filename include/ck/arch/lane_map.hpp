#pragma once
// How a matrix instruction distributes its tiles: which element the v-th register value of a lane
// holds.
#include "ck/utility/integer.hpp"

namespace ck::arch {

/// Maps (lane, value) to (row, column) of a tile. Each mode takes `extent` off the lane (or value)
/// number, the first mode the lowest part, and moves by (row, column) for each step of that part.
/// The product of the extents of all lane (or value) modes is the number of lanes (or values). A
/// mode that moves nowhere is for lanes that hold copies.
struct LaneMap
{
    struct Mode
    {
        index_t extent = 1;
        index_t row    = 0;
        index_t column = 0;
    };
    struct Coordinate
    {
        index_t row    = 0;
        index_t column = 0;

        friend constexpr bool operator==(const Coordinate&, const Coordinate&) = default;
    };

    Mode lane_low, lane_high;
    Mode value_low, value_middle = {}, value_high = {};

    CK_HOST_DEVICE constexpr Coordinate operator()(index_t lane, index_t value) const
    {
        Coordinate at;
        lane  = peel(lane_low, lane, at);
        lane  = peel(lane_high, lane, at);
        value = peel(value_low, value, at);
        value = peel(value_middle, value, at);
        value = peel(value_high, value, at);
        return at;
    }

    CK_HOST_DEVICE constexpr index_t lanes() const { return lane_low.extent * lane_high.extent; }
    CK_HOST_DEVICE constexpr index_t values() const
    {
        return value_low.extent * value_middle.extent * value_high.extent;
    }

private:
    // Unsigned: extents are powers of two, and divisions become shifts and masks.
    CK_HOST_DEVICE static constexpr index_t peel(const Mode& mode, index_t number, Coordinate& at)
    {
        const auto extent = static_cast<std::uint32_t>(mode.extent);
        const auto step   = static_cast<index_t>(static_cast<std::uint32_t>(number) % extent);
        at.row += step * mode.row;
        at.column += step * mode.column;
        return static_cast<index_t>(static_cast<std::uint32_t>(number) / extent);
    }
};

/// Whether each element of a rows x columns tile is held by exactly `copies` (lane, value) pairs,
/// and no pair is outside the tile.
constexpr bool covers(const LaneMap& map, index_t rows, index_t columns, index_t copies)
{
    constexpr index_t most_elements = 2048;
    if(rows * columns > most_elements || map.lanes() * map.values() != rows * columns * copies)
        return false;
    index_t held[most_elements] = {};
    for(index_t lane = 0; lane < map.lanes(); ++lane)
        for(index_t value = 0; value < map.values(); ++value)
        {
            const LaneMap::Coordinate at = map(lane, value);
            if(at.row < 0 || at.row >= rows || at.column < 0 || at.column >= columns)
                return false;
            if(++held[at.row * columns + at.column] > copies)
                return false;
        }
    return true; // no element is held too often, and there are rows * columns * copies
                 // pairs
}

} // namespace ck::arch
