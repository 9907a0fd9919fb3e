#pragma once
// Launches of conv/kernels/intra_block_split_k/kernel.hpp: 1x1 as one small product of matrices.
#include "ck/tensor_operation/gpu/conv/kernels/intra_block_split_k/cost.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/intra_block_split_k/kernel.hpp"
#include "ck/tensor_operation/gpu/conv/launch/launcher.hpp"
#include "ck/tensor_operation/gpu/conv/plan/pixel_matrix.hpp"

#include <algorithm>

namespace ck::tensor_operation::device {

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct ConvIntraBlockSplitK
    : public Launcher<Direction,
                      Types,
                      tuning,
                      grid::GridwiseIntraBlockSplitKConv<Transform, Types, tuning>>
{
    using Kernel   = grid::GridwiseIntraBlockSplitKConv<Transform, Types, tuning>;
    using Argument = ConvArgument<Types>;
    using Plan     = LaunchPlan<Argument, typename Kernel::Params>;

    /// Takes whole vectors of pixels, where these are loaded so.
    static Support check_tensors(const Argument& a)
    {
        if constexpr(Kernel::channels_first)
            return check_all(
                [&] { return check_channels_first<Direction>(a.problem); },
                [&] { return check_pixels(a.problem, Direction::a, Direction::a_name, a.a); },
                [&] { return check_pixels(a.problem, Direction::b, Direction::b_name, a.b); });
        else
            return {};
    }

    static Support check(const ConvProblem& p, index_t sub_batches)
    {
        return check_all(
            [&] { return check_one_tap(p); },
            [&] { return check_one_group(p, sub_batches, "matrices"); },
            [&] { return Kernel::channels_first ? Support{} : check_even_pixels<Direction>(p); });
    }

    static void complete(Plan& plan)
    {
        const ConvProblem& p = plan.argument.problem;
        auto& r              = plan.params;
        const Matrix a       = matrix(p, Direction::a, sizeof(typename Kernel::A)),
                     b       = matrix(p, Direction::b, sizeof(typename Kernel::B)),
                     c       = matrix(p, Direction::c, sizeof(typename Kernel::C));
        r.a_matrix           = loaded(p, a, Direction::a, Kernel::a_loads.along_k);
        r.b_matrix           = loaded(p, b, Direction::b, Kernel::b_loads.along_k);
        r.c_row              = c.row_bytes;
        r.c_column           = c.column_bytes;
        r.depth              = Kernel::a_loads.along_k ? a.columns : a.rows;
        r.part_depth         = part_depth(r.depth, plan.argument.split.partial_sums);
    }

    static double predict(const Plan& plan, double bytes, double more_bytes)
    {
        const ConvProblem& p    = plan.argument.problem;
        const Matrix a          = matrix(p, Direction::a, sizeof(typename Kernel::A)),
                     b          = matrix(p, Direction::b, sizeof(typename Kernel::B));
        const index_t depth     = Kernel::a_loads.along_k ? a.columns : a.rows;
        constexpr double sector = 32;
        return predicted_time(
            tuning,
            IntraBlockSplitKLaunch{static_cast<double>(plan.params.tiles.size()),
                                   static_cast<double>(std::min(
                                       depth, part_depth(depth, plan.argument.split.partial_sums))),
                                   double{Kernel::unit},
                                   loads(tuning.wave_m, Kernel::a_loads.vector) +
                                       loads(tuning.wave_n, Kernel::b_loads.vector),
                                   (tuning.wave_m * sizeof(typename Kernel::A) +
                                    tuning.wave_n * sizeof(typename Kernel::B)) *
                                       Kernel::unit / sector,
                                   cache_lines(a, Kernel::a_loads, tuning.wave_m) +
                                       cache_lines(b, Kernel::b_loads, tuning.wave_n),
                                   bytes,
                                   more_bytes},
            plan.compute_units);
    }

private:
    static Support
    check_pixels(const ConvProblem& p, Role role, const char* name, const void* address)
    {
        return check_pixel_vectors(
            p, role, name, address, tuning.channels_first.vector, sizeof(typename Kernel::A));
    }

    /// A tensor: rows are pixels, or filters; columns are channels, of filters those of X. Of
    /// channels-first tensors rows are channels, columns the pixels of all images.
    struct Matrix
    {
        index_t rows, columns;
        arch::offset_t row_bytes, column_bytes;
    };
    static Matrix matrix(const ConvProblem& p, Role role, index_t element_bytes)
    {
        const TensorLengths lengths  = lengths_of(p, role);
        const TensorStrides& strides = strides_of(p, role);
        if(Kernel::channels_first && role != Role::filter)
            return {static_cast<index_t>(lengths[2]),
                    static_cast<index_t>(p.batch * pixels_of_image(p)),
                    static_cast<arch::offset_t>(strides[2] * element_bytes),
                    static_cast<arch::offset_t>(element_bytes)};
        const long_index_t row = role == Role::filter
                                     ? strides[1] * element_bytes
                                     : long_index_t{pixel_stride(p, role, element_bytes)};
        return {static_cast<index_t>(lengths[1] * lengths[3] * lengths[4] * lengths[5]),
                static_cast<index_t>(lengths[2]),
                static_cast<arch::offset_t>(row),
                static_cast<arch::offset_t>(strides[2] * element_bytes)};
    }
    /// As a wave loads it: its rows are lines, or its columns.
    static typename Kernel::Matrix
    loaded(const ConvProblem& p, const Matrix& m, Role role, bool along_k)
    {
        const auto matrix = along_k ? warp::LoadedMatrix{m.row_bytes, m.column_bytes, m.rows}
                                    : warp::LoadedMatrix{m.column_bytes, m.row_bytes, m.columns};
        if constexpr(Kernel::channels_first)
            return {matrix,
                    static_cast<arch::offset_t>(strides_of(p, role)[1] *
                                                index_t{sizeof(typename Kernel::A)}),
                    make_divisor(static_cast<index_t>(pixels_of_image(p)))};
        else
            return matrix;
    }
    static constexpr warp::LoadedParts parts = warp::loaded_parts_a(tuning.instruction);

    /// A wave's loads of a unit, for an operand of which it has of_wave lines.
    static double loads(index_t of_wave, index_t vector)
    {
        return double{1} * of_wave * Kernel::unit / (parts.lines * parts.depth * vector);
    }
    /// Lines of the cache that these touch, each load's counted alone: neighbouring lanes load from
    /// neighbouring rows of memory.
    static double cache_lines(const Matrix& m, const grid::SlicedLoads& l, index_t of_wave)
    {
        const double line  = intra_block_split_k_times(tuning).line_bytes;
        const index_t rows = l.along_k ? parts.lines : parts.depth;
        return loads(of_wave, l.vector) *
               std::clamp(rows * m.row_bytes / line, 1., double{1} * rows);
    }
    /// The reduction of each of `partial_sums` partial sums, a whole number of block_tile.k.
    static index_t part_depth(index_t depth, index_t partial_sums)
    {
        return math::integer_divide_ceil(math::integer_divide_ceil(depth, tuning.block_tile.k),
                                         partial_sums) *
               tuning.block_tile.k;
    }
};

template <class Direction, class Transform, class Types, GemmTuning tuning>
struct LauncherOf<Pipeline::intra_block_split_k, Direction, Transform, Types, tuning>
{
    using type = ConvIntraBlockSplitK<Direction, Transform, Types, tuning>;
    static constexpr const char* why_not()
    {
        return grid::why_no_intra_block_split_k<Transform>(tuning);
    }
};

} // namespace ck::tensor_operation::device
