#pragma once
// The positions of filter elements, for backward weight kernels that store them one by one.
#include "ck/utility/integer.hpp"

namespace ck::grid {

/// Elements of dW, or of a partial, from one to the next. Planes, rows and columns are of taps.
struct FilterDistances
{
    long_index_t group;
    index_t out, in, plane, row, column;

    /// Returns the element offset of a tap, given by its plane, row and column, and of a channel of
    /// X.
    CK_HOST_DEVICE constexpr long_index_t
    to(index_t tap_plane, index_t tap_row, index_t tap_column, index_t channel) const
    {
        return long_index_t{channel} * in + long_index_t{tap_plane} * plane +
               long_index_t{tap_row} * row + long_index_t{tap_column} * column;
    }
};

} // namespace ck::grid
