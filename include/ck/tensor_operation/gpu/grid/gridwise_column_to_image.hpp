#pragma once
// The image from a matrix of windows: each image element is the sum of the matrix elements that
// image to column would copy from it, added in order.
#include "ck/arch/index.hpp"
#include "ck/arch/target.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_operation/gpu/element/compute_type.hpp"
#include "ck/tensor_operation/gpu/grid/rearrange_params.hpp"
#include "ck/tensor_operation/operator_transform/column_matrix.hpp"
#include "ck/utility/reason.hpp"

namespace ck::grid {

/// tile: rows are pixels of a phase of the image, columns its channels.
template <class In, class Out, RearrangeTile tile>
struct GridwiseColumnToImage
{
    static_assert(Accepted<tile.why_not()>::value);

    using Transform = BackwardDataByPixel;
    using Params    = RearrangeParams<Transform, In, Out>;
    using Input     = In;
    using Output    = Out;
    using Sum       = tensor_operation::element_wise::ComputeType<In, Out>;

    static constexpr RearrangeTile shape           = tile;
    static constexpr index_t block_size            = tile.block_size();
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct SharedStorage
    {};

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        const TileMap::Tile at  = p.tiles(arch::block_index());
        const auto views        = p.transform.make_phase(at.phase_index, p.images(at));
        const index_t first_row = at.row_tile * tile.rows;
        if(first_row >= views.c.template extent<0>())
            return; // this phase has fewer rows than the largest one
        const In* const matrix = p.in + p.matrix_base(at);
        Out* const image       = p.out + p.image_base(at);

        const index_t thread     = arch::thread_index();
        const index_t row_thread = thread / tile.column_threads,
                      first      = at.column_tile * tile.columns +
                              (thread - row_thread * tile.column_threads) * tile.vector;
        repeat<tile.row_steps()>([&](index_t r) {
            const index_t row = first_row + row_thread + r * tile.row_threads;
            const auto pixel  = views.c.template part<0>(row);
            if(!pixel.valid)
                return;
            const auto windows = combine(views.a.template part<0>(row), // rows of the matrix
                                         views.a.template part<2>(0));
            Vector<Sum, tile.vector> sum[tile.column_steps()]{};
            CK_NOT_UNROLLED
            for(index_t tap = 0; tap < views.tap_count; ++tap)
            {
                const auto window = combine(windows, views.a.template part<1>(tap));
                if(!views.a.inside(window))
                    continue;
                const auto of_tap =
                    combine(views.b.template part<1>(tap), views.b.template part<2>(0));
                const In* const from = matrix + window.offset * p.matrix_row;
                repeat<tile.column_steps()>([&](index_t c) {
                    const index_t channel = first + c * tile.column_threads * tile.vector;
                    const bool exists     = channel < p.channels;
                    const index_t column =
                        combine(of_tap, views.b.template part<0>(exists ? channel : 0)).offset;
                    const auto values = arch::read_whole_if<Vector<In, tile.vector>>(
                        exists, from + column * p.matrix_column);
                    repeat<tile.vector>(
                        [&](index_t e) { sum[c][e] += type_convert<Sum>(values[e]); });
                });
            }
            repeat<tile.column_steps()>([&](index_t c) {
                const index_t channel = first + c * tile.column_threads * tile.vector;
                if(channel >= p.channels)
                    return;
                const index_t to = combine(pixel, views.c.template part<1>(channel)).offset;
                Vector<Out, tile.vector> result;
                repeat<tile.vector>([&](index_t e) { result[e] = type_convert<Out>(sum[c][e]); });
                arch::write_whole(image + to, result);
            });
        });
    }
};

} // namespace ck::grid
