#pragma once
// 1x1 convolutions with a small result or long sums: one small matrix product. A wave loads exactly
// the operands of its matrix instructions, and issues all loads before it waits for the first.
// Several waves share the reduction of a tile (intra-block split-K); their sums are added up in
// LDS, always in the same order.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/tensor_operation/gpu/warp/loaded_operand.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// How an operand is loaded.
struct SlicedLoads
{
    bool along_k; ///< whether lines lie along the reduction
    index_t vector;
};
/// Returns how A, or B, is loaded: along the pixels, which are the reduction, where backward weight
/// has channels first.
template <class Transform>
constexpr SlicedLoads sliced_a(const GemmTuning& t)
{
    return t.channels_first.vector > 1 ? SlicedLoads{true, t.channels_first.vector}
                                       : SlicedLoads{Transform::a_along_k, t.a_vector};
}
template <class Transform>
constexpr SlicedLoads sliced_b(const GemmTuning& t)
{
    return t.channels_first.vector > 1 ? SlicedLoads{true, t.channels_first.vector}
                                       : SlicedLoads{Transform::b_along_k, t.b_vector};
}
/// Adjacent lines that belong to one lane: those of A's vectors, if A lies along the reduction.
/// Otherwise adjacent lanes load adjacent pixels, which share sectors of memory.
template <class Transform>
constexpr index_t sliced_order(const GemmTuning& t)
{
    return sliced_a<Transform>(t).along_k ? sliced_a<Transform>(t).vector : 1;
}
/// Elements of the reduction that a wave multiplies at once, by one or more instructions.
template <class Transform>
constexpr index_t sliced_unit(const GemmTuning& t)
{
    return math::max(instruction_of(t).k,
                     warp::loaded_parts_a(t.instruction).depth * sliced_order<Transform>(t));
}

/// Says what is wrong with a tuning of GridwiseIntraBlockSplitKConv; empty if it is valid.
template <class Transform>
constexpr const char* why_no_intra_block_split_k(const GemmTuning& t)
{
    if(const char* reason = why_no_waves(t))
        return reason;
    const arch::MatrixInstruction i = instruction_of(t);
    if(i.requirement == arch::Requirement::none || arch::takes_shared(t.instruction) ||
       arch::input_bytes(t.instruction) != 2)
        return "waves that share a reduction multiply elements of two bytes by matrix instructions "
               "of a wave";
    if(t.reduction != Reduction::by_tap)
        return "waves that share a reduction are for one tap";
    if(t.sliced.waves < 1 || t.block_tile.k % (t.sliced.waves * sliced_unit<Transform>(t)) != 0)
        return "block_tile.k is not a whole number of the units of all waves";
    if(t.channels_first.vector > 1 &&
       (!splits_sums<Transform> || t.a_vector != 1 || t.b_vector != 1))
        return "vectors of pixels are for backward weight, whose channels are no neighbours then";
    constexpr auto whole = [](const SlicedLoads& l, index_t of_wave, index_t lines) {
        return l.along_k || of_wave % (lines * l.vector) == 0;
    };
    const SlicedLoads a = sliced_a<Transform>(t), b = sliced_b<Transform>(t);
    if(b.along_k && b.vector != a.vector)
        return "operands along the reduction are loaded in the same vectors";
    if(!whole(a, t.wave_m, warp::loaded_parts_a(t.instruction).lines) ||
       !whole(b, t.wave_n, warp::loaded_parts_b(t.instruction).lines))
        return "the lanes that have different lines load a whole number of vectors along them";
    if(t.block_tile.n % t.c_vector != 0)
        return "a tile has a whole number of stores in a row";
    return nullptr;
}

/// Every direction of 1x1 without stride and padding, one group; interface as GridwiseConv's. All
/// tensors are matrices: X and Y of pixels by channels, or, with channels_first.vector, backward
/// weight's channels-first tensors. Operands of one tensor, as they are in memory; no D tensors.
/// The sum of backward weight may be split into partial sums.
template <class Transform, class Types, GemmTuning tuning>
struct GridwiseIntraBlockSplitKConv
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> && Types::Ds::Size() == 0 &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands and results of waves that share a reduction are single tensors");

    using A           = typename Types::A;
    using B           = typename Types::B;
    using C           = typename Types::C;
    using Lanes       = warp::PixelLanes<tuning.instruction>;
    using Accumulator = typename arch::MatrixTypes<tuning.instruction>::Accumulator;

    static constexpr index_t lanes                 = instruction_of(tuning).lanes;
    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = instruction_of(tuning).requirement;
    static constexpr bool has_epilogue = has_channel_epilogue<Transform, Types>(requirement);
    static constexpr bool takes_gelu   = true;

    static constexpr index_t order = sliced_order<Transform>(tuning),
                             unit  = sliced_unit<Transform>(tuning),
                             waves = tuning.sliced.waves,                  ///< sharing a sum
        units                      = tuning.block_tile.k / (waves * unit), ///< of a wave, at a time
        waves_n                    = tuning.block_tile.n / tuning.wave_n;
    static constexpr index_t a_tiles = tuning.wave_m / Lanes::pixels,
                             b_tiles = tuning.wave_n / Lanes::columns;

    /// A lane's part of a unit.
    static constexpr warp::LoadedParts a_parts = warp::loaded_parts_a(tuning.instruction),
                                       b_parts = warp::loaded_parts_b(tuning.instruction);
    static constexpr index_t lane_depth        = unit / a_parts.depth;
    static constexpr SlicedLoads a_loads       = sliced_a<Transform>(tuning),
                                 b_loads       = sliced_b<Transform>(tuning);
    using LoadedA                              = warp::LoadedOperand<A,
                                        a_parts,
                                        a_loads.along_k,
                                        a_tiles * Lanes::in_pixels,
                                        lane_depth,
                                        a_loads.vector,
                                        order>;
    using LoadedB                              = warp::
        LoadedOperand<B, b_parts, b_loads.along_k, b_tiles, lane_depth, b_loads.vector, order>;

    static constexpr bool channels_first = tuning.channels_first.vector > 1;
    using Matrix =
        std::conditional_t<channels_first, warp::LoadedChannelsFirst, warp::LoadedMatrix>;

    struct Params : ConvParams<Transform, Types>
    {
        Matrix a_matrix, b_matrix;
        arch::offset_t c_row, c_column; ///< bytes from each row of C, or column, to the next
        index_t depth;                  ///< depth of the reduction
        index_t part_depth;             ///< depth of a partial sum; the last may be shorter
    };
    struct SharedStorage
    {
        /// [wave of a reduction][row of a tile][column]; rows begin in banks of their own.
        alignas(16) Accumulator sums[waves][tuning.block_tile.m][tuning.block_tile.n + 4];
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        const TileMap::Tile tile = tile_of(p.tiles, arch::block_index());
        const index_t thread = arch::thread_index(), lane = thread % lanes, wave = thread / lanes,
                      slice = wave % waves, place = wave / waves,
                      row          = place / waves_n * tuning.wave_m,
                      column       = place % waves_n * tuning.wave_n,
                      first_row    = tile.row_tile * tuning.block_tile.m,
                      first_column = tile.column_tile * tuning.block_tile.n,
                      first        = tile.split * p.part_depth,
                      end          = math::min(first + p.part_depth, p.depth);

        arch::wait_for_previous_kernel();
        const arch::GlobalView<const A> a(p.a);
        const arch::GlobalView<const B> b(p.b);
        Sums sums[a_tiles][b_tiles]{};
        for(index_t k = first; k < end; k += tuning.block_tile.k)
        {
            LoadedA of_a[units];
            LoadedB of_b[units];
            repeat<units>([&](index_t u) {
                const index_t at = k + (u * waves + slice) * unit;
                of_a[u].load(a,
                             p.a_matrix,
                             first_row + row,
                             at,
                             end,
                             Lanes::in_pixel(lane, 0),
                             Lanes::in_part(lane));
                of_b[u].load(b,
                             p.b_matrix,
                             first_column + column,
                             at,
                             end,
                             filter_line(lane),
                             Lanes::filter_part(lane));
            });
            repeat<units>([&](index_t u) { multiply(sums, of_a[u], of_b[u]); });
        }
        share(shared.sums[slice], sums, row, column, lane);
        arch::block_sync();
        if constexpr(splits_sums<Transform>)
            if(p.partial_sums.base != nullptr)
            {
                using tensor_operation::element_wise::PassThrough;
                const arch::GlobalView<Accumulator> partial(
                    static_cast<Accumulator*>(p.partial_sums.base) +
                    tile.split * p.partial_sums.partial);
                store<PartialSums::vector>(
                    shared,
                    partial,
                    PassThrough{},
                    [](auto&, index_t, arch::offset_t) {},
                    static_cast<arch::offset_t>(p.partial_sums.row_length) * sizeof(Accumulator),
                    sizeof(Accumulator),
                    first_row,
                    first_column,
                    p.a_matrix.lines,
                    p.partial_sums.row_length);
                return;
            }
        store<tuning.c_vector>(
            shared,
            arch::GlobalView<C>(p.c),
            p.operation_c,
            [&]([[maybe_unused]] auto& sum,
                [[maybe_unused]] index_t column,
                [[maybe_unused]] arch::offset_t place) {
                if constexpr(has_epilogue && !splits_sums<Transform>)
                    if(p.epilogue.exists)
                        p.epilogue.template apply<true>(
                            sum,
                            p.epilogue.template load<C, tuning.c_vector>(
                                0, column, p.b_matrix.lines),
                            [&] {
                                return p.epilogue.residuals(p.c, p.c)
                                    .template load<tuning.c_vector>(place);
                            });
            },
            p.c_row,
            p.c_column,
            first_row,
            first_column,
            p.a_matrix.lines,
            p.b_matrix.lines);
    }

private:
    using Sums = typename Lanes::Sums;

    CK_DEVICE CK_INLINE static TileMap::Tile tile_of(const TileMap& tiles, index_t block)
    {
        if constexpr(splits_sums<Transform>)
            return tiles(block);
        else
            return tiles.of_whole_sums<false>(block);
    }

    /// The column of an instruction whose filters the lane holds.
    CK_DEVICE CK_INLINE static index_t filter_line(index_t lane)
    {
        return arch::describe(tuning.instruction).b(lane, 0).row;
    }

    CK_DEVICE CK_INLINE static void
    multiply(Sums (&sums)[a_tiles][b_tiles], const LoadedA& of_a, const LoadedB& of_b)
    {
        repeat<unit / instruction_of(tuning).k>([&](index_t step) {
            typename Lanes::Filters b[b_tiles];
            repeat<b_tiles>([&](index_t n) {
                repeat<Lanes::in_values>(
                    [&](index_t e) { b[n][e] = of_b.element(n, step * Lanes::in_values + e); });
            });
            repeat<a_tiles>([&](index_t m) {
                typename Lanes::Pixels a;
                repeat<Lanes::Pixels::length>([&](index_t v) {
                    a[v] = of_a.element(m * Lanes::in_pixels + Lanes::pixel_of_value(v),
                                        step * Lanes::in_values + Lanes::number_of_value(v));
                });
                repeat<b_tiles>([&](index_t n) {
                    arch::multiply_accumulate<tuning.instruction>(a, b[n], sums[m][n]);
                });
            });
        });
    }

    /// Writes a lane's sums to LDS.
    CK_DEVICE CK_INLINE static void
    share(Accumulator (&to)[tuning.block_tile.m][tuning.block_tile.n + 4],
          const Sums (&sums)[a_tiles][b_tiles],
          index_t row,
          index_t column,
          index_t lane)
    {
        constexpr index_t together =
            math::gcd(LoadedB::neighbours, index_t{4}); // neighbouring columns
        repeat<a_tiles * Lanes::out_pixels>([&](index_t r) {
            const index_t of_row =
                row + LoadedA::place_in_tile(r / Lanes::out_pixels,
                                             Lanes::out_pixel(lane, r % Lanes::out_pixels),
                                             Lanes::in_pixels);
            repeat<Lanes::out_values>([&](index_t q) {
                repeat<b_tiles / together>([&](index_t n) {
                    Vector<Accumulator, together> neighbours;
                    repeat<together>([&](index_t e) {
                        neighbours[e] = sums[r / Lanes::out_pixels][n * together + e]
                                            [Lanes::sum(r % Lanes::out_pixels, q)];
                    });
                    const index_t of_column =
                        column +
                        LoadedB::place(n * together, Lanes::out_part(lane) * Lanes::out_values + q);
                    *reinterpret_cast<Vector<Accumulator, together>*>(&to[of_row][of_column]) =
                        neighbours;
                });
            });
        });
    }

    /// Adds up the waves' sums and stores `rows` rows and `columns` columns of them. change(sums,
    /// column, place) is called before the operation for sums of adjacent columns; place: the
    /// offset at which they are stored.
    template <index_t vector, class Out, class Operation, class Change>
    CK_DEVICE CK_INLINE static void store(const SharedStorage& shared,
                                          const arch::GlobalView<Out>& out,
                                          const Operation& operation,
                                          const Change& change,
                                          arch::offset_t row_bytes,
                                          arch::offset_t column_bytes,
                                          index_t first_row,
                                          index_t first_column,
                                          index_t rows,
                                          index_t columns)
    {
        constexpr index_t runs = tuning.block_tile.n / vector, // runs of a row
            count              = tuning.block_tile.m * runs;
        repeat<math::integer_divide_ceil(count, block_size)>([&](index_t turn) {
            const index_t i = arch::thread_index() + turn * block_size;
            if(count % block_size != 0 && i >= count)
                return;
            const index_t row = i / runs, column = i % runs * vector;
            Vector<Accumulator, vector> sum{};
            repeat<waves>([&](index_t w) {
                const auto more = *reinterpret_cast<const Vector<Accumulator, vector>*>(
                    &shared.sums[w][row][column]);
                repeat<vector>([&](index_t e) { sum[e] += more[e]; });
            });
            const arch::offset_t place =
                ((first_row + row < rows) & (first_column + column < columns))
                    ? static_cast<arch::offset_t>(first_row + row) * row_bytes +
                          static_cast<arch::offset_t>(first_column + column) * column_bytes
                    : arch::nowhere;
            change(sum, first_column + column, place);
            Vector<Out, vector> result;
            repeat<vector>([&](index_t e) { operation(result[e], sum[e]); });
            out.template store<vector>(result, place);
        });
    }
};

} // namespace ck::grid
