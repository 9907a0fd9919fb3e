#pragma once
// A launch of Pipeline::pointwise, as the models take it.

namespace ck::tensor_operation::device {

/// A launch of Pipeline::pointwise.
struct PointwiseLaunch
{
    double tiles;        ///< tiles of all blocks
    double column_tiles; ///< each reads A once more
    double bytes;        ///< bytes of the three tensors
    double a_bytes;      ///< bytes of A
};

} // namespace ck::tensor_operation::device
