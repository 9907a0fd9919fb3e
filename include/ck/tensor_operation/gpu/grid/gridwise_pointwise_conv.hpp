#pragma once
// Pointwise convolution (1x1) of few channels: A and C are matrices of pixels by channels, as wide
// as a line of the cache or less, and move once. A wave keeps the filters in registers and walks
// down the pixels; what it loads of A is what a matrix instruction takes, and what that returns is
// what it stores of C, in vectors: only the filters pass through LDS, once.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"
#include "ck/tensor_operation/gpu/grid/tuning_rules.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// What is wrong with a tuning of GridwisePointwiseConv; empty if nothing is.
constexpr const char* why_no_pointwise(const GemmTuning& t)
{
    if(const char* reason = why_no_waves(t))
        return reason;
    const arch::MatrixInstruction i = instruction_of(t);
    if(i.requirement != arch::Requirement::mma_sync || arch::input_bytes(t.instruction) != 2)
        return "pointwise kernels multiply elements of two bytes by mma.sync";
    if(t.reduction != Reduction::by_tap)
        return "pointwise kernels have one tap";
    if((t.a_vector != 4 && t.a_vector != 8) || t.block_tile.k % (t.a_vector * 4) != 0)
        return "four lanes load a whole number of vectors of 4 or 8 channels of A";
    if((t.c_vector != 4 && t.c_vector != 8) || t.block_tile.n % (t.c_vector * 4) != 0)
        return "four lanes store a whole number of vectors of 4 or 8 channels of C";
    if(t.b_vector != 1 || t.wave_n != t.block_tile.n)
        return "a wave of a pointwise kernel has all columns of a block, and loads filters one by "
               "one";
    return nullptr;
}

/// Forward and backward data of 1x1 without stride and padding; interface as GridwiseConv's. A
/// block has block_tile.n columns of C; each wave computes wave_m rows, then the next ones.
/// block_tile.k: the most channels of the reduction. Operands of one tensor, as they are in memory;
/// no D tensors.
template <class Transform, class Types, GemmTuning tuning>
struct GridwisePointwiseConv
{
    static_assert(thread::is_identity<typename Types::OperationA> &&
                      thread::is_identity<typename Types::OperationB> && Types::Ds::Size() == 0 &&
                      std::is_void_v<typename Types::ComputeA> &&
                      std::is_void_v<typename Types::ComputeB>,
                  "operands and results of pointwise kernels are single tensors");

    using A = typename Types::A;
    using C = typename Types::C;

    static constexpr index_t lanes                 = instruction_of(tuning).lanes;
    static constexpr index_t block_size            = ck::block_size(tuning);
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = instruction_of(tuning).requirement;

    /// An instruction: a lane has 4 values of each of two rows of A, 8 apart, and 2 neighbouring
    /// columns of these rows of C. k and columns are numbered anew, so that what a lane has of
    /// several instructions are neighbours in memory.
    static constexpr index_t rows_of_cell = 16, k_of_step = 16, columns_of_tile = 8;
    static_assert(instruction_of(tuning).m == rows_of_cell &&
                  instruction_of(tuning).k == k_of_step &&
                  instruction_of(tuning).n == columns_of_tile &&
                  instruction_of(tuning).a_values == 8 && instruction_of(tuning).c_values == 4);
    static constexpr index_t quad      = 4; ///< lanes that share rows
    static constexpr index_t cells     = tuning.wave_m / rows_of_cell;
    static constexpr index_t steps     = tuning.block_tile.k / k_of_step;
    static constexpr index_t tiles     = tuning.block_tile.n / columns_of_tile;
    static constexpr index_t loads     = steps * 4 / tuning.a_vector; ///< of a row of A, of a lane
    static constexpr index_t stores    = tiles * 2 / tuning.c_vector; ///< of a row of C, of a lane
    static constexpr index_t tile_rows = tuning.block_tile.m;

    struct Params : ConvParams<Transform, Types>
    {
        index_t depth;               ///< channels of the reduction
        arch::offset_t a_row, c_row; ///< bytes from each pixel to the next
        arch::offset_t b_column,
            b_channel; ///< bytes from each column of C, or channel, to the next
    };
    struct SharedStorage
    {
        arch::MatrixB<tuning.instruction>
            filter[tuning.block_tile.n][tuning.block_tile.k / 4]; ///< [column of C][channels]
    };

    static long_index_t grid_size(const Params& p) { return p.tiles.size(); }

    static constexpr bool starts_early(const Params&) { return true; }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        arch::let_next_kernel_start();
        constexpr arch::MatrixInstruction instruction = instruction_of(tuning);
        const TileMap::Tile tile                      = p.tiles(arch::block_index());
        const auto views                              = p.views(tile);
        const index_t thread = arch::thread_index(), lane = thread % lanes,
                      rows = views.c.template extent<0>(), columns = views.c.template extent<1>(),
                      first_column = tile.column_tile * tuning.block_tile.n;
        const auto moved           = [&](auto base, const Distance& d) {
            return base + tile.group * d.group + tile.chunk * d.chunk;
        };

        arch::wait_for_previous_kernel();
        copy_filters(p, shared, moved(p.b, p.b_distance), first_column, columns);
        arch::block_sync();
        arch::MatrixB<tuning.instruction> b[tiles][steps];
        repeat<tiles>([&](index_t n) {
            repeat<steps>([&](index_t s) {
                const auto at = instruction.b(lane, 0); // row: a column of C
                b[n][s]       = shared.filter[column_of(n, at.row)][channel_of(s, at.column) / 4];
            });
        });

        const arch::GlobalView<const A> in(moved(p.a, p.a_distance));
        const arch::GlobalView<C> out(moved(p.c, p.c_distance));
        const index_t lane_row = instruction.a(lane, 0).row,
                      number   = instruction.a(lane, 0).column / 2;
        using Rows             = Vector<A, tuning.a_vector>[cells][2][loads];
        const auto load        = [&](Rows& to, index_t first_row) {
            repeat<cells>([&](index_t u) {
                repeat<2>([&](index_t r) {
                    const index_t row          = first_row + u * rows_of_cell + r * 8 + lane_row;
                    const arch::offset_t start = static_cast<arch::offset_t>(row) * p.a_row;
                    repeat<loads>([&](index_t i) {
                        const index_t k = (i * quad + number) * tuning.a_vector;
                        to[u][r][i]     = in.template load<tuning.a_vector>(
                            row < rows && k < p.depth
                                           ? start + static_cast<arch::offset_t>(k * index_t{sizeof(A)})
                                           : arch::nowhere);
                    });
                });
            });
        };
        const index_t step = p.tiles.row_tiles.value * tile_rows;
        index_t row        = tile.row_tile * tile_rows + thread / lanes * tuning.wave_m;
        Rows now, next;
        load(now, row);
        for(; row < rows; row += step)
        {
            load(next, row + step);
            repeat<cells>([&](index_t u) {
                arch::MatrixC<tuning.instruction> c[tiles]{};
                multiply(c, now[u], b);
                repeat<2>([&](index_t r) {
                    const index_t at           = row + u * rows_of_cell + r * 8 + lane_row;
                    const arch::offset_t start = static_cast<arch::offset_t>(at) * p.c_row;
                    repeat<stores>([&](index_t i) {
                        const index_t column = first_column + (i * quad + number) * tuning.c_vector;
                        Vector<C, tuning.c_vector> result;
                        repeat<tuning.c_vector>([&](index_t e) {
                            p.operation_c(result[e],
                                          c[i * tuning.c_vector / 2 + e / 2][r * 2 + e % 2]);
                        });
                        out.template store<tuning.c_vector>(
                            result,
                            at < rows && column < columns
                                ? start + static_cast<arch::offset_t>(column * index_t{sizeof(C)})
                                : arch::nowhere);
                    });
                });
            });
            repeat<cells>([&](index_t u) {
                repeat<2>([&](index_t r) {
                    repeat<loads>([&](index_t i) { now[u][r][i] = next[u][r][i]; });
                });
            });
        }
    }

private:
    /// Copies the filters of a block's columns to LDS, with zeros where there are none.
    template <class From>
    CK_DEVICE CK_INLINE static void copy_filters(const Params& p,
                                                 SharedStorage& shared,
                                                 const From* from,
                                                 index_t first_column,
                                                 index_t columns)
    {
        constexpr index_t depth = tuning.block_tile.k, count = depth * tuning.block_tile.n,
                          together = math::min(8, math::integer_divide_ceil(count, block_size));
        From* const to             = reinterpret_cast<From*>(shared.filter);
        for(index_t first = arch::thread_index(); first < count; first += together * block_size)
        {
            From filter[together];
            repeat<together>([&](index_t i) {
                const index_t at = first + i * block_size, k = at % depth,
                              column = first_column + at / depth;
                const bool inside    = at < count && column < columns && k < p.depth;
                // Each load is from a valid place: loads without branches wait together.
                filter[i] = from[inside ? column * p.b_column + k * p.b_channel : 0];
                filter[i] = inside ? filter[i] : From{};
            });
            repeat<together>([&](index_t i) {
                if(const index_t at = first + i * block_size; at < count)
                    to[at] = filter[i];
            });
        }
    }

    /// The channel of A at an instruction's k. Lane `number` of four loads a vector, which is its k
    /// of one or two steps.
    CK_DEVICE CK_INLINE static constexpr index_t channel_of(index_t step, index_t k)
    {
        constexpr index_t shared = tuning.a_vector / 4; // steps of a vector
        return (step / shared * quad + k % 8 / 2) * tuning.a_vector + step % shared * 4 +
               value_of(k);
    }
    /// Which of a lane's four values of a row an instruction's k is.
    CK_DEVICE CK_INLINE static constexpr index_t value_of(index_t k) { return k % 2 + k / 8 * 2; }
    /// The column of C at an instruction's. Lane `number` of four stores a vector, which is its
    /// columns of two or four instructions.
    CK_DEVICE CK_INLINE static constexpr index_t column_of(index_t tile, index_t n)
    {
        constexpr index_t shared = tuning.c_vector / 2; // instructions of a vector
        return (tile / shared * quad + n / 2) * tuning.c_vector + tile % shared * 2 + n % 2;
    }

    template <class Sums, class Rows, class Filters>
    CK_DEVICE CK_INLINE static void multiply(Sums& c, const Rows& rows, const Filters& b)
    {
        repeat<steps>([&](index_t s) {
            constexpr index_t shared = tuning.a_vector / 4;
            arch::MatrixA<tuning.instruction> a;
            repeat<8>([&](index_t v) {
                const auto at = instruction_of(tuning).a(0, v);
                a[v]          = rows[at.row / 8][s / shared][s % shared * 4 + value_of(at.column)];
            });
            repeat<tiles>([&](index_t n) {
                arch::multiply_accumulate<tuning.instruction>(a, b[n][s], c[n]);
            });
        });
    }
};

} // namespace ck::grid
