#pragma once
// The GEMM of one wave: a wave tile of matrix instructions over one slice in LDS.
#include "ck/arch/local.hpp"
#include "ck/arch/matrix.hpp"
#include "ck/arch/sync.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_operation/gpu/warp/banks.hpp"
#include "ck/tensor_operation/gpu/warp/fragment.hpp"
#include "ck/utility/number.hpp"

namespace ck::warp {

/// Whether consecutive accumulators of an instruction are consecutive rows of its result.
template <arch::Matrix id>
inline constexpr bool holds_rows = [] {
    constexpr arch::MatrixInstruction i = arch::describe(id);
    const auto first = i.c(0, 0), second = i.c(0, i.c_values > 1 ? 1 : 0);
    return second.row == first.row + 1 && second.column == first.column;
}();

/// A lane's part of an instruction's first or second operand.
template <arch::Matrix id, bool first>
inline constexpr FragmentLayout operand_layout = Constant<[] {
    constexpr arch::MatrixInstruction i = arch::describe(id);
    return first ? fragment_layout(i.a, i.lanes, i.a_values, i.k)
                 : fragment_layout(i.b, i.lanes, i.b_values, i.k);
}()>::value;

/// A lane's view of an operand's slice in LDS.
template <class Input>
struct LanePacks
{
    const Input* slice;
    index_t first; ///< elements before the lane's first pack (WaveGemm::lane_offset)

    /// The lane's pack `plane` planes and `row` rows after its first, in whole steps of all lanes:
    /// `offset` elements after it, unless packs are swizzled.
    template <auto layout, index_t plane, index_t row, index_t offset>
    CK_DEVICE CK_INLINE const Input* at() const
    {
        constexpr index_t line = layout.planes * layout.pack;
        if constexpr(layout.direct_to_lds && layout.packed_rows)
            return slice + (first ^ row) + plane * layout.pack * line;
        else if constexpr(layout.swizzled_rows) // a wave's rows begin at multiples of 16
            return slice + (first ^ (plane ^ row_swizzle(row)) * layout.pack) + row * line;
        else if constexpr(layout.direct_to_lds)
            return slice + (first ^ plane * layout.pack) + row * line;
        else
            return slice + first + offset;
    }
};

/// Which sides of a wave's C are bytes packed along the rows; mma.sync reads them in
/// pairs (arch::load_bytes_transposed). The 16 rows of a tile are ordered: the even
/// ones first, then the odd ones. Of the 16 columns of two tiles, the first tile holds
/// the even ones.
struct InPairs
{
    bool rows = false, columns = false;
};

/// C of one wave, m_tiles x n_tiles instruction tiles in registers.
///
/// `swapped`: the instruction's first operand takes C's columns, where the consecutive accumulators
/// of a lane are consecutive columns of C then (MFMA and gfx12 WMMA hold consecutive rows of their
/// own result), or where the caller wants it.
template <arch::Matrix id,
          index_t m_tiles_,
          index_t n_tiles_,
          bool swapped_    = holds_rows<id>,
          InPairs in_pairs = InPairs{}>
struct WaveGemm
{
    static constexpr arch::MatrixInstruction instruction = arch::describe(id);

    static constexpr bool swapped = swapped_;

    static constexpr index_t m_tiles = m_tiles_, n_tiles = n_tiles_;
    static constexpr index_t tile_m      = swapped ? instruction.n : instruction.m;
    static constexpr index_t tile_n      = swapped ? instruction.m : instruction.n;
    static constexpr arch::LaneMap m_map = swapped ? instruction.b : instruction.a;
    static constexpr arch::LaneMap n_map = swapped ? instruction.a : instruction.b;

    static constexpr FragmentLayout m_layout = operand_layout<id, !swapped>;
    static constexpr FragmentLayout n_layout = operand_layout<id, swapped>;
    static_assert(m_layout.groups == n_layout.groups && m_layout.k_values == n_layout.k_values);

    /// An instruction whose first operand has the type of the m side, also if `swapped`.
    static constexpr arch::Matrix executed = swapped ? arch::with_exchanged_operands(id) : id;

    using InputM      = typename arch::MatrixTypes<id>::A;
    using InputN      = typename arch::MatrixTypes<id>::B;
    using Accumulator = typename arch::MatrixTypes<id>::Accumulator;

    static constexpr index_t pack = 16 / arch::input_bytes(id); // elements of 16 bytes
    static constexpr index_t packs =
        math::max(1, m_layout.k_values / pack); // packs that one instruction takes from a row
    static constexpr index_t instructions =
        math::max(1, pack / m_layout.k_values); // instructions that one pack feeds

    /// mma.sync: the wave reads operands as matrices. Otherwise each lane reads its own packs.
    static constexpr bool by_matrices = arch::reads_matrices(instruction.requirement);
    static constexpr index_t k_per_step =
        by_matrices ? instruction.k : m_layout.groups * packs * pack;
    static constexpr index_t step_planes = k_per_step / pack;
    static_assert(!by_matrices || (!swapped && k_per_step == 2 * pack));
    static_assert(!(in_pairs.rows || in_pairs.columns) || (by_matrices && pack == 16));

    /// Number of tiles in a row of tiles whose columns interleave.
    static constexpr index_t tiles_together = in_pairs.columns ? 2 : 1;
    static_assert(n_tiles % tiles_together == 0, "bytes are read for two tiles of columns");
    /// The first column of C's tile j in a row of tiles.
    CK_HOST_DEVICE static constexpr index_t tile_column(index_t j)
    {
        return in_pairs.columns ? j / 2 * (2 * tile_n) + j % 2 : j * tile_n;
    }

    arch::MatrixC<id> c[m_tiles][n_tiles];

    CK_DEVICE CK_INLINE void clear()
    {
        repeat<m_tiles>([&](index_t i) {
            repeat<n_tiles>([&](index_t j) {
                repeat<instruction.c_values>([&](index_t v) { c[i][j][v] = Accumulator{0}; });
            });
        });
    }

    using PacksM = LanePacks<InputM>;
    using PacksN = LanePacks<InputN>;

    /// Whether the next step's operands are read while a step is multiplied: MFMA's accumulators
    /// leave registers for both.
    static constexpr bool prefetches = arch::is_mfma(instruction.requirement);

    /// Which operand: C's rows or C's columns.
    enum class Side
    {
        m,
        n
    };

    // The template argument is a side, not its layout: g++ 12 treats values as equal if their
    // arrays hold the same numbers in other positions.
    static constexpr FragmentLayout fragment_of(Side side)
    {
        return side == Side::m ? m_layout : n_layout;
    }

    /// Bytes stay four to a register, as words; so do halves that stay in registers between slices.
    /// Otherwise compilers would unpack them.
    template <class Input>
    static constexpr bool as_words = sizeof(Input) == 1 || (sizeof(Input) == 2 && prefetches);

    template <Side side>
    struct Rows
    {
        using Input = std::conditional_t<side == Side::m, InputM, InputN>;
        using Pack  = std::
            conditional_t<as_words<Input>, Vector<std::uint32_t, 4>, Vector<Input, WaveGemm::pack>>;

        Pack pack[fragment_of(side).rows][packs];
    };

    static constexpr index_t products = instructions * m_tiles * n_tiles; ///< products of a step

    /// The operands of one step.
    struct StepOperands
    {
        Rows<Side::m> a[m_tiles];
        Rows<Side::n> b[n_tiles];
    };

    /// c += a * b over k elements of the reduction.
    template <auto a_layout, auto b_layout, index_t k>
    CK_DEVICE CK_INLINE void multiply(const PacksM& a, const PacksN& b)
    {
        if constexpr(prefetches)
        {
            StepOperands operands[2];
            read_first<a_layout, b_layout>(operands, a, b);
            multiply_but_last<a_layout, b_layout, k>(operands, a, b);
            multiply_last<k, 0, products>(operands);
        }
        else
            unrolled<0, k / k_per_step>([&](auto step) {
                if constexpr(by_matrices)
                    multiply_matrices<a_layout, b_layout, step>(a, b);
                else
                    multiply_packs<a_layout, b_layout, step>(a, b);
            });
    }

    /// The parts of multiply(), for schedules that do other work in between.
    template <auto a_layout, auto b_layout>
    CK_DEVICE CK_INLINE static void
    read_first(StepOperands (&operands)[2], const PacksM& a, const PacksN& b)
    {
        read_step<a_layout, b_layout, 0>(operands[0], a, b);
    }
    /// The steps before the last, whose operands have been read afterwards.
    template <auto a_layout, auto b_layout, index_t k>
    CK_DEVICE CK_INLINE void
    multiply_but_last(StepOperands (&operands)[2], const PacksM& a, const PacksN& b)
    {
        constexpr index_t last = k / k_per_step - 1;
        unrolled<0, last>([&](auto step) {
            arch::wait_shared_reads();
            if constexpr(step == 0 && instructions == 1)
                keep_whole(operands[0]);
            multiply_and_read<a_layout, b_layout, step + 1, 0, products>(
                operands[step % 2], operands[(step + 1) % 2], a, b);
        });
        arch::wait_shared_reads();
    }
    /// Products `first` to `end` of the last step.
    template <index_t k, index_t first, index_t end>
    CK_DEVICE CK_INLINE void multiply_last(const StepOperands (&operands)[2])
    {
        constexpr index_t last = k / k_per_step - 1;
        unrolled<first, end>([&](auto p) { multiply_product<p>(operands[last % 2]); });
    }
    /// The same, and reads the first operands of another slice meanwhile.
    template <auto a_layout, auto b_layout, index_t k, index_t first, index_t end>
    CK_DEVICE CK_INLINE void
    multiply_last_and_read_first(StepOperands (&operands)[2], const PacksM& a, const PacksN& b)
    {
        static_assert(reads_before_end<k>);
        multiply_and_read<a_layout, b_layout, 0, first, end>(operands[1], operands[0], a, b);
    }
    /// Whether registers can hold the last step's operands and the first ones of another slice.
    template <index_t k>
    static constexpr bool reads_before_end = k / k_per_step % 2 == 0;

    CK_HOST_DEVICE CK_INLINE static constexpr LaneRole
    role(Side side, index_t lane, bool packed_rows = false)
    {
        // Local, because device code must not name constants in memory.
        constexpr arch::LaneMap m = m_map, n = n_map;
        constexpr index_t m_step = m_layout.k_step, n_step = n_layout.k_step;
        if(side == Side::m ? in_pairs.rows : in_pairs.columns)
            return paired_role(lane);
        if constexpr(by_matrices)
            return matrix_role(side == Side::m, packed_rows, lane);
        else if(packed_rows)
            return transposed_role(pack, side == Side::m ? m : n, lane);
        else
            return side == Side::m ? pack_role(m_step, packs, m, lane)
                                   : pack_role(n_step, packs, n, lane);
    }

    /// Offset, in elements, of a lane's first read in a slice; the wave begins at `wave_row`.
    template <auto layout>
    CK_DEVICE CK_INLINE static index_t lane_offset(Side side, index_t wave_row, index_t lane)
    {
        const LaneRole at = role(side, lane, layout.packed_rows);
        if constexpr(layout.direct_to_lds && layout.packed_rows)
            return layout.offset(at.plane + wave_row / layout.pack, at.row) + lane % 2 * 4;
        else if constexpr(layout.direct_to_lds || layout.swizzled_rows)
            return layout.offset(at.plane, at.row + wave_row);
        else if constexpr(layout.packed_rows)
            return layout.offset(at.plane + wave_row / layout.pack, at.row);
        else
            return layout.offset(at.plane, at.row) +
                   wave_row / layout.interleave * layout.run * layout.pack;
    }

    /// Row and column of C of a lane's accumulator v, relative to the first row and column of its
    /// instruction tile.
    struct Coordinate
    {
        index_t m, n;
    };
    CK_HOST_DEVICE static constexpr Coordinate coordinate(index_t lane, index_t v)
    {
        constexpr arch::LaneMap map = instruction.c;
        const auto at               = map(lane, v);
        if(swapped)
            return {at.column, at.row};
        constexpr index_t half = tile_m / 2;
        return {in_pairs.rows ? at.row % half * 2 + at.row / half : at.row,
                in_pairs.columns ? 2 * at.column : at.column};
    }

    /// The largest of 1, 2 and 4 such that a lane's accumulators v, v + 1 ... are adjacent along n
    /// for every v that is a multiple of it.
    static constexpr index_t longest_run()
    {
        for(index_t length = 4; length > 1; length /= 2)
        {
            bool all = instruction.c_values % length == 0;
            for(index_t v = 0; all && v < instruction.c_values; ++v)
            {
                const auto first = coordinate(0, v / length * length), at = coordinate(0, v);
                all = at.m == first.m && at.n == first.n + v % length;
            }
            if(all)
                return length;
        }
        return 1;
    }
    static constexpr index_t run = Number<longest_run()>::value;

private:
    /// Offset of a step's packs for the rows from `row` on, relative to the lane's first.
    template <auto layout, index_t plane, index_t row>
    static constexpr index_t tile_offset = [] {
        static_assert(!layout.packed_rows && row % layout.interleave == 0,
                      "instruction rows are not a whole number of interleaved rows");
        return layout.offset(plane, row);
    }();

    /// The same for matrices; `row` must be a multiple of a matrix's rows.
    template <auto layout, index_t step, index_t row>
    static constexpr index_t matrix_offset = layout.packed_rows
                                                 ? layout.offset(row / layout.pack,
                                                                 step* k_per_step)
                                                 : layout.offset(step* step_planes, row);

    template <auto a_layout, auto b_layout, index_t step>
    CK_DEVICE CK_INLINE void multiply_matrices(const PacksM& a_packs, const PacksN& b_packs)
    {
        const InputM* const a = a_packs.slice + a_packs.first;
        const InputN* const b = b_packs.slice + b_packs.first;
        static_assert(a_layout.packed_rows || tile_m % a_layout.interleave == 0);
        static_assert(b_layout.packed_rows || tile_n % b_layout.interleave == 0);
        constexpr index_t pair = n_tiles % 2 == 0 ? 2 : 1; // tiles of b that one load reads
        using Registers        = Vector<std::uint32_t, 2>; // registers of one tile of b
        using Tiles            = Vector<Registers, pair>;
        Tiles b_tiles[n_tiles / pair];
        unrolled<0, n_tiles / pair>([&](auto j) {
            const InputN* const at = b + matrix_offset<b_layout, step, j * pair * tile_n>;
            if constexpr(in_pairs.columns)
            {
                const auto two = arch::load_bytes_transposed(at);
                b_tiles[j]     = {Registers{two[0], two[2]}, Registers{two[1], two[3]}};
            }
            else
                b_tiles[j] = __builtin_bit_cast(
                    Tiles, arch::load_matrices<2 * pair, b_layout.packed_rows>(at));
        });
        const auto load_a = [](const InputM* at) {
            if constexpr(in_pairs.rows)
                return arch::load_bytes_transposed(at);
            else
                return arch::load_matrices<4, a_layout.packed_rows>(at);
        };
        unrolled<0, m_tiles>([&](auto i) {
            const auto a_operand = __builtin_bit_cast(
                arch::MatrixA<id>, load_a(a + matrix_offset<a_layout, step, i * tile_m>));
            repeat<n_tiles>([&](index_t j) {
                const auto b_operand =
                    __builtin_bit_cast(arch::MatrixB<id>, b_tiles[j / pair][j % pair]);
                arch::multiply_accumulate<id>(a_operand, b_operand, c[i][j]);
            });
        });
    }

    template <auto a_layout, auto b_layout, index_t step>
    CK_DEVICE CK_INLINE void multiply_packs(const PacksM& a, const PacksN& b)
    {
        Rows<Side::n> b_rows[n_tiles];
        unrolled<0, n_tiles>(
            [&](auto j) { b_rows[j] = read_packs<b_layout, Side::n, step, j * tile_n>(b); });
        unrolled<0, m_tiles>([&](auto i) {
            const auto a_rows = read_packs<a_layout, Side::m, step, i * tile_m>(a);
            repeat<instructions>([&](index_t part) {
                const auto a_operand = operand<Side::m>(a_rows, part);
                repeat<n_tiles>([&](index_t j) {
                    multiply_tile(a_operand, operand<Side::n>(b_rows[j], part), c[i][j]);
                });
            });
        });
    }

    template <auto layout, Side side, index_t step, index_t first_row>
    CK_DEVICE CK_INLINE static Rows<side>
    read_packs(const LanePacks<typename Rows<side>::Input>& lane)
    {
        constexpr FragmentLayout fragment = fragment_of(side);
        Rows<side> rows;
        unrolled<0, fragment.rows>([&](auto r) {
            unrolled<0, packs>([&](auto p) {
                constexpr index_t plane = step * step_planes + p;
                constexpr index_t row   = first_row + r * fragment.row_step;
                if constexpr(layout.packed_rows)
                    rows.pack[r][p] = read_lines<layout, typename Rows<side>::Pack>(
                        lane.template at<layout, plane, row, 0>());
                else
                    rows.pack[r][p] = arch::read_whole<typename Rows<side>::Pack>(
                        lane.template at<layout, plane, row, tile_offset<layout, plane, row>>());
            });
        });
        return rows;
    }

    /// A pack of eight elements of two bytes along the reduction, from lines along the rows.
    template <auto layout, class Pack, class Input>
    CK_DEVICE CK_INLINE static Pack read_lines(const Input* at)
    {
        static_assert(sizeof(Input) == 2 && m_layout.k_values == pack && m_layout.rows == 1);
        Vector<Vector<std::uint32_t, 2>, 2> halves;
        repeat<2>([&](index_t half) {
            halves[half] =
                arch::read_transposed(at + half * (pack / 2) * layout.planes * layout.pack);
        });
        return __builtin_bit_cast(Pack, halves);
    }

    template <Side side, class R>
    CK_DEVICE CK_INLINE static auto operand(const R& rows, index_t part)
    {
        constexpr FragmentLayout fragment = fragment_of(side);
        using Values                      = Vector<typename R::Input, fragment.values>;
        if constexpr(as_words<typename R::Input>)
        {
            static_assert(fragment.rows == 1);
            constexpr index_t count = sizeof(Values) / 4;
            Vector<std::uint32_t, count> words;
            repeat<count>([&](index_t w) {
                const index_t word = part * count + w;
                words[w]           = rows.pack[0][word / 4][word % 4];
            });
            return __builtin_bit_cast(Values, words);
        }
        Values values;
        unrolled<0, fragment.values>([&](auto v) {
            constexpr index_t row = fragment.row_of[v], first = fragment.k_of[v],
                              in_row = fragment.k_values;
            const index_t k          = part * in_row + first;
            values[v]                = rows.pack[row][k / pack][k % pack];
        });
        return values;
    }

    template <class A, class B>
    CK_DEVICE CK_INLINE static void multiply_tile(const A& a, const B& b, arch::MatrixC<id>& tile)
    {
        if constexpr(swapped)
            arch::multiply_accumulate<executed>(b, a, tile);
        else
            arch::multiply_accumulate<id>(a, b, tile);
    }

    template <auto a_layout, auto b_layout, index_t step>
    CK_DEVICE CK_INLINE static void
    read_step(StepOperands& operands, const PacksM& a, const PacksN& b)
    {
        unrolled<0, m_tiles + n_tiles>(
            [&](auto number) { read_operand<a_layout, b_layout, step, number>(operands, a, b); });
    }

    CK_DEVICE CK_INLINE static void keep_whole(StepOperands& operands)
    {
        const auto keep = [](auto& rows) {
            for(auto& row : rows.pack)
                for(auto& pack : row)
                    pack = arch::undivided(pack);
        };
        repeat<m_tiles>([&](index_t i) { keep(operands.a[i]); });
        repeat<n_tiles>([&](index_t i) { keep(operands.b[i]); });
    }

    template <auto a_layout, auto b_layout, index_t step, index_t number>
    CK_DEVICE CK_INLINE static void
    read_operand(StepOperands& operands, const PacksM& a, const PacksN& b)
    {
        if constexpr(number < n_tiles)
            operands.b[number] = read_packs<b_layout, Side::n, step, number * tile_n>(b);
        else
            operands.a[number - n_tiles] =
                read_packs<a_layout, Side::m, step, (number - n_tiles) * tile_m>(a);
    }

    template <index_t number>
    CK_DEVICE CK_INLINE void multiply_product(const StepOperands& operands)
    {
        constexpr index_t part = number / (m_tiles * n_tiles), i = number / n_tiles % m_tiles,
                          j = number % n_tiles;
        multiply_tile(
            operand<Side::m>(operands.a[i], part), operand<Side::n>(operands.b[j], part), c[i][j]);
    }

    /// Products `first` to `end` of a step. Reads another step's operands meanwhile: a few after
    /// each product, which takes longer than they take to issue.
    template <auto a_layout, auto b_layout, index_t step, index_t first, index_t end>
    CK_DEVICE CK_INLINE void multiply_and_read(const StepOperands& operands,
                                               StepOperands& other,
                                               const PacksM& a,
                                               const PacksN& b)
    {
        constexpr index_t reads = m_tiles + n_tiles;
        constexpr index_t each =
            math::max(2, math::integer_divide_ceil(reads, math::max(1, end - first)));
        unrolled<first, end>([&](auto p) {
            multiply_product<p>(operands);
            constexpr index_t from = math::min(reads, (p - first) * each);
            unrolled<from, math::min(reads, from + each)>(
                [&](auto r) { read_operand<a_layout, b_layout, step, r>(other, a, b); });
            arch::keep_order();
        });
        if constexpr(first == end)
            read_step<a_layout, b_layout, step>(other, a, b);
    }
};

} // namespace ck::warp
