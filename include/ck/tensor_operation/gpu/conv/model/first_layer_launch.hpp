#pragma once
// A launch of Pipeline::first_layer, as the models of AMD's engines take it.

namespace ck::tensor_operation::device {

/// A launch of Pipeline::first_layer.
struct FirstLayerLaunch
{
    double tiles;  ///< tiles of all blocks
    double rounds; ///< tiles of the block with the most
    double blocks; ///< blocks on a compute unit at a time
    double rows;   ///< rows of the filter, those of all planes
    double halo;   ///< pixels of A that a tile copies
    double bytes;  ///< bytes of the three tensors
};

} // namespace ck::tensor_operation::device
