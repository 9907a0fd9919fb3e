#pragma once
// Convolutions by their definition, on packed arrays: the plain loops that everything else is
// compared with.
#include "ck/convolution/problem.hpp"
#include "ck/library/utility/parallel_for.hpp"

#include <cstddef>
#include <vector>

namespace ck::tensor_operation::host {

/// Where dimension d of the output meets position `input` with filter tap `tap`:
///   input = o * stride + tap * dilation - pad_low.
/// -1 where no o in [0, output) does.
inline long_index_t output_position(const ConvProblem& p,
                                    const Spatial& output,
                                    std::size_t d,
                                    long_index_t input,
                                    long_index_t tap)
{
    const long_index_t strided = input + p.pad_low[d] - tap * p.dilation[d];
    if(strided < 0 || strided % p.stride[d] != 0)
        return -1;
    const long_index_t o = strided / p.stride[d];
    return o < output[d] ? o : -1;
}

/// sums[c] += sum over k of dy[k] * w[k * channels + c], in double: products of float are exact.
template <class T>
void accumulate_channels(
    double* sums, const T* dy, const T* w, long_index_t out_channels, long_index_t in_channels)
{
    for(long_index_t k = 0; k < out_channels; ++k)
    {
        const double y = dy[k];
        const T* w_k   = w + k * in_channels;
        for(long_index_t c = 0; c < in_channels; ++c)
            sums[c] += y * static_cast<double>(w_k[c]);
    }
}

/// dX[g,n,di,hi,wi,c] = sum over z,y,x,k of dY[g,n,do,ho,wo,k] * W[g,z,y,x,k,c],
///   di = do*stride + z*dilation - pad, likewise hi and wi, over all do,ho,wo within the output.
/// dy and w are packed in the order of that line. `output` is dY's size, which may differ from
/// p.output(). Calls store(g, n, di, hi, wi, sums), sums[C] in double, once for each pixel, on
/// several threads.
template <class T, class Store>
void convolution_backward_data(
    const ConvProblem& p, const Spatial& output, const T* dy, const T* w, const Store& store)
{
    const auto row = [&](long_index_t g, long_index_t n, long_index_t di, long_index_t hi) {
        std::vector<double> sums(static_cast<std::size_t>(p.in_channels));
        for(long_index_t wi = 0; wi < p.input[2]; ++wi)
        {
            sums.assign(sums.size(), 0);
            for(long_index_t z = 0; z < p.filter[0]; ++z)
                for(long_index_t y = 0; y < p.filter[1]; ++y)
                    for(long_index_t x = 0; x < p.filter[2]; ++x)
                    {
                        const long_index_t d = output_position(p, output, 0, di, z);
                        const long_index_t h = output_position(p, output, 1, hi, y);
                        const long_index_t v = output_position(p, output, 2, wi, x);
                        if(d < 0 || h < 0 || v < 0)
                            continue;
                        const long_index_t pixel =
                            (((g * p.batch + n) * output[0] + d) * output[1] + h) * output[2] + v;
                        const long_index_t tap =
                            ((g * p.filter[0] + z) * p.filter[1] + y) * p.filter[2] + x;
                        accumulate_channels(sums.data(),
                                            dy + pixel * p.out_channels,
                                            w + tap * p.out_channels * p.in_channels,
                                            p.out_channels,
                                            p.in_channels);
                    }
            store(g, n, di, hi, wi, sums.data());
        }
    };
    const long_index_t rows = p.groups * p.batch * p.input[0] * p.input[1];
    utils::parallel_for(
        static_cast<std::size_t>(rows),
        1,
        utils::host_threads(),
        [&](std::size_t begin, std::size_t end) {
            for(auto i = static_cast<long_index_t>(begin); i < static_cast<long_index_t>(end); ++i)
            {
                const long_index_t hi = i % p.input[1];
                const long_index_t di = i / p.input[1] % p.input[0];
                const long_index_t n  = i / (p.input[1] * p.input[0]) % p.batch;
                row(i / (p.input[1] * p.input[0] * p.batch), n, di, hi);
            }
        });
}

} // namespace ck::tensor_operation::host
