#pragma once
// The configuration of an implicit-GEMM kernel as one value, from which everything else about the
// kernel is derived.
#include "ck/arch/matrix.hpp"
#include "ck/utility/integer.hpp"

namespace ck {

/// Numbers of elements along C's rows (m), C's columns (n) and the reduction (k).
struct Tile
{
    index_t m; ///< rows of C
    index_t n; ///< columns of C
    index_t k; ///< along the reduction
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

/// How slices of A and B move from global memory through LDS to the matrix instructions.
enum class Pipeline
{
    /// One LDS slice; the next one waits in registers. Two barriers per slice, least LDS.
    single_buffer,
    /// Two LDS slices: one is filled while the other is multiplied. One barrier per slice.
    double_buffer,
    /// `stages` LDS slices, a circular buffer, filled without going through registers: sm_80 and
    /// later; gfx950, for its own MFMA instructions.
    async_copies,
    /// The same, filled by tensor-map copies (TMA). One warp only starts copies, the others
    /// only multiply, and workgroups are persistent (sm_90a).
    tensor_maps,
    /// A circular buffer of halo tiles, copied by tensor maps once for all filter taps; the filters
    /// stay in LDS. For few channels. Each warpgroup has its own tiles, of 4 * wave_m rows
    /// (sm_90a).
    halo_tiles,
    /// Backward data with strides of 2 and few channels, like halo tiles: a tile has the rows of
    /// all phases of dX, so that the phases share the dY that is read (sm_90a).
    fused_phases,
    /// Backward weight of floats multiplied as tf32: lines of X, copied by tensor maps once for
    /// three adjacent taps in x (sm_90a).
    filter_rows,
    /// Halo tiles with lines of 64 channels of many small groups, copied by tensor maps
    /// once for all filter taps; each warp multiplies a channel slice of a line by mma.sync
    /// (sm_90a).
    channel_slices,
    /// No LDS: threads load the operands that they multiply. For groups of one channel.
    direct,
    /// No LDS: threads slide windows of a fixed length down the rows of A, which they load and
    /// convert once. For groups of one channel.
    sliding_window,
    /// Only filters are in LDS: each thread computes several adjacent elements of a row of C and
    /// loops over the taps of a filter of any size. For groups of one channel.
    long_filter,
    /// Only filters are in LDS: threads load the pixels for some taps of a row, in vectors of
    /// channels. For groups of few channels.
    small_groups,
    /// No LDS: waves load the operands of their matrix instructions and keep the filters in
    /// registers. For 1x1 with few channels.
    pointwise,
    /// The same for channels-first tensors: one plane of pixels per channel.
    pointwise_channels_first,
    /// A block copies the pixels of X under the windows of a tile to LDS once, padded to a few
    /// channels. The filters (or dY) stay there. Forward and backward weight, for images with few
    /// channels.
    first_layer,
    /// A block copies the pixels of A under the windows of a tile to LDS once, as lines with the
    /// channels of whole groups, and their filters; each wave multiplies channel slices by MFMA.
    /// For many small groups.
    channel_slice_windows,
    /// Only sums are in LDS: waves load the operands of their matrix instructions. Several waves
    /// share the reduction of a tile and add up their sums in LDS. For 1x1 with few pixels, and its
    /// backward weight with few channels.
    intra_block_split_k,
    /// This and larger values: kernels outside the library. Each such kernel takes its own value
    /// (docs/howto/add_a_kernel.md).
    other = 100,
};

/// Whether one warp of a workgroup only starts tensor-map copies and the others only multiply.
constexpr bool has_producer_warp(Pipeline p)
{
    return p == Pipeline::tensor_maps || p == Pipeline::halo_tiles || p == Pipeline::fused_phases ||
           p == Pipeline::filter_rows || p == Pipeline::channel_slices;
}

/// The order in which forward and backward data go through their reduction.
enum class Reduction
{
    /// All channels of one filter tap, then those of the next. Slices cost the least.
    by_tap,
    /// Taps and channels as one coordinate, for channels too few to fill a slice. Small groups are
    /// merged.
    merged,
};

/// The windows of Pipeline::sliding_window. channel_slices uses only the taps, per block;
/// first_layer and channel_slice_windows use what must fit LDS; small_groups uses x, the taps that
/// a thread computes at once.
struct Window
{
    index_t y       = 0; ///< filter taps along y; for 1D filters, along the pixels
    index_t x       = 0; ///< filter taps along x
    index_t stride  = 1; ///< between windows, in both dimensions
    index_t columns = 0; ///< output columns that a thread computes
    index_t vector  = 1; ///< adjacent groups that a thread computes
    /// Steps down whose rows a thread holds or waits for. With 1 it waits for the next step's rows
    /// and moves them over the previous ones, which needs the fewest registers.
    index_t stages = 2;
    index_t z      = 1; ///< filter taps along the planes of 3D images, between which there is no
                        ///< stride
    /// Whether a pixel that first_layer copies to LDS holds a whole row of the filter window that
    /// begins there, instead of its own channels.
    bool whole_rows = false;

    /// Whether all fields are the same.
    bool operator==(const Window&) const = default;
};

/// The fields that only Pipeline::tensor_maps uses.
struct TensorMapTuning
{
    /// Number of workgroups, adjacent along C's rows, that share the copies of B.
    index_t cluster = 1;
    /// LDS slices of B that a workgroup keeps for the whole sum of all its tiles, which share their
    /// columns; `stages` then counts slices of A only. 0: B's slices move with A's.
    index_t resident_filters = 0;
    /// Whether an earlier launch transposes backward data's filters or backward weight's dY into
    /// the workspace: wgmma reads some types only along the reduction.
    bool transposed_first = false;
    /// Whether each slice is summed separately and then added by CUDA cores: wgmma truncates when
    /// it adds, CUDA cores round to nearest.
    bool promoted_accumulation = false;

    /// Whether all fields are the same.
    bool operator==(const TensorMapTuning&) const = default;
};

/// The fields that only Pipeline::halo_tiles uses, in forward and backward data.
struct HaloTileTuning
{
    /// Adjacent pixels along w whose channels form a line, block_tile.k of each. 2 is for strides
    /// of 2 along w: taps then read one plane instead of two, in half as many lines.
    index_t pixels = 1;

    /// Whether all fields are the same.
    bool operator==(const HaloTileTuning&) const = default;
};

/// The fields that only Pipeline::fused_phases uses.
struct FusedPhaseTuning
{
    /// Phases in a tile, 2 for each strided dimension, each with block_tile.m rows and
    /// block_tile.n columns.
    index_t phases = 1;

    /// Whether all fields are the same.
    bool operator==(const FusedPhaseTuning&) const = default;
};

/// Fields used only by Pipeline::intra_block_split_k, and by first_layer in backward weight.
struct IntraBlockSplitKTuning
{
    index_t waves = 1; ///< waves that share the reduction of a tile of wave_m x wave_n

    /// Whether all fields are the same.
    bool operator==(const IntraBlockSplitKTuning&) const = default;
};

/// Fields used only by Pipeline::pointwise_channels_first, and by intra_block_split_k in backward
/// weight of channels-first tensors. In all other kernels, vectors run along channels.
struct ChannelsFirstTuning
{
    index_t vector = 1; ///< adjacent pixels that a lane loads and stores at once

    /// Whether all fields are the same.
    bool operator==(const ChannelsFirstTuning&) const = default;
};

/// The fields of all kernels, and one struct for each kernel with more fields. why_no_fields()
/// refuses fields of another kernel. One type for all makes a table an array of rows.
struct GemmTuning
{
    Tile block_tile;          ///< elements a workgroup computes, and the depth of one LDS slice
    index_t wave_m;           ///< rows of C that one wave computes
    index_t wave_n;           ///< columns of C that one wave computes
    arch::Matrix instruction; ///< the matrix instruction
    index_t a_vector;         ///< elements per global load of A
    index_t b_vector;         ///< elements per global load of B
    index_t c_vector;         ///< elements per global store of C
    /// How slices move; this also selects the kernel.
    Pipeline pipeline = Pipeline::single_buffer;
    /// Workgroups that must fit on one SM at once; caps the registers (NVIDIA).
    index_t min_blocks_per_cu = 1;
    index_t stages            = 3; ///< LDS slices for Pipeline::async_copies and tensor_maps
    /// The order in which the kernel goes through the sum.
    Reduction reduction = Reduction::by_tap;
    /// Groups that Reduction::merged merges. 0: the most that divide G, fit the columns of a block
    /// tile, and suit the tensors.
    index_t merged_groups = 0;
    TensorMapTuning maps{};          ///< for Pipeline::tensor_maps
    HaloTileTuning halo{};           ///< for Pipeline::halo_tiles
    FusedPhaseTuning fused{};        ///< for Pipeline::fused_phases
    Window window{};                 ///< for kernels with windows
    IntraBlockSplitKTuning sliced{}; ///< for Pipeline::intra_block_split_k and first_layer
    /// For Pipeline::pointwise_channels_first and intra_block_split_k.
    ChannelsFirstTuning channels_first{};
};

/// Names a field that is set but belongs to another pipeline; null if there is none.
constexpr const char* why_no_fields(const GemmTuning& t)
{
    if(t.pipeline >= Pipeline::other)
        return nullptr; // its launcher says what they mean
    if(t.maps != TensorMapTuning{} && t.pipeline != Pipeline::tensor_maps)
        return "only Pipeline::tensor_maps has clusters, resident filters, pre-transposed operands "
               "and promoted sums";
    if(t.halo != HaloTileTuning{} && t.pipeline != Pipeline::halo_tiles)
        return "only Pipeline::halo_tiles has several pixels in a line";
    if(t.fused != FusedPhaseTuning{} && t.pipeline != Pipeline::fused_phases)
        return "only Pipeline::fused_phases has several phases in a tile";
    if(t.window != Window{} && t.pipeline != Pipeline::sliding_window &&
       t.pipeline != Pipeline::long_filter && t.pipeline != Pipeline::small_groups &&
       t.pipeline != Pipeline::channel_slices && t.pipeline != Pipeline::first_layer &&
       t.pipeline != Pipeline::channel_slice_windows)
        return "only Pipeline::sliding_window, long_filter, small_groups, channel_slices, "
               "first_layer and channel_slice_windows have windows";
    if(t.sliced != IntraBlockSplitKTuning{} && t.pipeline != Pipeline::intra_block_split_k &&
       t.pipeline != Pipeline::first_layer)
        return "only in Pipeline::intra_block_split_k and first_layer waves share the reduction of "
               "a tile";
    if(t.channels_first != ChannelsFirstTuning{} &&
       t.pipeline != Pipeline::pointwise_channels_first &&
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

/// What a tuning's kernel requires of a device: its instruction, or all of Hopper for tensor maps.
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
    // The waves, plus a warpgroup in kernels with a producer warp: one of its warps copies, three
    // transpose squares of tf32 if the operands need it, and all give registers to the others.
    const index_t copying = t.pipeline == Pipeline::channel_slices ? 1
                            : has_producer_warp(t.pipeline)        ? 4
                                                                   : 0;
    return (wave_count(t) + copying) * instruction_of(t).lanes;
}

/// Whether the multiplying warps take registers from the copying warps, to hold most of a tile of
/// 2-byte elements, which they store while they multiply the next one.
constexpr bool defers_stores(const GemmTuning& t)
{
    return t.pipeline == Pipeline::tensor_maps && t.min_blocks_per_cu == 1 &&
           arch::input_bytes(t.instruction) == 2 && wave_count(t) == 8 &&
           t.wave_m * t.wave_n >= 96 * instruction_of(t).lanes &&
           t.wave_m * t.wave_n <= 128 * instruction_of(t).lanes;
}

} // namespace ck
