#pragma once
// Convolutions by definition on the device, for problems that would take the CPU's plain loops
// hours. One thread computes one element of the result. Padding is multiplied as zeros, as
// docs/inf_and_nan.md says.
//
// Cost: each product takes 2 loads and a multiply-add, and each filter tap takes 64-bit index
// arithmetic. Threads share nothing, and there is no workspace. Forward and backward data have one
// thread for each element of Y or dX. Backward weight has one for each weight, which visits all
// images and pixels; this is slow if there are few weights.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/convolution/direction.hpp"
#include "ck/convolution/problem.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/utility/math_v2.hpp"
#include "ck/utility/type_convert.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <type_traits>

namespace ck::ref {

namespace detail {

/// X, W and Y are the element types of the tensors; the result's type has no const.
template <Direction direction, class X, class W, class Y, class Acc>
struct NaiveConv
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct Params
    {
        X* x;
        W* w;
        Y* y;
        long_index_t count, grid; // elements of the result; number of blocks
        long_index_t batch, out_channels, in_channels;
        long_index_t input[3], filter[3], output[3], stride[3], dilation[3], pad[3];
        long_index_t x_strides[6], w_strides[6], y_strides[6]; // as in ConvProblem

        auto addresses() const { return std::tie(x, w, y); }
    };
    struct SharedStorage
    {};

    /// A position in one of the tensors: group, first and second of N K C, D H W.
    struct Index
    {
        long_index_t i[6];

        CK_HOST_DEVICE long_index_t offset(const long_index_t (&strides)[6]) const
        {
            long_index_t sum = 0;
            for(index_t d = 0; d < 6; ++d)
                sum += i[d] * strides[d];
            return sum;
        }
    };

    /// The index of element `at` of a tensor whose channel (dimension 2) is the fastest, so that
    /// neighbouring threads mostly access neighbouring memory.
    CK_HOST_DEVICE static Index
    index_of(long_index_t at, long_index_t n, long_index_t c, const long_index_t (&spatial)[3])
    {
        Index r{};
        const auto next = [&](long_index_t length) {
            const long_index_t digit = at % length;
            at /= length;
            return digit;
        };
        r.i[2] = next(c);
        r.i[5] = next(spatial[2]);
        r.i[4] = next(spatial[1]);
        r.i[3] = next(spatial[0]);
        r.i[1] = next(n);
        r.i[0] = at;
        return r;
    }

    /// The product of b and element `at` of a, which is zero outside the tensor.
    template <class A, class B>
    CK_HOST_DEVICE static Acc product(const A* a, long_index_t at, bool inside, const B& b)
    {
        return (inside ? type_convert<Acc>(a[at]) : Acc{0}) * type_convert<Acc>(b);
    }

    /// Calls f(z y x) for every filter tap.
    template <class F>
    CK_HOST_DEVICE static void for_each_tap(const Params& p, const F& f)
    {
        for(long_index_t z = 0; z < p.filter[0]; ++z)
            for(long_index_t y = 0; y < p.filter[1]; ++y)
                for(long_index_t x = 0; x < p.filter[2]; ++x)
                {
                    const long_index_t tap[3] = {z, y, x};
                    f(tap);
                }
    }

    /// The pixel of x that pixel `out` of y reads with filter tap `tap`; false if it is padding.
    CK_HOST_DEVICE static bool
    input_pixel(const Params& p, const long_index_t* out, const long_index_t* tap, long_index_t* in)
    {
        bool inside = true;
        for(index_t d = 0; d < 3; ++d)
        {
            in[d]  = out[d] * p.stride[d] + tap[d] * p.dilation[d] - p.pad[d];
            inside = inside && in[d] >= 0 && in[d] < p.input[d];
        }
        return inside;
    }

    /// The pixel of y that reads pixel `in` of x with filter tap `tap`, and whether it is inside
    /// the tensor; false if strides skip it.
    CK_HOST_DEVICE static bool output_pixel(const Params& p,
                                            const long_index_t* in,
                                            const long_index_t* tap,
                                            long_index_t* out,
                                            bool& inside)
    {
        bool exists = true;
        inside      = true;
        for(index_t d = 0; d < 3; ++d)
        {
            const long_index_t strided = in[d] + p.pad[d] - tap[d] * p.dilation[d];
            out[d]                     = strided / p.stride[d];
            exists                     = exists && strided % p.stride[d] == 0;
            inside                     = inside && out[d] >= 0 && out[d] < p.output[d];
        }
        return exists;
    }

    CK_HOST_DEVICE static void forward(const Params& p, long_index_t at)
    {
        const Index y = index_of(at, p.batch, p.out_channels, p.output);
        Acc sum       = 0;
        for_each_tap(p, [&](const long_index_t* tap) {
            Index x{{y.i[0], y.i[1], 0}};
            const Index w{{y.i[0], y.i[2], 0, tap[0], tap[1], tap[2]}};
            const bool inside         = input_pixel(p, y.i + 3, tap, x.i + 3);
            const long_index_t from   = x.offset(p.x_strides);
            const long_index_t weight = w.offset(p.w_strides);
            // Pointers may be null if there are no channels. A NaN sum stays NaN.
            for(long_index_t c = 0; c < p.in_channels && !math::isnan(sum); ++c)
                sum += product(
                    p.x, from + c * p.x_strides[2], inside, p.w[weight + c * p.w_strides[2]]);
        });
        p.y[y.offset(p.y_strides)] = type_convert<Y>(sum);
    }

    CK_HOST_DEVICE static void backward_data(const Params& p, long_index_t at)
    {
        const Index x = index_of(at, p.batch, p.in_channels, p.input);
        Acc sum       = 0;
        for_each_tap(p, [&](const long_index_t* tap) {
            Index y{{x.i[0], x.i[1], 0}};
            const Index w{{x.i[0], 0, x.i[2], tap[0], tap[1], tap[2]}};
            bool inside;
            if(!output_pixel(p, x.i + 3, tap, y.i + 3, inside))
                return;
            const long_index_t from   = y.offset(p.y_strides);
            const long_index_t weight = w.offset(p.w_strides);
            for(long_index_t k = 0; k < p.out_channels && !math::isnan(sum); ++k)
                sum += product(
                    p.y, from + k * p.y_strides[2], inside, p.w[weight + k * p.w_strides[1]]);
        });
        p.x[x.offset(p.x_strides)] = type_convert<X>(sum);
    }

    CK_HOST_DEVICE static void backward_weight(const Params& p, long_index_t at)
    {
        const Index w = index_of(at, p.out_channels, p.in_channels, p.filter);
        Acc sum       = 0;
        Index y{{w.i[0], 0, w.i[1]}}, x{{w.i[0], 0, w.i[2]}};
        for(y.i[3] = 0; y.i[3] < p.output[0]; ++y.i[3])
            for(y.i[4] = 0; y.i[4] < p.output[1] && !math::isnan(sum); ++y.i[4])
                for(y.i[5] = 0; y.i[5] < p.output[2]; ++y.i[5])
                {
                    const bool inside           = input_pixel(p, y.i + 3, w.i + 3, x.i + 3);
                    const long_index_t gradient = y.offset(p.y_strides);
                    const long_index_t from     = x.offset(p.x_strides);
                    for(long_index_t n = 0; n < p.batch; ++n)
                        sum += product(p.x,
                                       from + n * p.x_strides[1],
                                       inside,
                                       p.y[gradient + n * p.y_strides[1]]);
                }
        p.w[w.offset(p.w_strides)] = type_convert<W>(sum);
    }

    /// Computes and writes element `at` of the result; see index_of().
    CK_HOST_DEVICE static void compute(const Params& p, long_index_t at)
    {
        if constexpr(direction == Direction::forward)
            forward(p, at);
        else if constexpr(direction == Direction::backward_data)
            backward_data(p, at);
        else
            backward_weight(p, at);
    }

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        for(long_index_t at = long_index_t{arch::block_index()} * block_size + arch::thread_index();
            at < p.count;
            at += p.grid * block_size)
            compute(p, at);
    }

    static Params make_params(const ConvProblem& p, X* x, W* w, Y* y)
    {
        const Spatial out = p.output();
        const long_index_t all =
            element_count(direction == Direction::forward         ? p.output_lengths()
                          : direction == Direction::backward_data ? p.input_lengths()
                                                                  : p.filter_lengths());
        constexpr long_index_t most_blocks = 1 << 22;
        Params r{};
        r.x     = x;
        r.w     = w;
        r.y     = y;
        r.count = all;
        r.grid  = std::min(most_blocks, math::integer_divide_ceil(all, long_index_t{block_size}));
        r.batch = p.batch;
        r.out_channels = p.out_channels;
        r.in_channels  = p.in_channels;
        for(std::size_t d = 0; d < 3; ++d)
        {
            r.input[d]    = p.input[d];
            r.filter[d]   = p.filter[d];
            r.output[d]   = out[d];
            r.stride[d]   = p.stride[d];
            r.dilation[d] = p.dilation[d];
            r.pad[d]      = p.pad_low[d];
        }
        for(std::size_t d = 0; d < 6; ++d)
        {
            r.x_strides[d] = p.input_strides[d];
            r.w_strides[d] = p.filter_strides[d];
            r.y_strides[d] = p.output_strides[d];
        }
        return r;
    }
};

template <Direction direction, class Acc, class X, class W, class Y>
void naive_conv(const ConvProblem& p, X* x, W* w, Y* y, hipStream_t stream)
{
    static_assert(std::is_same_v<Acc, float> || std::is_same_v<Acc, double>,
                  "naive convolutions accumulate in float or double");
    if(const Support s = validate(p); !s)
        throw std::runtime_error("naive convolution: " + s.reason);
    using Kernel = NaiveConv<direction, X, W, Y, Acc>;
    const auto r = Kernel::make_params(p, x, w, y);
    HIP_CHECK_ERROR(arch::launch<Kernel>(static_cast<index_t>(r.grid), stream, r));
}

} // namespace detail

// x, w and y are device memory with the problem's strides. Each tensor has its own element
// type, any that type_convert supports. Products and sums are computed in Acc, float or double,
// in a fixed order, and the sum is rounded to the result's type; with double, integer sums of
// up to 2^53 are exact. Every element of the result is written, and nothing else. Asynchronous
// on the stream. Throw std::runtime_error if validate() refuses the problem, or if the launch
// fails.

/// Y[g,n,k,do,ho,wo] = sum over c,z,y,x of X[g,n,c,di,hi,wi] * W[g,k,c,z,y,x],
///   di = do*stride + z*dilation - pad, likewise hi and wi.
template <class Acc = double, class X, class W, class Y>
void naive_conv_fwd(
    const ConvProblem& p, const X* x, const W* w, Y* y, hipStream_t stream = nullptr)
{
    detail::naive_conv<Direction::forward, Acc>(p, x, w, y, stream);
}

/// dX[g,n,c,di,hi,wi] = sum over k,z,y,x of dY[g,n,k,do,ho,wo] * W[g,k,c,z,y,x], do as above.
template <class Acc = double, class X, class W, class Y>
void naive_conv_bwd_data(
    const ConvProblem& p, X* dx, const W* w, const Y* dy, hipStream_t stream = nullptr)
{
    detail::naive_conv<Direction::backward_data, Acc>(p, dx, w, dy, stream);
}

/// dW[g,k,c,z,y,x] = sum over n,do,ho,wo of dY[g,n,k,do,ho,wo] * X[g,n,c,di,hi,wi], di as above.
template <class Acc = double, class X, class W, class Y>
void naive_conv_bwd_weight(
    const ConvProblem& p, const X* x, W* dw, const Y* dy, hipStream_t stream = nullptr)
{
    detail::naive_conv<Direction::backward_weight, Acc>(p, x, dw, dy, stream);
}

} // namespace ck::ref
