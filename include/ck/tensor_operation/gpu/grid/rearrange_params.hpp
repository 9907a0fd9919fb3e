#pragma once
// Parameters of the kernels that copy between an image and the matrix of its windows.
#include "ck/tensor_operation/gpu/grid/tile_map.hpp"
#include "ck/utility/number.hpp"

namespace ck::grid {

/// How a block's threads share a tile of rows and columns. Each thread accesses `vector` adjacent
/// columns at once.
struct RearrangeTile
{
    index_t rows, columns;
    index_t row_threads, column_threads; ///< threads side by side
    index_t vector;

    constexpr index_t block_size() const { return row_threads * column_threads; }
    /// Vectors per thread.
    constexpr index_t row_steps() const { return rows / row_threads; }
    constexpr index_t column_steps() const { return columns / (column_threads * vector); }

    constexpr const char* why_not() const
    {
        if(rows < 1 || columns < 1 || row_threads < 1 || column_threads < 1 || vector < 1)
            return "tiles, threads and vectors have positive lengths";
        if(rows % row_threads != 0 || columns % (column_threads * vector) != 0)
            return "the threads of a copy share its tile in whole vectors";
        return nullptr;
    }
};

/// Transform: ImageOfMatrix or BackwardDataByPixel.
template <class Transform, class In, class Out>
struct RearrangeParams
{
    const In* in;
    Out* out;
    Transform transform;
    TileMap tiles;
    long_index_t image_group, image_sub_batch; ///< elements from each to the next
    long_index_t matrix_group, matrix_row, matrix_column;
    index_t rows_of_image; ///< the matrix's rows of an image
    index_t channels, batch, sub_batch_size;

    CK_DEVICE CK_INLINE index_t images(const TileMap::Tile& tile) const
    {
        return math::min(sub_batch_size, batch - tile.sub_batch * sub_batch_size);
    }
    /// The address of the tile's group and sub-batch.
    CK_DEVICE CK_INLINE long_index_t image_base(const TileMap::Tile& tile) const
    {
        return tile.group * image_group + tile.sub_batch * image_sub_batch;
    }
    CK_DEVICE CK_INLINE long_index_t matrix_base(const TileMap::Tile& tile) const
    {
        return tile.group * matrix_group +
               long_index_t{tile.sub_batch} * sub_batch_size * rows_of_image * matrix_row;
    }
};

} // namespace ck::grid
