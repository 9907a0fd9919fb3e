#pragma once
// The implicit-GEMM convolution kernel, whatever the direction: problem -> descriptors -> tile map
// -> pipeline -> epilogue.
#include "ck/arch/index.hpp"
#include "ck/tensor_operation/gpu/block/block_gemm.hpp"
#include "ck/tensor_operation/gpu/block/merged_slices.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/double_buffer.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/multi_stage.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/overlapped_ring.hpp"
#include "ck/tensor_operation/gpu/block/pipeline/single_buffer.hpp"
#include "ck/tensor_operation/gpu/block/reduction_cursor.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_c.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_depthwise_conv.hpp"
#include "ck/tensor_operation/gpu/grid/own_group.hpp"

#include <type_traits>

namespace ck::grid {

/// C = A * B, the views of the three tensors coming from Transform (operator_transform/):
/// make_class(index, batch) gives descriptors a [row, tap, k], b [column, tap, k], c [row, column]
/// and tap_count.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseConv
{
    static constexpr block::BlockShape shape = block_shape<Transform>(tuning);
    using Gemm                               = block::BlockGemm<tuning.instruction, shape>;
    using Wave                               = typename Gemm::Wave;
    using Schedule =
        std::conditional_t<tuning.pipeline == Pipeline::async_copies,
                           std::conditional_t<shape.swizzled,
                                              block::OverlappedRing<tuning.stages>,
                                              block::MultiStage<tuning.stages>>,
                           std::conditional_t<tuning.pipeline == Pipeline::double_buffer,
                                              block::DoubleBuffer,
                                              block::SingleBuffer>>;
    using Part = typename Wave::Accumulator;
    // wgmma's large tiles pass through LDS as they are stored, in half the bytes. H200, N 256, K
    // 256, C 64, 56x56, 1x1: 0.197 ms instead of 0.226.
    static constexpr bool narrow = shape.swizzled && Types::Ds::Size() == 0 &&
                                   thread::is_identity<typename Types::OperationC> &&
                                   sizeof(typename Types::C) < sizeof(Part);
    /// LDS of a wave that the slices take in any case.
    static constexpr index_t room = static_cast<index_t>(sizeof(typename Gemm::Slice)) *
                                    Schedule::buffers / (Gemm::waves_m * Gemm::waves_n);
    using Store = StoreC<Transform, Types, Wave, shape.m, tuning.c_vector, narrow, room>;

    static constexpr index_t block_size            = Gemm::size;
    static constexpr index_t min_blocks_per_unit   = tuning.min_blocks_per_unit;
    static constexpr arch::Requirement requirement = Gemm::instruction.requirement;

    using Params = ConvParams<Transform, Types>;

    /// Blocks of a launch.
    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    using ViewA = typename Transform::Class::A;
    using ViewB = typename Transform::Class::B;

    /// Views [row, reduction] instead of [row, tap, k].
    static constexpr bool merged = ViewA::structure.tops == 2;
    using MergedSlices           = block::MergedSlices<ViewA, ViewB, shape.k, Gemm::size>;
    using Slices = std::conditional_t<merged, MergedSlices, block::SlicesByTap<shape.k>>;

    /// Whether several groups may be computed as one, sums being no integers.
    static constexpr bool merges_groups = std::is_floating_point_v<Part> && requires(Transform t)
    {
        t.groups.count;
    };

    struct NoTable
    {};

    struct SharedStorage
    {
        union
        {
            typename Gemm::Slice slice[Schedule::buffers];
            typename Store::Shared store[Gemm::waves_m * Gemm::waves_n];
        };
        thread::PlaceEntry<ViewA> a_rows[shape.m];
        thread::PlaceEntry<ViewB> b_rows[shape.n];
        std::conditional_t<merged, typename MergedSlices::Table, NoTable> reduction;
        typename Store::Rows c_rows;
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        run_block(p, arch::block_index(), shared);
    }

    /// What block number `block` of the launch with these parameters does.
    CK_DEVICE CK_INLINE static void run_block(const Params& p, index_t block, SharedStorage& shared)
    {
        const TileMap::Tile tile   = p.tiles(block);
        const auto views           = p.views(tile);
        const index_t first_row    = tile.row_tile * shape.m,
                      first_column = tile.column_tile * shape.n;
        if(first_row >= views.c.template extent<0>())
            return; // this residue class has fewer rows than the largest one
        const auto moved = [&](auto base, const Distance& d) {
            return base + tile.group * d.group + tile.chunk * d.chunk;
        };

        const index_t thread = arch::thread_index();
        for(index_t r = thread; r < shape.m; r += block_size)
        {
            shared.a_rows[r] = thread::place_entry<ViewA>(
                views.a.template part<0>(first_row + r), sizeof(typename Params::SourceA::Element));
            shared.c_rows.set(r, p, views, first_row + r);
        }
        for(index_t r = thread; r < shape.n; r += block_size)
            shared.b_rows[r] =
                thread::place_entry<ViewB>(views.b.template part<0>(first_column + r),
                                           sizeof(typename Params::SourceB::Element));
        arch::block_sync();

        const auto at = Gemm::place(thread);
        Wave wave;
        {
            thread::OperandCopy<Gemm::a_shape,
                                Gemm::a_layout,
                                ViewA,
                                typename Types::A,
                                typename Gemm::InputA,
                                typename Types::OperationA,
                                typename Types::ComputeA>
                a(views.a, shared.a_rows, moved(p.a, p.a_distance), p.operation_a, thread);
            thread::OperandCopy<Gemm::b_shape,
                                Gemm::b_layout,
                                ViewB,
                                typename Types::B,
                                typename Gemm::InputB,
                                typename Types::OperationB,
                                typename Types::ComputeB>
                b(views.b, shared.b_rows, moved(p.b, p.b_distance), p.operation_b, thread);
            if constexpr(merged)
            {
                const index_t all =
                    math::integer_divide_ceil(views.a.template extent<1>(), shape.k);
                const index_t a_split = math::integer_divide_ceil(all, p.tiles.splits.value);
                const index_t first   = tile.split * a_split;
                Slices slices(views.a,
                              views.b,
                              sizeof(typename Params::SourceA::Element),
                              sizeof(typename Params::SourceB::Element),
                              shared.reduction,
                              first,
                              math::max(0, math::min(a_split, all - first)),
                              thread);
                Gemm::template run<Schedule>(wave, slices, a, b, shared.slice, at);
            }
            else
            {
                Slices slices(views.tap_count, views.a.template extent<2>());
                Gemm::template run<Schedule>(wave, slices, a, b, shared.slice, at);
            }
        }

        if constexpr(merges_groups)
            if(p.transform.groups.count.value > 1)
                add_up_again(p, tile, shared, wave, at);
        arch::block_sync(); // LDS changes hands
        Store::run(wave,
                   shared.store[thread / Gemm::lanes],
                   shared.c_rows,
                   p,
                   views,
                   tile,
                   at.wave_m,
                   first_column + at.wave_n,
                   at.lane);
    }

private:
    /// See own_group.hpp.
    CK_DEVICE CK_INLINE static void add_up_again(const Params& p,
                                                 const TileMap::Tile& tile,
                                                 const SharedStorage& shared,
                                                 Wave& wave,
                                                 const typename Gemm::Place& at)
    {
        using A = thread::OperandElement<typename Types::A,
                                         typename Gemm::InputA,
                                         typename Types::OperationA,
                                         typename Types::ComputeA>;
        using B = thread::OperandElement<typename Types::B,
                                         typename Gemm::InputB,
                                         typename Types::OperationB,
                                         typename Types::ComputeB>;
        replace_not_finite(wave, at.lane, [&](index_t row, index_t column) {
            const Params& params = *arch::constant_uniform(&p);
            const auto views     = params.views(tile);
            const auto moved     = [&](auto base, const Distance& d) {
                return base + tile.group * d.group + tile.chunk * d.chunk;
            };
            return sum_of_own_group<Part>(
                views.a,
                views.b,
                thread::read_entry(shared.a_rows + at.wave_m + row),
                thread::read_entry(shared.b_rows + at.wave_n + column),
                sizeof(typename Params::SourceA::Element),
                sizeof(typename Params::SourceB::Element),
                [&](arch::offset_t place) {
                    return type_convert<Part>(
                        A::at(moved(params.a, params.a_distance), params.operation_a, place));
                },
                [&](arch::offset_t place) {
                    return type_convert<Part>(
                        B::at(moved(params.b, params.b_distance), params.operation_b, place));
                });
        });
    }
};

/// Whether arch::multiply_shared() has instructions of so many columns.
constexpr bool has_wgmma_of(index_t n) { return n >= 32 && n <= 256 && n % 32 == 0 && n != 224; }

/// why_not() of Pipeline::patches.
template <class Transform>
constexpr const char* why_no_patches(const GemmTuning& t)
{
    if(!arch::takes_shared(t.instruction) || t.reduction != Reduction::by_tap)
        return "patches are for wgmma, tap by tap";
    if(arch::input_bytes(t.instruction) != 2)
        return "patches are of elements of two bytes";
    if(t.cluster != 1)
        return "patches are not shared by clusters";
    if(!Transform::a_along_k) // backward weight
        return t.block_tile.m == 64 && t.wave_m == 16 && t.block_tile.n % t.wave_n == 0 &&
                       (t.wave_n == 192 || t.wave_n == 96) && t.block_tile.k % 64 == 0
                   ? nullptr
                   : "warpgroups have 64 rows and three taps of 64 or 32 channels, tiles whole 64 "
                     "output pixels";
    if(t.block_tile.k != 64 && t.block_tile.k != 32)
        return "patches are lines of 64 or 32 channels";
    if(t.wave_m % 16 != 0 || t.block_tile.m % (4 * t.wave_m) != 0 || t.wave_n != t.block_tile.n ||
       !has_wgmma_of(t.wave_n))
        return "the four warps of each of wgmma's warpgroups have whole 16 rows and all columns of "
               "a block, 32, 64, 96, 128, 160, 192 or 256";
    return nullptr;
}

/// why_not() of Pipeline::fused_classes.
template <class Transform>
constexpr const char* why_no_fused_classes(const GemmTuning& t)
{
    const bool backward_data = Transform::a_along_k && !Transform::b_along_k;
    if(!backward_data || t.reduction != Reduction::by_tap || !arch::takes_shared(t.instruction) ||
       arch::input_bytes(t.instruction) != 2)
        return "fused classes are backward data's, multiplied by wgmma, of elements of two bytes";
    if(t.cluster != 1 || t.min_blocks_per_unit != 1)
        return "fused classes have workgroups alone on their SM, that are no clusters";
    if(t.classes != 2 && t.classes != 4 && t.classes != 8)
        return "there are 2, 4 or 8 fused classes";
    const index_t run = t.classes * t.block_tile.n;
    if(t.block_tile.k != 64 || t.wave_n != t.block_tile.n ||
       (t.wave_n != 32 && t.wave_n % 64 != 0) || (run != 128 && run != 256) ||
       (t.wave_m != 16 && t.wave_m != 32) || t.block_tile.m % (4 * t.wave_m) != 0)
        return "fused classes have slices of 64 channels, 128 or 256 columns of C in all, each 32 "
               "or whole 64, and warps of 16 or 32 rows";
    return nullptr;
}

/// why_not() of Pipeline::tap_rows.
template <class Transform>
constexpr const char* why_no_tap_rows(const GemmTuning& t)
{
    if(Transform::a_along_k || Transform::b_along_k || t.reduction != Reduction::by_tap ||
       instruction_of(t).a_element != arch::Element::tf32 || !arch::takes_shared(t.instruction))
        return "rows of taps are backward weight's, of floats multiplied as tf32 by wgmma";
    if(t.cluster != 1 || t.min_blocks_per_unit != 1 || t.transposed_ahead)
        return "rows of taps have workgroups alone on their SM, that are no clusters and transpose "
               "dY themselves";
    if(t.block_tile.m != 128 || t.wave_m != 128 || t.block_tile.n != 384 || t.wave_n != 48 ||
       t.block_tile.k != 32)
        return "rows of taps have tiles of 128 channels of Y and 128 of X at three taps, warps of "
               "16 of these, and slices of 32 output pixels";
    return nullptr;
}

/// Empty when a kernel can be built from the tuning for a transform's operands, else what is wrong
/// with it.
template <class Transform>
constexpr const char* why_not(const GemmTuning& t)
{
    const arch::MatrixInstruction i = instruction_of(t);
    if(t.block_tile.m <= 0 || t.block_tile.n <= 0 || t.block_tile.k <= 0 || t.wave_m <= 0 ||
       t.wave_n <= 0)
        return "tiles must be positive";
    if(t.block_tile.m % t.wave_m != 0 || t.block_tile.n % t.wave_n != 0)
        return "block_tile is not a whole number of wave tiles";
    if(t.pipeline == Pipeline::direct)
        return why_no_depthwise(t);
    if(t.wave_m % i.m != 0 || t.wave_m % i.n != 0 || t.wave_n % i.n != 0 || t.wave_n % i.m != 0)
        return "a wave tile is not a whole number of instructions";
    if(block_size(t) > 1024)
        return "a workgroup has more than 1024 threads";
    const bool wgmma = arch::takes_shared(t.instruction);
    if(t.pipeline == Pipeline::async_copies && !arch::is_mma_sync(i.requirement) && !wgmma)
        return "asynchronous copies need mma.sync's targets";
    if(t.pipeline == Pipeline::patches)
        return why_no_patches<Transform>(t);
    if(t.pipeline == Pipeline::fused_classes)
        return why_no_fused_classes<Transform>(t);
    if(t.pipeline == Pipeline::tap_rows)
        return why_no_tap_rows<Transform>(t);
    const bool maps           = t.pipeline == Pipeline::tensor_maps;
    const bool a_lies_along_k = a_along_k<Transform>(t), b_lies_along_k = b_along_k<Transform>(t);
    if(wgmma && !maps && (t.pipeline != Pipeline::async_copies || t.stages < 3))
        return "wgmma needs asynchronous copies and at least three stages, or tensor maps";
    const index_t bytes = arch::input_bytes(t.instruction);
    if(maps && (!wgmma || t.block_tile.k * bytes != 128 || t.reduction != Reduction::by_tap))
        return "tensor maps bring slices of 64 channels, or pixels, to wgmma, of 32 to that of "
               "tf32, of 128 to those of one byte";
    if(t.transposed_ahead && (!maps || bytes == 2 || Transform::b_along_k))
        return "what is transposed ahead are backward data's filters, or backward weight's dY, of "
               "elements that wgmma reads along the reduction only, brought by tensor maps";
    if(wgmma && bytes == 1 &&
       ((!a_lies_along_k && (!maps || t.block_tile.m % 128 != 0)) ||
        (!b_lies_along_k && (!maps || t.block_tile.n % 128 != 0))))
        return "wgmma reads elements of one byte along the reduction only: where they do not lie "
               "so, tensor maps bring squares of 128 lines, which are transposed";
    if(wgmma && bytes == 4 && !maps)
        return "wgmma drops bits of floats, which only tensor maps round to tf32";
    const bool tf32_columns = wgmma && bytes == 4 && a_lies_along_k && !b_lies_along_k;
    if(tf32_columns && (t.wave_n != 16 || t.block_tile.n % 64 != 0 || t.block_tile.m != t.wave_m ||
                        !has_wgmma_of(t.wave_m)))
        return "wgmma reads tf32 along the reduction only, but for its first operand: backward "
               "data's filters or backward weight's X, of whose columns each warp has 16 and each "
               "of its warpgroups 64, and all rows of a block, 32, 64, 96, 128, 160, 192 or 256";
    if(wgmma && !tf32_columns &&
       ((t.wave_m != 16 && !(maps && t.wave_m == 32)) || t.wave_n != t.block_tile.n ||
        t.block_tile.m % (4 * t.wave_m) != 0 || !has_wgmma_of(t.wave_n)))
        return "wgmma's warps have 16 rows, of tensor maps 16 or 32, and all columns of a block, "
               "32, 64, 96, 128, 160, 192 or 256";
    if(wgmma && !b_lies_along_k && t.block_tile.n % 64 != 0 && t.block_tile.n != 32)
        return "wgmma reads columns that are contiguous in memory 64 at a time";
    if(t.cluster < 1 || t.cluster > 2 || (t.cluster > 1 && (!maps || t.min_blocks_per_unit != 1)))
        return "one or two workgroups, each alone on its SM, share the B that tensor maps copy";
    if(t.cluster > 1 && !b_lies_along_k && t.block_tile.n % 128 != 0)
        return "the workgroups of a cluster share whole boxes of 64 columns";
    if(t.kept_slices < 0 ||
       (t.kept_slices > 0 && (!maps || !Transform::a_along_k || bytes != 2 || t.cluster > 1)))
        return "slices of B are kept by forward and backward data alone, of elements of two bytes "
               "brought by tensor maps, without clusters";
    if((t.pipeline == Pipeline::async_copies || maps) && t.stages < 2)
        return "a ring of LDS slices has at least two stages";
    const block::BlockShape shape = block_shape<Transform>(t);
    for(const block::OperandShape& operand : {block::a_operand(shape, block_size(t), bytes),
                                              block::b_operand(shape, block_size(t), bytes)})
    {
        if(const char* reason = block::why_not(operand))
            return reason;
        if(operand.packed == block::Contiguous::reduction && !maps &&
           (i.m % operand.piece_rows() != 0 || i.n % operand.piece_rows() != 0))
            return "a global load along an operand's rows is wider than an instruction's rows";
        if(operand.packed == block::Contiguous::row && bytes != 2 && !maps)
            return "packs along the rows are transposed by ldmatrix, for elements of two bytes";
        if(shape.async && (operand.loads_per_piece() != 1 || operand.vector * bytes < 4))
            return "asynchronous copies take one load of at least 4 bytes for each piece";
    }
    const warp::FragmentLayout f = warp::fragment_layout(i.a, i.lanes, i.a_values, i.k);
    const index_t step           = i.requirement == arch::Requirement::mma_sync || wgmma
                                       ? i.k
                                       : f.groups * math::max(f.k_values, 16 / bytes);
    if(t.block_tile.k % step != 0)
        return "block_tile.k is not a whole number of the steps in which a wave reads LDS";
    return nullptr;
}

} // namespace ck::grid
