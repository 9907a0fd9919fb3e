#pragma once
// Multiplies filters by planes of pixels in a wave without LDS in between. Pixels are the columns
// of a matrix instruction's result, in free order: a lane loads a vector of pixels of each of its
// channels, uses one element per instruction, and gets vectors of the result.
#include "ck/tensor_operation/gpu/warp/pixel_lanes.hpp"

namespace ck::warp {

/// The lanes of such instructions. A column is the position of a vector.
template <arch::Matrix id>
struct ChannelsFirstLanes
{
    using Filters = arch::MatrixA<id>;
    using Pixels  = arch::MatrixB<id>;
    using Sums    = arch::MatrixC<id>;

    static constexpr index_t rows     = arch::describe(id).m, ///< channels of the product
        columns                       = arch::describe(id).n,
                             channels = arch::describe(id).k; ///< channels of the reduction

    /// The position of a column among an instruction's vectors, so that lanes store adjacent
    /// vectors: a lane's own columns are apart.
    CK_HOST_DEVICE static constexpr index_t place(index_t column)
    {
        constexpr PixelParts parts = stored_pixels(id).of_each;
        return parts.place(parts.part(column), parts.ordinal(column), 1);
    }

    /// A lane's loads: one vector for each of its channels; the first channel, and the distance to
    /// the others.
    CK_HOST_DEVICE static constexpr index_t in_place(index_t lane)
    {
        return place(arch::describe(id).b(lane, 0).row);
    }
    CK_HOST_DEVICE static constexpr index_t in_channel(index_t lane)
    {
        return arch::describe(id).b(lane, 0).column;
    }
    CK_HOST_DEVICE static constexpr index_t channel_after(index_t value)
    {
        return arch::describe(id).b(0, value).column;
    }

    /// A lane's part of the filters.
    CK_HOST_DEVICE static constexpr index_t filter_row(index_t lane, index_t value)
    {
        return arch::describe(id).a(lane, value).row;
    }
    CK_HOST_DEVICE static constexpr index_t filter_channel(index_t lane, index_t value)
    {
        return arch::describe(id).a(lane, value).column;
    }

    /// A lane's stores: vectors, each of one channel.
    CK_HOST_DEVICE static constexpr index_t out_place(index_t lane, index_t value)
    {
        return place(arch::describe(id).c(lane, value).column);
    }
    CK_HOST_DEVICE static constexpr index_t out_channel(index_t lane, index_t value)
    {
        return arch::describe(id).c(lane, value).row;
    }
};

} // namespace ck::warp
