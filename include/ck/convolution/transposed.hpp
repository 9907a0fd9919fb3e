#pragma once
// One transposed convolution y = conv_transpose(x, w), like PyTorch's conv_transpose1d to 3d: its
// sizes, whether they are valid, and the convolution whose directions compute it.
//
// y[g,n,k,do,ho,wo] = sum over c and taps z,y,x of x[g,n,c,di,hi,wi] * w[g,c,k,z,y,x],  ho =
// hi*stride + y*dilation - pad_low
//
// Each pixel of x adds a filter, scaled by the pixel, to y: see docs/transposed_convolution.md.
#include "ck/convolution/direction.hpp"
#include "ck/convolution/problem.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace ck {

/// The three computations of a transposed convolution: each computes a tensor from the other two.
enum class TransposedPass
{
    forward,        ///< y from x and w
    input_gradient, ///< dx from dy and w
    filter_gradient ///< dw from x and dy
};

/// The direction of ConvTranspose::convolution() that computes the pass.
constexpr Direction direction_of(TransposedPass pass)
{
    switch(pass)
    {
    case TransposedPass::forward:
        return Direction::backward_data;
    case TransposedPass::input_gradient:
        return Direction::forward;
    case TransposedPass::filter_gradient:
        break;
    }
    return Direction::backward_weight;
}

/// The pass as text.
constexpr const char* name(TransposedPass pass)
{
    switch(pass)
    {
    case TransposedPass::forward:
        return "forward";
    case TransposedPass::input_gradient:
        return "gradient of the input";
    case TransposedPass::filter_gradient:
        return "gradient of the filter";
    }
    return "unknown pass";
}

/// Pads cut off the ends of y; negative pads add pixels, which are zero if no tap reaches them.
/// output_padding adds pixels at the high end, before the right pad is cut off.
///
/// PyTorch's filter (Cin, Cout/groups, kD, kH, kW) is [g, c, k, z, y, x] in memory: Cin is g and c,
/// merged. Composable Kernel's GKCYX is the same, with K for c and C for k.
struct ConvTranspose
{
    index_t rank              = 2;         ///< spatial dimensions that the caller gave
    long_index_t groups       = 1;         ///< G
    long_index_t batch        = 1;         ///< N
    long_index_t out_channels = 1;         ///< K of a group, channels of y
    long_index_t in_channels  = 1;         ///< C of a group, channels of x
    Spatial input             = {1, 1, 1}; ///< Di Hi Wi
    Spatial filter            = {1, 1, 1}; ///< Z Y X
    Spatial stride            = {1, 1, 1}; ///< at least 1
    Spatial dilation          = {1, 1, 1}; ///< at least 1
    Spatial pad_low           = {0, 0, 0}; ///< pixels cut off the start of y
    Spatial pad_high          = {0, 0, 0}; ///< pixels cut off the end of y
    Spatial output_padding    = {0, 0, 0}; ///< at least 0, less than max(stride, dilation)
    TensorStrides input_strides{};         ///< g n c d h w, elements
    TensorStrides filter_strides{};        ///< g c k z y x
    TensorStrides output_strides{};        ///< g n k d h w

    /// Do Ho Wo; less than 1 if pads cut off everything: the problem is then invalid.
    constexpr Spatial output() const
    {
        Spatial o{};
        for(std::size_t i = 0; i < 3; ++i)
            o[i] = (input[i] - 1) * stride[i] + dilation[i] * (filter[i] - 1) + 1 - pad_low[i] -
                   pad_high[i] + output_padding[i];
        return o;
    }

    /// G N C Di Hi Wi
    constexpr TensorLengths input_lengths() const
    {
        return {groups, batch, in_channels, input[0], input[1], input[2]};
    }
    /// G C K Z Y X
    constexpr TensorLengths filter_lengths() const
    {
        return {groups, in_channels, out_channels, filter[0], filter[1], filter[2]};
    }
    /// G N K Do Ho Wo
    constexpr TensorLengths output_lengths() const
    {
        const Spatial o = output();
        return {groups, batch, out_channels, o[0], o[1], o[2]};
    }

    /// The convolution from y to x with the same filter. Its X is y (or dy) and its Y is x (or dx).
    /// Output padding is subtracted from its right pad, which may then be negative.
    constexpr ConvProblem convolution() const
    {
        ConvProblem p;
        p.rank         = rank;
        p.groups       = groups;
        p.batch        = batch;
        p.out_channels = in_channels;
        p.in_channels  = out_channels;
        p.input        = output();
        p.filter       = filter;
        p.stride       = stride;
        p.dilation     = dilation;
        p.pad_low      = pad_low;
        for(std::size_t i = 0; i < 3; ++i)
            p.pad_high[i] = pad_high[i] - output_padding[i];
        p.input_strides  = output_strides;
        p.filter_strides = filter_strides;
        p.output_strides = input_strides;
        return p;
    }
};

/// Sets contiguous, channels-last strides of the three tensors: the filter is [g, c, z, y, x, k].
constexpr void set_packed_strides(ConvTranspose& p, PackedOrder order = PackedOrder::group_inside)
{
    ConvProblem c = p.convolution();
    set_packed_strides(c, order);
    p.input_strides  = c.output_strides;
    p.filter_strides = c.filter_strides;
    p.output_strides = c.input_strides;
}

/// Sets the strides of the three tensors to those of PyTorch's contiguous ones: (N, Cin, D, H, W),
/// (Cin, Cout/groups, kD, kH, kW) and (N, Cout, D, H, W), with contiguous groups.
constexpr void set_contiguous_strides(ConvTranspose& p)
{
    p.input_strides  = detail::packed_strides(p.input_lengths(), {1, 0, 2, 3, 4, 5});
    p.filter_strides = detail::packed_strides(p.filter_lengths(), {0, 1, 2, 3, 4, 5});
    p.output_strides = detail::packed_strides(p.output_lengths(), {1, 0, 2, 3, 4, 5});
}

namespace detail {

inline std::string spatial_name(const ConvTranspose& p, const char* what, std::size_t i)
{
    constexpr const char* letter[] = {"D", "H", "W"};
    return std::string(what) + " in " + letter[i] + " of a " + std::to_string(p.rank) +
           "D transposed convolution";
}

/// Refuses a value in dimension i that is out of range.
inline Support in_range(
    const ConvTranspose& p, const char* what, std::size_t i, long_index_t value, long_index_t least)
{
    if(value >= least && value <= index_limit)
        return {};
    return refused(spatial_name(p, what, i) + " is " + std::to_string(value) +
                   (value < least ? ", but must be at least " + std::to_string(least)
                                  : ", but must be below 2^31"));
}

/// Checks the sizes in dimension i, but not whether pads leave anything of y. Only adds values that
/// were checked before.
inline Support check_sizes(const ConvTranspose& p, std::size_t i)
{
    const auto in_range = [&](const char* what, long_index_t value, long_index_t least) {
        return detail::in_range(p, what, i, value, least);
    };
    if(const Support s = in_range("the input length", p.input[i], 1); !s)
        return s;
    if(const Support s = in_range("the filter length", p.filter[i], 1); !s)
        return s;
    if(const Support s = in_range("the stride", p.stride[i], 1); !s)
        return s;
    if(const Support s = in_range("the dilation", p.dilation[i], 1); !s)
        return s;
    if(const Support s = in_range("the left pad", p.pad_low[i], -index_limit); !s)
        return s;
    if(const Support s = in_range("the right pad", p.pad_high[i], -index_limit); !s)
        return s;
    if(const Support s = in_range("the output padding", p.output_padding[i], 0); !s)
        return s;
    if(p.output_padding[i] >= std::max(p.stride[i], p.dilation[i]))
        return refused(spatial_name(p, "the output padding", i) + " is " +
                       std::to_string(p.output_padding[i]) +
                       ", but must be less than the stride, " + std::to_string(p.stride[i]) +
                       ", or the dilation, " + std::to_string(p.dilation[i]));
    if(const Support s = in_range("the right pad less the output padding",
                                  p.pad_high[i] - p.output_padding[i],
                                  -index_limit);
       !s)
        return s;
    const long_index_t reach = p.dilation[i] * (p.filter[i] - 1) + 1;
    if(const Support s = in_range("the dilated filter length", reach, 1); !s)
        return s;
    return in_range("the output length without pads", (p.input[i] - 1) * p.stride[i] + reach, 1);
}

} // namespace detail

/// Whether the problem is a valid transposed convolution on any device. Batch 0 is valid. If so,
/// its convolution() is valid, too, and the input of that is this problem's output().
inline Support validate(const ConvTranspose& p)
{
    if(p.rank < 1 || p.rank > 3)
        return refused("the transposed convolution has " + std::to_string(p.rank) +
                       " spatial dimensions, but must have 1, 2 or 3");
    struct
    {
        const char* what;
        long_index_t value, least;
    } const sizes[]{{"groups G", p.groups, 1},
                    {"images N", p.batch, 0},
                    {"output channels K of a group", p.out_channels, 1},
                    {"input channels C of a group", p.in_channels, 1}};
    for(const auto& [what, value, least] : sizes)
        if(value < least || value > detail::index_limit)
            return refused("the number of " + std::string(what) +
                           " of a transposed convolution is " + std::to_string(value) +
                           (value < least ? ", but must be at least " + std::to_string(least)
                                          : ", but must be below 2^31"));
    for(std::size_t i = 0; i < 3; ++i) // before output(), whose sums might overflow
        if(const Support s = detail::check_sizes(p, i); !s)
            return s;
    for(std::size_t i = 0; i < 3; ++i)
        if(const Support s = detail::in_range(p, "the output length", i, p.output()[i], 1); !s)
            return s;
    if(const Support s =
           detail::addressable("input tensor", "GNCDHW", p.input_lengths(), p.input_strides);
       !s)
        return s;
    if(const Support s =
           detail::addressable("filter tensor", "GCKZYX", p.filter_lengths(), p.filter_strides);
       !s)
        return s;
    return detail::addressable("output tensor", "GNKDHW", p.output_lengths(), p.output_strides);
}

/// Sets the output padding that gives the output the given lengths, like PyTorch's output_size. If
/// there is none, refuses and leaves p unchanged.
inline Support set_output(ConvTranspose& p, const Spatial& given)
{
    ConvTranspose q  = p;
    q.output_padding = {0, 0, 0};
    for(std::size_t i = 0; i < 3; ++i)
        if(const Support s = detail::check_sizes(q, i); !s)
            return s;
    const Spatial least = q.output();
    for(std::size_t i = 0; i < 3; ++i)
    {
        const long_index_t most = least[i] + std::max(p.stride[i], p.dilation[i]) - 1;
        const long_index_t one  = std::max<long_index_t>(least[i], 1); // pads may leave nothing
        if(given[i] < one || given[i] > most)
            return refused(detail::spatial_name(p, "the output length", i) + " is " +
                           std::to_string(given[i]) +
                           ", but input, filter, stride, dilation and pads make it at least " +
                           std::to_string(one) + " and at most " + std::to_string(most));
        q.output_padding[i] = given[i] - least[i];
    }
    p = q;
    return {};
}

} // namespace ck
