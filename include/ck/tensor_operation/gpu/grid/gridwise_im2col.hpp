#pragma once
// Copies patches (windows of filters as wide as their stride) to the rows of a matrix, and back.
// Rows begin at multiples of 16 bytes and are accessed in vectors of 16 bytes; zeros fill up a
// row.
#include "ck/arch/sync.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_operation/gpu/grid/flat_vectors.hpp"

#include <tuple>

namespace ck::grid {

/// Positions in the matrix and the image, counted in units of some bytes.
struct Im2colMatrix
{
    FlatIndex<4, 2> rows;    ///< patches: offsets 0 and 1, their number and their place in X
    FlatIndex<4, 2> columns; ///< a row's: offsets 0 (W's) and 1, their number and their place in X
    Divisor line;            ///< vectors of a row
    long_index_t count;      ///< vectors of the matrix
};

/// Unit: accessed at once in the image; a vector of the matrix holds a whole number of them.
/// to_matrix: otherwise writes the image.
template <class Unit, bool to_matrix>
struct GridwiseIm2col
{
    struct Params
    {
        const Unit* from;
        Unit* to;
        Im2colMatrix shape;

        auto addresses() const { return std::tie(from, to); }
    };

    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t vector                = 16 / static_cast<index_t>(sizeof(Unit));
    /// Vectors per thread, a block apart: 4 units are in flight at once.
    static constexpr index_t together = math::max(4 / vector, 1), tile = together * block_size;

    struct SharedStorage
    {};
    struct alignas(16) Units
    {
        Unit unit[vector];
    };

    static constexpr bool starts_early(const Params&) { return true; }

    static long_index_t grid_size(const Params& p)
    {
        return math::integer_divide_ceil(p.shape.count, long_index_t{tile});
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        arch::let_next_kernel_start();
        const Im2colMatrix& shape = p.shape;
        const auto number         = [](index_t i) {
            return long_index_t{arch::block_index()} * tile + arch::thread_index() + i * block_size;
        };
        // Calls f(e, position of a vector's unit e in the image) for each unit that exists.
        const auto for_units = [&](index_t i, const auto& f) {
            const auto at            = static_cast<index_t>(number(i));
            const index_t row        = quotient(at, shape.line);
            const index_t first      = (at - row * shape.line.value) * vector;
            const long_index_t start = shape.rows(row)[1];
            repeat<vector>([&](index_t e) {
                if(number(i) < shape.count && first + e < shape.columns.count)
                    f(e, start + shape.columns(first + e)[1]);
            });
        };
        Units units[together];
        arch::wait_for_previous_kernel();
        if constexpr(to_matrix)
        {
            repeat<together>([&](index_t i) {
                units[i] = {};
                for_units(i, [&](index_t e, long_index_t at) { units[i].unit[e] = p.from[at]; });
            });
            repeat<together>([&](index_t i) {
                if(number(i) < shape.count)
                    arch::write_undivided(p.to + number(i) * vector, units[i]);
            });
        }
        else
        {
            repeat<together>([&](index_t i) {
                const long_index_t at = number(i) < shape.count ? number(i) : 0; // no branch
                units[i]              = arch::read_whole<Units>(p.from + at * vector);
            });
            repeat<together>([&](index_t i) {
                for_units(i, [&](index_t e, long_index_t at) { p.to[at] = units[i].unit[e]; });
            });
        }
    }
};

} // namespace ck::grid
