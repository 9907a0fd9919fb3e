#pragma once
// Transforms of convolutions whose tensors may have channels in blocks. The views are the same,
// except that a channel is two coordinates, c / C0 and c % C0. A tensor with one channel stride has
// blocks of one channel.
//
// C's columns, and backward weight's rows, extend over the padding in memory. Elements beyond the
// channels are stored as zero, whatever the operands contain there.
#include "ck/convolution/channel_blocks.hpp"
#include "ck/tensor_operation/operator_transform/backward_data_by_pixel.hpp"
#include "ck/tensor_operation/operator_transform/backward_weight.hpp"
#include "ck/tensor_operation/operator_transform/forward.hpp"

#include <numeric>

namespace ck {

/// The columns of C in memory. View: of [row, column].
template <class View>
struct BlockedColumns
{
    static constexpr index_t dim = View::structure.bounded_of(1); // the channel's

    const View& view;
    index_t stored; ///< channels in memory, with padding
    index_t rows;   ///< zeros are stored from this row on

    /// Offset from column 0, in elements.
    CK_HOST_DEVICE CK_INLINE constexpr index_t offset(index_t column) const
    {
        return view.template part<1>(column).offset;
    }
    /// Whether memory contains a column that is inside the view's extent.
    CK_HOST_DEVICE CK_INLINE constexpr bool exists(index_t column) const
    {
        return view.template indices<1>(column)[dim] < stored;
    }
    /// The number of columns, from this one to the end of its block, that are not padding of the
    /// row.
    CK_HOST_DEVICE CK_INLINE constexpr index_t real(index_t row, index_t column) const
    {
        return row < rows ? view.length[dim] - view.template indices<1>(column)[dim] : 0;
    }
};

namespace detail {

/// A tensor's block sizes in the form that views read.
struct BlockDivisors
{
    Divisor size, count;
    index_t outer;

    /// stride: of the channel if there are no blocks; channels: a multiple of the block size.
    static constexpr BlockDivisors
    make(const ChannelBlocks& blocks, long_index_t stride, long_index_t channels)
    {
        const long_index_t size = blocks ? blocks.size : 1;
        return {make_divisor(static_cast<index_t>(size)),
                make_divisor(static_cast<index_t>(channels / size)),
                static_cast<index_t>(blocks ? blocks.outer : stride)};
    }
};

template <index_t top, class View>
CK_HOST_DEVICE CK_INLINE constexpr auto blocked(const View& view, const BlockDivisors& by)
{
    return view | in_blocks<top>(by.size, by.outer);
}
template <index_t top, class View>
CK_HOST_DEVICE CK_INLINE constexpr auto whole_blocked(const View& view, const BlockDivisors& by)
{
    return view | in_whole_blocks<top>(by.size, by.count, by.outer);
}

/// Which coordinates of a transform's views are channels.
template <class Base>
struct ChannelTops // [row, tap, k], [column, tap, k] and [row, column]
{
    static constexpr bool of_filter = false; // C is W
    static constexpr index_t a = 2, b = Base::b_along_k ? 2 : 0;

    template <class View>
    CK_HOST_DEVICE CK_INLINE static constexpr auto blocked_b(const View& v, const BlockDivisors& by)
    {
        return blocked<b>(v, by);
    }
};
template <>
struct ChannelTops<BackwardWeight> // [k, pixel], [(tap, c), pixel] and [k, (tap, c)]
{
    static constexpr bool of_filter = true;
    static constexpr index_t a = 0, b = 0;

    template <class View>
    CK_HOST_DEVICE CK_INLINE static constexpr auto blocked_b(const View& v, const BlockDivisors& by)
    {
        return whole_blocked<b>(v, by);
    }
};

} // namespace detail

/// Base: Forward, BackwardData, BackwardDataByPixel or BackwardWeight.
template <class Base>
struct Blocked : public Base
{
    using Tops = detail::ChannelTops<Base>;

    detail::BlockDivisors a_blocks, b_blocks, c_blocks;
    index_t stored;       // channels of C in memory, with padding
    index_t columns;      // columns of C, with padding
    index_t rows, c_rows; // backward weight: k, and k in memory

    /// Like Base::make, for blocks of 8, 16 or 32 channels.
    static Blocked make(const ConvProblem& problem, const ConvBlocks& blocks, index_t batch);

    /// Rows of a full sub-batch, including rows of padding.
    CK_HOST_DEVICE constexpr index_t max_rows() const
    {
        return Tops::of_filter ? c_rows : Base::max_rows();
    }

    struct Phase
    {
        using Plain = typename Base::Phase;
        using A     = decltype(detail::blocked<Tops::a>(Plain{}.a, {}));
        using B     = decltype(Tops::blocked_b(Plain{}.b, {}));
        using C     = decltype(detail::whole_blocked<1>(Plain{}.c, {}));

        A a;
        B b;
        C c;
        index_t tap_count; // backward weight: not used
    };
    CK_HOST_DEVICE constexpr Phase make_phase(index_t number, index_t images) const;

    /// C's columns. first_row: the row of C from which `real()` counts.
    CK_HOST_DEVICE CK_INLINE constexpr BlockedColumns<typename Phase::C>
    describe_columns(const Phase& views, index_t first_row) const
    {
        return {views.c, stored, rows - first_row};
    }
};

template <class Base>
CK_HOST_DEVICE CK_INLINE constexpr typename Blocked<Base>::Phase
Blocked<Base>::make_phase(index_t number, index_t images) const
{
    const typename Base::Phase plain = Base::make_phase(number, images);
    Phase r{detail::blocked<Tops::a>(plain.a, a_blocks),
            Tops::blocked_b(plain.b, b_blocks),
            detail::whole_blocked<1>(plain.c, c_blocks),
            0};
    if constexpr(Tops::of_filter)
        r.c.top_length[0] = c_rows;
    else
        r.tap_count = plain.tap_count;
    return r;
}

template <class Base>
Blocked<Base> Blocked<Base>::make(const ConvProblem& p, const ConvBlocks& blocks, index_t batch)
{
    constexpr bool forward = !Tops::of_filter && Base::b_along_k;
    const auto size        = [](const ChannelBlocks& b) { return b ? b.size : 1; };
    const auto in_channels = [&] { // whole blocks of X and of W
        const long_index_t both = std::lcm(size(blocks.input), size(blocks.filter));
        return math::integer_divide_ceil(p.in_channels, both) * both;
    }();
    const auto out_channels =
        math::integer_divide_ceil(p.out_channels, size(blocks.output)) * size(blocks.output);
    const auto x = detail::BlockDivisors::make(blocks.input, p.input_strides[2], in_channels),
               w = detail::BlockDivisors::make(blocks.filter, p.filter_strides[2], in_channels),
               y = detail::BlockDivisors::make(blocks.output, p.output_strides[2], out_channels);
    constexpr index_t no_limit = 1 << 30;

    Blocked r{};
    static_cast<Base&>(r) = Base::make(p, batch);
    r.a_blocks            = forward ? x : y;
    r.b_blocks            = Tops::of_filter ? x : w;
    r.c_blocks            = forward ? y : Tops::of_filter ? w : x;
    r.stored              = static_cast<index_t>(forward ? blocks.output.stored(p.out_channels)
                                                 : Tops::of_filter ? blocks.filter.stored(p.in_channels)
                                                                   : blocks.input.stored(p.in_channels));
    r.columns             = static_cast<index_t>(forward ? out_channels : in_channels);
    if constexpr(Tops::of_filter)
        r.columns *= r.views.taps;
    r.rows   = Tops::of_filter ? static_cast<index_t>(p.out_channels) : no_limit;
    r.c_rows = Tops::of_filter ? static_cast<index_t>(std::max(p.out_channels, blocks.filter_rows))
                               : no_limit;
    return r;
}

} // namespace ck
