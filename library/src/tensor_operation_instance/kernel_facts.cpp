// Rules out kernels without asking them.
#include "tensor_operation_instance/kernel_facts.hpp"

#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/conv/argument/grouped_problem.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/window_plan.hpp"
#include "ck/tensor_operation/gpu/conv/model/measured_time.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"
#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"

#include "tensor_operation_instance/calibration.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace ck::tensor_operation::device::instance {

namespace {

/// What all kernels of a family need to know about an argument.
struct ProblemFacts
{
    bool makes_sense = false; ///< if not, nothing else is set
    ConvProblem problem{};    ///< as kernels see it
    index_t x_vector = 0, w_vector = 0,
            y_vector = 0;                    ///< elements of X, W and Y in one access, at most 16
    double bytes     = 0;                    ///< bytes that must move
    double rows = 0, columns = 0, depth = 0; ///< sizes of the GEMMs of all groups: lower bounds
    double channels = 0;                     ///< of the depth, for each tap; 0 in backward weight
    bool has_phases = false;                 ///< in backward data
    arch::Target target{};
    std::size_t shared_limit = 0; ///< bytes of LDS that a block may use on the device
    index_t compute_units    = 0;
};

/// There are rows * columns * depth products. In backward data, rows are those of all phases.
template <class D>
void set_work(ProblemFacts& f, const ElementBytes& bytes)
{
    const ConvProblem& p  = f.problem;
    const auto product    = [](auto... factors) { return (static_cast<double>(factors) * ...); };
    const double taps     = product(p.filter[0], p.filter[1], p.filter[2]);
    const Spatial out     = p.output();
    const double pixels_y = product(p.groups, p.batch, out[0], out[1], out[2]);
    f.bytes               = moved_bytes<D>(p, bytes);
    if(D::c == Role::output)
    {
        f.rows     = pixels_y;
        f.columns  = static_cast<double>(p.out_channels);
        f.channels = static_cast<double>(p.in_channels);
    }
    else if(D::c == Role::input) // each tap belongs to one phase
    {
        f.rows       = product(p.groups,
                         p.batch,
                         p.input[0] / p.stride[0],
                         p.input[1] / p.stride[1],
                         p.input[2] / p.stride[2]);
        f.columns    = static_cast<double>(p.in_channels);
        f.channels   = static_cast<double>(p.out_channels);
        f.has_phases = p.stride != Spatial{1, 1, 1};
    }
    else
    {
        f.rows    = product(p.groups, p.out_channels);
        f.columns = taps * static_cast<double>(p.in_channels);
        f.depth   = pixels_y / static_cast<double>(p.groups);
    }
    if(f.channels > 0)
        f.depth = taps * f.channels;
}

/// The widest vectors in which the tensor of a role can be accessed: elements, at most 16.
index_t widest(const ConvProblem& p, Role role, index_t bytes, const void* base)
{
    for(const index_t vector : {16, 8, 4, 2})
        if(check_vectors("", "", lengths_of(p, role), strides_of(p, role), 2, vector, bytes, base))
            return vector;
    return 1;
}

ProblemFacts facts_of(const KernelFacts& kernel, const ConvArgument& a)
{
    ProblemFacts f;
    if(!check_argument(a) || a.a.size() != 1 || a.b.size() != 1)
        return {};
    f.makes_sense     = true;
    const Direction d = kernel.direction;
    f.problem =
        kernel.sees_patches ? fold_width(a.problem, d == Direction::backward_data) : a.problem;
    const auto& [x, w, y]   = kernel.bytes;
    const void *const first = a.a[0], *const second = a.b[0];
    f.x_vector = widest(f.problem,
                        Role::input,
                        x,
                        d == Direction::forward         ? first
                        : d == Direction::backward_data ? a.c
                                                        : second);
    f.w_vector = widest(f.problem, Role::filter, w, d == Direction::backward_weight ? a.c : second);
    f.y_vector = widest(f.problem, Role::output, y, d == Direction::forward ? a.c : first);
    if(d == Direction::forward)
        set_work<ForwardDirection>(f, kernel.bytes);
    else if(d == Direction::backward_data)
        set_work<BackwardDataDirection>(f, kernel.bytes);
    else
        set_work<BackwardWeightDirection>(f, kernel.bytes);
    f.target        = current_target();
    f.shared_limit  = shared_bytes_of_block();
    f.compute_units = compute_unit_count();
    return f;
}

/// Whether a tensor cannot be accessed in a tuning's vectors, unless groups are computed as one.
bool has_other_vectors(const KernelFacts& kernel, const ProblemFacts& f)
{
    const GemmTuning& t = kernel.tuning;
    if(f.problem.groups > 1)
        return false;
    switch(kernel.direction)
    {
    case Direction::forward:
        return t.a_vector > f.x_vector || t.b_vector > f.w_vector || t.c_vector > f.y_vector;
    case Direction::backward_data:
        return t.a_vector > f.y_vector || t.b_vector > f.w_vector || t.c_vector > f.x_vector;
    default: // dW may be stored as partial sums
        return t.a_vector > f.y_vector || t.b_vector > f.x_vector;
    }
}

/// Whether a pipeline does not support the problem.
bool is_for_others(const KernelFacts& kernel, const ConvProblem& p)
{
    const GemmTuning& t            = kernel.tuning;
    constexpr index_t small_groups = 64, image_channels = 8;
    switch(t.pipeline)
    {
    case Pipeline::sliding_window:
        return !check_window(p, t.window);
    case Pipeline::direct:
    case Pipeline::long_filter:
        return !check_depthwise(p);
    case Pipeline::small_groups:
        return p.in_channels > small_groups || p.out_channels > small_groups;
    case Pipeline::channel_slices:
    case Pipeline::channel_slice_windows:
        return p.in_channels != p.out_channels;
    case Pipeline::pointwise:
    case Pipeline::pointwise_channels_first:
    case Pipeline::intra_block_split_k:
        return p.filter != Spatial{1, 1, 1} || p.stride != Spatial{1, 1, 1};
    case Pipeline::first_layer:
        return p.groups > 1 || p.in_channels > image_channels;
    default:
        return false;
    }
}

/// Clock cycles if all units multiply all the time. tile: cycles of a tile's slices, ends: of its
/// start and store.
double least_work(const GemmTuning& t, double tiles, double tile, double ends, index_t units)
{
    return tiles * tile / units +
           std::max(1., tiles / (double{1} * units * t.min_blocks_per_cu)) * ends;
}

/// The same for forward and backward data by tensor maps, of one group: tiles are whole, and so are
/// slices of a tap, or halves. Workgroups have whole tiles, too, or another launch adds up the
/// partial sums of a stream-K tail.
double least_work_of_maps(const GemmTuning& t, double slice, double ends, const ProblemFacts& f)
{
    const auto [m, n, k] = t.block_tile;
    const double tiles   = std::ceil(f.rows / m) * std::ceil(f.columns / n),
                 slices  = f.depth / f.channels * std::ceil(2 * f.channels / k) / 2,
                 least   = least_work(t, tiles, slices * slice, ends, f.compute_units);
    if(f.has_phases)
        return least;
    const double of_place = std::ceil(tiles / (double{1} * f.compute_units * t.min_blocks_per_cu));
    return std::min(of_place * (slices * slice * t.min_blocks_per_cu + ends),
                    least + stream_k_sum_cycles);
}

/// Returns a lower bound for the model's clock cycles, or 0 if none is known: all products are
/// computed, with full tiles on all compute units, and all bytes move.
double least_time(const KernelFacts& kernel, const ProblemFacts& f)
{
    const GemmTuning& t  = kernel.tuning;
    const bool maps      = t.pipeline == Pipeline::tensor_maps;
    const bool by_pixels = kernel.direction == Direction::backward_weight;
    if((!maps && !loads_to_registers(t) && t.pipeline != Pipeline::async_copies) ||
       !is_for_nvidia(t))
        return 0;
    if(std::min({f.rows, f.columns, f.depth}) == 0)
        return 0;
    constexpr double some_lines = 1e-9; // if lines are transposed, other terms are smaller
    const TileCycles tile       = tile_cycles(t, by_pixels, maps ? some_lines : 0);
    const double ends           = tile.start + (1 - tile.hidden_store) * tile.store;
    const double working =
        maps && !by_pixels && f.problem.groups == 1
            ? least_work_of_maps(t, tile.slice, ends, f)
            : least_work(t,
                         f.rows * f.columns / (double{1} * t.block_tile.m * t.block_tile.n),
                         f.depth / t.block_tile.k * tile.slice,
                         ends,
                         f.compute_units);
    double time = memory(t, by_pixels).overlapped(working, f.bytes);
    if(!maps)
        time = copied_by_threads(t, time, by_pixels);
    const Computed computed   = by_pixels                                ? Computed::dw
                                : kernel.direction == Direction::forward ? Computed::y
                                                                         : Computed::dx;
    constexpr double rounding = 1 - 1e-6;
    return rounding * line_of(t, computed, f.problem.groups > 1).at(time);
}

} // namespace

bool is_ruled_out(const KernelFacts& kernel, const AskedArgument& asked)
{
    const ProblemFacts& f =
        asked.once<ProblemFacts>(nullptr, [&] { return facts_of(kernel, asked.argument); });
    const bool has_rival = asked.below < std::numeric_limits<double>::infinity();
    return !f.makes_sense ||
           !check_device(kernel.tuning, f.target, kernel.shared_bytes, f.shared_limit) ||
           has_other_vectors(kernel, f) || is_for_others(kernel, f.problem) ||
           (has_rival &&
            (!is_modelled(kernel.tuning) ||
             calibrated(kernel, f.problem.groups, least_time(kernel, f)) >= asked.below));
}

} // namespace ck::tensor_operation::device::instance
