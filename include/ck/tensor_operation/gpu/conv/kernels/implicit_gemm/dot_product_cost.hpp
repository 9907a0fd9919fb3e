#pragma once
// How long GEMMs of floats take that are multiplied by threads, without a matrix instruction.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

namespace ck::tensor_operation::device {

/// Returns clock cycles. Fitted to an H200's times of 52 problems of forward by nine tunings, from
/// which it differs by 8 % on average; the rule then takes kernels that are 0.5 % slower than the
/// fastest, at worst 5, where table order lost 15, at worst 227. Backward weight took 9 % more, of
/// 71 problems by tiles of 128x128.
inline double
predicted_dot_product_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    // What a compute unit takes for an element that is loaded, copied to LDS and read there.
    const auto of_element = [](index_t vector) {
        return vector >= 4 ? 0.3 : vector == 2 ? 0.405 : 0.57;
    };
    constexpr double products = 128;  // in a cycle, of a compute unit
    constexpr double of_sum   = 0.25; // each that is stored
    constexpr double start    = 4000;
    constexpr double alone    = 1.5; // four waves, or fewer, wait for their loads
    const double by_pixels    = shape.by_pixels ? 1.09 : 1;
    const auto [m, n, k]      = t.block_tile;
    const double slice =
        m * n * k / products + k * (m * of_element(t.a_vector) + n * of_element(t.b_vector));
    const double rounds  = std::ceil(shape.tiles / compute_units);
    const double working = rounds * (slice * shape.slices + of_sum * m * n) *
                           (rounds == 1 && wave_count(t) <= 4 ? alone : 1) * by_pixels;
    return start + Memory{}.overlapped(working, shape.bytes) + Memory{}.more(shape.more_bytes);
}

} // namespace ck::tensor_operation::device
