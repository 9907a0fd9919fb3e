#pragma once
// How long a kernel will take, from the problem alone: so that the best row of a table can be
// chosen without running any.
//
// A block's time is that of its slices, bound by the matrix instructions or by LDS, and of its
// store; a launch's is that of its rounds of blocks, or of the bytes that move. The constants are
// fitted to an H200's times: docs/notes/kernel_selection.md.
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace ck::tensor_operation::device {

/// How a launch's bytes move.
struct Memory
{
    double bytes_in_a_cycle = device_bytes_in_a_cycle;
    double shown            = 0.1; ///< of multiplying or moving, what takes less time
    double more_part        = 0.5; ///< of the partial sums: most stay in the cache

    /// Multiplications and moves that hide each other, but for a part.
    double overlapped(double working, double bytes) const
    {
        const double moving = bytes / bytes_in_a_cycle;
        return std::max(working, moving) + shown * std::min(working, moving);
    }
    double more(double bytes) const { return more_part * bytes / bytes_in_a_cycle; }
};

/// By tensor maps backward weight mostly reads; its partial sums are written, read, and added up by
/// a launch of their own. Fitted to times of 168 problems: docs/notes/kernel_selection.md.
constexpr Memory memory(const GemmTuning& t, bool by_pixels)
{
    if(!by_pixels)
        return {};
    return has_producer_warp(t.pipeline) ? Memory{2700, 0.1, 1.5}
                                         : Memory{device_bytes_in_a_cycle, 0.3, 0.5};
}

/// A launch as the model sees it.
struct LaunchShape
{
    double tiles;           ///< of all workgroups
    double slices;          ///< of a tile, on average
    double bytes;           ///< of the three tensors
    double more_bytes;      ///< of partial sums, written and read
    bool by_pixels = false; ///< the reduction: backward weight
    /// After these, in rounds of their own: of other sums, in partial sums.
    double last_tiles = 0, last_slices = 0;
    double more_cycles = 0; ///< of what follows the launch
    double copying     = 0; ///< cycles that the copies of a slice take
    double transposed  = 0; ///< lines of 128 bytes of a slice that are transposed in LDS
    /// Where sums have different lengths: of the workgroup with the most slices, these over the
    /// slices of a tile. 0: not counted, nearly the same for all.
    double longest_share = 0;
    /// The same of the tiles that stay whole where the last rows of tiles are computed in partial
    /// sums.
    double whole_share    = 0;
    double zero_cycles    = 0; ///< of warps that store zeros meanwhile
    double prologue_bytes = 0; ///< read and written by the launch that transposes an operand ahead
    double multiplied =
        1; ///< of a slice, on average: where the last of a tap is multiplied by half
};

/// Returns the clock cycles of the engine that copies boxes for a line of 128 bytes, on average.
/// Rows lie `pitch` bytes apart; where they are not aligned, the engine reads more. In rows of
/// several lines the last one takes as much less as it is shorter, if taps read it from the cache
/// again; else nothing is gained.
constexpr double line_cycles(long_index_t pitch, long_index_t row_bytes, bool several_taps)
{
    constexpr long_index_t line = 128;
    const double whole          = pitch % line == 0 ? 2.2 : pitch % 64 == 0 ? 3.8 : 5.7;
    if(row_bytes <= line || !several_taps)
        return whole;
    const auto bytes = static_cast<double>(row_bytes);
    return whole * bytes / (line * std::ceil(bytes / line));
}

/// Returns the clock cycles of a warp that stores the zeros of 32 rows by `stores` stores. Fitted
/// to 1x1 with stride 2, rows of dX of 128 to 2048 bytes.
constexpr double zero_batch_cycles(double stores) { return 400 + 80 * stores; }

/// Whether operands reach LDS through registers.
constexpr bool loads_to_registers(const GemmTuning& t)
{
    return t.pipeline == Pipeline::single_buffer || t.pipeline == Pipeline::double_buffer;
}

/// Whether the columns are wgmma's first operand.
constexpr bool has_columns_first(const GemmTuning& t) { return t.wave_n < t.block_tile.n; }

/// Whether wgmma's first operand passes through registers.
constexpr bool passes_registers(const GemmTuning& t, bool by_pixels)
{
    return arch::takes_shared(t.instruction) && arch::input_bytes(t.instruction) == 4 &&
           (by_pixels || has_columns_first(t));
}

/// Whether tiles are multiplied by threads, as products of floats.
constexpr bool is_dot_product_of_floats(const GemmTuning& t)
{
    return t.pipeline == Pipeline::single_buffer &&
           t.instruction == arch::Matrix::dot_f32_8x4x1_f32;
}

/// Whether there is a model of the kernels of a tuning, for a direction and a device: of all but
/// most dot products.
constexpr bool is_modelled(const GemmTuning& t)
{
    return is_dot_product_of_floats(t) || t.pipeline == Pipeline::direct ||
           t.pipeline == Pipeline::sliding_window || t.pipeline == Pipeline::long_filter ||
           t.pipeline == Pipeline::small_groups ||
           instruction_of(t).requirement != arch::Requirement::none;
}

/// Returns the clock cycles of 64 rows and n columns over 32 bytes of the reduction. wgmma reads
/// A's lines at 128 bytes in a cycle, those along rows (by_pixels) at 110, and B's at 64.
constexpr double wgmma_cycles(index_t n, bool by_pixels)
{
    return (by_pixels ? 18.5 : 16) + 0.5 * n;
}

/// The same where the first operand passes from LDS through registers: floats whose lines lie along
/// its rows. Fitted to times of backward data and backward weight.
constexpr double wgmma_cycles_through_registers(index_t n) { return 66 + 0.35 * n; }

/// The clock cycles of a matrix multiplication by a tuning.
struct TileCycles
{
    double start; ///< of a tile
    double slice;
    double store;        ///< of a tile
    double hidden_store; ///< part of that after three slices of the next tile
};

/// Returns the clock cycles of loads to registers: of 32 threads, of A and of B, where the offset
/// of a load moves by what all have in common, and where each is looked up. Fitted to 640 times of
/// f16 with few channels and small groups by mma.sync on an H200, of which they differ by 13 %.
/// AMD's engines take the same numbers: not measured.
inline TileCycles tile_cycles_of_loads(const GemmTuning& t, bool by_pixels)
{
    const bool merged          = t.reduction == Reduction::merged;
    const double of_a          = merged ? 18.6 : by_pixels ? 6.5 : 4.6;
    const double of_b          = merged ? 15.1 : by_pixels ? 6.5 : 1.8;
    constexpr double start     = 665;
    constexpr double of_slice  = 130;
    constexpr double of_store  = 8.7;
    constexpr double of_matrix = 3.3; // beside wgmma's
    constexpr double threads   = 32;
    const auto [m, n, k]       = t.block_tile;
    const double flops         = 8192. / arch::input_bytes(t.instruction);
    return {start,
            of_slice + of_a * m * k / (t.a_vector * threads) +
                of_b * n * k / (t.b_vector * threads) + of_matrix * 2. * m * n * k / flops,
            of_store * m * n / (t.c_vector * threads),
            0};
}

/// transposed: lines of a slice, see LaunchShape.
inline TileCycles tile_cycles(const GemmTuning& t, bool by_pixels, double transposed)
{
    if(loads_to_registers(t))
        return tile_cycles_of_loads(t, by_pixels);
    // What an SM does in a cycle: f16 and bf16 4096, tf32 half, elements of one byte twice as many.
    const double flops         = 8192. / arch::input_bytes(t.instruction);
    constexpr double lds_bytes = 128; // in a cycle
    const bool cluster         = t.maps.cluster > 1;
    // A part of the cycles that a slice multiplies; tiles of floats take four times as long,
    // measured.
    const double store_partial   = !by_pixels && arch::input_bytes(t.instruction) == 4 ? 3.2 : 0.8;
    constexpr double hidden_part = 0.75;                  // of a deferred store
    const double write_part      = by_pixels ? 0 : 0.5;   // of LDS's bandwidth, taken from wgmma
    constexpr double shared_part = 0.95;                  // of that, in a cluster
    const double warp_factor     = by_pixels ? 2.2 : 3.2; // mma.sync instead of wgmma
    const double async_factor    = by_pixels ? 2 : 1.25;  // copies by all threads
    const double pair_part   = by_pixels ? 1 : 0.92; // two instructions' rows by the same columns
    const auto [m, n, k]     = t.block_tile;
    const double copied      = t.maps.resident_filters > 0 ? m : m + n; // lines
    const double multiplying = 2. * m * n * k / flops;
    const double row         = static_cast<double>(k) * arch::input_bytes(t.instruction);
    // A line of tf32 is limited by LDS, one of single bytes by the three warps that transpose it.
    const double transposing = arch::input_bytes(t.instruction) == 1 ? 4.5 : 2.2;
    const double writing =
        transposed > 0 ? transposing * transposed
                       : copied * row / lds_bytes * write_part * (cluster ? shared_part : 1);
    const bool along_rows    = by_pixels && transposed == 0;
    const bool columns_first = has_columns_first(t);
    const auto of_64         = [&](index_t others) {
        return passes_registers(t, by_pixels) ? wgmma_cycles_through_registers(others)
                                                      : wgmma_cycles(others, along_rows);
    };
    const double working       = arch::takes_shared(t.instruction)
                                     ? (columns_first ? n / 64 * of_64(m) : m / 64 * of_64(n)) *
                                         (k / instruction_of(t).k) *
                                         (t.wave_m == 32 ? pair_part : 1) +
                                     writing
                                     : warp_factor * multiplying;
    constexpr double promoting = 1.06; // threads add up each slice
    const bool maps            = t.pipeline == Pipeline::tensor_maps;
    return {!cluster    ? 700.
            : by_pixels ? 3200.
                        : 1050.,
            working * (maps ? 1 : async_factor) * (t.maps.promoted_accumulation ? promoting : 1),
            store_partial * multiplying,
            defers_stores(t) ? hidden_part : 0};
}

/// What launches of tensor maps take longer in forward and backward data whose sums have one slice
/// or two: H200, f16, 143 times of 1x1 with 16 to 128 channels in the sum, which took 0.9 to 2.6 us
/// longer than predicted; those of more slices did not.
inline constexpr double short_sum_cycles = 1500;

/// In clock cycles, of bytes that a launch reads or writes and does nothing else with.
constexpr double predicted_transfer(double bytes) { return 1.2 * bytes / device_bytes_in_a_cycle; }

/// In clock cycles, of a launch that transposes an operand. bytes: read and written.
constexpr double predicted_transposition(double bytes)
{
    constexpr double start = 3000;
    return start + predicted_transfer(bytes);
}

/// In clock cycles, for a tuning that is modelled. units: compute units.
inline double predicted_time(const GemmTuning& t, const LaunchShape& shape, index_t compute_units)
{
    const TileCycles tile = tile_cycles(t, shape.by_pixels, shape.transposed);
    const Memory moved    = memory(t, shape.by_pixels);
    const double places   = double{1} * compute_units * t.min_blocks_per_cu;
    // A warpgroup that multiplies alone on an SM waits at the barriers of each slice.
    const bool one_warpgroup = t.pipeline == Pipeline::tensor_maps && wave_count(t) == 4;
    const bool waits_longer  = shape.by_pixels || passes_registers(t, shape.by_pixels);
    // A ring of eight stages is far ahead of the warpgroup.
    const double alone_waits = !waits_longer ? 40 : t.stages < 8 ? 260 : 150;
    // share: see longest_share
    const auto rounds = [&](double tiles, double share, double slices, double hidden) {
        // On a unit at a time. Of forward and backward data the constants of asynchronous copies
        // and tensor maps are fitted to full units.
        const double together =
            shape.by_pixels || loads_to_registers(t)
                ? std::min(double{1} * t.min_blocks_per_cu, std::ceil(tiles / compute_units))
                : t.min_blocks_per_cu;
        const double waits = one_warpgroup && together == 1 ? alone_waits : 0;
        const double slice = std::max((tile.slice + waits) * shape.multiplied, shape.copying);
        const double tiles_of_place = std::ceil(tiles / places);
        return (share > 0 ? share : tiles_of_place) * slices * slice * together +
               tiles_of_place * (tile.start + (1 - hidden) * tile.store);
    };
    const double cycles = rounds(shape.tiles,
                                 shape.longest_share,
                                 shape.slices,
                                 tile.hidden_store * std::clamp((shape.slices - 1) / 3, 0., 1.)) +
                          rounds(shape.last_tiles, 0, shape.last_slices, 0) + shape.more_cycles;
    const double ahead =
        t.maps.transposed_first ? predicted_transposition(shape.prologue_bytes) : 0;
    // Only in forward and backward data, whose other launches begin sooner.
    const double of_clusters = t.maps.cluster > 1 && !shape.by_pixels ? 1000 : 0;
    // Until filters that are kept are there; of workgroups with several tiles, where that pays, the
    // model has it.
    const double of_kept =
        t.maps.resident_filters > 0 ? 2500 / std::max(1., shape.tiles / compute_units) : 0;
    const double of_short =
        t.pipeline == Pipeline::tensor_maps && !shape.by_pixels && shape.slices <= 2
            ? short_sum_cycles
            : 0;
    return moved.overlapped(std::max(cycles, shape.zero_cycles), shape.bytes) +
           moved.more(shape.more_bytes) + ahead + of_clusters + of_kept + of_short;
}

/// Returns the clock cycles of a kernel whose threads copy its operands, for which the model says
/// `cycles`: it moves less in a cycle than tensor maps do, to whose times the model was fitted, and
/// starts later. Fitted to an H200's times of 79 1x1 layers of networks, for which the rule then
/// takes kernels that are 3.6 % (forward and backward data) and 2.6 % (backward weight) slower than
/// the fastest, before 17 and 12.
///
/// single_vectors: taps of X have one vector each, whose place is found for itself, in backward
/// weight: 1.2 to 1.7 times as long in six problems of 8 channels.
constexpr double
copied_by_threads(const GemmTuning& t, double cycles, bool by_pixels, bool single_vectors = false)
{
    if(by_pixels)
        return (single_vectors ? 1.4 : 1) * cycles + 4500;
    return (t.reduction == Reduction::merged ? 1.1 : 1.5) * cycles + 2000;
}

/// In clock cycles, of Pipeline::direct. taps: that an element of C has, on average, which a thread
/// goes through one after the other; stored: elements of C. Fitted to an H200's times of 110
/// kernels for depthwise problems of f16, from which it differs by 16 % on average.
inline double predicted_depthwise_time(
    const GemmTuning& t, double taps, double stored, double bytes, index_t compute_units)
{
    constexpr double of_load = 15, of_product = 6, of_store = 150; // instructions of a thread
    constexpr double in_a_cycle = 128;                             // of a compute unit
    constexpr double start = 6000, waits = 300;                    // for the load of a tap
    const double instructions =
        stored / t.a_vector * (taps * (of_load + of_product * t.a_vector) + of_store);
    return start + Memory{}.overlapped(
                       std::max(instructions / (in_a_cycle * compute_units), taps * waits), bytes);
}

/// How many times as long threads take for elements of so many bytes as for wider ones: bytes are
/// taken out of words. From an H200's times of 20 depthwise problems of int8 and e4m3.
constexpr double longer_for_bytes(std::size_t element_bytes) { return element_bytes == 1 ? 2 : 1; }

/// Returns how many times as long Pipeline::direct takes for elements T as for wider ones: e4m3 is
/// converted for each product. From an H200's times of 63 kernels.
template <class T>
constexpr double direct_longer_for()
{
    return sizeof(T) > 1 ? 1 : std::is_integral_v<T> ? 1.15 : 2;
}

/// Returns how many times as long threads of Pipeline::sliding_window take for elements T as for
/// wider ones. Strides move bytes within words, and vectors of two are half a word. From an H200's
/// times of 34 depthwise problems of int8 and e4m3.
template <class T>
constexpr double windows_longer_for(const GemmTuning& t)
{
    constexpr bool integers = std::is_integral_v<T>;
    const Window& w         = t.window;
    const bool half_words = t.a_vector < 4, three_by_three = w.x == 3 && w.y == 3;
    if(sizeof(T) > 1)
        return 1;
    if(w.x == 1)
        return integers ? 3 : 4;
    if(!half_words)
        return (integers ? 1.4 : 2.2) * (w.stride == 1 ? 1 : integers ? 1.55 : 2.1);
    if(w.stride > 1)
        return integers ? 2.2 : three_by_three ? 4.5 : 3;
    if(integers)
        return three_by_three ? 1.65 : 1.4;
    return w.z > 1 ? 2.35 : 1.8;
}
/// Returns how many times as long threads of backward weight by Pipeline::sliding_window take for
/// elements T as for wider ones. From an H200's times of 34 depthwise problems of int8.
template <class T>
constexpr double weight_windows_longer_for(const GemmTuning& t)
{
    const Window& w = t.window;
    return sizeof(T) > 1 ? 1 : w.x == 1 ? 2.3 : w.stride == 1 ? 1.6 : w.z == 1 ? 1.95 : 2.4;
}

/// In clock cycles, of Pipeline::sliding_window. thread_rows: that all threads walk down.
inline double
predicted_window_time(const GemmTuning& t, double thread_rows, double bytes, index_t compute_units)
{
    const Window& w             = t.window;
    const double line           = w.z * w.stride * ((w.columns - 1) * w.stride + w.x),
                 products       = double{1} * w.columns * w.z * w.y * w.x * w.vector,
                 instructions   = products + (line + w.columns) * (4 + w.vector);
    constexpr double in_a_cycle = 128; // of a compute unit
    constexpr double start      = 1500;
    return start +
           Memory{}.overlapped(thread_rows * instructions / (in_a_cycle * compute_units), bytes);
}

/// Returns the clock cycles of a launch of Pipeline::pointwise. tiles: of all blocks; column_tiles:
/// each reads A once more, from the cache; whole_sectors: of 32 bytes, whether each row of C begins
/// with one. Fitted to an H100's times of 20 problems by 8 tunings, from which it differs by 14 %.
inline double predicted_pointwise_time(const GemmTuning& t,
                                       double tiles,
                                       double column_tiles,
                                       bool whole_sectors,
                                       double bytes,
                                       index_t compute_units)
{
    const arch::MatrixInstruction i = instruction_of(t);
    const double sub_tiles          = tiles * t.block_tile.m / i.m, // of the rows of an instruction
        columns = double{1} * t.block_tile.n / i.n, products = columns * t.block_tile.k / i.k,
                 moves = t.block_tile.k / (2. * t.a_vector) + t.block_tile.n / (2. * t.c_vector);
    // What a compute unit takes for one of each, in clock cycles.
    constexpr double of_product = 4.2, of_move = 1.2, of_column = 0.34, of_sub_tile = 3.2;
    constexpr double start = 4000;
    constexpr double h200  = 0.9; // of an H100's time
    // The share of the bytes that moves again: A comes from the cache for each further column of
    // tiles; sectors move twice where blocks write parts of the same one;
    // and tiles of columns that are stored one by one write each sector several times.
    const double again = column_tiles == 1 ? 0
                         : t.c_vector == 1 ? 4
                         : whole_sectors   ? 0.05 * (column_tiles - 1)
                                           : 1;
    return h200 * (start + Memory{}.overlapped(sub_tiles *
                                                   (of_product * products + of_move * moves +
                                                    of_column * columns + of_sub_tile) /
                                                   compute_units,
                                               bytes * (1 + again)));
}

/// Returns the clock cycles of a launch of Pipeline::first_layer. tiles: of all blocks; rounds:
/// tiles of the block with the most; rows: of the filter, those of its planes counted together;
/// halo: pixels of A that a tile copies. Fitted to an H100's times of 10 problems by 9 tunings,
/// from which it differs by 9 % on average; `narrow` to an H200's, of 21 problems of one and two
/// channels whose pixels have whole rows of the filter.
inline double predicted_first_layer_time(const GemmTuning& t,
                                         double tiles,
                                         double rounds,
                                         double rows,
                                         double halo,
                                         double bytes,
                                         index_t compute_units)
{
    const arch::MatrixInstruction i = instruction_of(t);
    const double elements           = double{1} * t.block_tile.m * t.block_tile.n, // of C
        instructions                = rows * (t.block_tile.k / i.k) * elements / (i.m * i.n),
                 loads = halo * t.window.vector, filters = rows * t.block_tile.k * t.block_tile.n,
                 threads = double{1} * t.min_blocks_per_cu * block_size(t);
    // What a compute unit takes for one of each, in clock cycles; and for what threads wait for.
    constexpr double of_instruction = 2.4, of_load = 0.16, of_store = 0.07, of_tile = 700,
                     waits = 205000;
    constexpr double start = 3000, of_filter = 0.5;
    const double narrow  = !t.window.whole_rows || t.block_tile.n > 32 ? 1
                           : t.window.vector == 4                      ? 1.1
                                                                       : 1.25,
                 of_all  = narrow * (of_instruction * instructions + of_load * loads +
                                    of_store * elements + of_tile + waits / threads),
                 working = of_all * std::max(tiles / compute_units, rounds * t.min_blocks_per_cu);
    return start + of_filter * filters + Memory{}.overlapped(working, bytes);
}

/// Returns the clock cycles of a launch of Pipeline::long_filter. thread_taps: taps that all
/// threads together go through, each for a row of C; filters: elements that a thread copies to LDS.
inline double predicted_long_filter_time(
    const GemmTuning& t, double thread_taps, double filters, double bytes, index_t compute_units)
{
    const Window& w         = t.window;
    const double products   = double{1} * w.columns * w.vector;
    constexpr double of_tap = 12, of_filter = 20; // instructions beside products
    // A compute unit does half of what it can issue: an H200 took 1.54 ms for 31x31 (N 32, C 128,
    // 56x56), 0.76 for 51x5.
    constexpr double in_a_cycle = 64;
    constexpr double start      = 3000;
    return start + Memory{}.overlapped(
                       (thread_taps * (products + of_tap + 2 * w.vector) + filters * of_filter) /
                           (in_a_cycle * compute_units),
                       bytes);
}

inline constexpr double copy_line_cycles =
    5.5;                                    ///< of the copying engine, for a line of a halo tile
inline constexpr double copy_cycles = 1000; ///< until a copy has begun to arrive

/// A launch of Pipeline::halo_tiles, or of filter_rows.
struct HaloLaunch
{
    double tiles;           ///< of all compute units together
    double cycles;          ///< of wgmma, see wgmma_cycles(), for a tile, on average
    double waiting;         ///< cycles of a tile that its warpgroup waits for copies
    double copying;         ///< cycles of a tile that its copies take, see producer_cycles()
    double filters;         ///< cycles that the copies of filters take, before the first tile
    bool is_short;          ///< sums of one tap and at most two lines of channels
    double bytes;           ///< of the three tensors
    double more_bytes;      ///< of partial sums, written and read
    bool by_pixels = false; ///< the reduction: backward weight
};

/// In clock cycles, of such a launch.
inline double predicted_time(const GemmTuning& t, const HaloLaunch& launch, index_t compute_units)
{
    constexpr double store_cycles = 550;               // of a tile, not hidden
    const double warpgroups       = wave_count(t) / 4; // warpgroups, which fill each other's waits
    // What a warpgroup alone on a unit stores while nothing is multiplied. Lines of two
    // pixels: 26.8 us where two warpgroups take 23.1 (N 16, 32 to 64 channels, 208x208), 11.8
    // and 10.5 (N 256, 28x28), H200, f16.
    const double alone = warpgroups == 1 && !launch.by_pixels ? 1100 : 0;
    const double tile  = std::max({launch.cycles + alone,
                                   (launch.cycles + launch.waiting) / warpgroups,
                                   launch.copying}) +
                        store_cycles;
    const double start_cycles = std::max(4000., 1000 + launch.filters); // until filters are there
    const double rounds =
        std::ceil(launch.tiles / (double{1} * compute_units * t.min_blocks_per_cu));
    const Memory moved = memory(t, launch.by_pixels);
    return moved.overlapped(start_cycles + rounds * tile, launch.bytes) +
           moved.more(launch.more_bytes) + (launch.is_short ? short_sum_cycles : 0);
}

/// Returns the clock cycles that the copies of a halo tile's `copies` boxes of `lines` lines take,
/// which `cycles` cycles of wgmma read, where a ring has `stages` of them. The producer thread goes
/// through one tile after the other, and waits for room in the ring of its warpgroup while others
/// need copies, too. H200, f16, dX of 64 to 192 channels at 56x56, a ring of one: 45 us, of which
/// lines alone are 18.
inline double producer_cycles(double copies, double lines, double cycles, index_t stages)
{
    const double box    = copy_line_cycles * lines,
                 waited = (copy_cycles + box + cycles / copies) / stages;
    return std::min<double>(stages, copies) * box +
           std::max(0., copies - stages) * std::max(box, waited);
}

/// The same where A is in registers: fitted, for n of 32 and 64.
constexpr double wgmma_cycles_of_registers(index_t n) { return 6 + 0.5 * n; }

/// A launch of Pipeline::fused_phases.
struct FusedLaunch
{
    double tiles;  ///< of all compute units together
    double cycles; ///< of wgmma, for a tile
    double bytes;  ///< of the three tensors
};

/// In clock cycles, of Pipeline::fused_phases. Fitted to an H200's times of eight problems, a
/// fifth below them: so are the predictions of the other kernels for strides of 2.
inline double predicted_time(const GemmTuning& t, const FusedLaunch& launch, index_t compute_units)
{
    constexpr double start_cycles = 3000; // until the filters are there
    constexpr double phase_cycles = 450;  // of a phase's rows of a tile, not hidden
    return Memory{}.overlapped(start_cycles + std::ceil(launch.tiles / compute_units) *
                                                  (launch.cycles + phase_cycles * t.fused.phases),
                               launch.bytes);
}

} // namespace ck::tensor_operation::device
