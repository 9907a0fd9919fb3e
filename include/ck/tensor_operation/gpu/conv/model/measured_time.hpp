#pragma once
// Corrects each model's prediction by a line (offset and factor) fitted to H200 times, one line per
// kind of kernel. Models were fitted separately, mostly to large problems; the lines make different
// kinds comparable for short launches, too: [lines] of machine/h200.ini.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include <array>
#include <cstddef>
#include <iterator>
#include <span>

namespace ck::tensor_operation::device {

/// Returns the clock cycles that an operation on the result, with or without D tensors, adds
/// to a launch of an NVIDIA kernel. elements: of the result, including columns that fill up a
/// tile.
constexpr double operation_cycles(const GemmTuning& t, double elements, index_t compute_units)
{
    return arch::takes_shared(t.instruction) || arch::is_mma_sync(requirement_of(t))
               ? h200::operation::element * elements / compute_units
               : 0;
}

/// Whether a tuning's kernel is only for NVIDIA's GPUs.
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

/// The lines of a pipeline, which are adjacent in the machine's file.
struct LineRange
{
    std::size_t first = 0, count = 0;
};
inline constexpr std::size_t pipelines_with_lines =
    static_cast<std::size_t>(Pipeline::intra_block_split_k) + 1;
inline constexpr auto line_ranges = [] {
    std::array<LineRange, pipelines_with_lines> all{};
    for(std::size_t i = 0; i < std::size(h200::lines); ++i)
    {
        LineRange& r = all[static_cast<std::size_t>(h200::lines[i].pipeline)];
        if(r.count++ == 0)
            r.first = i;
    }
    return all;
}();

} // namespace detail

/// Returns the lines of a pipeline.
constexpr std::span<const LineOf> lines_of(Pipeline p)
{
    const auto which = static_cast<std::size_t>(p);
    if(which >= detail::pipelines_with_lines)
        return {};
    const auto [first, count] = detail::line_ranges[which];
    return std::span(h200::lines).subspan(first, count);
}

/// Returns the line of a tuning's kernels. Kernels for AMD only have none, because they were not
/// measured; sliding windows run on every vendor, and so does their line.
constexpr Line line_of(const GemmTuning& t, Computed c, bool several_groups)
{
    if(t.pipeline != Pipeline::sliding_window && !is_for_nvidia(t))
        return {};
    for(const LineOf& line : lines_of(t.pipeline))
        if(line.is_for(t, c, several_groups))
            return line.line;
    return {};
}

} // namespace ck::tensor_operation::device
