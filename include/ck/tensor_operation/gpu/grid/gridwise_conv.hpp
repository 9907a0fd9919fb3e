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
#include "ck/tensor_operation/gpu/grid/epilogue/d_tensors.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/store_tile.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/tensor_operation/gpu/grid/parts.hpp"
#include "ck/tensor_operation/gpu/grid/tile_map.hpp"

#include <type_traits>

namespace ck::grid {

/// Element types in memory, and the element-wise operations on them: a and b when loaded; c when
/// stored, which also reads the D tensors. A or B may be a Tuple, see thread::OperandSource.
///
/// ComputeA, ComputeB: the types that the operands are rounded to before they are multiplied, by an
/// instruction that holds them exactly; void: the instruction's own.
template <class A_,
          class B_,
          class C_,
          class OperationA_,
          class OperationB_,
          class OperationC_,
          class Ds_       = Tuple<>,
          class ComputeA_ = void,
          class ComputeB_ = void>
struct GemmTypes
{
    using Ds         = Ds_;
    using ComputeA   = ComputeA_;
    using ComputeB   = ComputeB_;
    using A          = A_;
    using B          = B_;
    using C          = C_;
    using OperationA = OperationA_;
    using OperationB = OperationB_;
    using OperationC = OperationC_;
};

/// The part of the configuration that the block's arithmetic depends on.
template <class Transform>
constexpr block::BlockShape block_shape(const GemmTuning& t)
{
    return {t.block_tile.m,
            t.block_tile.n,
            t.block_tile.k,
            t.wave_m,
            t.wave_n,
            t.a_vector,
            t.b_vector,
            Transform::a_along_k ? block::Contiguous::reduction : block::Contiguous::row,
            Transform::b_along_k ? block::Contiguous::reduction : block::Contiguous::row,
            t.pipeline == Pipeline::async_copies,
            arch::takes_shared(t.instruction)};
}

/// Distances, in elements, between groups and between chunks of the batch.
struct Distance
{
    long_index_t group, chunk;
};

/// Accumulators in one store of a part of the sum: those of C, or more where a wave can share them.
template <class Wave>
constexpr index_t part_vector(index_t c_vector)
{
    constexpr index_t columns = Wave::n_tiles * Wave::tile_n;
    return columns % Parts::vector == 0 &&
                   Wave::tile_m * columns / Parts::vector % Wave::instruction.lanes == 0
               ? Parts::vector
               : c_vector;
}

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
    using Store     = StoreTile<Wave,
                            typename Types::C,
                            typename Types::OperationC,
                            tuning.c_vector,
                            std::conditional_t<narrow, typename Types::C, Part>,
                            room>;
    using StorePart = StoreTile<Wave,
                                Part,
                                tensor_operation::element_wise::PassThrough,
                                part_vector<Wave>(tuning.c_vector),
                                Part,
                                room>;

    using Ds = DTensors<typename Types::Ds>;

    static constexpr index_t block_size            = Gemm::size;
    static constexpr index_t min_blocks_per_unit   = tuning.min_blocks_per_unit;
    static constexpr arch::Requirement requirement = Gemm::instruction.requirement;

    using SourceA = thread::OperandSource<typename Types::A>;
    using SourceB = thread::OperandSource<typename Types::B>;

    struct Params
    {
        typename SourceA::Pointer a;
        typename SourceB::Pointer b;
        typename Types::C* c;
        typename Types::OperationA operation_a;
        typename Types::OperationB operation_b;
        typename Types::OperationC operation_c;
        Transform transform;
        TileMap tiles;
        Distance a_distance, b_distance, c_distance;
        DTensor d[Ds::slots];
        Parts parts;         ///< of a merged reduction
        index_t batch;       ///< images in all
        index_t chunk_batch; ///< images in a chunk; the last one may have fewer
    };

    using ViewA = typename Transform::Class::A;
    using ViewB = typename Transform::Class::B;

    /// Views [row, reduction] instead of [row, tap, k].
    static constexpr bool merged = ViewA::structure.tops == 2;
    using MergedSlices           = block::MergedSlices<ViewA, ViewB, shape.k, Gemm::size>;
    using Slices = std::conditional_t<merged, MergedSlices, block::SlicesByTap<shape.k>>;

    /// Its blocks may share a reduction.
    static constexpr bool splits = requires { requires Transform::splits; };

    struct NoTable
    {};

    struct SharedStorage
    {
        union
        {
            typename Gemm::Slice slice[Schedule::buffers];
            typename Store::Shared store[Gemm::waves_m * Gemm::waves_n];
            std::conditional_t<merged, typename StorePart::Shared, NoTable>
                part[Gemm::waves_m * Gemm::waves_n];
        };
        thread::PlaceEntry<ViewA> a_rows[shape.m];
        thread::PlaceEntry<ViewB> b_rows[shape.n];
        std::conditional_t<merged, typename MergedSlices::Table, NoTable> reduction;
        typename Ds::template Table<shape.m> d_rows;
        arch::offset_t c_rows[shape.m]; ///< byte offsets, nowhere beyond C
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        run_block(p, arch::block_index(), shared);
    }

    /// What block number `block` of the launch with these parameters does.
    CK_DEVICE CK_INLINE static void run_block(const Params& p, index_t block, SharedStorage& shared)
    {
        const TileMap::Tile tile = p.tiles(block);
        const auto views         = p.transform.make_class(
            tile.class_index, math::min(p.chunk_batch, p.batch - tile.chunk * p.chunk_batch));
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
            shared.a_rows[r] = thread::place_entry<ViewA>(views.a.template part<0>(first_row + r),
                                                          sizeof(typename SourceA::Element));
            const auto part  = views.c.template part<0>(first_row + r);
            shared.c_rows[r] = part.valid
                                   ? static_cast<arch::offset_t>(part.offset) *
                                         static_cast<arch::offset_t>(sizeof(typename Types::C))
                                   : arch::nowhere;
            if constexpr(splits)
                if(p.parts.base != nullptr && part.valid)
                    shared.c_rows[r] = static_cast<arch::offset_t>(first_row + r) *
                                       static_cast<arch::offset_t>(p.parts.row_length) *
                                       static_cast<arch::offset_t>(sizeof(float));
            if constexpr(Ds::count > 0)
            {
                const auto index = views.c.template indices<0>(first_row + r);
                unrolled<0, Ds::count>([&](auto i) {
                    shared.d_rows.row[i][r] =
                        part.valid ? Ds::template row_offset<i>(p.d[i], index) : arch::nowhere;
                });
            }
        }
        for(index_t r = thread; r < shape.n; r += block_size)
            shared.b_rows[r] = thread::place_entry<ViewB>(
                views.b.template part<0>(first_column + r), sizeof(typename SourceB::Element));
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
                              sizeof(typename SourceA::Element),
                              sizeof(typename SourceB::Element),
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

        arch::block_sync(); // LDS changes hands
        if constexpr(splits)
            if(p.parts.base != nullptr)
            {
                const index_t part = tile.chunk * p.tiles.splits.value + tile.split;
                StorePart::run(wave,
                               shared.part[thread / Gemm::lanes],
                               shared.c_rows + at.wave_m,
                               arch::GlobalView<Part>(reinterpret_cast<Part*>(p.parts.base) +
                                                      part * p.parts.part +
                                                      tile.group * p.parts.group),
                               {},
                               first_column + at.wave_n,
                               p.parts.row_length,
                               1,
                               at.lane);
                return;
            }
        Store::run(wave,
                   shared.store[thread / Gemm::lanes],
                   shared.c_rows + at.wave_m,
                   arch::GlobalView<typename Types::C>(moved(p.c, p.c_distance)),
                   p.operation_c,
                   first_column + at.wave_n,
                   views.c.template extent<1>(),
                   views.c.template part<1>(1).offset,
                   at.lane,
                   typename Ds::template Reader<shape.m>{
                       shared.d_rows, p.d, tile.group, tile.chunk, at.wave_m});
    }
};

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
    if(t.wave_m % i.m != 0 || t.wave_m % i.n != 0 || t.wave_n % i.n != 0 || t.wave_n % i.m != 0)
        return "a wave tile is not a whole number of instructions";
    if(block_size(t) > 1024)
        return "a workgroup has more than 1024 threads";
    const bool wgmma = arch::takes_shared(t.instruction);
    if(t.pipeline == Pipeline::async_copies && i.requirement != arch::Requirement::mma_sync &&
       !wgmma)
        return "asynchronous copies need mma.sync's targets";
    if(wgmma && (t.pipeline != Pipeline::async_copies || t.stages < 3))
        return "wgmma needs asynchronous copies and at least three stages";
    if(wgmma && (t.wave_m != 16 || t.wave_n != t.block_tile.n || t.block_tile.m % 64 != 0 ||
                 (t.wave_n != 32 && t.wave_n != 64 && t.wave_n != 128 && t.wave_n != 256)))
        return "wgmma's warps have 16 rows and all columns of a block, 32, 64, 128 or 256";
    if(t.pipeline == Pipeline::async_copies && t.stages < 2)
        return "a ring of LDS slices has at least two stages";
    const block::BlockShape shape = block_shape<Transform>(t);
    const index_t bytes           = arch::input_bytes(t.instruction);
    for(const block::OperandShape& operand : {block::a_operand(shape, block_size(t), bytes),
                                              block::b_operand(shape, block_size(t), bytes)})
    {
        if(const char* reason = block::why_not(operand))
            return reason;
        if(operand.packed == block::Contiguous::reduction &&
           (i.m % operand.piece_rows() != 0 || i.n % operand.piece_rows() != 0))
            return "a global load along an operand's rows is wider than an instruction's rows";
        if(operand.packed == block::Contiguous::row && bytes != 2)
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
