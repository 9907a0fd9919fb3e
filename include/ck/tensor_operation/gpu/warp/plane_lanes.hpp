#pragma once
// How a wave multiplies filters by planes of pixels without LDS between. Pixels are the columns of
// a matrix instruction's product, whose order is free: a lane loads a vector of pixels of each of
// its channels, of which each of as many instructions takes one, and has vectors of the products.
#include "ck/tensor_operation/gpu/warp/pixel_lanes.hpp"

namespace ck::warp {

/// The lanes of such instructions. A column is the place of a vector.
template <arch::Matrix id>
struct PlaneLanes
{
    using Filters = arch::MatrixA<id>;
    using Pixels  = arch::MatrixB<id>;
    using Sums    = arch::MatrixC<id>;

    static constexpr index_t rows     = arch::describe(id).m, ///< channels of the product
        columns                       = arch::describe(id).n,
                             channels = arch::describe(id).k; ///< of the reduction

    /// The place of a column among the vectors of an instruction, so that lanes store neighbours: a
    /// lane's own columns lie apart.
    CK_HOST_DEVICE static constexpr index_t place(index_t column)
    {
        constexpr PixelParts parts = stored_pixels(id).of_each;
        return parts.place(parts.part(column), parts.ordinal(column), 1);
    }

    /// What a lane loads: a vector, of as many channels as it has values, the first one and how
    /// far the others are after it.
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

    /// What a lane has of the filters.
    CK_HOST_DEVICE static constexpr index_t filter_row(index_t lane, index_t value)
    {
        return arch::describe(id).a(lane, value).row;
    }
    CK_HOST_DEVICE static constexpr index_t filter_channel(index_t lane, index_t value)
    {
        return arch::describe(id).a(lane, value).column;
    }

    /// What a lane stores: vectors, each of a channel.
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
