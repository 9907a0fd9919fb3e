#pragma once
// Sliding windows of a launch (conv/kernels/sliding_window/kernel.hpp): which problems have them,
// where the rows lie, and how images are cut into segments.
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/filter_distances.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/sliding_window.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"
#include "ck/tensor_operation/operator_transform/pixel_windows.hpp"

#include <limits>
#include <string>

namespace ck::tensor_operation::device {

/// Whether images are one line, as those of 1D problems are, whoever asks.
inline bool is_line(const ConvProblem& p)
{
    return p.input[1] == 1 && p.filter[1] == 1 && p.output()[1] == 1;
}

/// Dimensions of Spatial that are the rows and columns of an image; planes are the first. The
/// pixels of a line are rows.
struct WindowAxes
{
    std::size_t row, column;
};
inline WindowAxes window_axes(const ConvProblem& p)
{
    return is_line(p) ? WindowAxes{2, 1} : WindowAxes{1, 2};
}

/// The axes of kernels that take a line as an image of one row.
inline constexpr WindowAxes image_axes{1, 2};

/// Whether groups have one channel of X and one of Y.
inline Support check_depthwise(const ConvProblem& p)
{
    const auto text = [](auto n) { return std::to_string(n); };
    if(p.in_channels != 1 || p.out_channels != 1)
        return refused([&] {
            return "a group has " + text(p.in_channels) + " channels of X and " +
                   text(p.out_channels) +
                   " of Y, but this kernel is for depthwise convolutions, one and one";
        });
    return {};
}

/// Whether groups have one channel of X and one of Y, and the filter and strides are the window's.
inline Support check_window(const ConvProblem& p, const Window& window)
{
    const auto text = [](auto n) { return std::to_string(n); };
    if(const Support s = check_depthwise(p); !s)
        return s;
    if(p.filter[0] != window.z || p.stride[0] != 1 || (p.filter[0] > 1 && p.dilation[0] != 1))
        return refused([&] {
            return "along the depth the filter is " + text(p.filter[0]) + ", the stride " +
                   text(p.stride[0]) + " and the dilation " + text(p.dilation[0]) +
                   ", but this kernel is for " + text(window.z) + ", 1 and 1";
        });
    const WindowAxes at = window_axes(p);
    const auto check = [&](const char* what, const Spatial& values, index_t row, index_t column) {
        const bool has_columns = !is_line(p); // a line has one column
        return values[at.row] == row && (!has_columns || values[at.column] == column)
                   ? Support{}
                   : refused([&] {
                         return std::string("the ") + what + " is " + text(values[at.row]) +
                                " by " + text(values[at.column]) + ", but this kernel is for " +
                                text(row) + " by " + text(column);
                     });
    };
    if(is_line(p) && window.x != 1)
        return refused([&] {
            return "the images are lines, but this kernel's windows are " + text(window.x) +
                   " wide";
        });
    return check_all([&] { return check("filter", p.filter, window.y, window.x); },
                     [&] { return check("stride", p.stride, window.stride, window.stride); },
                     [&] { return check("dilation", p.dilation, 1, 1); });
}

/// Returns where the rows of a tensor lie, of a problem whose groups are one.
inline grid::WindowGeometry::Image
window_image(const ConvProblem& p, const WindowAxes& at, Role role, std::size_t element_bytes)
{
    const auto number            = [](long_index_t n) { return static_cast<index_t>(n); };
    const TensorLengths lengths  = lengths_of(p, role);
    const TensorStrides& strides = strides_of(p, role);
    // Along a length of 1 the stride may be anything: nothing is at a distance.
    const auto bytes = [&](std::size_t i) {
        return lengths[i] > 1 ? number(strides[i] * static_cast<long_index_t>(element_bytes)) : 0;
    };
    return {number(lengths[3]),
            number(lengths[3 + at.row]),
            number(lengths[3 + at.column]),
            bytes(3),
            bytes(3 + at.row),
            bytes(3 + at.column),
            bytes(2),
            bytes(1)};
}

/// Where the rows of a problem with groups of one channel are, except filters. in: the tensor that
/// windows slide over, as `windows` say. out: the one with an element for each window. `groups` and
/// the segments are left open.
inline grid::WindowGeometry window_geometry(const ConvProblem& p,
                                            const WindowAxes& at,
                                            const PixelWindows& windows,
                                            const TensorStrides& filter_strides,
                                            Role in,
                                            std::size_t in_bytes,
                                            Role out,
                                            std::size_t out_bytes)
{
    const auto number = [](long_index_t n) { return static_cast<index_t>(n); };
    grid::WindowGeometry g{};
    g.a            = window_image(p, at, in, in_bytes);
    g.c            = window_image(p, at, out, out_bytes);
    g.filter_group = number(filter_strides[0]);
    // A window's first pixel has the filter's last tap where taps go back.
    const auto place = [&](std::size_t i, index_t& first, index_t& filter) {
        const PixelWindows::Dimension& d = windows.dimension[2 - i];
        first                            = d.first;
        filter                           = number(filter_strides[3 + i]);
        if(d.offset_step < 0)
        {
            g.filter_first += (d.taps.value - 1) * filter;
            filter = -filter;
        }
    };
    place(0, g.first_plane, g.filter_plane);
    place(at.row, g.first_row, g.filter_row);
    place(at.column, g.first_column, g.filter_column);
    g.planes = make_divisor(math::max(g.c.planes, 1));
    return g;
}

/// Returns where the elements of dW lie.
inline grid::FilterDistances filter_distances(const ConvProblem& p, const WindowAxes& at)
{
    const TensorStrides& w = p.filter_strides;
    const auto number      = [&](std::size_t i) { return static_cast<index_t>(w[i]); };
    return {w[0], number(1), number(2), number(3), number(3 + at.row), number(3 + at.column)};
}

/// The same of a partial, whose rows are taps of channels, packed.
inline grid::FilterDistances
partial_distances(const ConvProblem& p, const WindowAxes& at, const grid::PartialSums& partial_sums)
{
    const Spatial taps{p.filter[1] * p.filter[2], p.filter[2], 1};
    const auto packed = [&](std::size_t i) {
        return static_cast<index_t>(taps[i] * p.in_channels);
    };
    return {partial_sums.group,
            partial_sums.row_length,
            1,
            packed(0),
            packed(at.row),
            packed(at.column)};
}

/// Segments of the output's rows and columns.
struct WindowSegments
{
    index_t columns = 1; ///< segments side by side
    index_t rows    = 1; ///< segments below each other
    index_t length  = 1; ///< rows of the output in a segment, the last one may have fewer
    index_t planes  = 1; ///< planes of an image

    long_index_t of_image() const { return long_index_t{columns} * rows * planes; }

    void set(grid::WindowGeometry& g) const
    {
        g.segment_rows    = length;
        g.column_segments = make_divisor(columns);
        g.row_segments    = make_divisor(rows);
    }
};

/// What segments cost at the least.
struct SegmentCost
{
    double of_row;  ///< cost of one segment in each plane, `width` columns: per row
    index_t before; ///< rows of a segment in addition to its own
};

/// The segments, of `width` columns each, for which cost(segments) is least. They cut the tensor of
/// `p` in `role`. least_cost: segments cost no less than this says, however few of them a launch
/// has.
template <class Cost>
WindowSegments cheapest_segments(
    const ConvProblem& p, Role role, index_t width, const Cost& cost, const SegmentCost& least_cost)
{
    const WindowAxes at         = window_axes(p);
    const TensorLengths lengths = lengths_of(p, role);
    const auto rows             = static_cast<index_t>(lengths[3 + at.row]);
    const index_t columns =
        math::integer_divide_ceil(static_cast<index_t>(lengths[3 + at.column]), width);
    const auto planes = static_cast<index_t>(lengths[3]);
    WindowSegments best{columns, 1, math::max(rows, 1), planes};
    double least = cost(best);
    // From one length to the next shorter one, and the fewest segments of it. With more segments,
    // more rows are computed: in the end no count can cost less.
    constexpr double rounding = 1 - 1e-9;
    const double of_segment   = double{1} * columns * planes * least_cost.of_row * rounding;
    for(index_t length = rows; length > 1;)
    {
        const index_t count = math::integer_divide_ceil(rows, length - 1);
        length              = math::integer_divide_ceil(rows, count);
        if(of_segment * (rows + double{1} * count * least_cost.before) >= least)
            break;
        const WindowSegments segments{columns, count, length, planes};
        if(const double c = cost(segments); c < least)
        {
            least = c;
            best  = segments;
        }
    }
    return best;
}

} // namespace ck::tensor_operation::device
