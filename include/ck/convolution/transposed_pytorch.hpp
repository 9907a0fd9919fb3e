#pragma once
// A transposed convolution from tensors in PyTorch's form: the channels of all groups are one
// dimension.
#include "ck/convolution/transposed.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ck {

/// Lengths and strides in elements; empty strides: contiguous.
struct PyTorchTensor
{
    std::vector<long_index_t> lengths;      ///< lengths of all dimensions
    std::vector<long_index_t> strides = {}; ///< empty: contiguous
};

/// The arguments of torch.nn.functional.conv_transpose1d to 3d. Vectors: [D] [H] W.
struct PyTorchConvTranspose
{
    PyTorchTensor input;                           ///< (N, Cin, [D,] [H,] W)
    PyTorchTensor weight;                          ///< (Cin, Cout/groups, [kD,] [kH,] kW)
    std::vector<long_index_t> stride;              ///< at least 1
    std::vector<long_index_t> padding;             ///< padding at both ends
    std::vector<long_index_t> output_padding;      ///< at the high end
    long_index_t groups = 1;                       ///< each group has Cin / groups channels of x
    std::vector<long_index_t> dilation;            ///< at least 1
    std::vector<long_index_t> output_size    = {}; ///< or empty; else output_padding is ignored
    std::vector<long_index_t> output_strides = {}; ///< strides of (N, Cout, [D,] [H,] W); or empty
};

/// A problem, or the reason why there is none.
struct MadeConvTranspose
{
    ConvTranspose problem; ///< set only if `valid` is true
    Support valid;         ///< what is wrong with the arguments
};

namespace detail {

/// Converts strides of (outer, channels of all groups, spatial) to strides of group, outer,
/// channel, spatial. For a filter, the channels of all groups are outermost: strides of group,
/// channel of x, channel of y, spatial.
inline TensorStrides
strides_with_groups(const std::vector<long_index_t>& strides, long_index_t channels, bool filter)
{
    const std::size_t merged = filter ? 0 : 1;
    const long_index_t one   = strides[merged];
    std::vector<long_index_t> all{one < 0 ? one : math::saturating_product(one, channels)};
    all.insert(all.end(), strides.begin(), strides.end());
    return to_tensor_strides(all);
}

inline Support expect_count(const char* what, std::size_t count, std::size_t expected)
{
    if(count == expected)
        return {};
    return refused("there are " + std::to_string(count) + " " + what + ", but the input makes it " +
                   std::to_string(expected));
}

} // namespace detail

/// The problem for PyTorch's arguments, validated: see MadeConvTranspose::valid.
inline MadeConvTranspose make_conv_transpose(const PyTorchConvTranspose& a)
{
    MadeConvTranspose made;
    const auto refuse = [&](Support s) {
        made.valid = std::move(s);
        return made;
    };
    const auto &x = a.input.lengths, &w = a.weight.lengths;
    if(x.size() < 3 || x.size() > 5)
        return refuse(refused("the input tensor has " + std::to_string(x.size()) +
                              " dimensions, but must have 3 to 5: N, Cin, [D,] [H,] W"));
    const std::size_t rank = x.size() - 2;
    const struct
    {
        const char* what;
        std::size_t count, expected;
        bool may_be_empty;
    } counts[]{{"dimensions of the weight tensor", w.size(), rank + 2, false},
               {"strides of the input tensor", a.input.strides.size(), rank + 2, true},
               {"strides of the weight tensor", a.weight.strides.size(), rank + 2, true},
               {"strides of the output tensor", a.output_strides.size(), rank + 2, true},
               {"values of stride", a.stride.size(), rank, false},
               {"values of padding", a.padding.size(), rank, false},
               {"values of output_padding", a.output_padding.size(), rank, !a.output_size.empty()},
               {"values of output_size", a.output_size.size(), rank, true},
               {"values of dilation", a.dilation.size(), rank, false}};
    for(const auto& c : counts)
        if(c.count != 0 || !c.may_be_empty)
            if(const Support s = detail::expect_count(c.what, c.count, c.expected); !s)
                return refuse(s);
    if(a.groups < 1)
        return refuse(
            refused("groups is " + std::to_string(a.groups) + ", but must be at least 1"));
    if(x[1] % a.groups != 0)
        return refuse(refused("Cin is " + std::to_string(x[1]) +
                              ", but must be a multiple of the " + std::to_string(a.groups) +
                              " groups"));
    if(w[0] != x[1])
        return refuse(refused("the first length of the weight tensor is " + std::to_string(w[0]) +
                              ", but must be the input's Cin, " + std::to_string(x[1])));

    ConvTranspose p;
    const auto spatial = [](const std::vector<long_index_t>& lengths) {
        return to_spatial(std::vector(lengths.begin() + 2, lengths.end()), 1);
    };
    p.rank         = static_cast<index_t>(rank);
    p.groups       = a.groups;
    p.batch        = x[0];
    p.in_channels  = x[1] / a.groups;
    p.out_channels = w[1];
    p.input        = spatial(x);
    p.filter       = spatial(w);
    p.stride       = to_spatial(a.stride, 1);
    p.dilation     = to_spatial(a.dilation, 1);
    p.pad_low      = to_spatial(a.padding, 0);
    p.pad_high     = p.pad_low;
    if(a.output_size.empty())
        p.output_padding = to_spatial(a.output_padding, 0);
    else if(const Support s = set_output(p, to_spatial(a.output_size, 1)); !s)
        return refuse(s);
    if(const Support s = validate(p); !s) // before strides are computed from the lengths
        return refuse(s);
    set_contiguous_strides(p);
    if(!a.input.strides.empty())
        p.input_strides = detail::strides_with_groups(a.input.strides, p.in_channels, false);
    if(!a.weight.strides.empty())
        p.filter_strides = detail::strides_with_groups(a.weight.strides, p.in_channels, true);
    if(!a.output_strides.empty())
        p.output_strides = detail::strides_with_groups(a.output_strides, p.out_channels, false);
    if(const Support s = validate(p); !s)
        return refuse(s);
    made.problem = p;
    return made;
}

} // namespace ck
