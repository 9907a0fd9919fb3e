#pragma once
// One grouped convolution y = conv(x, w) of up to three spatial dimensions: its sizes, and whether
// they are valid.
//
// y[g,n,k,do,ho,wo] = sum over c,z,y,x of x[g,n,c,di,hi,wi] * w[g,k,c,z,y,x],  hi = ho*stride +
// y*dilation - pad_low
//
// Pads may be negative, which crops: a left pad of -2 starts at hi = 2, and a right pad of -2
// ignores the last two hi. Elements that no output pixel reads have a gradient of 0.
#include "ck/convolution/support.hpp"
#include "ck/utility/integer.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <string>

namespace ck {

/// D H W or Z Y X. Missing leading dimensions have neutral values.
using Spatial = std::array<long_index_t, 3>;
/// In Composable Kernel's order: G N C, G K C or G N K, then the spatial dimensions.
using TensorLengths = std::array<long_index_t, 6>;
/// In elements, in the same order.
using TensorStrides = std::array<long_index_t, 6>;

/// Sizes and strides of a convolution. Default: one pixel and one tap.
struct ConvProblem
{
    index_t rank              = 2;         ///< spatial dimensions that the caller gave
    long_index_t groups       = 1;         ///< G
    long_index_t batch        = 1;         ///< N
    long_index_t out_channels = 1;         ///< K of a group
    long_index_t in_channels  = 1;         ///< C of a group
    Spatial input             = {1, 1, 1}; ///< Di Hi Wi
    Spatial filter            = {1, 1, 1}; ///< Z Y X
    Spatial stride            = {1, 1, 1}; ///< at least 1
    Spatial dilation          = {1, 1, 1}; ///< at least 1
    Spatial pad_low           = {0, 0, 0}; ///< negative pads crop: the input's edges are ignored
    Spatial pad_high          = {0, 0, 0}; ///< negative pads crop, too
    TensorStrides input_strides{};         ///< g n c d h w
    TensorStrides filter_strides{};        ///< g k c z y x
    TensorStrides output_strides{};        ///< g n k d h w

    /// Whether all fields are the same.
    bool operator==(const ConvProblem&) const = default;

    /// Do Ho Wo; 0 if the dilated filter does not fit into the padded input.
    constexpr Spatial output() const
    {
        Spatial o{};
        for(std::size_t i = 0; i < 3; ++i)
        {
            const long_index_t reach = dilation[i] * (filter[i] - 1) + 1;
            const long_index_t room  = input[i] + pad_low[i] + pad_high[i] - reach;
            o[i]                     = room < 0 ? 0 : room / stride[i] + 1;
        }
        return o;
    }

    /// G N C Di Hi Wi
    constexpr TensorLengths input_lengths() const
    {
        return {groups, batch, in_channels, input[0], input[1], input[2]};
    }
    /// G K C Z Y X
    constexpr TensorLengths filter_lengths() const
    {
        return {groups, out_channels, in_channels, filter[0], filter[1], filter[2]};
    }
    /// G N K Do Ho Wo
    constexpr TensorLengths output_lengths() const
    {
        const Spatial o = output();
        return {groups, batch, out_channels, o[0], o[1], o[2]};
    }
};

/// The number of elements, at most the largest long_index_t.
constexpr long_index_t element_count(const TensorLengths& lengths)
{
    long_index_t n = 1;
    for(const long_index_t length : lengths)
        n = math::saturating_product(n, length);
    return n;
}

/// Floating point operations: 2 for each product of an output element, a channel and a filter tap,
/// including padding.
constexpr double flops(const ConvProblem& p)
{
    double n = 2.0 * static_cast<double>(p.in_channels);
    for(const long_index_t length : p.output_lengths())
        n *= static_cast<double>(length);
    for(const long_index_t length : p.filter)
        n *= static_cast<double>(length);
    return n;
}

/// Bytes of the three tensors together.
constexpr double bytes(const ConvProblem& p,
                       std::size_t input_element,
                       std::size_t filter_element,
                       std::size_t output_element)
{
    return static_cast<double>(element_count(p.input_lengths())) *
               static_cast<double>(input_element) +
           static_cast<double>(element_count(p.filter_lengths())) *
               static_cast<double>(filter_element) +
           static_cast<double>(element_count(p.output_lengths())) *
               static_cast<double>(output_element);
}

/// The fraction of X's pixels that are in a window, if there is no padding: less than 1 if strides
/// skip some.
constexpr double touched_share(const ConvProblem& p)
{
    double share = 1;
    for(std::size_t i = 0; i < 3; ++i)
    {
        // Taps whose positions have the same remainder modulo the stride meet the same pixels.
        const long_index_t remainders = p.stride[i] / std::gcd(p.stride[i], p.dilation[i]);
        share *= static_cast<double>(std::min(p.filter[i], remainders)) /
                 static_cast<double>(p.stride[i]);
    }
    return share;
}

/// Where the groups of channels-last tensors are. The filter is GK(ZY)XC in both cases.
enum class PackedOrder
{
    group_first,  ///< GN(DH)WC, GN(DH)WK
    group_inside, ///< N(DH)WGC, N(DH)WGK
};

namespace detail {
/// Strides of contiguous memory whose dimensions have the given order, slowest first.
constexpr TensorStrides packed_strides(const TensorLengths& lengths,
                                       const std::array<std::size_t, 6>& order)
{
    TensorStrides strides{};
    long_index_t next = 1;
    for(std::size_t i = 6; i-- > 0;)
    {
        strides[order[i]] = next;
        next *= lengths[order[i]];
    }
    return strides;
}
} // namespace detail

/// Sets the strides of the three tensors to contiguous, channels last.
constexpr void set_packed_strides(ConvProblem& p, PackedOrder order = PackedOrder::group_inside)
{
    constexpr std::array<std::size_t, 6> group_first{0, 1, 3, 4, 5, 2};
    constexpr std::array<std::size_t, 6> group_inside{1, 3, 4, 5, 0, 2};
    const auto& image = order == PackedOrder::group_first ? group_first : group_inside;
    p.input_strides   = detail::packed_strides(p.input_lengths(), image);
    p.filter_strides  = detail::packed_strides(p.filter_lengths(), group_first);
    p.output_strides  = detail::packed_strides(p.output_lengths(), image);
}

/// Values for the spatial dimensions [D] [H] W in the form of ConvProblem.
template <class Values>
constexpr Spatial to_spatial(const Values& values, long_index_t neutral)
{
    Spatial s{neutral, neutral, neutral};
    assert(values.size() <= 3);
    for(std::size_t i = 0; i < values.size(); ++i)
        s[3 - values.size() + i] = values[i];
    return s;
}

/// The strides of g, n or k, c or k and the spatial dimensions of a tensor in the form of
/// ConvProblem.
template <class Values>
constexpr TensorStrides to_tensor_strides(const Values& values)
{
    TensorStrides s{};
    assert(values.size() >= 4 && values.size() <= 6);
    const std::size_t rank = values.size() - 3;
    for(std::size_t i = 0; i < 3; ++i)
        s[i] = values[i];
    for(std::size_t i = 0; i < 3 - rank; ++i)
        s[3 + i] = 1;
    for(std::size_t i = 0; i < rank; ++i)
        s[6 - rank + i] = values[3 + i];
    return s;
}

/// A contiguous, channels-last problem with `rank` spatial dimensions, given as W, H W or D H W.
template <std::size_t rank>
constexpr ConvProblem make_packed_problem(long_index_t groups,
                                          long_index_t batch,
                                          long_index_t out_channels,
                                          long_index_t in_channels,
                                          const std::array<long_index_t, rank>& filter,
                                          const std::array<long_index_t, rank>& input,
                                          const std::array<long_index_t, rank>& stride,
                                          const std::array<long_index_t, rank>& dilation,
                                          const std::array<long_index_t, rank>& pad_low,
                                          const std::array<long_index_t, rank>& pad_high,
                                          PackedOrder order = PackedOrder::group_inside)
{
    static_assert(1 <= rank && rank <= 3, "convolutions have 1 to 3 spatial dimensions");
    ConvProblem p;
    p.rank         = static_cast<index_t>(rank);
    p.groups       = groups;
    p.batch        = batch;
    p.out_channels = out_channels;
    p.in_channels  = in_channels;
    p.filter       = to_spatial(filter, 1);
    p.input        = to_spatial(input, 1);
    p.stride       = to_spatial(stride, 1);
    p.dilation     = to_spatial(dilation, 1);
    p.pad_low      = to_spatial(pad_low, 0);
    p.pad_high     = to_spatial(pad_high, 0);
    set_packed_strides(p, order);
    return p;
}

namespace detail {

constexpr long_index_t index_limit = std::numeric_limits<index_t>::max();

inline std::string spatial_name(const ConvProblem& p, const char* what, std::size_t i)
{
    constexpr const char* letter[] = {"D", "H", "W"};
    return std::string(what) + " in " + letter[i] + " of a " + std::to_string(p.rank) +
           "D convolution";
}

inline Support out_of_range(const std::string& name, long_index_t value, long_index_t least)
{
    const std::string is = name + " is " + std::to_string(value);
    return refused(value < least ? is + ", but must be at least " + std::to_string(least)
                                 : is + ", but must be below 2^31");
}

/// A value of a problem, which must be from `least` to the largest index_t.
struct Range
{
    const char* what;
    long_index_t value, least;
};

/// Refuses the first value that is out of range. Only then calls name(what), which builds its name.
template <class Name>
Support check_ranges(std::initializer_list<Range> values, const Name& name)
{
    for(const auto& [what, value, least] : values)
        if(value < least || value > index_limit)
            return out_of_range(name(what), value, least);
    return {};
}

/// Whether the offset of the last element, in bytes of the largest type, fits into 64 bits.
/// letters: the names of the dimensions.
inline Support addressable(const char* tensor,
                           const char* letters,
                           const TensorLengths& lengths,
                           const TensorStrides& strides)
{
    double last = 0;
    for(std::size_t i = 0; i < 6; ++i)
    {
        if(strides[i] < 0)
            return refused("the stride of " + std::string(1, letters[i]) + " of the " + tensor +
                           " is " + std::to_string(strides[i]) +
                           ", but strides must not be negative");
        last += static_cast<double>(std::max<long_index_t>(lengths[i] - 1, 0)) *
                static_cast<double>(strides[i]);
    }
    double count = 1;
    for(const long_index_t length : lengths)
        count *= static_cast<double>(length);
    if(std::max(last, count) >= 1152921504606846976.0) // 2^60: 8-byte elements
        return refused(
            "the " + std::string(tensor) +
            " has its last element beyond offset 2^60, which does not fit into 64-bit addresses");
    return {};
}

} // namespace detail

/// Checks that output lengths given by a caller are at most those of a valid problem. Shorter ones
/// crop: only the first output pixels are computed; see crop_output().
inline Support check_output_lengths(const ConvProblem& p, const Spatial& given)
{
    const Spatial expected = p.output();
    for(std::size_t i = 0; i < 3; ++i)
        if(given[i] < 0 || given[i] > expected[i])
            return refused(detail::spatial_name(p, "the output length", i) + " is " +
                           std::to_string(given[i]) +
                           ", but input, filter, stride, dilation and pads make it " +
                           std::to_string(expected[i]) + " at most");
    return {};
}

/// Sets the output lengths of a valid problem with right pads; refuses as above.
inline Support crop_output(ConvProblem& p, const Spatial& given)
{
    if(const Support s = check_output_lengths(p, given); !s)
        return s;
    const Spatial all = p.output();
    for(std::size_t i = 0; i < 3; ++i)
        if(given[i] != all[i])
        {
            const long_index_t reach = p.dilation[i] * (p.filter[i] - 1); // of the last window
            const long_index_t end =
                given[i] == 0 ? reach : (given[i] - 1) * p.stride[i] + reach + 1;
            p.pad_high[i] = end - p.input[i] - p.pad_low[i];
        }
    return {};
}

/// Whether the problem is a valid convolution on any device. Batch 0 and empty outputs are
/// valid.
inline Support validate(const ConvProblem& p)
{
    if(p.rank < 1 || p.rank > 3)
        return refused("the convolution has " + std::to_string(p.rank) +
                       " spatial dimensions, but must have 1, 2 or 3");
    Support s = detail::check_ranges({{"the number of groups G", p.groups, 1},
                                      {"the batch N", p.batch, 0},
                                      {"the number of output channels K", p.out_channels, 1},
                                      {"the number of input channels C", p.in_channels, 1}},
                                     [](const char* what) { return std::string(what); });
    for(std::size_t i = 0; s && i < 3; ++i)
    {
        const auto name = [&](const char* what) { return detail::spatial_name(p, what, i); };
        constexpr long_index_t least_pad = -detail::index_limit;
        s = detail::check_ranges({{"the input length", p.input[i], 1},
                                  {"the filter length", p.filter[i], 1},
                                  {"the stride", p.stride[i], 1},
                                  {"the dilation", p.dilation[i], 1},
                                  {"the left pad", p.pad_low[i], least_pad},
                                  {"the right pad", p.pad_high[i], least_pad}},
                                 name);
        if(s) // otherwise the sums might overflow
            s = detail::check_ranges(
                {{"the padded input length",
                  p.input[i] + p.pad_low[i] + p.pad_high[i],
                  2 * least_pad},
                 {"the dilated filter length", p.dilation[i] * (p.filter[i] - 1) + 1, 1}},
                name);
    }
    if(s)
        s = detail::addressable("input tensor", "GNCDHW", p.input_lengths(), p.input_strides);
    if(s)
        s = detail::addressable("filter tensor", "GKCZYX", p.filter_lengths(), p.filter_strides);
    if(s)
        s = detail::addressable("output tensor", "GNKDHW", p.output_lengths(), p.output_strides);
    return s;
}

} // namespace ck
