#pragma once
// Properties derived from a tuning of GridwiseTensorMapConv: its validity, the slices' layout in
// LDS, copies, transpositions, deferred stores, and the allocation of registers.
#include "ck/arch/tensor_map.hpp"
#include "ck/tensor_operation/gpu/conv/kernels/warp_specialized/warpgroups.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/operator_transform/pixel_windows.hpp"

namespace ck::grid {

/// Says what is wrong with a tuning of GridwiseTensorMapConv for a transform's operands; empty if
/// it is valid.
template <class Transform>
constexpr const char* why_no_tensor_maps(const GemmTuning& t)
{
    const index_t bytes = arch::input_bytes(t.instruction);
    if(const char* reason = why_no_waves(t))
        return reason;
    if(!arch::takes_shared(t.instruction) || t.block_tile.k * bytes != 128 ||
       t.reduction != Reduction::by_tap)
        return "tensor maps bring slices of 64 channels, or pixels, to wgmma, of 32 to that of "
               "tf32, of 128 to those of one byte";
    if(t.maps.transposed_first && (bytes == 2 || Transform::b_along_k))
        return "pre-transposed are backward data's filters, or backward weight's dY, of "
               "elements that wgmma reads along the reduction only, brought by tensor maps";
    if(const char* reason = why_no_wgmma<Transform>(t))
        return reason;
    if(t.maps.cluster < 1 || t.maps.cluster > 2 || (t.maps.cluster > 1 && t.min_blocks_per_cu != 1))
        return "one or two workgroups, each alone on its SM, share the B that tensor maps copy";
    if(t.maps.cluster > 1 && !b_along_k<Transform>(t) && t.block_tile.n % 128 != 0)
        return "the workgroups of a cluster share whole boxes of 64 columns";
    if(t.maps.resident_filters < 0 ||
       (t.maps.resident_filters > 0 && (!Transform::a_along_k || bytes != 2 || t.maps.cluster > 1)))
        return "slices of B are resident in forward and backward data alone, of elements of two "
               "bytes brought by tensor maps, without clusters";
    return why_no_slices<Transform>(t);
}

/// The same for GridwiseTensorMapConv's template arguments.
template <class Transform, class Types, GemmTuning tuning>
struct TensorMapTraits
{
    static constexpr block::BlockShape shape = block_shape<Transform>(tuning);
    using Gemm                               = block::BlockGemm<tuning.instruction, shape>;
    using Wave                               = typename Gemm::Wave;
    using Accumulator                        = typename Wave::Accumulator;
    /// Floats are rounded to tf32 where Types ask for that, and only there.
    using Compute =
        std::conditional_t<Gemm::instruction.a_element == arch::Element::tf32, tf32_t, void>;
    static_assert(
        multiplied_as_in_memory<Types, typename Gemm::InputA, typename Gemm::InputB, Compute>(),
        "tensor maps bring operands as they are in memory, or floats as tf32");

    static_assert(std::is_same_v<Transform, Forward> || std::is_same_v<Transform, BackwardData> ||
                  std::is_same_v<Transform, BackwardWeight>);

    static constexpr bool by_pixels = !Transform::a_along_k; ///< the reduction: backward weight
    static constexpr bool a_along_k = grid::a_along_k<Transform>(tuning),
                          b_along_k = grid::b_along_k<Transform>(tuning);

    static constexpr bool narrow = stored_narrow<Types, Accumulator>();
    /// Slices of B that stay in LDS for all tiles of a block.
    static constexpr index_t resident_filters = tuning.maps.resident_filters;
    struct SliceOfA
    {
        alignas(Gemm::alignment) typename Gemm::InputA a[Gemm::a_layout.size()];
    };
    struct SliceOfB
    {
        alignas(Gemm::alignment) typename Gemm::InputB b[Gemm::b_layout.size()];
    };

    /// LDS of a wave for what it stores: little; but where filters are resident, or tiles are not
    /// deferred, what the slices leave, for 256 bytes of a row. H200: memory takes 128 bytes of a
    /// row at 3.7 TB/s, 256 at 4.1; 1x1 256 to 64 channels at 56x56, backward data with resident
    /// filters, 7 % less time. Tiles whose stores are deferred would be slower: 128 x 256 forward
    /// takes 1 % more.
    static constexpr index_t room = [] {
        constexpr index_t waves  = Gemm::size / Gemm::lanes;
        constexpr index_t little = (20 << 10) / (tuning.min_blocks_per_cu * waves);
        if(by_pixels || !narrow || sizeof(typename Types::C) != 2 ||
           (defers_stores(tuning) && resident_filters == 0))
            return little;
        // barriers, rows of zeros: what is after the rows in SharedStorage
        constexpr index_t others = 412 + 16 * tuning.stages + 8 * math::max(resident_filters, 1);
        constexpr index_t whole  = 16 * (128 + 8) * 2;
        const index_t slices     = static_cast<index_t>(
            resident_filters > 0
                    ? tuning.stages * sizeof(SliceOfA) + resident_filters * sizeof(SliceOfB)
                    : tuning.stages * sizeof(typename Gemm::Slice));
        const index_t rows = 4 * shape.m * (1 + Types::Ds::Size());
        const index_t left = (228 << 10) / tuning.min_blocks_per_cu - 1024 - slices - rows - others;
        return math::max(little, math::min(left / waves / 16 * 16, whole));
    }();
    using Store = StoreC<Transform,
                         Types,
                         Wave,
                         shape.m,
                         tuning.c_vector,
                         narrow,
                         room,
                         by_pixels ? StoredPartialSums::of_tiles : StoredPartialSums::some>;

    /// See Partial sums::pixels: wgmma takes twice as long for a float. H200, tf32, 167 problems:
    /// rows of the table take 0.6 to 2.3 % less on average than with as many, the fastest of each
    /// 0.4.
    static constexpr index_t partial_pixels =
        PartialSums::pixels / (std::is_same_v<Compute, tf32_t> ? 2 : 1);
    /// Partial sums are stored at once: few tiles follow. For C, H200, f16: deferring takes 2 to 7
    /// % less time, most with short sums.
    static constexpr bool defers =
        defers_stores(tuning) && narrow && !by_pixels && tuning.c_vector > 1;
    /// Operands transposed in LDS by warps that neither multiply nor copy.
    static constexpr bool transposes_a = Gemm::a_shape.packed != Gemm::a_shape.contiguous,
                          transposes_b = Gemm::b_shape.packed != Gemm::b_shape.contiguous,
                          transposes   = transposes_a || transposes_b;
    /// Lines of a slice that are transposed.
    static constexpr index_t transposed_lines = transposes_a * shape.m + transposes_b * shape.n;
    /// Accumulators of a thread, and whether they are more than it has registers for as launched.
    static constexpr index_t accumulators =
        (tuning.maps.promoted_accumulation ? 2 : 1) * shape.wave_m * shape.wave_n / Gemm::lanes;
    static constexpr bool large = accumulators > 128;
    /// Whether the warps that multiply take registers from the others: to hold tiles, or operands.
    /// Blocks with 128 accumulators do, because 168 registers are too few: nvcc 13 spills one
    /// to 28.
    static constexpr bool reallocates_registers =
        defers || large || crowds<Gemm::size, tuning.min_blocks_per_cu>(accumulators) ||
        (Gemm::size > 4 * Gemm::lanes &&
         Wave::template through_registers<Gemm::a_layout, Gemm::b_layout>);
    using Registers = RegisterReallocation<Gemm::size,
                                           tuning.min_blocks_per_cu,
                                           reallocates_registers,
                                           large                                 ? 40
                                           : transposes && Gemm::input_size == 1 ? 80
                                           : by_pixels                           ? 72
                                                                                 : 56>;
    /// Passes of a tile that are stored while the next one is multiplied: as many as fit in
    /// registers beside the accumulators and 40 others.
    static constexpr index_t deferred_passes =
        defers ? math::min(Store::Store::passes,
                           (Registers::multiplying - 40 - accumulators) / Store::Store::runs)
               : 0;
    using Deferred = DeferredStore<typename Store::Store, deferred_passes>;
    /// Whether rows are found before a tile's slices come, while the first of all are on their way,
    /// and not after them: where no passes of the tile before still need theirs. H200, 1x1 with 8
    /// and 16 images at 7x7: 2 to 5 % less time.
    static constexpr bool sets_rows_first = deferred_passes == 0 && !by_pixels;

    /// Whether Params::items is a StreamKTail: partial sums are of the last rows, not of all tiles.
    static constexpr bool has_stream_k_tail = !by_pixels;

    /// Rows of C in a tile of Params::items: of all blocks of a cluster.
    static constexpr index_t tile_rows = shape.m * tuning.maps.cluster;

    /// Whether a slice can be multiplied by half.
    static constexpr bool has_half_slices =
        !by_pixels && Gemm::a_shape.packed == Gemm::a_shape.contiguous &&
        Gemm::b_shape.packed == Gemm::b_shape.contiguous &&
        !Wave::template through_registers<Gemm::a_layout, Gemm::b_layout>;
    static constexpr index_t half_k = has_half_slices ? shape.k / 2 : shape.k;

    struct ResidentFilters
    {
        SliceOfB slice[math::max(resident_filters, 1)];
    };
    /// A stage of the pipeline.
    using Slice = std::conditional_t<(resident_filters > 0), SliceOfA, typename Gemm::Slice>;

    static constexpr index_t c_bytes     = sizeof(typename Types::C);
    static constexpr index_t c_vector    = tuning.c_vector;
    static constexpr index_t input_bytes = Gemm::input_size;
    static constexpr index_t line        = 128 / input_bytes; ///< channels in a line of LDS
    /// Blocks of a cluster, to all of which each copies its share of what they have in common.
    static constexpr index_t cluster_size = tuning.maps.cluster;
    static constexpr index_t b_sharers    = arch::has_clusters ? tuning.maps.cluster : 1;
    static constexpr bool shares          = b_sharers > 1;

    /// Lines in a box of A and of B: rows of the tile, or elements of the reduction.
    static constexpr index_t a_lines = a_along_k ? shape.m : shape.k;
    static constexpr index_t b_lines = b_along_k ? shape.n / b_sharers : shape.k;
    static constexpr index_t a_boxes = shape.m * shape.k / (line * a_lines);
    static constexpr index_t b_boxes = ///< rounded up: the last may be cut
        math::integer_divide_ceil(shape.n * shape.k, line* b_lines);
    static constexpr index_t consumers  = Gemm::size;
    static constexpr index_t block_size = ck::block_size(tuning);

    /// Warps that neither multiply nor copy.
    static constexpr index_t other_warps = (block_size - consumers) / Gemm::lanes - 1;
    /// Whether they store C's rows of phases without taps: then these have no tiles.
    static constexpr bool fills_zeros =
        std::is_same_v<Transform, BackwardData> && !transposes && Types::Ds::Size() == 0 &&
        thread::only_converts<typename Types::OperationC> && tuning.c_vector > 1;
    /// Whether all warps that multiply have the same rows.
    static constexpr bool same_rows                = block::columns_first(shape);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = Gemm::instruction.requirement;
    static constexpr bool has_epilogue = has_channel_epilogue<Transform, Types>(requirement);
    static constexpr bool takes_gelu   = true;

    /// Phases of strided backward data that have maps of their own.
    static constexpr index_t most_phases = std::is_same_v<Transform, BackwardData> ? 8 : 1;

    /// Whether the order of tiles can be balanced: not where blocks keep filters, whose tiles have
    /// the same columns; nor where a warp has more columns, nvcc 13 spills up to 48 bytes then.
    static constexpr bool balances =
        most_phases > 1 && resident_filters == 0 && shape.wave_n <= 128;
};

} // namespace ck::grid
