#pragma once
// The three tensors of a convolution in the coordinates of its sum, for the directions whose GEMM
// is dense: Forward and BackwardWeight merge these coordinates in different ways.
//
// hi = ho*stride + y*dilation - pad, inside [0, Hi) or the product is 0; likewise di and wi.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/operator_transform/pixel_map.hpp"

namespace ck {

struct ConvViews
{
    /// One spatial dimension.
    struct Dimension
    {
        PixelMap x;                           // Y taps of Ho pixels along X
        index_t input;                        // Hi
        index_t x_stride, w_stride, y_stride; // elements
    };
    Dimension dimension[3];
    Divisor in_channels;
    index_t out_channels;
    index_t taps;                         // Z * Y * X
    index_t pixels_of_image;              // Do * Ho * Wo
    index_t batch;                        // images in a full sub-batch
    index_t x_n, x_c, w_k, w_c, y_n, y_k; // strides, elements

    /// The caller adds the 64-bit offsets of group and sub-batch to the three pointers.
    static ConvViews make(const ConvProblem& problem, index_t batch);

    CK_HOST_DEVICE constexpr auto describe_x(index_t images) const;
    CK_HOST_DEVICE constexpr auto describe_w() const;
    CK_HOST_DEVICE constexpr auto describe_y(index_t images) const;
};

/// X, or its gradient, as [n, z, do, y, ho, x, wo, c], checked in its three spatial dimensions
CK_HOST_DEVICE CK_INLINE constexpr auto ConvViews::describe_x(index_t images) const
{
    const auto& [D, H, W] = dimension;
    return windows_of(strided({undivided(images),
                               undivided(D.input),
                               undivided(H.input),
                               undivided(W.input),
                               in_channels},
                              {x_n, D.x_stride, H.x_stride, W.x_stride, x_c}), // [n, di, hi, wi, c]
                      D.x,
                      H.x,
                      W.x);
}

/// W, or its gradient, as [k, z, y, x, c]
CK_HOST_DEVICE CK_INLINE constexpr auto ConvViews::describe_w() const
{
    const auto& [D, H, W] = dimension;
    return strided({undivided(out_channels), D.x.taps, H.x.taps, W.x.taps, in_channels},
                   {w_k, D.w_stride, H.w_stride, W.w_stride, w_c});
}

/// Y, or its gradient, as [n, do, ho, wo, k]
CK_HOST_DEVICE CK_INLINE constexpr auto ConvViews::describe_y(index_t images) const
{
    const auto& [D, H, W] = dimension;
    return strided({undivided(images), D.x.count, H.x.count, W.x.count, undivided(out_channels)},
                   {y_n, D.y_stride, H.y_stride, W.y_stride, y_k});
}

inline ConvViews ConvViews::make(const ConvProblem& p, index_t batch)
{
    // A stride that does not fit 32 bits belongs to a dimension of length 1, whose only index is
    // 0.
    const auto narrow = [](long_index_t value) { return static_cast<index_t>(value); };
    const Spatial out = p.output();
    ConvViews r{};
    for(std::size_t i = 0; i < 3; ++i)
        r.dimension[i] = {.x        = {.taps     = make_divisor(narrow(p.filter[i])),
                                       .count    = make_divisor(narrow(out[i])),
                                       .pad      = narrow(p.pad_low[i]),
                                       .step     = narrow(p.stride[i]),
                                       .tap_step = narrow(p.dilation[i])},
                          .input    = narrow(p.input[i]),
                          .x_stride = narrow(p.input_strides[3 + i]),
                          .w_stride = narrow(p.filter_strides[3 + i]),
                          .y_stride = narrow(p.output_strides[3 + i])};
    r.in_channels     = make_divisor(narrow(p.in_channels));
    r.out_channels    = narrow(p.out_channels);
    r.taps            = narrow(p.filter[0] * p.filter[1] * p.filter[2]);
    r.pixels_of_image = narrow(out[0] * out[1] * out[2]);
    r.batch           = batch;
    r.x_n             = narrow(p.input_strides[1]);
    r.x_c             = narrow(p.input_strides[2]);
    r.w_k             = narrow(p.filter_strides[1]);
    r.w_c             = narrow(p.filter_strides[2]);
    r.y_n             = narrow(p.output_strides[1]);
    r.y_k             = narrow(p.output_strides[2]);
    return r;
}

} // namespace ck
