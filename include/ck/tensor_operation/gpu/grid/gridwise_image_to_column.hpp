#pragma once
// The matrix of a convolution's windows from the image: each element is an image element, or zero
// for padding.
#include "ck/arch/index.hpp"
#include "ck/arch/target.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_operation/gpu/grid/rearrange_params.hpp"
#include "ck/tensor_operation/operator_transform/column_matrix.hpp"
#include "ck/utility/reason.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::grid {

/// tile: of the matrix. A vector longer than one element holds channels of one filter tap.
template <class In, class Out, RearrangeTile tile>
struct GridwiseImageToColumn
{
    static_assert(Accepted<tile.why_not()>::value);

    using Transform = ImageOfMatrix;
    using Params    = RearrangeParams<Transform, In, Out>;
    using Input     = In;
    using Output    = Out;
    using View      = Transform::View;

    static constexpr RearrangeTile shape           = tile;
    static constexpr index_t block_size            = tile.block_size();
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct SharedStorage
    {};

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        const TileMap::Tile at = p.tiles(arch::block_index());
        const View view        = p.transform.describe(p.images(at));
        const In* const image  = p.in + p.image_base(at);
        Out* const matrix      = p.out + p.matrix_base(at);

        const index_t thread     = arch::thread_index();
        const index_t row_thread = thread / tile.column_threads,
                      first      = at.column_tile * tile.columns +
                              (thread - row_thread * tile.column_threads) * tile.vector;
        repeat<tile.row_steps()>([&](index_t r) {
            const index_t row   = at.row_tile * tile.rows + row_thread + r * tile.row_threads;
            const auto row_part = view.template part<0>(row);
            if(!row_part.valid)
                return;
            repeat<tile.column_steps()>([&](index_t c) {
                const index_t column = first + c * tile.column_threads * tile.vector;
                const auto place     = combine(row_part, view.template part<1>(column));
                if(!place.valid)
                    return;
                const bool inside = view.inside(place);
                const auto from   = arch::read_whole_if<Vector<In, tile.vector>>(
                    inside, image + (inside ? place.offset : 0));
                Vector<Out, tile.vector> to;
                repeat<tile.vector>([&](index_t e) { to[e] = type_convert<Out>(from[e]); });
                arch::write_whole(matrix + (row * p.matrix_row + column * p.matrix_column), to);
            });
        });
    }
};

} // namespace ck::grid
