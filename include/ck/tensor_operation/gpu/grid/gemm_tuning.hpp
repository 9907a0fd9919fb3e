#pragma once
// The configuration of an implicit-GEMM kernel, one value. Everything else about the kernel is
// derived from it.
#include "ck/arch/matrix.hpp"
#include "ck/utility/integer.hpp"

namespace ck {

/// Elements of C rows (m), C columns (n) and reduction (k).
struct Tile
{
    index_t m; ///< rows of C
    index_t n; ///< columns of C
    index_t k; ///< of the reduction
};

/// Elements per load of A and of B, and per store of C.
struct Vectors
{
    index_t a; ///< per load of A
    index_t b; ///< per load of B
    index_t c; ///< per store of C
};

/// Memory bandwidth of the device that tunings were measured on, an H200.
inline constexpr double device_bytes_in_a_cycle = 2200;

/// How slices of A and B travel from global memory over LDS to the matrix instructions.
enum class Pipeline
{
    /// One LDS slice; the next one waits in registers. Two barriers a slice, least LDS.
    single_buffer,
    /// Two LDS slices, one filled while the other is multiplied. One barrier a slice.
    double_buffer,
    /// A ring of `stages` LDS slices, filled without registers: sm_80 and later; gfx950, for its
    /// own MFMA instructions.
    async_copies,
    /// The same ring, filled by tensor-map copies: one warp of the workgroup only starts copies,
    /// the others only multiply, and workgroups stay for several tiles (sm_90a).
    tensor_maps,
    /// A ring of halo tiles, copied by tensor maps once for all filter taps; the filters stay in
    /// LDS. For few channels. Each warpgroup has its own tiles, of 4 * wave_m rows
    /// (sm_90a).
    halo_tiles,
    /// Backward data with strides of 2 and few channels, like halo tiles: a tile has the rows of
    /// all phases of dX side by side, so that they share the dY that is read (sm_90a).
    fused_phases,
    /// Backward weight of floats multiplied as tf32: lines of X, copied by tensor maps once for
    /// three adjacent taps in x (sm_90a).
    filter_rows,
    /// A ring of halo tiles of lines of 64 channels, of many small groups, copied by tensor maps
    /// once for all filter taps; each warp multiplies a channel slice of a line by mma.sync
    /// (sm_90a).
    channel_slices,
    /// No LDS: threads load what they multiply. For groups of one channel.
    direct,
    /// No LDS: threads slide windows of a fixed length down the rows of A, which they load and
    /// convert once. For groups of one channel.
    sliding_window,
    /// Only filters are in LDS: threads compute some neighbours of a row of C, and go through the
    /// taps of a filter of any size. For groups of one channel.
    long_filter,
    /// Only filters are in LDS: threads load the pixels of some taps of a row, in vectors of
    /// channels. For groups of a few channels.
    small_groups,
    /// No LDS: waves load what their matrix instructions multiply, and keep the filters. For 1x1
    /// with few channels.
    pointwise,
    /// The same for planes of pixels, one for each channel (channels first).
    pointwise_channels_first,
    /// A block copies the pixels of X under the windows of a tile to LDS once, padded to a few
    /// channels. The filters stay there, or dY. Forward and backward weight, for images of few
    /// channels.
    first_layer,
    /// A block copies the pixels of A under the windows of a tile to LDS once, a line of channels
    /// of whole groups, and their filters; each wave multiplies channel slices of the line by MFMA.
    /// For many small groups.
    channel_slice_windows,
    /// Only sums are in LDS: waves load what their matrix instructions multiply. Several share the
    /// reduction of a tile, and their sums are added up in LDS. For 1x1 with few pixels, and its
    /// backward weight with few channels.
    intra_block_split_k,
    /// This value and larger ones: kernels outside the library. A program gives each its own value
    /// (docs/howto/add_a_kernel.md).
    other = 100,
};

/// Whether one warp of a workgroup only starts copies by tensor maps, and the others only multiply.
constexpr bool has_producer_warp(Pipeline p)
{
    return p == Pipeline::tensor_maps || p == Pipeline::halo_tiles || p == Pipeline::fused_phases ||
           p == Pipeline::filter_rows || p == Pipeline::channel_slices;
}

/// How forward and backward data walk over their reduction.
enum class Reduction
{
    /// All channels of one filter tap, then those of the next: the cheapest slices.
    by_tap,
    /// Taps and channels together: for channels too few to fill a slice. Small groups are computed
    /// together.
    merged,
};

/// The windows of Pipeline::sliding_window; of channel_slices the taps alone, those of a block; of
/// first_layer and channel_slice_windows what LDS has room for; of small_groups x, the taps that a
/// thread goes through at once.
struct Window
{
    index_t y       = 0; ///< filter taps along y; of 1D filters along the pixels
    index_t x       = 0; ///< filter taps along x
    index_t stride  = 1; ///< between windows, along both
    index_t columns = 0; ///< of the output, that a thread computes side by side
    index_t vector  = 1; ///< groups that a thread computes, neighbours in memory
    /// Steps down whose rows a thread has or waits for; 1: it waits for those of the next one, and
    /// moves them to the place of those before, which takes the fewest registers.
    index_t stages = 2;
    index_t z      = 1; ///< filter taps along the planes of 3D images, between which there is no
                        ///< stride
    /// Whether a pixel that first_layer copies to LDS has the elements of a whole row of the
    /// filter's window, which begins there, instead of its own channels.
    bool whole_rows = false;

    /// Whether all fields are the same.
    bool operator==(const Window&) const = default;
};

/// The fields that only Pipeline::tensor_maps has.
struct TensorMapTuning
{
    /// Number of workgroups, adjacent along C's rows, that share the copies of B.
    index_t cluster = 1;
    /// LDS slices of B that a workgroup keeps for all of its tiles, which have the same columns,
    /// and for the whole sum; `stages` then counts A's alone. 0: B's slices travel with A's.
    index_t resident_filters = 0;
    /// Whether an earlier launch transposes backward data's filters, or backward weight's dY, into
    /// the workspace: wgmma reads some types only along the reduction.
    bool transposed_first = false;
    /// Whether each slice is summed separately, and threads add it to the sum: wgmma truncates when
    /// it adds, threads round to the nearest.
    bool promoted_accumulation = false;

    /// Whether all fields are the same.
    bool operator==(const TensorMapTuning&) const = default;
};

/// The fields that only Pipeline::halo_tiles has, forward and backward data.
struct HaloTileTuning
{
    /// Adjacent pixels along w whose channels form a line, block_tile.k of each. 2 is for strides
    /// of 2 along w: taps then read one plane instead of two, in half as many lines.
    index_t pixels = 1;

    /// Whether all fields are the same.
    bool operator==(const HaloTileTuning&) const = default;
};

/// The fields that only Pipeline::fused_phases has.
struct FusedPhaseTuning
{
    /// Phases in a tile, 2 for each strided dimension, each with block_tile.m rows and
    /// block_tile.n columns.
    index_t phases = 1;

    /// Whether all fields are the same.
    bool operator==(const FusedPhaseTuning&) const = default;
};

/// The fields that only Pipeline::intra_block_split_k has, and first_layer in backward weight.
struct IntraBlockSplitKTuning
{
    index_t waves = 1; ///< that share the reduction of a tile of wave_m x wave_n

    /// Whether all fields are the same.
    bool operator==(const IntraBlockSplitKTuning&) const = default;
};

/// The fields that only Pipeline::pointwise_channels_first has, and intra_block_split_k in backward
/// weight of planes. The vectors of all kernels are of channels.
struct PlanesTuning
{
    index_t vector = 1; ///< pixels, neighbours in memory, that a lane loads and stores at once

    /// Whether all fields are the same.
    bool operator==(const PlanesTuning&) const = default;
};

/// The fields of all kernels, and a struct for each kernel that has more. why_no_fields() refuses
/// fields that belong to another kernel. One type for all, so that a table is an array of rows.
struct GemmTuning
{
    Tile block_tile;          ///< elements a workgroup computes, and the depth of one LDS slice
    index_t wave_m;           ///< C rows of one wave
    index_t wave_n;           ///< C columns of one wave
    arch::Matrix instruction; ///< the matrix instruction
    index_t a_vector;         ///< elements per global load of A
    index_t b_vector;         ///< elements per global load of B
    index_t c_vector;         ///< elements per global store of C
    /// How slices travel, and which kernel it is.
    Pipeline pipeline = Pipeline::single_buffer;
    /// Workgroups that must fit on one SM together: caps their registers (NVIDIA).
    index_t min_blocks_per_cu = 1;
    index_t stages            = 3; ///< LDS slices of Pipeline::async_copies and tensor_maps
    /// How the kernel walks over the sum.
    Reduction reduction = Reduction::by_tap;
    /// Groups that Reduction::merged computes as one. 0: as many as divide G, fit in the columns of
    /// a block tile, and the tensors allow.
    index_t merged_groups = 0;
    TensorMapTuning maps{};          ///< of Pipeline::tensor_maps
    HaloTileTuning halo{};           ///< of Pipeline::halo_tiles
    FusedPhaseTuning fused{};        ///< of Pipeline::fused_phases
    Window window{};                 ///< of kernels with windows
    IntraBlockSplitKTuning sliced{}; ///< of Pipeline::intra_block_split_k and first_layer
    PlanesTuning planes{}; ///< of Pipeline::pointwise_channels_first and intra_block_split_k
};

/// Says which field that only other pipelines have is set; null if none is.
constexpr const char* why_no_fields(const GemmTuning& t)
{
    if(t.pipeline >= Pipeline::other)
        return nullptr; // its launcher says what they mean
    if(t.maps != TensorMapTuning{} && t.pipeline != Pipeline::tensor_maps)
        return "only Pipeline::tensor_maps has clusters, resident filters, operands transposed "
               "ahead "
               "and "
               "promoted sums";
    if(t.halo != HaloTileTuning{} && t.pipeline != Pipeline::halo_tiles)
        return "only Pipeline::halo_tiles has several pixels in a line";
    if(t.fused != FusedPhaseTuning{} && t.pipeline != Pipeline::fused_phases)
        return "only Pipeline::fused_phases has several phases in a tile";
    if(t.window != Window{} && t.pipeline != Pipeline::sliding_window &&
       t.pipeline != Pipeline::long_filter && t.pipeline != Pipeline::small_groups &&
       t.pipeline != Pipeline::channel_slices && t.pipeline != Pipeline::first_layer &&
       t.pipeline != Pipeline::channel_slice_windows)
        return "only Pipeline::sliding_window, long_filter, small_groups, channel_slices, "
               "first_layer "
               "and channel_slice_windows have windows";
    if(t.sliced != IntraBlockSplitKTuning{} && t.pipeline != Pipeline::intra_block_split_k &&
       t.pipeline != Pipeline::first_layer)
        return "only in Pipeline::intra_block_split_k and first_layer waves share the reduction of "
               "a tile";
    if(t.planes != PlanesTuning{} && t.pipeline != Pipeline::pointwise_channels_first &&
       t.pipeline != Pipeline::intra_block_split_k)
        return "only Pipeline::pointwise_channels_first and intra_block_split_k have vectors of "
               "pixels";
    if(t.merged_groups > 1 && t.reduction != Reduction::merged)
        return "only a merged reduction computes groups as one";
    return nullptr;
}

/// Returns the description of a tuning's matrix instruction.
constexpr arch::MatrixInstruction instruction_of(const GemmTuning& t)
{
    return arch::describe(t.instruction);
}

/// What a tuning's kernel needs of a device: its instruction, or all of Hopper for tensor maps.
constexpr arch::Requirement requirement_of(const GemmTuning& t)
{
    return has_producer_warp(t.pipeline) ? arch::Requirement::wgmma : instruction_of(t).requirement;
}

/// Returns the number of waves that multiply in a workgroup.
constexpr index_t wave_count(const GemmTuning& t)
{
    return (t.block_tile.m / t.wave_m) * (t.block_tile.n / t.wave_n) * t.sliced.waves;
}

/// Returns the number of threads of a workgroup.
constexpr index_t block_size(const GemmTuning& t)
{
    // Waves; and of kernels with a producer warp a warpgroup: one copies, three transpose squares
    // of tf32 where the operands need that, and all leave registers to the others.
    const index_t copying = t.pipeline == Pipeline::channel_slices ? 1
                            : has_producer_warp(t.pipeline)        ? 4
                                                                   : 0;
    return (wave_count(t) + copying) * instruction_of(t).lanes;
}

/// Whether the warps that multiply take registers from those that copy: to hold most of a tile of
/// elements of two bytes, which they store while they multiply the next one.
constexpr bool defers_stores(const GemmTuning& t)
{
    return t.pipeline == Pipeline::tensor_maps && t.min_blocks_per_cu == 1 &&
           arch::input_bytes(t.instruction) == 2 && wave_count(t) == 8 &&
           t.wave_m * t.wave_n >= 96 * instruction_of(t).lanes &&
           t.wave_m * t.wave_n <= 128 * instruction_of(t).lanes;
}

} // namespace ck
