#pragma once
// Accumulators -> LDS -> global memory: reorders the lanes' scattered accumulators into wide stores
// along C's columns.
#include "ck/arch/memory.hpp"
#include "ck/arch/round_pair.hpp"
#include "ck/arch/sync.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_operation/gpu/thread/operand_copy.hpp"
#include "ck/tensor_operation/gpu/warp/banks.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/tuple.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// Elements of `bytes` bytes between rows of a wave's accumulators in LDS: the smallest 16-byte
/// aligned stride with the fewest bank conflicts on writes.
template <class Wave>
constexpr index_t least_conflicts(index_t bytes, index_t columns)
{
    constexpr index_t lanes = Wave::instruction.lanes;
    const index_t in_16 = 16 / bytes, access = math::max(4, bytes * Wave::run);
    const index_t least = warp::least_passes(lanes, access);
    typename Wave::Coordinate at[lanes]{};
    for(index_t lane = 0; lane < lanes; ++lane)
        at[lane] = Wave::coordinate(lane, 0);
    index_t best = columns, fewest = 1 << 30;
    for(index_t stride = columns; stride < columns + 8 * in_16 && fewest > least; stride += in_16)
    {
        const index_t passes = warp::bank_passes(lanes, access, [&](index_t lane) {
            return bytes * (at[lane].m * stride + at[lane].n) / 4 * 4; // the word's address
        });
        if(passes < fewest)
        {
            fewest = passes;
            best   = stride;
        }
    }
    return best;
}
template <class Wave, index_t bytes, index_t columns>
inline constexpr index_t staged_stride = Number<least_conflicts<Wave>(bytes, columns)>::value;

/// How a wave's tile holds several tiles of C: the columns of each, and the distance between their
/// entries in the table of rows. No columns: the wave's tile is one tile of C.
struct SideBySide
{
    index_t columns = 0, rows = 0;
};

/// Wave: a warp::WaveGemm. Each wave works alone on its own LDS, on one row of
/// instruction tiles at a time, or on several rows if they are one small tile wide.
/// Staged: the type in LDS, the accumulator's or, if the operation changes nothing, Out.
/// room: bytes of LDS per wave. If no tile of a row fits, more is used; with MFMA, enough
/// for half a tile.
template <class Wave,
          class Out,
          class Operation,
          index_t vector,
          class Staged  = typename Wave::Accumulator,
          index_t room  = 1 << 16,
          SideBySide of = SideBySide{}>
struct StoreTile
{
    using Accumulator                   = typename Wave::Accumulator;
    static constexpr bool only_converts = thread::only_converts<Operation>;
    static_assert(std::is_same_v<Staged, Accumulator> ||
                  (std::is_same_v<Staged, Out> && only_converts));

    static constexpr index_t staged_bytes = static_cast<index_t>(sizeof(Staged));
    static constexpr index_t in_16_bytes  = 16 / staged_bytes;

    static constexpr index_t lanes = Wave::instruction.lanes;

    /// Whether the lanes can share the stores of `tiles` tiles in whole vectors.
    static constexpr bool can_share(index_t tiles)
    {
        const index_t columns = tiles * Wave::tile_n;
        return tiles % Wave::tiles_together == 0 && columns % vector == 0 &&
               rows * (columns / vector) % lanes == 0;
    }
    /// Elements from one row of `tiles` tiles to the next in LDS.
    template <index_t tiles>
    static constexpr index_t stride_of = staged_stride<Wave, staged_bytes, tiles * Wave::tile_n>;

    /// Rows of tiles that are in LDS at once.
    static constexpr index_t tile_rows = [] {
        index_t count = 1;
        if(Wave::n_tiles == 1 && Wave::tile_m < 16)
            while(Wave::m_tiles % (2 * count) == 0 &&
                  2 * count * Wave::tile_m * (Wave::tile_n + in_16_bytes) * staged_bytes <= room)
                count *= 2;
        return count;
    }();
    static constexpr index_t rows = tile_rows * Wave::tile_m;

    static constexpr index_t most_tiles =
        of.columns > 0 ? of.columns / Wave::tile_n : Wave::n_tiles;
    /// Tiles of a row that are in LDS at once: as many as fit, at most `most`.
    template <index_t most = most_tiles, index_t fewest = most_tiles>
    static constexpr index_t fitting_tiles()
    {
        if constexpr(most == 0)
            return fewest;
        else if constexpr(Wave::n_tiles % most != 0 || !can_share(most))
            return fitting_tiles<most - 1, fewest>();
        else if constexpr(rows * stride_of<most> * staged_bytes <= room)
            return most;
        else
            return fitting_tiles<most - 1, most>();
    }
    static constexpr index_t tiles = Number<fitting_tiles()>::value;
    /// Parts of a tile (halves of its columns, at least 64 bytes) that go through LDS one after
    /// another. This saves LDS: a compute unit has room for four workgroups with 64 x 64 tiles in
    /// backward weight instead of two.
    static constexpr index_t parts = [] {
        constexpr index_t half = Wave::tile_n / 2, values = Wave::instruction.c_values / 2;
        constexpr auto second = Wave::coordinate(0, values);
        const bool hupcast    = values % Wave::run == 0 && second.m == 0 && second.n == half &&
                             half % vector == 0 && rows * (half / vector) % lanes == 0 &&
                             half * static_cast<index_t>(sizeof(Out)) >= 64;
        return arch::is_mfma(Wave::instruction.requirement) && tile_rows == 1 && tiles == 1 &&
                       of.columns == 0 && hupcast && rows * stride_of<1> * staged_bytes > room
                   ? 2
                   : 1;
    }();
    static constexpr index_t columns = tiles * Wave::tile_n / parts;
    static constexpr index_t stride  = staged_stride<Wave, staged_bytes, columns>;

    /// LDS of one wave.
    struct Shared
    {
        alignas(16) Staged c[rows * stride];
    };

    static constexpr index_t vectors_a_row = columns / vector;
    static constexpr index_t vectors       = rows * vectors_a_row / lanes; // stored by a lane
    static_assert(can_share(tiles),
                  "a wave cannot share the stores of its C tile in whole vectors");
    static constexpr index_t read = math::min(vector, in_16_bytes); // elements per LDS read

    /// Whether lanes that MFMA targets serve in the same LDS pass read the same row.
    static constexpr bool in_serving_order =
        !std::is_same_v<Staged, Accumulator> && arch::is_mfma(Wave::instruction.requirement);

    /// The row of the p-th vector that a lane stores. In small tiles the eight lanes of an LDS pass
    /// read two rows; rows four apart are in different banks.
    CK_HOST_DEVICE static constexpr index_t row_of(index_t p)
    {
        const index_t row = p / vectors_a_row;
        return tile_rows > 1 && vectors_a_row == 4 ? row / 8 * 8 + row % 2 * 4 + row % 8 / 2 : row;
    }

    /// Whether all vectors of a lane are in the same columns. Only for MFMA, where instruction
    /// counts matter.
    static constexpr bool same_columns = arch::is_mfma(Wave::instruction.requirement) &&
                                         tile_rows == 1 && lanes % vectors_a_row == 0;

    /// Whether LDS holds the values in their final form.
    static constexpr bool as_staged = std::is_same_v<Staged, Out>;

    /// The D tensors of a tile: load<i>(row, column, exists) reads `vector` elements of tensor i.
    struct NoD
    {
        static constexpr index_t count = 0;

        template <index_t i, index_t n>
        CK_DEVICE float load(index_t, index_t, bool) const; // never called
    };

    /// Whether `columns` gives offsets, and says which columns are padding and stored as zero.
    template <class Columns>
    static constexpr bool padded = !std::is_same_v<Columns, index_t>;

    /// Passes of the tile through LDS, and runs in each pass. A run: accumulators of a lane that
    /// are adjacent along C's columns.
    static constexpr index_t passes_of_row = Wave::n_tiles / tiles * parts;
    static constexpr index_t passes        = Wave::m_tiles / tile_rows * passes_of_row;
    static constexpr index_t in_tile       = Wave::instruction.c_values / Wave::run / parts;
    static constexpr index_t runs          = tile_rows * tiles * in_tile;
    using Run                              = Vector<Staged, Wave::run>;

    /// Whether floats are rounded to halves on the way to LDS, in pairs of adjacent elements.
    static constexpr bool in_pairs =
        std::is_same_v<Staged, half_t> && std::is_same_v<Accumulator, float> && Wave::run % 2 == 0;

    /// Position of run `number` of a pass in a wave's accumulators.
    struct PlaceOfRun
    {
        index_t i, j, first;

        CK_DEVICE CK_INLINE PlaceOfRun(index_t pass, index_t number)
        {
            const index_t tile = number / in_tile, of_row = pass % passes_of_row;
            i     = pass / passes_of_row * tile_rows + tile / tiles;
            j     = of_row / parts * tiles + tile % tiles;
            first = (of_row % parts * in_tile + number % in_tile) * Wave::run;
        }
    };
    /// Its position in LDS, relative to the lane's first run.
    CK_DEVICE CK_INLINE static index_t staged_place(index_t number)
    {
        const auto step    = Wave::coordinate(0, number % in_tile * Wave::run);
        const index_t tile = number / in_tile;
        return (tile / tiles * Wave::tile_m + step.m) * stride + Wave::tile_column(tile % tiles) +
               step.n;
    }

    /// The first row and column of a pass.
    struct PlaceOfPass
    {
        index_t row, column;

        CK_DEVICE CK_INLINE PlaceOfPass(index_t pass, index_t first_column)
        {
            const index_t of_row = pass % passes_of_row;
            const index_t side   = of.columns > 0 ? of_row * columns / math::max(of.columns, 1) : 0;
            row                  = pass / passes_of_row * rows + side * of.rows;
            column               = first_column + of_row * columns - side * of.columns;
        }
    };

    /// Run `number` of a pass, in the form that LDS holds.
    CK_DEVICE CK_INLINE static Run run_of(const Wave& wave,
                                          index_t pass,
                                          index_t number,
                                          [[maybe_unused]] const Operation& operation)
    {
        const PlaceOfRun place(pass, number);
        const index_t i = place.i, j = place.j, first = place.first;
        if constexpr(in_pairs)
        {
            Vector<Vector<half_t, 2>, Wave::run / 2> pairs;
            repeat<Wave::run / 2>([&](index_t e) {
                pairs[e] =
                    arch::round_pair(wave.c[i][j][first + 2 * e], wave.c[i][j][first + 2 * e + 1]);
            });
            return __builtin_bit_cast(Run, pairs);
        }
        Run values;
        repeat<Wave::run>([&](index_t e) {
            if constexpr(as_staged && !thread::is_identity<Operation> &&
                         !std::is_same_v<Staged, Accumulator>)
                operation(values[e], wave.c[i][j][first + e]);
            else
                values[e] = type_convert<Staged>(wave.c[i][j][first + e]);
        });
        return values;
    }

    /// Forced inlining: bodies with an operation or a conversion to 8 bits are too long for the
    /// compiler to inline by itself. Without it gfx90a's dot products take 140 more registers.
    template <index_t count, class F>
    CK_DEVICE CK_INLINE static void for_each(const F& f)
    {
        if constexpr(thread::is_identity<Operation> && sizeof(Out) > 1)
            repeat<count>(f);
        else
            repeat_in_place<count>(f);
    }

    /// row_offset: byte offset of each row of the wave's tile of C (nowhere: not a row
    /// of C), in LDS or computed. column: the wave's first column; columns from
    /// `column_end` on are not stored. columns_at: elements between columns, or a
    /// BlockedColumns.
    template <class RowOffsets, class Columns, class D = NoD>
    CK_DEVICE CK_INLINE static void run(const Wave& wave,
                                        Shared& shared,
                                        const RowOffsets& row_offset,
                                        const arch::GlobalView<Out>& out,
                                        const Operation& operation,
                                        index_t column,
                                        index_t column_end,
                                        Columns columns_at,
                                        index_t lane,
                                        const D& d = {})
    {
        for_each<passes>([&](index_t pass) {
            run_pass(
                pass,
                [&](index_t number) { return run_of(wave, pass, number, operation); },
                shared,
                row_offset,
                out,
                operation,
                column,
                column_end,
                columns_at,
                lane,
                d);
        });
    }

    /// Adds to a wave's sums the elements of a tensor with C's offsets. A lane reads the elements
    /// that it will store in run(), so the tensor may be C itself. columns_at: elements between
    /// columns. Everything is forced inline: nvcc would otherwise call the code of a pass if the
    /// kernel has it several times, with the sums in local memory.
    template <class RowOffsets>
    CK_DEVICE CK_INLINE static void add(Wave& wave,
                                        Shared& shared,
                                        const RowOffsets& row_offset,
                                        const arch::GlobalView<const Out>& from,
                                        index_t column,
                                        index_t column_end,
                                        index_t columns_at,
                                        index_t lane)
    {
        static_assert(!same_columns && !in_serving_order); // MFMA's order of lanes
        const auto at      = Wave::coordinate(lane, 0);
        Staged* const mine = shared.c + at.m * stride + at.n;
        repeat_in_place<passes>([&](index_t pass) __attribute__((always_inline)) {
            const PlaceOfPass place(pass, column);
            // This also avoids spills: in one basic block, nvcc 13 delays the additions of all
            // passes and spills up to 232 bytes (128x256, tf32).
            if(place.column >= column_end)
                return;
            Vector<Out, vector> loaded[vectors]; // loads that wait together
            repeat<vectors>([&](index_t s) {
                const index_t p     = lane + s * lanes,
                              first = place.column + p % vectors_a_row * vector;
                const auto offset =
                    static_cast<arch::offset_t>(math::wrapping_product(first, columns_at)) *
                    static_cast<arch::offset_t>(sizeof(Out));
                loaded[s] = from.template load<vector>(
                    first < column_end ? row_offset[place.row + row_of(p)] + offset
                                       : arch::nowhere);
            });
            arch::wave_sync<lanes>(); // what was there has been read
            repeat<vectors>([&](index_t s) {
                const index_t p  = lane + s * lanes;
                Staged* const to = shared.c + row_of(p) * stride + p % vectors_a_row * vector;
                repeat<vector / read>([&](index_t part) {
                    Vector<Staged, read> values;
                    repeat<read>([&](index_t e) {
                        values[e] = type_convert<Staged>(loaded[s][part * read + e]);
                    });
                    arch::write_whole(to + part * read, values);
                });
            });
            arch::wave_sync<lanes>();
            repeat<runs>([&](index_t number) {
                const PlaceOfRun of_run(pass, number);
                const auto more = arch::read_whole<Run>(mine + staged_place(number));
                repeat<Wave::run>([&](index_t e) {
                    wave.c[of_run.i][of_run.j][of_run.first + e] +=
                        type_convert<Accumulator>(more[e]);
                });
            });
        });
    }

    /// One pass of run(). get(number): a run.
    template <class Get, class RowOffsets, class Columns, class D = NoD>
    CK_DEVICE CK_INLINE static void run_pass(index_t pass,
                                             const Get& get,
                                             Shared& shared,
                                             const RowOffsets& row_offset,
                                             const arch::GlobalView<Out>& out,
                                             const Operation& operation,
                                             index_t column,
                                             index_t column_end,
                                             Columns columns_at,
                                             index_t lane,
                                             const D& d = {})
    {
        static_assert(D::count == 0 || std::is_same_v<Staged, Accumulator>);
        const PlaceOfPass place(pass, column);
        const index_t pass_row = place.row, pass_column = place.column;
        const auto at = Wave::coordinate(lane, 0);
        Staged* mine  = shared.c + at.m * stride + at.n;
        arch::wave_sync<lanes>(); // the previous tiles have been read
        repeat<runs>(
            [&](index_t number) { arch::write_whole(mine + staged_place(number), get(number)); });
        arch::wave_sync<lanes>();
        const index_t reader =
            in_serving_order ? warp::mfma_served_number(lane) : lane; // of the first vectors
        // The row is a separate word, so that the compiler adds to it in the accesses.
        const auto reader_row = static_cast<index_t>(
            arch::undivided_word(static_cast<std::uint32_t>(reader / vectors_a_row)));
        for_each<vectors>([&](index_t s) {
            const index_t p   = reader + s * lanes;
            const index_t row = same_columns ? reader_row + s * (lanes / vectors_a_row) : row_of(p);
            const index_t first           = (same_columns ? reader : p) % vectors_a_row * vector;
            bool exists                   = pass_column + first < column_end;
            [[maybe_unused]] index_t real = vector;
            if constexpr(padded<Columns>)
            {
                exists = exists && columns_at.exists(pass_column + first);
                real   = columns_at.real(pass_row + row, pass_column + first);
            }
            Vector<Out, vector> result;
            [&]<index_t... n>(std::integer_sequence<index_t, n...>)
            {
                [[maybe_unused]] const auto loaded = make_tuple(d.template load<n, vector>(
                    pass_row + row, pass_column + first, exists && real > 0)...);
                for_each<vector / read>([&](index_t part) {
                    const Staged* const from = shared.c + row * stride + first + part * read;
                    using Values             = Vector<Staged, read>;
                    Values values;
                    if constexpr(same_columns && as_staged) // else it would be waited for here
                        values = arch::read_whole<Values>(from);
                    else
                        values = arch::read_unsplit<Values>(from);
                    for_each<read>([&](index_t e) {
                        const index_t to = part * read + e;
                        if constexpr(D::count == 0 &&
                                     (thread::is_identity<Operation> ||
                                      (as_staged && thread::only_converts<Operation>)))
                            result[to] = type_convert<Out>(values[e]);
                        else
                            operation(result[to], values[e], loaded[Number<n>{}][to]...);
                    });
                });
            }
            (std::make_integer_sequence<index_t, D::count>{});
            index_t column_offset = 0;
            if constexpr(padded<Columns>)
                column_offset = columns_at.offset(pass_column + first);
            else
                column_offset = math::wrapping_product(pass_column + first, columns_at);
            const auto column_bytes = static_cast<arch::offset_t>(column_offset) *
                                      static_cast<arch::offset_t>(sizeof(Out));
            if constexpr(padded<Columns>)
                repeat<vector>(
                    [&](index_t e) { result[e] = e < real ? result[e] : type_convert<Out>(0.f); });
            if constexpr(same_columns) // found once for all vectors
                out.template store<vector>(
                    result,
                    arch::sum_of_offsets(row_offset[pass_row + row],
                                         exists ? column_bytes : arch::nowhere));
            else
            {
                const arch::offset_t where = row_offset[pass_row + row] + column_bytes;
                out.template store<vector>(result, exists ? where : arch::nowhere);
            }
        });
    }
};

} // namespace ck::grid
