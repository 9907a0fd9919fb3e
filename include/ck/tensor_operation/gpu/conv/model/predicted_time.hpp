#pragma once
// Predicts a kernel's time from the problem alone, to choose the best row of a table without
// running any.
//
// A block's time is that of its slices (bound by the matrix instructions or by LDS) and of its
// store. A launch's time is that of its rounds of blocks, or of the bytes that it moves. The
// numbers are an H200's, from machine/h200.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/h200.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace ck::tensor_operation::device {

namespace h200 = machine::h200;

static_assert(h200::memory::bytes_in_a_cycle == device_bytes_in_a_cycle,
              "kernels know the bandwidth, too");

/// How a launch's bytes move.
struct Memory
{
    double bytes_in_a_cycle = h200::memory::bytes_in_a_cycle;
    double shown            = h200::memory::shown;
    double more_part        = h200::memory::more_part;

    /// Time of arithmetic and memory traffic that overlap, except for a part.
    double overlapped(double working, double bytes) const
    {
        const double moving = bytes / bytes_in_a_cycle;
        return std::max(working, moving) + shown * std::min(working, moving);
    }
    double more(double bytes) const { return more_part * bytes / bytes_in_a_cycle; }
};

/// How the bytes of launches of a tuning move.
constexpr Memory memory(const GemmTuning& t, bool by_pixels)
{
    if(!by_pixels)
        return {};
    namespace by_maps = h200::weight_memory_by_maps;
    namespace others  = h200::weight_memory;
    return has_producer_warp(t.pipeline)
               ? Memory{by_maps::bytes_in_a_cycle, by_maps::shown, by_maps::more_part}
               : Memory{h200::memory::bytes_in_a_cycle, others::shown, others::more_part};
}

/// A launch in the form that the model takes.
struct LaunchShape
{
    double tiles;           ///< tiles of all workgroups
    double slices;          ///< slices of a tile, on average
    double bytes;           ///< bytes of the three tensors
    double more_bytes;      ///< bytes of partial sums, written and read
    bool by_pixels = false; ///< the reduction: backward weight
    /// Tiles after these, in rounds of their own, with other sums, as partial sums.
    double last_tiles = 0, last_slices = 0;
    double more_cycles = 0; ///< cycles of what follows the launch
    double copying     = 0; ///< cycles that the copies of a slice take
    double transposed  = 0; ///< lines of 128 bytes of a slice that are transposed in LDS
    /// If sums differ in length: the slices of the busiest workgroup divided by the slices of a
    /// tile. 0: not computed, nearly the same for all.
    double longest_share = 0;
    /// The same for the tiles that stay whole if the last rows of tiles are computed in partial
    /// sums.
    double whole_share    = 0;
    double zero_cycles    = 0; ///< cycles of warps that store zeros meanwhile
    double prologue_bytes = 0; ///< read and written by the launch that transposes an operand first
    double cache_bytes    = 0; ///< bytes of a slice in whole lines of 128 bytes; 0: not counted
    double multiplied =
        1; ///< of a slice, on average: where the last of a tap is multiplied by half
    double runs          = 0; ///< runs of slices of a tile, each of a tap, on average
    double written_bytes = 0; ///< bytes of the result, which are among `bytes`
    double lds_bytes     = 0; ///< bytes of a workgroup's LDS; 0: not counted
};

/// Returns the average clock cycles of the copying engine for a line of 128 bytes. Rows are `pitch`
/// bytes apart; if they are not aligned, the engine reads more. If rows have several lines and taps
/// read them from the cache again, a shorter last line takes proportionally less; otherwise nothing
/// is gained.
constexpr double line_cycles(long_index_t pitch, long_index_t row_bytes, bool several_taps)
{
    namespace of        = h200::copies;
    constexpr auto line = static_cast<long_index_t>(of::line_bytes);
    constexpr auto half = static_cast<long_index_t>(of::half_line_bytes);
    const double whole  = pitch % line == 0 ? of::whole : pitch % half == 0 ? of::half : of::other;
    if(row_bytes <= line || !several_taps)
        return whole;
    const auto bytes = static_cast<double>(row_bytes);
    return whole * bytes / (line * std::ceil(bytes / line));
}

/// Returns the clock cycles of a warp that stores the zeros of 32 rows by `stores` stores.
constexpr double zero_batch_cycles(double stores)
{
    return h200::zeros::batch + h200::zeros::store * stores;
}

/// Whether operands go through registers to LDS.
constexpr bool loads_to_registers(const GemmTuning& t)
{
    return t.pipeline == Pipeline::single_buffer || t.pipeline == Pipeline::double_buffer;
}

/// Whether the columns are wgmma's first operand.
constexpr bool has_columns_first(const GemmTuning& t) { return t.wave_n < t.block_tile.n; }

/// Whether wgmma's first operand goes through registers.
constexpr bool passes_registers(const GemmTuning& t, bool by_pixels)
{
    return arch::takes_shared(t.instruction) && arch::input_bytes(t.instruction) == 4 &&
           (by_pixels || has_columns_first(t));
}

/// Whether threads multiply the tiles as products of floats, without matrix instructions.
constexpr bool is_dot_product_of_floats(const GemmTuning& t)
{
    return t.pipeline == Pipeline::single_buffer &&
           t.instruction == arch::Matrix::dot_f32_8x4x1_f32;
}

/// Whether the kernels of a tuning have a model for a direction and a device: all except most dot
/// products.
constexpr bool is_modelled(const GemmTuning& t)
{
    return is_dot_product_of_floats(t) || t.pipeline == Pipeline::direct ||
           t.pipeline == Pipeline::sliding_window || t.pipeline == Pipeline::long_filter ||
           t.pipeline == Pipeline::small_groups ||
           instruction_of(t).requirement != arch::Requirement::none;
}

/// Returns the clock cycles of 64 rows and n columns over 32 bytes of the reduction.
constexpr double wgmma_cycles(index_t n, bool by_pixels)
{
    namespace of = h200::wgmma;
    return (by_pixels ? of::rows_along : of::rows) + of::column * n;
}

/// The same if the first operand goes from LDS through registers: floats whose lines lie along its
/// rows.
constexpr double wgmma_cycles_through_registers(index_t n)
{
    return h200::wgmma::through_registers + h200::wgmma::through_registers_column * n;
}

/// The clock cycles of a matrix multiplication by a tuning.
struct TileCycles
{
    double start; ///< cycles of a tile's start
    double slice;
    double store;        ///< cycles of a tile's store
    double hidden_store; ///< part of the store that overlaps slices of the next tile
};

/// Returns the flops of a multiprocessor per cycle with wgmma; for f16 4096.
constexpr double wgmma_flops(const GemmTuning& t)
{
    return h200::unit::operand_bytes / arch::input_bytes(t.instruction);
}

/// Returns the clock cycles of loads to registers.
inline TileCycles tile_cycles_of_loads(const GemmTuning& t, bool by_pixels)
{
    namespace of         = h200::loads;
    const bool merged    = t.reduction == Reduction::merged;
    const double of_a    = merged ? of::a_merged : by_pixels ? of::a_by_pixels : of::a;
    const double of_b    = merged ? of::b_merged : by_pixels ? of::b_by_pixels : of::b;
    const auto [m, n, k] = t.block_tile;
    return {of::start,
            of::slice + of_a * m * k / (t.a_vector * of::threads) +
                of_b * n * k / (t.b_vector * of::threads) +
                of::matrix * 2. * m * n * k / wgmma_flops(t),
            of::store * m * n / (t.c_vector * of::threads),
            0};
}

/// transposed: lines of a slice, see LaunchShape.
inline TileCycles tile_cycles(const GemmTuning& t, bool by_pixels, double transposed)
{
    if(loads_to_registers(t))
        return tile_cycles_of_loads(t, by_pixels);
    namespace of              = h200::tile;
    const bool cluster        = t.maps.cluster > 1;
    const bool of_floats      = arch::input_bytes(t.instruction) == sizeof(float);
    const double store_part   = !by_pixels && of_floats ? of::store_of_floats : of::store;
    const double write_part   = by_pixels ? 0 : of::write;
    const double warp_factor  = by_pixels ? of::warp_by_pixels : of::warp;
    const double async_factor = by_pixels ? of::async_by_pixels : of::async;
    const double pair_part    = by_pixels ? 1 : of::pair;
    const auto [m, n, k]      = t.block_tile;
    const double copied       = t.maps.resident_filters > 0 ? m : m + n; // lines
    const double multiplying  = 2. * m * n * k / wgmma_flops(t);
    const double row          = static_cast<double>(k) * arch::input_bytes(t.instruction);
    const double transposing =
        arch::input_bytes(t.instruction) == 1 ? of::transposing_bytes : of::transposing;
    const double writing     = transposed > 0 ? transposing * transposed
                                              : copied * row / h200::unit::lds_bytes * write_part *
                                                (cluster ? of::shared : 1);
    const bool along_rows    = by_pixels && transposed == 0;
    const bool columns_first = has_columns_first(t);
    const auto of_64         = [&](index_t others) {
        return passes_registers(t, by_pixels) ? wgmma_cycles_through_registers(others)
                                                      : wgmma_cycles(others, along_rows);
    };
    const double working = arch::takes_shared(t.instruction)
                               ? (columns_first ? n / 64 * of_64(m) : m / 64 * of_64(n)) *
                                         (k / instruction_of(t).k) *
                                         (t.wave_m == 32 ? pair_part : 1) +
                                     writing
                               : warp_factor * multiplying;
    const bool maps      = t.pipeline == Pipeline::tensor_maps;
    return {!cluster    ? of::start
            : by_pixels ? of::start_of_cluster_by_pixels
                        : of::start_of_cluster,
            working * (maps ? 1 : async_factor) *
                (t.maps.promoted_accumulation ? of::promoting : 1),
            store_part * multiplying,
            defers_stores(t) ? of::hidden_store : 0};
}

/// Returns the clock cycles of a launch that only reads or writes `bytes` bytes.
constexpr double predicted_transfer(double bytes)
{
    return h200::memory::transfer * bytes / h200::memory::bytes_in_a_cycle;
}

/// Returns the clock cycles of a launch that transposes an operand. bytes: read and written.
constexpr double predicted_transposition(double bytes)
{
    return h200::memory::transposition_start + predicted_transfer(bytes);
}

/// The model of a tuning's launches on a device: what does not depend on a launch is computed once.
class LaunchModel
{
public:
    /// by_pixels, transposed: as in the launches' LaunchShape.
    LaunchModel(const GemmTuning& t, bool by_pixels, double transposed, index_t compute_units)
        : t_(t),
          tile_(tile_cycles(t, by_pixels, transposed)),
          moved_(memory(t, by_pixels)),
          compute_units_(compute_units),
          waits_of_one_(waits_of_one(t, by_pixels))
    {}

    /// Clock cycles of a launch.
    double time(const LaunchShape& shape) const
    {
        namespace of = h200::launch;
        const double cycles =
            rounds(shape,
                   shape.tiles,
                   shape.longest_share,
                   shape.slices,
                   tile_.hidden_store *
                       std::clamp((shape.slices - 1) / of::slices_until_stored, 0., 1.)) +
            rounds(shape, shape.last_tiles, 0, shape.last_slices, 0) + shape.more_cycles;
        const double prologue =
            t_.maps.transposed_first ? predicted_transposition(shape.prologue_bytes) : 0;
        const double of_clusters = t_.maps.cluster > 1 && !shape.by_pixels ? of::cluster : 0;
        // With several tiles in a workgroup, where keeping filters pays, the model includes it.
        const double of_resident =
            t_.maps.resident_filters > 0
                ? of::resident_filters / std::max(1., shape.tiles / compute_units_)
                : 0;
        const double of_short = t_.pipeline == Pipeline::tensor_maps && !shape.by_pixels &&
                                        shape.slices <= of::slices_of_short_sum
                                    ? of::short_sum
                                    : 0;
        return moved_.overlapped(std::max(cycles, shape.zero_cycles), shape.bytes) +
               moved_.more(shape.more_bytes) + prologue + of_clusters + of_resident + of_short;
    }

private:
    /// A warpgroup that multiplies alone on an SM waits at the barriers of each slice.
    static constexpr double waits_of_one(const GemmTuning& t, bool by_pixels)
    {
        namespace of = h200::launch;
        if(t.pipeline != Pipeline::tensor_maps || wave_count(t) != 4)
            return 0;
        const bool waits_longer = by_pixels || passes_registers(t, by_pixels);
        return !waits_longer                ? of::waits
               : t.stages < of::many_stages ? of::waits_longer
                                            : of::waits_of_many_stages;
    }

    /// share: see LaunchShape::longest_share; hidden: the part of stores that is.
    double
    rounds(const LaunchShape& shape, double tiles, double share, double slices, double hidden) const
    {
        // Workgroups on a unit at once. In forward and backward data, the constants of asynchronous
        // copies and tensor maps are fitted to full units.
        const double together =
            shape.by_pixels || loads_to_registers(t_)
                ? std::min(double{1} * t_.min_blocks_per_cu, std::ceil(tiles / compute_units_))
                : t_.min_blocks_per_cu;
        const double waits = together == 1 ? waits_of_one_ : 0;
        const double slice = std::max((tile_.slice + waits) * shape.multiplied, shape.copying);
        const double tiles_of_place =
            std::ceil(tiles / (double{1} * compute_units_ * t_.min_blocks_per_cu));
        return (share > 0 ? share : tiles_of_place) * slices * slice * together +
               tiles_of_place * (tile_.start + (1 - hidden) * tile_.store);
    }

    const GemmTuning& t_;
    TileCycles tile_;
    Memory moved_;
    index_t compute_units_;
    double waits_of_one_; ///< cycles of a slice, if a unit's only warpgroup multiplies
};

/// Returns clock cycles for a tuning that is_modelled().
inline double predicted_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    return LaunchModel(t, shape.by_pixels, shape.transposed, compute_units).time(shape);
}

/// Returns the clock cycles of a kernel whose threads copy its operands; the model predicts
/// `cycles`.
///
/// single_vectors: in backward weight, taps of X have one vector each, whose position is computed
/// separately.
constexpr double
copied_by_threads(const GemmTuning& t, double cycles, bool by_pixels, bool single_vectors = false)
{
    namespace of = h200::copied_by_threads;
    if(by_pixels)
        return (single_vectors ? of::weight_of_single_vectors : 1) * cycles + of::weight_start;
    return (t.reduction == Reduction::merged ? of::merged : of::by_tap) * cycles + of::start;
}

/// Returns the clock cycles of Pipeline::direct. taps: average number per element of C, which a
/// thread computes one after another. stored: elements of C.
inline double predicted_depthwise_time(
    const GemmTuning& t, double taps, double stored, double bytes, index_t compute_units)
{
    namespace of = h200::direct;
    const double instructions =
        stored / t.a_vector * (taps * (of::load + of::product * t.a_vector) + of::store);
    return of::start +
           Memory{}.overlapped(std::max(instructions / (h200::unit::instructions * compute_units),
                                        taps * of::waits),
                               bytes);
}

/// Factor on the time of threads for elements of this size, compared with wider ones.
constexpr double longer_for_bytes(std::size_t element_bytes)
{
    return element_bytes == 1 ? h200::bytes::longer : 1;
}

/// Returns how many times as long Pipeline::direct takes for elements T as for wider ones: e4m3 is
/// converted for each product.
template <class T>
constexpr double direct_longer_for()
{
    namespace of = h200::direct;
    return sizeof(T) > 1 ? 1 : std::is_integral_v<T> ? of::integers : of::floats;
}

/// Returns how many times as long threads of Pipeline::sliding_window take for elements T as for
/// wider ones.
template <class T>
constexpr double windows_longer_for(const GemmTuning& t)
{
    namespace of              = h200::windows;
    constexpr bool integers   = std::is_integral_v<T>;
    const Window& w           = t.window;
    const bool half_words     = t.a_vector < of::half_words;
    const bool three_by_three = w.x == 3 && w.y == 3;
    if(sizeof(T) > 1)
        return 1;
    if(w.x == 1)
        return integers ? of::line_integers : of::line_floats;
    if(!half_words)
        return (integers ? of::integers : of::floats) * (w.stride == 1 ? 1
                                                         : integers    ? of::strided_integers
                                                                       : of::strided_floats);
    if(w.stride > 1)
        return integers         ? of::half_words_strided_integers
               : three_by_three ? of::half_words_strided_floats_3x3
                                : of::half_words_strided_floats;
    if(integers)
        return three_by_three ? of::half_words_integers_3x3 : of::half_words_integers;
    return w.z > 1 ? of::half_words_floats_3d : of::half_words_floats;
}
/// Returns how many times as long threads of backward weight by Pipeline::sliding_window take for
/// elements T as for wider ones.
template <class T>
constexpr double weight_windows_longer_for(const GemmTuning& t)
{
    const Window& w = t.window;
    namespace of    = h200::weight_windows;
    return sizeof(T) > 1   ? 1
           : w.x == 1      ? of::line
           : w.stride == 1 ? of::unit_stride
           : w.z == 1      ? of::strided
                           : of::strided_3d;
}

/// In clock cycles, of Pipeline::sliding_window. thread_rows: that all threads compute.
inline double
predicted_window_time(const GemmTuning& t, double thread_rows, double bytes, index_t compute_units)
{
    namespace of              = h200::windows;
    const Window& w           = t.window;
    const double line         = w.z * w.stride * ((w.columns - 1) * w.stride + w.x),
                 products     = double{1} * w.columns * w.z * w.y * w.x * w.vector,
                 instructions = products + (line + w.columns) * (of::load + w.vector);
    return of::start +
           Memory{}.overlapped(
               thread_rows * instructions / (h200::unit::instructions * compute_units), bytes);
}

/// Returns the clock cycles of a launch of Pipeline::pointwise. tiles: of all blocks. column_tiles:
/// each reads A again, from the cache. whole_sectors: whether each row of C begins at a 32-byte
/// sector.
inline double predicted_pointwise_time(const GemmTuning& t,
                                       double tiles,
                                       double column_tiles,
                                       bool whole_sectors,
                                       double bytes,
                                       index_t compute_units)
{
    namespace of                    = h200::pointwise;
    const arch::MatrixInstruction i = instruction_of(t);
    const double sub_tiles          = tiles * t.block_tile.m / i.m, // of the rows of an instruction
        columns = double{1} * t.block_tile.n / i.n, products = columns * t.block_tile.k / i.k,
                 moves = t.block_tile.k / (2. * t.a_vector) + t.block_tile.n / (2. * t.c_vector);
    // The share of the bytes that is moved again.
    const double again = column_tiles == 1 ? 0
                         : t.c_vector == 1 ? of::again_of_single_columns
                         : whole_sectors   ? of::again_from_cache * (column_tiles - 1)
                                           : of::again_of_part_sectors;
    return of::h200 *
           (of::start + Memory{}.overlapped(sub_tiles *
                                                (of::product * products + of::move * moves +
                                                 of::column * columns + of::sub_tile) /
                                                compute_units,
                                            bytes * (1 + again)));
}

/// Returns the clock cycles of a launch of Pipeline::first_layer. tiles: of all blocks; rounds:
/// tiles of the block with the most; rows: of the filter, those of its planes counted together;
/// halo: pixels of A that a tile copies.
inline double predicted_first_layer_time(const GemmTuning& t,
                                         double tiles,
                                         double rounds,
                                         double rows,
                                         double halo,
                                         double bytes,
                                         index_t compute_units)
{
    namespace of                    = h200::first_layer;
    const arch::MatrixInstruction i = instruction_of(t);
    const double elements           = double{1} * t.block_tile.m * t.block_tile.n, // elements of C
        instructions                = rows * (t.block_tile.k / i.k) * elements / (i.m * i.n),
                 loads = halo * t.window.vector, filters = rows * t.block_tile.k * t.block_tile.n,
                 threads = double{1} * t.min_blocks_per_cu * block_size(t);
    const double narrow  = !t.window.whole_rows || t.block_tile.n > of::narrow_columns ? 1
                           : t.window.vector == 4 ? of::narrow_of_four
                                                  : of::narrow,
                 of_all  = narrow * (of::instruction * instructions + of::load * loads +
                                    of::store * elements + of::tile + of::waits / threads),
                 working = of_all * std::max(tiles / compute_units, rounds * t.min_blocks_per_cu);
    return of::start + of::filter * filters + Memory{}.overlapped(working, bytes);
}

/// Returns the clock cycles of a launch of Pipeline::long_filter. thread_taps: taps that all
/// threads together go through, each for a row of C; filters: elements that a thread copies to LDS.
inline double predicted_long_filter_time(
    const GemmTuning& t, double thread_taps, double filters, double bytes, index_t compute_units)
{
    namespace of          = h200::long_filter;
    const Window& w       = t.window;
    const double products = double{1} * w.columns * w.vector;
    return of::start + Memory{}.overlapped((thread_taps * (products + of::tap + 2 * w.vector) +
                                            filters * of::filter) /
                                               (of::in_a_cycle * compute_units),
                                           bytes);
}

inline constexpr double copy_line_cycles =
    h200::copies::halo_line; ///< cycles of the copying engine for a line of a halo tile
inline constexpr double copy_cycles = h200::copies::first; ///< cycles until a copy begins to arrive

/// A launch of Pipeline::halo_tiles, or of filter_rows.
struct HaloLaunch
{
    double tiles;           ///< tiles of all compute units together
    double cycles;          ///< cycles of wgmma for a tile, on average: see wgmma_cycles()
    double waiting;         ///< cycles of a tile that its warpgroup waits for copies
    double copying;         ///< cycles of a tile that its copies take, see producer_cycles()
    double filters;         ///< cycles that the copies of filters take, before the first tile
    bool is_short;          ///< sums of one tap and at most two lines of channels
    double bytes;           ///< bytes of the three tensors
    double more_bytes;      ///< bytes of partial sums, written and read
    bool by_pixels = false; ///< the reduction: backward weight
};

/// In clock cycles, of such a launch.
inline double predicted_time(const GemmTuning& t, const HaloLaunch& launch, index_t compute_units)
{
    namespace of            = h200::halo;
    const double warpgroups = wave_count(t) / 4; // warpgroups, which fill each other's waits
    const double alone      = warpgroups == 1 && !launch.by_pixels ? of::alone : 0;
    const double tile       = std::max({launch.cycles + alone,
                                        (launch.cycles + launch.waiting) / warpgroups,
                                        launch.copying}) +
                        of::store;
    const double start_cycles = std::max(of::start, of::filters_start + launch.filters);
    const double rounds =
        std::ceil(launch.tiles / (double{1} * compute_units * t.min_blocks_per_cu));
    const Memory moved = memory(t, launch.by_pixels);
    return moved.overlapped(start_cycles + rounds * tile, launch.bytes) +
           moved.more(launch.more_bytes) + (launch.is_short ? h200::launch::short_sum : 0);
}

/// Returns the clock cycles that the copies of a halo tile take: `copies` boxes of `lines` lines,
/// which wgmma reads in `cycles` cycles, with `stages` of them in flight. The producer thread
/// handles tiles in order and waits for a stage of one warpgroup while others need copies,
/// too. H200, f16, dX of 64 to 192 channels at 56x56, one stage: 45 us, of which lines alone
/// are 18.
inline double producer_cycles(double copies, double lines, double cycles, index_t stages)
{
    const double box    = copy_line_cycles * lines,
                 waited = (copy_cycles + box + cycles / copies) / stages;
    return std::min<double>(stages, copies) * box +
           std::max(0., copies - stages) * std::max(box, waited);
}

/// The same if A is in registers.
constexpr double wgmma_cycles_of_registers(index_t n)
{
    return h200::wgmma::in_registers + h200::wgmma::column * n;
}

/// A launch of Pipeline::fused_phases.
struct FusedLaunch
{
    double tiles;  ///< tiles of all compute units together
    double cycles; ///< cycles of wgmma for a tile
    double bytes;  ///< bytes of the three tensors
};

/// In clock cycles, of Pipeline::fused_phases.
inline double predicted_time(const GemmTuning& t, const FusedLaunch& launch, index_t compute_units)
{
    namespace of = h200::fused_phases;
    return Memory{}.overlapped(of::start + std::ceil(launch.tiles / compute_units) *
                                               (launch.cycles + of::phase * t.fused.phases),
                               launch.bytes);
}

} // namespace ck::tensor_operation::device
