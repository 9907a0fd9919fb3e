#pragma once
// Predicted time of GEMMs of floats that threads multiply without matrix instructions.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

namespace ck::tensor_operation::device {

/// Returns clock cycles.
inline double
predicted_dot_product_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    namespace of          = h200::dot_product;
    const auto of_element = [](index_t vector) {
        return vector >= 4 ? of::element : vector == 2 ? of::element_of_pairs : of::element_alone;
    };
    const double by_pixels = shape.by_pixels ? of::by_pixels : 1;
    const auto [m, n, k]   = t.block_tile;
    const double slice     = m * n * k / h200::unit::instructions +
                         k * (m * of_element(t.a_vector) + n * of_element(t.b_vector));
    const double rounds  = std::ceil(shape.tiles / compute_units);
    const double working = rounds * (slice * shape.slices + of::sum * m * n) *
                           (rounds == 1 && wave_count(t) <= of::alone_waves ? of::alone : 1) *
                           by_pixels;
    return of::start + Memory{}.overlapped(working, shape.bytes) + Memory{}.more(shape.more_bytes);
}

} // namespace ck::tensor_operation::device
