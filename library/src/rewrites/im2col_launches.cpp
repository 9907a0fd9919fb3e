// The launches that copy between an image and a matrix of its patches, in units of 16 to 2 bytes:
// the widest unit that divides all patches and addresses.
#include "rewrites/im2col_launches.hpp"

#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include "rewrites/flat_launch.hpp"
#include <algorithm>
#include <cstdint>

namespace ck::tensor_operation::device::instance {

namespace {

constexpr long_index_t vector_bytes = 16;

using Rows = FlatIndex<4, 2>;

/// The rows of a matrix with these columns, and at least `pitch` elements.
Im2colCopy
matrix(const Rows& rows, const Rows& columns, index_t element_bytes, long_index_t pitch = 0)
{
    const long_index_t granule = vector_bytes / element_bytes,
                       line    = math::integer_divide_ceil(
                           std::max(long_index_t{columns.count}, pitch), granule);
    return {{rows, columns, make_divisor(static_cast<index_t>(line)), rows.count * line},
            rows.count,
            line * granule,
            element_bytes};
}

/// The elements of a filter, in W's order, and their places in a tensor with these strides.
Rows columns_of(const ConvProblem& p, const std::array<long_index_t, 4>& strides)
{
    const TensorStrides& w = p.filter_strides; // g k c z y x
    return Rows::make(std::array{p.in_channels, p.filter[0], p.filter[1], p.filter[2]},
                      std::array{std::array{w[2], w[3], w[4], w[5]}, strides});
}

/// The shape in units of `unit` elements.
grid::Im2colMatrix in_units(grid::Im2colMatrix shape, index_t unit)
{
    if(unit == 1)
        return shape;
    for(index_t d = 0; d < shape.rows.dims; ++d)
        shape.rows.stride[d][1] /= unit;
    Rows& columns = shape.columns;
    for(index_t d = 0; d + 1 < columns.dims; ++d)
        columns.stride[d][1] /= unit;
    auto& last = columns.length[columns.dims - 1];
    last       = make_divisor(last.value / unit);
    columns.count /= unit;
    return shape;
}

template <bool to_matrix>
void run(const Im2colCopy& c, const void* tensor, const void* from, void* to, LaunchList& list)
{
    if(c.shape.count == 0)
        return;
    const index_t unit = unit_of(c, tensor);
    const auto by      = [&]<class Unit>(Unit) {
        return add<grid::GridwiseIm2col<Unit, to_matrix>>(
            list,
            {static_cast<const Unit*>(from), static_cast<Unit*>(to), in_units(c.shape, unit)});
    };
    switch(unit * c.element_bytes)
    {
    case 16:
        return by(Vector<std::uint32_t, 4>{});
    case 8:
        return by(Vector<std::uint32_t, 2>{});
    case 4:
        return by(std::uint32_t{});
    default:
        return by(std::uint16_t{});
    }
}

} // namespace

Im2colCopy Im2colCopy::of_windows(const ConvProblem& p, index_t element_bytes)
{
    const Spatial y        = p.output();
    const TensorStrides& x = p.input_strides; // g n c d h w
    return matrix(
        Rows::make(
            std::array{p.batch, y[0], y[1], y[2]},
            std::array{
                std::array{y[0] * y[1] * y[2], y[1] * y[2], y[2], long_index_t{1}},
                std::array{x[1], x[3] * p.stride[0], x[4] * p.stride[1], x[5] * p.stride[2]}}),
        columns_of(p, {x[2], x[3], x[4], x[5]}),
        element_bytes);
}

Im2colCopy Im2colCopy::of_filters(const ConvProblem& p, index_t element_bytes, long_index_t pitch)
{
    const TensorStrides& w = p.filter_strides;
    return matrix(Rows::make(std::array{p.out_channels},
                             std::array{std::array{long_index_t{1}}, std::array{w[1]}}),
                  columns_of(p, {w[2], w[3], w[4], w[5]}),
                  element_bytes,
                  pitch);
}

bool filters_are_rows(const ConvProblem& p, index_t element_bytes)
{
    const Im2colCopy c  = Im2colCopy::of_filters(p, element_bytes);
    const Rows& columns = c.shape.columns;
    return c.pitch == columns.count && columns.dims == 1 && columns.stride[0][0] == 1 &&
           p.filter_strides[1] * element_bytes % vector_bytes == 0;
}

index_t unit_of(const Im2colCopy& c, const void* tensor)
{
    const Rows& columns = c.shape.columns;
    if(columns.dims == 0 || columns.stride[columns.dims - 1][1] != 1)
        return 1;
    const auto whole = [&](index_t unit) {
        bool r = reinterpret_cast<std::uintptr_t>(tensor) %
                     static_cast<std::uintptr_t>(unit * c.element_bytes) ==
                 0;
        r = r && columns.length[columns.dims - 1].value % unit == 0;
        for(index_t d = 0; d + 1 < columns.dims; ++d)
            r = r && columns.stride[d][1] % unit == 0;
        for(index_t d = 0; d < c.shape.rows.dims; ++d)
            r = r && c.shape.rows.stride[d][1] % unit == 0;
        return r;
    };
    for(const index_t bytes : {16, 8, 4})
        if(bytes > c.element_bytes && whole(bytes / c.element_bytes))
            return bytes / c.element_bytes;
    return 1;
}

void copy_to_rows(const Im2colCopy& c, const void* tensor, void* matrix, LaunchList& list)
{
    return run<true>(c, tensor, tensor, matrix, list);
}

void copy_from_rows(const Im2colCopy& c, const void* matrix, void* tensor, LaunchList& list)
{
    return run<false>(c, tensor, matrix, tensor, list);
}

double predicted_copy(const Im2colCopy& c, bool to_rows)
{
    const Rows& columns = c.shape.columns;
    const bool has_runs = columns.dims > 0 && columns.stride[columns.dims - 1][1] == 1;
    const index_t run   = (has_runs ? columns.length[columns.dims - 1].value : 1) * c.element_bytes;
    // How many times as long as a transposition it takes on an H200, by the number of contiguous
    // bytes in a patch.
    const double factor = run >= 64 ? 1.2 : run >= 16 ? 2 : run >= 8 ? 3 : to_rows ? 3 : 6;
    const double bytes  = static_cast<double>(c.rows * columns.count) * c.element_bytes +
                         static_cast<double>(c.bytes());
    return predicted_transposition(factor * bytes);
}

} // namespace ck::tensor_operation::device::instance
