#pragma once
// Transposed convolutions on the CPU, by definition: pixels of x are spread over y. Does not use
// the equivalent convolution.
#include "ck/convolution/transposed.hpp"
#include "ck/library/utility/parallel_for.hpp"
#include "ck/utility/type_convert.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace ck::tensor_operation::host {

namespace detail {

template <class F>
void for_each_position(const Spatial& lengths, const F& f)
{
    Spatial i{};
    for(i[0] = 0; i[0] < lengths[0]; ++i[0])
        for(i[1] = 0; i[1] < lengths[1]; ++i[1])
            for(i[2] = 0; i[2] < lengths[2]; ++i[2])
                f(i);
}

/// Calls f(position in x, tap, position in y) for all that meet.
template <class F>
void for_each_meeting(const ConvTranspose& p, const F& f)
{
    const Spatial output = p.output();
    for_each_position(p.input, [&](const Spatial& i) {
        for_each_position(p.filter, [&](const Spatial& tap) {
            Spatial o{};
            for(std::size_t d = 0; d < 3; ++d)
            {
                o[d] = i[d] * p.stride[d] + tap[d] * p.dilation[d] - p.pad_low[d];
                if(o[d] < 0 || o[d] >= output[d])
                    return;
            }
            f(i, tap, o);
        });
    });
}

inline long_index_t spatial_offset(const TensorStrides& s, const Spatial& i)
{
    return i[0] * s[3] + i[1] * s[4] + i[2] * s[5];
}

/// Sums in double of one image, or of the filters of one channel: [position, channel].
class Sums
{
public:
    Sums(const Spatial& lengths, long_index_t channels)
        : lengths_(lengths),
          channels_(channels),
          sums_(static_cast<std::size_t>(lengths[0] * lengths[1] * lengths[2] * channels))
    {}

    double* at(const Spatial& i)
    {
        return sums_.data() + ((i[0] * lengths_[1] + i[1]) * lengths_[2] + i[2]) * channels_;
    }

    /// Stores the sums to a tensor; `to` is its first channel at position 0.
    template <class T>
    void store(T* to, const TensorStrides& strides, long_index_t channel_stride)
    {
        for_each_position(lengths_, [&](const Spatial& i) {
            for(long_index_t c = 0; c < channels_; ++c)
                to[spatial_offset(strides, i) + c * channel_stride] = type_convert<T>(at(i)[c]);
        });
    }

private:
    Spatial lengths_;
    long_index_t channels_;
    std::vector<double> sums_;
};

/// Calls f(g, i) for each group and each i less than count, on several threads. Throws
/// std::runtime_error if the problem is invalid.
template <class F>
void for_each_block(const ConvTranspose& p, long_index_t count, const F& f)
{
    if(const Support s = validate(p); !s)
        throw std::runtime_error(s.reason);
    utils::parallel_for(
        static_cast<std::size_t>(p.groups * count),
        1,
        utils::host_threads(),
        [&](std::size_t begin, std::size_t end) {
            for(auto b = static_cast<long_index_t>(begin); b < static_cast<long_index_t>(end); ++b)
                f(b / count, b % count);
        });
}

} // namespace detail

/// y[g,n,k,do,ho,wo] = sum over c and taps z,y,x of x[g,n,c,di,hi,wi] * w[g,c,k,z,y,x],
///   ho = hi*stride + y*dilation - pad_low, likewise do and wo. Every element of y is written.
/// Here and below: tensors have the problem's lengths and strides, sums are double, and padding is
/// skipped; docs/inf_and_nan.md says what kernels do with Inf and NaN there. Uses CK_HOST_THREADS
/// threads, or all. Throws std::runtime_error if the problem is invalid.
template <class X, class W, class Y>
void reference_conv_transpose(const ConvTranspose& p, const X* x, const W* w, Y* y)
{
    const TensorStrides &xs = p.input_strides, &ws = p.filter_strides, &ys = p.output_strides;
    detail::for_each_block(p, p.batch, [&](long_index_t g, long_index_t n) {
        detail::Sums sums(p.output(), p.out_channels);
        detail::for_each_meeting(p, [&](const Spatial& i, const Spatial& tap, const Spatial& o) {
            double* const to = sums.at(o);
            for(long_index_t c = 0; c < p.in_channels; ++c)
            {
                const auto value = type_convert<double>(
                    x[g * xs[0] + n * xs[1] + c * xs[2] + detail::spatial_offset(xs, i)]);
                const W* const row = w + g * ws[0] + c * ws[1] + detail::spatial_offset(ws, tap);
                for(long_index_t k = 0; k < p.out_channels; ++k)
                    to[k] += value * type_convert<double>(row[k * ws[2]]);
            }
        });
        sums.store(y + g * ys[0] + n * ys[1], ys, ys[2]);
    });
}

/// dx[g,n,c,di,hi,wi] = sum over k and taps z,y,x of dy[g,n,k,do,ho,wo] * w[g,c,k,z,y,x]. Every
/// element of dx is written.
template <class X, class W, class Y>
void reference_conv_transpose_input_gradient(const ConvTranspose& p, X* dx, const W* w, const Y* dy)
{
    const TensorStrides &xs = p.input_strides, &ws = p.filter_strides, &ys = p.output_strides;
    detail::for_each_block(p, p.batch, [&](long_index_t g, long_index_t n) {
        detail::Sums sums(p.input, p.in_channels);
        detail::for_each_meeting(p, [&](const Spatial& i, const Spatial& tap, const Spatial& o) {
            double* const to = sums.at(i);
            for(long_index_t k = 0; k < p.out_channels; ++k)
            {
                const auto value = type_convert<double>(
                    dy[g * ys[0] + n * ys[1] + k * ys[2] + detail::spatial_offset(ys, o)]);
                const W* const row = w + g * ws[0] + k * ws[2] + detail::spatial_offset(ws, tap);
                for(long_index_t c = 0; c < p.in_channels; ++c)
                    to[c] += value * type_convert<double>(row[c * ws[1]]);
            }
        });
        sums.store(dx + g * xs[0] + n * xs[1], xs, xs[2]);
    });
}

/// dw[g,c,k,z,y,x] = sum over n,di,hi,wi of x[g,n,c,di,hi,wi] * dy[g,n,k,do,ho,wo]. Every element
/// of dw is written.
template <class X, class W, class Y>
void reference_conv_transpose_filter_gradient(const ConvTranspose& p,
                                              const X* x,
                                              W* dw,
                                              const Y* dy)
{
    const TensorStrides &xs = p.input_strides, &ws = p.filter_strides, &ys = p.output_strides;
    detail::for_each_block(p, p.in_channels, [&](long_index_t g, long_index_t c) {
        detail::Sums sums(p.filter, p.out_channels);
        for(long_index_t n = 0; n < p.batch; ++n)
            detail::for_each_meeting(
                p, [&](const Spatial& i, const Spatial& tap, const Spatial& o) {
                    const auto value = type_convert<double>(
                        x[g * xs[0] + n * xs[1] + c * xs[2] + detail::spatial_offset(xs, i)]);
                    const Y* const row = dy + g * ys[0] + n * ys[1] + detail::spatial_offset(ys, o);
                    double* const to   = sums.at(tap);
                    for(long_index_t k = 0; k < p.out_channels; ++k)
                        to[k] += value * type_convert<double>(row[k * ys[2]]);
                });
        sums.store(dw + g * ws[0] + c * ws[1], ws, ws[2]);
    });
}

} // namespace ck::tensor_operation::host
