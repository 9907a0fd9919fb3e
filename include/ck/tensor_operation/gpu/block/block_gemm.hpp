#pragma once
// The GEMM of one workgroup: a block tile of C over all slices of the reduction.
#include "ck/arch/async_copy.hpp"
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/block/lds_layout.hpp"
#include "ck/tensor_operation/gpu/thread/operand_copy.hpp"
#include "ck/tensor_operation/gpu/warp/warpgroup_gemm.hpp"
#include "ck/tensor_operation/gpu/warp/wave_gemm.hpp"
#include "ck/utility/reason.hpp"

namespace ck::block {

/// The compile-time parameters of a block.
struct BlockShape
{
    index_t m, n, k;
    index_t wave_m, wave_n;
    index_t a_vector, b_vector;
    Contiguous a_contiguous, b_contiguous;
    bool async;    ///< operands reach LDS by asynchronous copies, packed along what is contiguous
    bool swizzled; ///< and lie there as wgmma reads them
    bool in_boxes; ///< no thread copies them
    bool direct_to_lds = false;   ///< the asynchronous copies are loads of AMD's straight to LDS
    index_t a_run = 0, b_run = 0; ///< see OperandShape::run
};

/// Whether wgmma's first operand takes C's columns: 16 per warp. Else each warp has all columns.
constexpr bool columns_first(const BlockShape& s) { return s.swizzled && s.wave_n == 16; }

/// The dimension along which an operand's packs lie when they are multiplied. ldmatrix transposes
/// 2-byte elements, and bytes in pairs; wgmma transposes only 2-byte elements. Larger elements
/// copied as boxes go through registers if they are in the instruction's first operand; otherwise
/// they, and smaller elements, are transposed in LDS.
constexpr Contiguous
packed_along(const BlockShape& s, Contiguous contiguous, index_t element_bytes, bool first)
{
    const bool transposed = s.in_boxes && (element_bytes == 1 || (element_bytes == 4 && !first));
    return s.async && !transposed ? contiguous : Contiguous::reduction;
}
constexpr OperandShape a_operand(const BlockShape& s, index_t threads, index_t element_bytes)
{
    return {s.a_contiguous,
            s.m,
            s.k,
            s.in_boxes ? s.m * s.k / s.a_vector : threads,
            s.a_vector,
            element_bytes,
            packed_along(s, s.a_contiguous, element_bytes, !columns_first(s)),
            s.swizzled,
            s.a_run,
            s.direct_to_lds};
}
constexpr OperandShape b_operand(const BlockShape& s, index_t threads, index_t element_bytes)
{
    return {s.b_contiguous,
            s.n,
            s.k,
            s.in_boxes ? s.n * s.k / s.b_vector : threads,
            s.b_vector,
            element_bytes,
            packed_along(s, s.b_contiguous, element_bytes, columns_first(s)),
            s.swizzled,
            s.b_run,
            s.direct_to_lds};
}

/// Whether LDS has 32 banks and serves lanes in the order of warp::mfma_lane_served. True for MFMA
/// targets except gfx950, which has 64 banks and instructions of its own.
constexpr bool serves_quads(arch::Requirement requirement)
{
    using enum arch::Target;
    return arch::is_mfma(requirement) &&
           (arch::meets(gfx908, requirement) || arch::meets(gfx90a, requirement) ||
            arch::meets(gfx942, requirement));
}

/// The LDS layout of an operand's slice, computed once for all blocks with the same operand and
/// waves. A Constant, because clang evaluates a variable's initializer three times for HIP.
template <OperandShape s, class Wave, auto side>
inline constexpr LdsLayout layout_of = Constant<lds_layout(
    s,
    [](index_t lane) { return Wave::role(side, lane, s.packed == Contiguous::row); },
    serves_quads(Wave::instruction.requirement))>::value;

/// The operand with its threads spread if `quads`: LDS that serves_quads then has fewest conflicts.
constexpr OperandShape spread_if(bool quads, OperandShape s)
{
    s.spread = quads && !s.direct_to_lds && s.piece_rows() == 8 && can_spread(s);
    return s;
}

/// The same operand, its packs swizzled where LDS serves_quads and rows are whole lines.
constexpr OperandShape swizzled_if(bool quads, bool async, OperandShape s)
{
    s.swizzled_rows = quads && !async && can_swizzle_rows(s);
    return s;
}

template <arch::Matrix id, BlockShape shape>
struct BlockGemm
{
    static constexpr arch::MatrixInstruction instruction = arch::describe(id);

    static constexpr index_t waves_m = shape.m / shape.wave_m, waves_n = shape.n / shape.wave_n;
    static constexpr index_t lanes = instruction.lanes;
    static constexpr index_t size  = waves_m * waves_n * lanes;

    static constexpr bool swapped    = warp::holds_rows<id> || columns_first(shape);
    static constexpr index_t m_tiles = shape.wave_m / (swapped ? instruction.n : instruction.m);
    static constexpr index_t n_tiles = shape.wave_n / (swapped ? instruction.m : instruction.n);

    static constexpr index_t input_size = arch::input_bytes(id);
    static constexpr bool mfma          = arch::is_mfma(instruction.requirement);
    static constexpr bool quads         = serves_quads(instruction.requirement);
    static constexpr OperandShape a_shape =
        swizzled_if(quads, shape.async, spread_if(quads, a_operand(shape, size, input_size)));
    static constexpr OperandShape b_shape =
        swizzled_if(quads, shape.async, spread_if(quads, b_operand(shape, size, input_size)));
    static_assert(Accepted<why_not(a_shape)>::value && Accepted<why_not(b_shape)>::value);

    static constexpr bool pairs = input_size == 1 && !shape.swizzled; ///< of rows that share words
    static constexpr warp::InPairs in_pairs{pairs && a_shape.packed == Contiguous::row,
                                            pairs&& b_shape.packed == Contiguous::row};
    using Wave   = std::conditional_t<shape.swizzled,
                                    warp::WarpgroupGemm<id, m_tiles, n_tiles, swapped>,
                                    warp::WaveGemm<id, m_tiles, n_tiles, swapped, in_pairs>>;
    using InputA = typename Wave::InputM;
    using InputB = typename Wave::InputN;

    static constexpr LdsLayout a_layout = block::layout_of<a_shape, Wave, Wave::Side::m>;
    static constexpr LdsLayout b_layout = block::layout_of<b_shape, Wave, Wave::Side::n>;

    static constexpr std::size_t alignment = shape.swizzled ? 1024 : shape.direct_to_lds ? 128 : 16;

    /// One LDS buffer.
    struct Slice
    {
        alignas(alignment) InputA a[a_layout.size()];
        alignas(alignment) InputB b[b_layout.size()];
    };

    /// Position of the thread's wave in the block and of the thread in its wave.
    struct Place
    {
        index_t lane, wave_m,
            wave_n; // wave_m, wave_n: first row and column of the wave's part of C
    };
    CK_DEVICE CK_INLINE static Place place(index_t thread)
    {
        const index_t wave = thread / lanes;
        return {thread % lanes, wave / waves_n * shape.wave_m, wave % waves_n * shape.wave_n};
    }

    /// Operands of a step. Not cleared for MFMA without whole packs, which saves 0.01 instructions
    /// per MFMA; in a multi-stage loop clang 22 would split packs.
    struct Operands
    {
        typename Wave::StepOperands operands[2];
    };
    struct UnclearedOperands : Operands
    {
        CK_DEVICE CK_INLINE UnclearedOperands() {}
    };

    /// The stages of a pipeline schedule. Slices: determines the next slice (reduction_cursor.hpp,
    /// merged_slices.hpp).
    template <class Slices, class CopyA, class CopyB, index_t buffers>
    struct Stages
    {
        Slices& slices;
        CopyA& a;
        CopyB& b;
        Wave& wave;
        Slice (&slice)[buffers];
        index_t a_lane, b_lane; // offsets of the lane's first packs
        [[no_unique_address]] std::conditional_t<shape.direct_to_lds, Operands, UnclearedOperands>
            held{};

        CK_DEVICE CK_INLINE void fetch()
        {
            slices.advance(a, b);
            a.fetch();
            b.fetch();
            a.keep_offsets();
            b.keep_offsets();
        }
        CK_DEVICE CK_INLINE index_t begin_run()
        {
            keep_table();
            return slices.begin_run(a, b);
        }
        CK_DEVICE CK_INLINE void fetch_of_run()
        {
            slices.next_of_run(a, b, [&] {
                a.fetch();
                b.fetch();
            });
            a.keep_offsets();
            b.keep_offsets();
        }
        CK_DEVICE CK_INLINE void stage(index_t buffer)
        {
            arch::wait_global_loads();
            a.stage(slice[buffer].a);
            b.stage(slice[buffer].b);
        }
        CK_DEVICE CK_INLINE void wait() { arch::block_sync(); }
        CK_DEVICE CK_INLINE void wait_read()
        {
            if constexpr(mfma) // Wave::multiply has waited for its reads
                arch::block_sync_after_reads();
            else
                arch::block_sync();
        }
        CK_DEVICE CK_INLINE void multiply(index_t buffer)
        {
            wave.template multiply<a_layout, b_layout, shape.k>({slice[buffer].a, a_lane},
                                                                {slice[buffer].b, b_lane});
        }

        // multiply() in parts: reading the first operands, and the products of all steps except the
        // last, after which LDS is not read any more.
        CK_DEVICE CK_INLINE void read_first(index_t buffer)
        {
            Wave::template read_first<a_layout, b_layout>(
                held.operands, {slice[buffer].a, a_lane}, {slice[buffer].b, b_lane});
        }
        CK_DEVICE CK_INLINE void multiply_but_last(index_t buffer)
        {
            wave.template multiply_but_last<a_layout, b_layout, shape.k>(
                held.operands, {slice[buffer].a, a_lane}, {slice[buffer].b, b_lane});
        }
        CK_DEVICE CK_INLINE void multiply_last() { multiply_last<0, Wave::products>(); }
        // The last step in two parts; one of them reads the first operands of another slice.
        static constexpr index_t half = Wave::products / 2;
        CK_DEVICE CK_INLINE void multiply_half()
        {
            multiply_last<0, half>();
            arch::keep_order();
        }
        CK_DEVICE CK_INLINE void multiply_other_half(index_t next)
        {
            multiply_last_and_read<half, Wave::products>(next);
        }
        // The first part has half of the products, or the number of products that cover the reads,
        // two each. gfx950, forward's large problem in the timing model: 80.0 % of the peak with
        // tiles of 256 x 256; 79.6 % with halves.
        static constexpr index_t part =
            math::min(half, math::integer_divide_ceil(Wave::m_tiles + Wave::n_tiles, 2));
        CK_DEVICE CK_INLINE void multiply_part(index_t next)
        {
            if constexpr(Wave::template reads_before_end<shape.k>)
                multiply_last_and_read<0, part>(next);
            else
                multiply_last<0, part>();
        }
        CK_DEVICE CK_INLINE void multiply_other_part(index_t next)
        {
            if constexpr(Wave::template reads_before_end<shape.k>)
                multiply_last<part, Wave::products>();
            else
                multiply_last_and_read<part, Wave::products>(next);
        }
        template <index_t first, index_t end>
        CK_DEVICE CK_INLINE void multiply_last()
        {
            wave.template multiply_last<shape.k, first, end>(held.operands);
        }
        template <index_t first, index_t end>
        CK_DEVICE CK_INLINE void multiply_last_and_read(index_t next)
        {
            if constexpr(Wave::template reads_before_end<shape.k>)
                wave.template multiply_last_and_read_first<a_layout, b_layout, shape.k, first, end>(
                    held.operands, {slice[next].a, a_lane}, {slice[next].b, b_lane});
            else
            {
                multiply_last<first, end>();
                read_first(next);
            }
        }

        // copy() with asynchronous copies.
        CK_DEVICE CK_INLINE void copy(index_t buffer)
        {
            slices.advance(a, b);
            a.copy_async(slice[buffer].a);
            b.copy_async(slice[buffer].b);
        }
        CK_DEVICE CK_INLINE void copy_of_run(index_t buffer)
        {
            slices.next_of_run(a, b, [&] {
                a.copy_async(slice[buffer].a);
                b.copy_async(slice[buffer].b);
            });
        }
        CK_DEVICE CK_INLINE void begin_nothing()
        {
            keep_table();
            slices.begin_nothing(a, b);
        }
        /// With several stages there is no barrier between a copy and the next run.
        CK_DEVICE CK_INLINE void keep_table() const
        {
            if constexpr(shape.direct_to_lds && Slices::looks_up)
                arch::block_sync();
        }
        CK_DEVICE CK_INLINE void end_group() { arch::end_copy_group(); }
        template <class Groups>
        CK_DEVICE CK_INLINE void arrived(Groups)
        {
            arch::wait_copy_groups<Groups::value, a_shape.pieces() + b_shape.pieces()>();
            if constexpr(shape.swizzled)
                arch::order_before_async_accesses();
            if constexpr(shape.direct_to_lds)
                wait_read();
            else
                arch::block_sync();
        }

        // multiply() with asynchronous multiplications.
        CK_DEVICE CK_INLINE void start(index_t buffer)
        {
            wave.template start<a_layout, b_layout, shape.k>(slice[buffer].a + a_lane,
                                                             slice[buffer].b + b_lane);
        }
        template <class Groups>
        CK_DEVICE CK_INLINE void wait_mma(Groups)
        {
            wave.template wait_mma<Groups::value>();
        }
    };

    /// C of the block in the waves' registers: the sum of a * b over all slices.
    template <class Schedule, class Slices, class CopyA, class CopyB>
    CK_DEVICE CK_INLINE static void
    run(Wave& wave, Slices& slices, CopyA& a, CopyB& b, Slice (&slice)[Schedule::buffers], Place at)
    {
        wave.clear();
        add<Schedule>(wave, slices, a, b, slice, at);
    }

    /// Adds the sum to the registers.
    template <class Schedule, class Slices, class CopyA, class CopyB>
    CK_DEVICE CK_INLINE static void
    add(Wave& wave, Slices& slices, CopyA& a, CopyB& b, Slice (&slice)[Schedule::buffers], Place at)
    {
        Stages<Slices, CopyA, CopyB, Schedule::buffers> stages{
            slices,
            a,
            b,
            wave,
            slice,
            Wave::template lane_offset<a_layout>(Wave::Side::m, at.wave_m, at.lane),
            Wave::template lane_offset<b_layout>(Wave::Side::n, at.wave_n, at.lane)};
        Schedule::run(stages, slices.count());
    }
};

} // namespace ck::block
