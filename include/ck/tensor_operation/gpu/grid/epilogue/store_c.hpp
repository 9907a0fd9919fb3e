#pragma once
// Stores C's tile from the waves' accumulators to memory, as C or as partial sums.
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/epilogue/deferred_store.hpp"

#include <limits>

namespace ck::grid {

/// Accumulators in one store of a partial sum: as many as for C, or more if a wave can share them.
template <class Wave>
constexpr index_t partial_vector(index_t c_vector)
{
    constexpr index_t columns = Wave::n_tiles * Wave::tile_n;
    return columns % PartialSums::vector == 0 &&
                   Wave::tile_m * columns / PartialSums::vector % Wave::instruction.lanes == 0
               ? PartialSums::vector
               : c_vector;
}

/// Which tiles StoreC can store as partial sums.
enum class StoredPartialSums
{
    none,
    all,      ///< where the parameters have partial sums: run() does
    some,     ///< only in C's last rows: store_partial()
    of_tiles, ///< stored tile by tile: store_tile()
};

/// room: LDS of one wave, see StoreTile. of: C's tiles in a wave's tile; `rows` counts all rows.
template <class Transform,
          class Types,
          class Wave,
          index_t rows,
          index_t c_vector,
          bool narrow,
          index_t room,
          StoredPartialSums partial_sums =
              splits_sums<Transform> ? StoredPartialSums::all : StoredPartialSums::none,
          SideBySide of = SideBySide{}>
struct StoreC
{
    using Params       = ConvParams<Transform, Types>;
    using Ds           = typename Params::Ds;
    using Accumulator  = typename Wave::Accumulator;
    using Store        = StoreTile<Wave,
                            typename Types::C,
                            typename Types::OperationC,
                            c_vector,
                            std::conditional_t<narrow, typename Types::C, Accumulator>,
                            room,
                            of>;
    using StorePartial = StoreTile<Wave,
                                   Accumulator,
                                   tensor_operation::element_wise::PassThrough,
                                   partial_vector<Wave>(c_vector),
                                   Accumulator,
                                   room>;

    struct NoPartial
    {};

    /// LDS of one wave.
    union Shared
    {
        typename Store::Shared c;
        std::conditional_t<(partial_sums != StoredPartialSums::none),
                           typename StorePartial::Shared,
                           NoPartial>
            partial;
    };

    /// The offsets of a tile's rows, in LDS.
    struct Rows
    {
        typename Ds::template Table<rows> d;
        arch::offset_t c[rows]; ///< byte offsets, nowhere beyond C

        /// Marks row r as outside C.
        CK_DEVICE CK_INLINE void clear(index_t r)
        {
            c[r] = arch::nowhere;
            repeat<Ds::count>([&](index_t i) { d.row[i][r] = arch::nowhere; });
        }

        /// Sets entry r to pixel `index` of C (image, d, h and w), which is `offset` bytes from C's
        /// begin.
        template <class Index>
        CK_DEVICE CK_INLINE void
        set_pixel(index_t r, const Params& p, const Index& index, arch::offset_t offset)
        {
            c[r] = offset;
            unrolled<0, Ds::count>(
                [&](auto i) { d.row[i][r] = Ds::template row_offset<i>(p.d[i], index); });
        }

        /// Where a row of C, or of partial sums, begins.
        template <class Views>
        CK_DEVICE CK_INLINE static arch::offset_t
        place(const Params& p, const Views& views, index_t row)
        {
            const auto part = views.c.template part<0>(row);
            if constexpr(partial_sums == StoredPartialSums::all)
                if(p.partial_sums.base != nullptr && part.valid)
                    return partial_row(p, row);
            return part.valid ? static_cast<arch::offset_t>(part.offset) *
                                    static_cast<arch::offset_t>(sizeof(typename Types::C))
                              : arch::nowhere;
        }
        /// Sets entry r to a row of C.
        template <class Views>
        CK_DEVICE CK_INLINE void set(index_t r, const Params& p, const Views& views, index_t row)
        {
            c[r] = place(p, views, row);
            if constexpr(Ds::count > 0)
            {
                const auto part  = views.c.template part<0>(row);
                const auto index = views.c.template indices<0>(row);
                unrolled<0, Ds::count>([&](auto i) {
                    d.row[i][r] =
                        part.valid ? Ds::template row_offset<i>(p.d[i], index) : arch::nowhere;
                });
            }
        }
    };

    /// The byte offset of a row in its partial sum, which begins at row `first` of C; nowhere from
    /// row `end` on.
    CK_DEVICE CK_INLINE static arch::offset_t
    partial_row(const Params& p,
                index_t row,
                index_t end   = std::numeric_limits<index_t>::max(),
                index_t first = 0)
    {
        return row < end ? static_cast<arch::offset_t>(row - first) *
                               static_cast<arch::offset_t>(p.partial_sums.row_length) *
                               static_cast<arch::offset_t>(sizeof(Accumulator))
                         : arch::nowhere;
    }

    /// Stores partial sum `number` of a sum in `group`; otherwise the same as run().
    CK_DEVICE CK_INLINE static void
    store_partial(const Wave& wave,
                  Shared& shared,
                  const Rows& table,
                  const Params& p,
                  index_t number,
                  index_t group,
                  index_t wave_row,
                  index_t first_column,
                  index_t lane,
                  index_t column_end = std::numeric_limits<index_t>::max())
    {
        const arch::GlobalView<Accumulator> out(static_cast<Accumulator*>(p.partial_sums.base) +
                                                number * p.partial_sums.partial +
                                                group * p.partial_sums.group);
        StorePartial::run(wave,
                          shared.partial,
                          table.c + wave_row,
                          out,
                          {},
                          first_column,
                          math::min(column_end, p.partial_sums.row_length),
                          1,
                          lane);
    }

    /// Stores a wave's part of a partial sum that is stored tile by tile: at `tile`, in rows of
    /// `columns`, from row wave_row and column first_column on.
    template <index_t columns>
    CK_DEVICE CK_INLINE static void store_tile(const Wave& wave,
                                               Shared& shared,
                                               Accumulator* tile,
                                               index_t wave_row,
                                               index_t first_column,
                                               index_t lane)
    {
        struct RowsOfTile
        {
            index_t wave_row;

            CK_DEVICE CK_INLINE arch::offset_t operator[](index_t r) const
            {
                return static_cast<arch::offset_t>(Wave::row(wave_row, r) * columns) *
                       static_cast<arch::offset_t>(sizeof(Accumulator));
            }
        };
        StorePartial::run(wave,
                          shared.partial,
                          RowsOfTile{wave_row},
                          arch::GlobalView<Accumulator>(tile),
                          {},
                          first_column,
                          columns,
                          1,
                          lane);
    }

    /// Stores a wave's part of the tile, from row wave_row of the tile and column first_column of C
    /// on, up to column_end.
    template <class Views>
    CK_DEVICE CK_INLINE static void run(const Wave& wave,
                                        Shared& shared,
                                        const Rows& table,
                                        const Params& p,
                                        const Views& views,
                                        const TileMap::Tile& tile,
                                        index_t wave_row,
                                        index_t first_column,
                                        index_t lane,
                                        index_t column_end = std::numeric_limits<index_t>::max())
    {
        if constexpr(partial_sums == StoredPartialSums::all)
            if(p.partial_sums.base != nullptr)
                return store_partial(wave,
                                     shared,
                                     table,
                                     p,
                                     tile.sub_batch * p.tiles.splits.value + tile.split,
                                     tile.group,
                                     wave_row,
                                     first_column,
                                     lane,
                                     column_end);
        const index_t end = math::min(column_end, views.c.template extent<1>());
        Wave stored       = wave;
        apply_epilogue(stored, shared, table, p, views, tile, wave_row, first_column, end, lane);
        Store::run(
            stored,
            shared.c,
            table.c + wave_row,
            arch::GlobalView<typename Types::C>(base(p, tile)),
            p.operation_c,
            first_column,
            end,
            columns_of(p, views, tile.row_tile * rows + wave_row),
            lane,
            typename Ds::template Reader<rows>{table.d, p.d, tile.group, tile.sub_batch, wave_row});
    }

    /// Applies the launch's ChannelEpilogue, if there is one, to complete sums. Parameters as in
    /// run(). Stores nothing.
    template <class Views>
    CK_DEVICE CK_INLINE static void apply_epilogue([[maybe_unused]] Wave& wave,
                                                   [[maybe_unused]] Shared& shared,
                                                   [[maybe_unused]] const Rows& table,
                                                   [[maybe_unused]] const Params& p,
                                                   [[maybe_unused]] const Views& views,
                                                   [[maybe_unused]] const TileMap::Tile& tile,
                                                   [[maybe_unused]] index_t wave_row,
                                                   [[maybe_unused]] index_t column,
                                                   [[maybe_unused]] index_t end,
                                                   [[maybe_unused]] index_t lane)
    {
        if constexpr(has_channel_epilogue<Transform, Types>(Wave::instruction.requirement) &&
                     partial_sums != StoredPartialSums::all)
            if(p.epilogue.exists)
                p.epilogue.template apply<typename Types::C, of.columns>(
                    wave, tile.group, column, end, lane, [&]() __attribute__((always_inline)) {
                        Store::add(wave,
                                   shared.c,
                                   table.c + wave_row,
                                   p.epilogue.residuals(p.c, base(p, tile)),
                                   column,
                                   end,
                                   columns_of(p, views, tile.row_tile * rows + wave_row),
                                   lane);
                    });
    }

    /// The columns of C in memory, for a wave that begins at this row.
    template <class Views>
    CK_DEVICE CK_INLINE static auto
    columns_of([[maybe_unused]] const Params& p, const Views& views, [[maybe_unused]] index_t row)
    {
        if constexpr(requires { p.transform.describe_columns(views, row); })
            return p.transform.describe_columns(views, row);
        else
            return views.c.template part<1>(1).offset;
    }

    /// The address from which C's offsets count.
    CK_DEVICE CK_INLINE static typename Types::C* base(const Params& p, const TileMap::Tile& tile)
    {
        return (tile.group | tile.sub_batch) == 0 ? p.c : p.c + p.c_distance.to(tile);
    }
};

} // namespace ck::grid
