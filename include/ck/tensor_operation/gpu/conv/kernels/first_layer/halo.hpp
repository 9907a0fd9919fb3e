#pragma once
// What the first-layer kernels share: the pixels of X under a tile's windows, copied to LDS
// once, with channels padded to 4 or 8 by zeros, so that the pixels of a filter row are
// contiguous.
#include "ck/tensor_operation/gpu/conv/kernels/sliding_window_geometry/sliding_window.hpp"

namespace ck::grid {

/// The pixels of X under tiles of windows. Each pixel of Y has one window.
struct FirstLayerHalo
{
    /// A dimension of an image: the distance, in pixels of X, between adjacent windows and between
    /// filter taps.
    struct Axis
    {
        index_t taps, stride, dilation;
    };
    /// The place of a tile's first window.
    struct Tile
    {
        index_t column, row, plane, image;
    };

    WindowGeometry geometry; ///< geometry whose segments are tiles
    Axis z, y, x;
    index_t channels;      ///< channels of X
    index_t tile_columns;  ///< windows of a tile side by side
    Divisor columns, rows; ///< pixels of a tile's plane
    index_t pixels;        ///< pixels of all planes

    CK_DEVICE CK_INLINE Tile tile(index_t number) const
    {
        Tile t;
        t.column = split_off(number, geometry.column_segments) * tile_columns;
        t.row    = split_off(number, geometry.row_segments) * geometry.segment_rows;
        t.plane  = split_off(number, geometry.planes);
        t.image  = number;
        return t;
    }

    /// A pixel of a tile: its column, whether it is inside the image, and its byte offset.
    struct Pixel
    {
        index_t column;
        bool in_row; ///< whether its row is inside
        bool exists;
        arch::offset_t at;
    };
    CK_DEVICE CK_INLINE bool has_column(index_t column) const
    {
        return (column >= 0) & (column < geometry.a.columns);
    }
    /// Returns pixel `number`; step: columns of the image between adjacent pixels.
    CK_DEVICE CK_INLINE Pixel pixel(const Tile& tile, index_t number, index_t step = 1) const
    {
        const WindowGeometry::Image& a = geometry.a;
        index_t rest                   = number;
        const index_t column =
            tile.column * x.stride + geometry.first_column + split_off(rest, columns) * step;
        const index_t row   = tile.row * y.stride + geometry.first_row + split_off(rest, rows);
        const index_t plane = tile.plane * z.stride + geometry.first_plane + rest * z.dilation;
        const bool in_row =
            (number < pixels) & (row >= 0) & (row < a.rows) & (plane >= 0) & (plane < a.planes);
        const bool exists = in_row & has_column(column);
        return {column,
                in_row,
                exists,
                window_bytes(tile.image, a.image_bytes) + window_bytes(plane, a.plane_bytes) +
                    window_bytes(row, a.row_bytes) + window_bytes(column, a.column_bytes)};
    }
};

/// The elements of a filter row from its first tap on, with the channels of each tap together: each
/// one's distance from the first, in columns of the image and in bytes.
template <index_t count>
struct RowElements
{
    index_t column[count];
    arch::offset_t bytes[count];

    /// The column of elements that the row does not have: outside every image.
    static constexpr index_t nowhere = index_t{1} << 30;
};

/// Pixels of a tile in a thread's registers: `count` of them, `threads` apart. Loads `vector`
/// channels of each at once: 1, or all of `pixel_channels`. Or each pixel holds the elements of the
/// filter row that begins there.
template <class T, index_t pixel_channels, index_t vector, index_t count, index_t threads>
struct HaloPixels
{
    static constexpr index_t quad = 4, quads = pixel_channels / quad;

    Vector<T, pixel_channels> pixel[count];

    /// Loads the pixels from the first-th on; zeros where they are outside of the image.
    CK_DEVICE CK_INLINE void load(const FirstLayerHalo& h,
                                  const arch::GlobalView<const T>& in,
                                  const FirstLayerHalo::Tile& tile,
                                  index_t first)
    {
        repeat<count>([&](index_t i) {
            const FirstLayerHalo::Pixel from = h.pixel(tile, first + i * threads);
            if constexpr(vector == pixel_channels)
                pixel[i] = in.template load<pixel_channels>(from.exists ? from.at : arch::nowhere);
            else
            {
                const index_t channels = from.exists ? h.channels : 0;
                repeat<pixel_channels>([&](index_t e) {
                    const arch::offset_t element =
                        from.at + window_bytes(e, h.geometry.a.channel_bytes);
                    pixel[i][e] = in.template load<1>(e < channels ? element : arch::nowhere)[0];
                });
            }
        });
    }

    /// Loads the elements of filter's rows that begin at every x.stride-th pixel, from the first-th
    /// on.
    CK_DEVICE CK_INLINE void load_rows(const FirstLayerHalo& h,
                                       const RowElements<pixel_channels>& elements,
                                       const arch::GlobalView<const T>& in,
                                       const FirstLayerHalo::Tile& tile,
                                       index_t first)
    {
        repeat<count>([&](index_t i) {
            const FirstLayerHalo::Pixel from = h.pixel(tile, first + i * threads, h.x.stride);
            repeat<pixel_channels>([&](index_t e) {
                const bool exists = from.in_row & h.has_column(from.column + elements.column[e]);
                pixel[i][e] =
                    in.template load<1>(exists ? from.at + elements.bytes[e] : arch::nowhere)[0];
            });
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
