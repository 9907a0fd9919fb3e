#pragma once
// Depthwise problems for sliding windows of every direction: segments of rows and columns that do
// not divide the image, windows outside of it, groups that leave threads idle.
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include <array>
#include <vector>

namespace ck::test {

struct WindowShape
{
    using Pair = std::array<long_index_t, 2>; ///< rows and columns; of windows of a line the first
    long_index_t groups, images;
    Pair input, pad_low, pad_high;
};

/// Planes of the input, where windows have several.
inline constexpr long_index_t window_planes = 4;

inline std::vector<WindowShape> window_shapes(const Window& w)
{
    const long_index_t v = w.vector, y = w.y / 2, x = w.x / 2;
    return {{8 * v, 2, {9, 11}, {y, x}, {y, x}},
            {64, 3, {14, 14}, {y, x}, {y, x}},
            {5 * v, 1, {7, 30}, {y, x}, {y + 1, x + 1}},
            {v, 2, {w.y, w.x}, {0, 0}, {0, 0}},      // only one window
            {v, 1, {1, 1}, {w.y, w.x}, {w.y, w.x}},  // mostly outside
            {3 * v, 1, {12, 13}, {-1, -2}, {2, 1}},  // cropped
            {136, 2, {15, 9}, {w.y - 1, 0}, {0, x}}, // causal
            {72, 9, {10, 8}, {y, x}, {y, x}}};
}

} // namespace ck::test
