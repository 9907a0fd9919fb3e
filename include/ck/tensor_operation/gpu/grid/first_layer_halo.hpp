#pragma once
// What the kernels of first layers share: the pixels of X that the windows of a tile have, copied
// to LDS once, their channels filled up to 4 or 8 with zeros. There the pixels of a filter's row
// follow each other.
#include "ck/tensor_operation/gpu/grid/sliding_window.hpp"

namespace ck::grid {

/// The pixels of X that tiles of windows have. A window is a pixel of Y.
struct FirstLayerHalo
{
    /// A dimension of an image: pixels of X between neighbouring windows, and between the filter's
    /// taps.
    struct Walk
    {
        index_t taps, stride, dilation;
    };
    /// The place of a tile's first window.
    struct Tile
    {
        index_t column, row, plane, image;
    };

    WindowGeometry geometry; ///< its strips are tiles
    Walk z, y, x;
    index_t channels;      ///< of X
    index_t tile_columns;  ///< windows of a tile side by side
    Divisor columns, rows; ///< pixels of a tile's plane
    index_t pixels;        ///< of all its planes

    CK_DEVICE CK_INLINE Tile tile(index_t number) const
    {
        Tile t;
        t.column = split_off(number, geometry.column_strips) * tile_columns;
        t.row    = split_off(number, geometry.row_strips) * geometry.strip_rows;
        t.plane  = split_off(number, geometry.planes);
        t.image  = number;
        return t;
    }

    /// Where a tile's pixel of that number lies, in bytes, if it is inside of the image.
    struct Pixel
    {
        bool exists;
        arch::offset_t at;
    };
    CK_DEVICE CK_INLINE Pixel pixel(const Tile& tile, index_t number) const
    {
        const WindowGeometry::Image& a = geometry.a;
        index_t rest                   = number;
        const index_t column =
            tile.column * x.stride + geometry.first_column + split_off(rest, columns);
        const index_t row   = tile.row * y.stride + geometry.first_row + split_off(rest, rows);
        const index_t plane = tile.plane * z.stride + geometry.first_plane + rest * z.dilation;
        const bool exists = (number < pixels) & (column >= 0) & (column < a.columns) & (row >= 0) &
                            (row < a.rows) & (plane >= 0) & (plane < a.planes);
        return {exists,
                window_bytes(tile.image, a.image_bytes) + window_bytes(plane, a.plane_bytes) +
                    window_bytes(row, a.row_bytes) + window_bytes(column, a.column_bytes)};
    }
};

/// Some pixels of a tile on their way through a thread's registers: `count` of them, `threads`
/// apart. `vector` channels of each are loaded at once: 1, or all of `filled`.
template <class T, index_t filled, index_t vector, index_t count, index_t threads>
struct HaloPixels
{
    static constexpr index_t quad = 4, quads = filled / quad;

    Vector<T, filled> pixel[count];

    /// Loads the pixels from the first-th on; zeros where they are outside of the image.
    CK_DEVICE CK_INLINE void load(const FirstLayerHalo& h,
                                  const arch::GlobalView<const T>& in,
                                  const FirstLayerHalo::Tile& tile,
                                  index_t first)
    {
        repeat<count>([&](index_t i) {
            const FirstLayerHalo::Pixel from = h.pixel(tile, first + i * threads);
            if constexpr(vector == filled)
                pixel[i] = in.template load<filled>(from.exists ? from.at : arch::nowhere);
            else
            {
                const index_t channels = from.exists ? h.channels : 0;
                repeat<filled>([&](index_t e) {
                    const arch::offset_t element =
                        from.at + window_bytes(e, h.geometry.a.channel_bytes);
                    pixel[i][e] = in.template load<1>(e < channels ? element : arch::nowhere)[0];
                });
            }
        });
    }

    /// Stores them, each in `quads` parts. to: the tile's first pixel.
    CK_DEVICE CK_INLINE void
    store(Vector<T, quad>* to, const FirstLayerHalo& h, index_t first) const
    {
        repeat<count>([&](index_t i) {
            const index_t number = first + i * threads;
            if(number < h.pixels)
                repeat<quads>([&](index_t q) {
                    Vector<T, quad> part;
                    repeat<quad>([&](index_t e) { part[e] = pixel[i][q * quad + e]; });
                    to[number * quads + q] = part;
                });
        });
    }
};

} // namespace ck::grid
