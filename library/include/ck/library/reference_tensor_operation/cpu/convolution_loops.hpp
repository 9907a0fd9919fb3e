#pragma once
// Convolutions by definition, on contiguous arrays: the plain loops that all kernels are compared
// with. Padding is multiplied as zeros, as docs/inf_and_nan.md says.
#include "ck/convolution/problem.hpp"
#include "ck/library/utility/parallel_for.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ck::tensor_operation::host {

inline constexpr long_index_t beyond = -1; ///< outside the tensor: a zero
inline constexpr long_index_t never  = -2; ///< strides skip the position: no product

/// The output position o of dimension d that meets position `input` with filter tap `tap`:
///   input = o * stride + tap * dilation - pad_low.
/// `beyond` if o is not in [0, output), `never` if it is not an integer.
inline long_index_t output_position(const ConvProblem& p,
                                    const Spatial& output,
                                    std::size_t d,
                                    long_index_t input,
                                    long_index_t tap)
{
    const long_index_t strided = input + p.pad_low[d] - tap * p.dilation[d];
    if(strided % p.stride[d] != 0)
        return never;
    const long_index_t o = strided / p.stride[d];
    return o >= 0 && o < output[d] ? o : beyond;
}

/// The position in dimension d of the input that output position o reads with filter tap `tap`;
/// `beyond` in the padding.
inline long_index_t
input_position(const ConvProblem& p, std::size_t d, long_index_t o, long_index_t tap)
{
    const long_index_t i = o * p.stride[d] + tap * p.dilation[d] - p.pad_low[d];
    return i >= 0 && i < p.input[d] ? i : beyond;
}

/// sums[j] += sum over i of values[i] * w[i * to + j], in double: products of floats are exact.
template <class T>
void accumulate_channels(
    double* sums, const T* values, const T* w, long_index_t from, long_index_t to)
{
    for(long_index_t i = 0; i < from; ++i)
    {
        const double value = values[i];
        const T* w_i       = w + i * to;
        for(long_index_t j = 0; j < to; ++j)
            sums[j] += value * static_cast<double>(w_i[j]);
    }
}

/// Calls row(g, n, d, h) for every row along W of an image tensor, on several threads.
template <class Row>
void for_each_row(const ConvProblem& p, const Spatial& spatial, const Row& row)
{
    const long_index_t rows = p.groups * p.batch * spatial[0] * spatial[1];
    utils::parallel_for(
        static_cast<std::size_t>(rows),
        1,
        utils::host_threads(),
        [&](std::size_t begin, std::size_t end) {
            for(auto i = static_cast<long_index_t>(begin); i < static_cast<long_index_t>(end); ++i)
                row(i / (spatial[1] * spatial[0] * p.batch),
                    i / (spatial[1] * spatial[0]) % p.batch,
                    i / spatial[1] % spatial[0],
                    i % spatial[1]);
        });
}

/// The index of a pixel, or of a tap, in rows along W of these lengths. outer: the index of its
/// image or group.
inline long_index_t packed_position(
    long_index_t outer, const Spatial& lengths, long_index_t d, long_index_t h, long_index_t w)
{
    return ((outer * lengths[0] + d) * lengths[1] + h) * lengths[2] + w;
}

/// to[g,n,d,h,w,j] = sum over z,y,x,i of from[g,n,place(0,d,z),place(1,h,y),place(2,w,x),i] *
/// w[g,z,y,x,i,j], where `from` is zero outside the tensor, and positions that are `never` have no
/// product. `from` and w are contiguous in the order of that line. from_pixels, to_pixels: the
/// images' sizes; channels_from, channels_to: the ranges of i and j. Calls store(g, n, d, h, w,
/// sums) once for each pixel, on several threads; sums[j] is in double.
template <class T, class Place, class Store>
void convolve(const ConvProblem& p,
              const Spatial& from_pixels,
              const Spatial& to_pixels,
              long_index_t channels_from,
              long_index_t channels_to,
              const T* from,
              const T* w,
              const Place& place,
              const Store& store)
{
    const std::vector<T> zeros(static_cast<std::size_t>(channels_from));
    for_each_row(
        p, to_pixels, [&](long_index_t g, long_index_t n, long_index_t to_d, long_index_t to_h) {
            std::vector<double> sums(static_cast<std::size_t>(channels_to));
            for(long_index_t to_w = 0; to_w < to_pixels[2]; ++to_w)
            {
                sums.assign(sums.size(), 0);
                for(long_index_t z = 0; z < p.filter[0]; ++z)
                    for(long_index_t y = 0; y < p.filter[1]; ++y)
                        for(long_index_t x = 0; x < p.filter[2]; ++x)
                        {
                            const long_index_t at_d = place(0, to_d, z), at_h = place(1, to_h, y),
                                               at_w = place(2, to_w, x);
                            if(at_d == never || at_h == never || at_w == never)
                                continue;
                            const bool inside = at_d >= 0 && at_h >= 0 && at_w >= 0;
                            const long_index_t pixel =
                                packed_position(g * p.batch + n, from_pixels, at_d, at_h, at_w);
                            accumulate_channels(sums.data(),
                                                inside ? from + pixel * channels_from
                                                       : zeros.data(),
                                                w + packed_position(g, p.filter, z, y, x) *
                                                        channels_from * channels_to,
                                                channels_from,
                                                channels_to);
                        }
                store(g, n, to_d, to_h, to_w, sums.data());
            }
        });
}

/// Y[g,n,do,ho,wo,k] = sum over z,y,x,c of X[g,n,di,hi,wi,c] * W[g,z,y,x,c,k],
///   di = do*stride + z*dilation - pad, likewise hi and wi; outside the tensor X is zero.
/// x and w are contiguous in the order of that line. `output` is Y's size, which may differ from
/// p.output(). Calls store(g, n, do, ho, wo, sums): see convolve().
template <class T, class Store>
void convolution_forward(
    const ConvProblem& p, const Spatial& output, const T* x, const T* w, const Store& store)
{
    const auto place = [&](std::size_t d, long_index_t out, long_index_t tap) {
        return input_position(p, d, out, tap);
    };
    convolve(p, p.input, output, p.in_channels, p.out_channels, x, w, place, store);
}

/// dX[g,n,di,hi,wi,c] = sum over z,y,x,k of dY[g,n,do,ho,wo,k] * W[g,z,y,x,k,c],
///   di = do*stride + z*dilation - pad, likewise hi and wi; outside the tensor dY is zero.
/// dy and w are contiguous in the order of that line. `output` is dY's size, which may differ from
/// p.output(). Calls store(g, n, di, hi, wi, sums): see convolve().
template <class T, class Store>
void convolution_backward_data(
    const ConvProblem& p, const Spatial& output, const T* dy, const T* w, const Store& store)
{
    const auto place = [&](std::size_t d, long_index_t in, long_index_t tap) {
        return output_position(p, output, d, in, tap);
    };
    convolve(p, output, p.input, p.out_channels, p.in_channels, dy, w, place, store);
}

/// dW[g,k,z,y,x,c] = sum over n,do,ho,wo of dY[g,n,do,ho,wo,k] * X[g,n,di,hi,wi,c],
///   di = do*stride + z*dilation - pad, likewise hi and wi; outside the tensor X is zero.
/// x and dy are contiguous in the order of that line. `output` is dY's size, which may differ from
/// p.output(). Calls store(g, k, c, z, y, x, sum) once for each weight, on several threads; sum is
/// in double.
template <class T, class Store>
void convolution_backward_weight(
    const ConvProblem& p, const Spatial& output, const T* x, const T* dy, const Store& store)
{
    // The sums of a block, 16 KiB, stay in the L1 cache while all pixels are visited.
    constexpr long_index_t block_k = 16, block_c = 128;
    const T zeros[block_c]{};

    const long_index_t blocks_k = math::integer_divide_ceil(p.out_channels, block_k);
    const long_index_t blocks_c = math::integer_divide_ceil(p.in_channels, block_c);

    const auto block = [&](long_index_t g,
                           const Spatial& tap,
                           long_index_t first_k,
                           long_index_t first_c) {
        const long_index_t count_k = std::min(block_k, p.out_channels - first_k);
        const long_index_t count_c = std::min(block_c, p.in_channels - first_c);
        double sums[block_k * block_c]{};
        double values[block_c];
        for(long_index_t n = 0; n < p.batch; ++n)
            for(long_index_t d = 0; d < output[0]; ++d)
                for(long_index_t h = 0; h < output[1]; ++h)
                    for(long_index_t v = 0; v < output[2]; ++v)
                    {
                        const long_index_t di    = input_position(p, 0, d, tap[0]);
                        const long_index_t hi    = input_position(p, 1, h, tap[1]);
                        const long_index_t wi    = input_position(p, 2, v, tap[2]);
                        const bool inside        = di >= 0 && hi >= 0 && wi >= 0;
                        const long_index_t image = g * p.batch + n;
                        const long_index_t pixel = packed_position(image, p.input, di, hi, wi);
                        const T* from = inside ? x + pixel * p.in_channels + first_c : zeros;
                        const T* gradient =
                            dy + packed_position(image, output, d, h, v) * p.out_channels + first_k;
                        for(long_index_t c = 0; c < count_c; ++c)
                            values[c] = from[c];
                        for(long_index_t k = 0; k < count_k; ++k)
                        {
                            const double y = gradient[k];
                            double* sums_k = sums + k * block_c;
                            for(long_index_t c = 0; c < count_c; ++c)
                                sums_k[c] += y * values[c];
                        }
                    }
        for(long_index_t k = 0; k < count_k; ++k)
            for(long_index_t c = 0; c < count_c; ++c)
                store(g, first_k + k, first_c + c, tap[0], tap[1], tap[2], sums[k * block_c + c]);
    };

    const long_index_t taps   = p.filter[0] * p.filter[1] * p.filter[2];
    const long_index_t blocks = p.groups * taps * blocks_k * blocks_c;
    utils::parallel_for(
        static_cast<std::size_t>(blocks),
        1,
        utils::host_threads(),
        [&](std::size_t begin, std::size_t end) {
            for(auto i = static_cast<long_index_t>(begin); i < static_cast<long_index_t>(end); ++i)
            {
                const long_index_t tap = i / (blocks_k * blocks_c) % taps;
                block(i / (blocks_k * blocks_c * taps),
                      {tap / (p.filter[2] * p.filter[1]),
                       tap / p.filter[2] % p.filter[1],
                       tap % p.filter[2]},
                      i / blocks_c % blocks_k * block_k,
                      i % blocks_c * block_c);
            }
        });
}

} // namespace ck::tensor_operation::host
