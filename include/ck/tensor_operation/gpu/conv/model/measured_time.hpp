#pragma once
// Lines that lead from what a kernel's model says to what an H200 takes, one for each kind of
// kernel. Each model was fitted for itself, most to large problems; by lines, kernels of different
// kinds can be compared where launches are short, too. They are fitted to times of 765 sub-tiles,
// f16, by up to eight kernels of each kind: docs/notes/kernel_selection.md.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

namespace ck::tensor_operation::device {

/// Makes clock cycles of the device of those of a model.
struct Line
{
    double start = 0, factor = 1;
    double partial_sums = 0; ///< of the launch that adds up backward weight's partial sums

    constexpr double at(double cycles, bool has_partial_sums = false) const
    {
        return start + factor * cycles + (has_partial_sums ? partial_sums : 0);
    }
};

/// Returns the clock cycles that an operation on the result, with or without D tensors, adds to a
/// launch of a kernel that multiplies by wgmma. elements: of the result, columns that fill up a
/// tile included. An H200's times of six layers in bf16 by 128x256, with a bias and without, differ
/// by 7.1 to 10 us for each million elements (script/compare_torch biases).
constexpr double operation_cycles(const GemmTuning& t, double elements, index_t compute_units)
{
    constexpr double of_element = 1.8; // of a multiprocessor
    return arch::takes_shared(t.instruction) ? of_element * elements / compute_units : 0;
}

/// What a launch computes: Y, dX or dW.
enum class Computed
{
    y,
    dx,
    dw
};

/// Whether a tuning's kernel is for NVIDIA's GPUs alone.
constexpr bool is_for_nvidia(const GemmTuning& t)
{
    const arch::Requirement r = requirement_of(t);
    return r == arch::Requirement::mma_sync || r == arch::Requirement::wgmma;
}

/// Whether the model of a tuning counts bytes as weighted_bytes() does.
constexpr bool weighs_bytes(const GemmTuning& t, bool by_pixels)
{
    return !by_pixels && is_for_nvidia(t) &&
           (has_producer_warp(t.pipeline) || t.pipeline == Pipeline::async_copies);
}

namespace detail {

/// Returns the line of backward weight by channel slices, one for each number of columns that a
/// tile has: groups by taps.
constexpr Line line_of_weight_channel_slices(const GemmTuning& t)
{
    const auto [m, n, k]          = t.block_tile;
    constexpr double partial_sums = 3000;
    switch(n)
    {
    case 72:
        return k == 64 ? Line{100, 0.9, partial_sums} : Line{1500, 0.99, partial_sums};
    case 144: // four warps multiply, or twelve
        return wave_count(t) == 4 ? Line{1650, 1.19, partial_sums} : Line{-400, 0.98, partial_sums};
    case 200:
        return {1650, 1.14, partial_sums};
    case 248:
        return {2200, 0.98, partial_sums};
    case 288:
        return {-400, 1.52, partial_sums};
    case 576:
        return {600, 1.52, partial_sums};
    default: // of 49 taps, whose sums take long to store
        return {7400, 1.02, partial_sums};
    }
}

/// Returns the line of backward weight by tensor maps. Where groups have tiles of their own, many
/// columns of a tile belong to none.
constexpr Line line_of_weight_maps(const GemmTuning& t, bool several_groups)
{
    if(!several_groups)
        return {0, 0.96, 1500};
    return {2350, wave_count(t) != 4 ? 0.9 : t.block_tile.n == 64 ? 0.85 : 1.11};
}

/// Returns the line of backward weight of int8, from times of 148 sub-tiles on an H200.
constexpr Line line_of_weight_of_bytes(const GemmTuning& t)
{
    const auto [m, n, k] = t.block_tile;
    switch(t.pipeline)
    {
    case Pipeline::async_copies:
        return n == 128 ? Line{9000, 0.8} : m == 128 ? Line{2000, 1.16} : Line{3500, 1.9};
    case Pipeline::double_buffer:
        return {1500, t.a_vector == 1 ? 0.82 : 0.74};
    case Pipeline::tensor_maps:
        return t.maps.transposed_first ? Line{3500, 0.91}
               : n == 128              ? Line{2500, 1.3}
                                       : Line{2500, 1.02};
    case Pipeline::channel_slices:
        switch(n)
        {
        case 96:
            return {10000, 0.92};
        case 144: // eight warps multiply, or 24
            return k == 128             ? Line{10500, 1.02}
                   : wave_count(t) == 8 ? Line{6500, 1.18}
                                        : Line{3000, 1.34};
        case 192:
            return {8000, 1.24};
        case 240:
            return {6000, 1.48};
        default:
            return {9500, 1.1};
        }
    default:
        return {};
    }
}

/// Returns the line of backward weight by kernels of NVIDIA's alone.
constexpr Line line_of_weight(const GemmTuning& t, bool several_groups)
{
    if(arch::input_bytes(t.instruction) == 1)
        return line_of_weight_of_bytes(t);
    switch(t.pipeline)
    {
    case Pipeline::async_copies:
        return {5450, 0.92};
    case Pipeline::single_buffer:
        return {2000, 1};
    case Pipeline::double_buffer:
        return {3100, 0.88};
    case Pipeline::tensor_maps:
    case Pipeline::filter_rows:
        return line_of_weight_maps(t, several_groups);
    case Pipeline::channel_slices:
        return line_of_weight_channel_slices(t);
    case Pipeline::halo_tiles:
        return {2600, 0.98, 1000};
    case Pipeline::first_layer:
        return {3800, 0.96};
    case Pipeline::intra_block_split_k:
        return {-500, 0.96};
    case Pipeline::small_groups:
        return {3000, 0.9};
    default:
        return {};
    }
}

/// Returns the line of forward and backward data by kernels of NVIDIA's alone.
constexpr Line line_of_rows(const GemmTuning& t, bool forward)
{
    switch(t.pipeline)
    {
    case Pipeline::async_copies:
        return !arch::takes_shared(t.instruction) ? Line{2600, 0.95}
               : forward                          ? Line{1500, 0.92}
                                                  : Line{2000, 0.92};
    case Pipeline::double_buffer:
        return {forward ? 3500. : 3000., 0.92};
    case Pipeline::first_layer:
        return {1300, 0.88};
    case Pipeline::tensor_maps: // start: the first boxes arrive, and the last are stored
        return forward ? Line{1750, 1} : Line{1300, 1.02};
    case Pipeline::halo_tiles:
    case Pipeline::fused_phases:
        return {1750, 1};
    case Pipeline::intra_block_split_k:
        return {forward ? 900. : 1900., 1};
    case Pipeline::channel_slices: // bytes wait longer for tables and stores; e4m3 is converted
        return t.instruction == arch::Matrix::mma_i32_16x8x32_s8          ? Line{0, 1.25}
               : t.instruction == arch::Matrix::mma_f32_16x8x32_e4m3_e4m3 ? Line{0, 1.8}
                                                                          : Line{};
    case Pipeline::pointwise:
        return t.c_vector == 8   ? Line{900, 1.17}
               : t.c_vector == 4 ? Line{0, 1.07}
                                 : Line{1800, 1.1};
    default:
        return {};
    }
}

} // namespace detail

/// Returns the line of a tuning's kernels. Kernels of AMD's alone have none, as they were not
/// measured; sliding windows are for every vendor, and so is theirs.
constexpr Line line_of(const GemmTuning& t, Computed c, bool several_groups)
{
    const bool by_pixels = c == Computed::dw;
    if(t.pipeline == Pipeline::sliding_window)
        return t.window.x == 1         ? Line{} // the model is right in one dimension
               : by_pixels             ? Line{0, 1.4}
               : t.window.columns == 1 ? Line{0, t.window.y == 7 ? 1.65 : 1.4}
               : t.window.stride == 1  ? Line{0, 1.3}
               : t.window.y == 7       ? Line{0, 1.95}
                                       : Line{1000, 1.05};
    if(!is_for_nvidia(t))
        return {};
    return by_pixels ? detail::line_of_weight(t, several_groups)
                     : detail::line_of_rows(t, c == Computed::y);
}

} // namespace ck::tensor_operation::device
