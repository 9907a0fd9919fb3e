#pragma once
// Operations on blocked tensors against the definition on plain arrays: random problems, padding
// lanes of operands NaN, results NaN beforehand, every element of the result's memory compared.
#include "ck/tensor_operation/gpu/device/impl/device_grouped_conv_blocked_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include "placed_memory.hpp"
#include "tensor_operation/operator_transform/products.hpp"
#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace ck::test {

using tensor_operation::element_wise::PassThrough;
namespace device = tensor_operation::device;
namespace c      = tensor_layout::convolution;

inline constexpr device::Role in = device::Role::input, filter = device::Role::filter,
                              out = device::Role::output;

template <class T>
T not_a_number()
{
    if constexpr(std::is_same_v<T, int8_t> || std::is_same_v<T, int32_t>)
        return static_cast<T>(77);
    else
        return type_convert<T>(std::numeric_limits<float>::quiet_NaN());
}

/// A tensor [group, first, channel, spatial]: as the definition numbers it, and in memory.
template <class Layout, class T>
struct BlockedHostTensor
{
    TensorLengths lengths;
    TensorStrides strides; ///< as an operation gets them
    long_index_t elements;

    /// channels_last: of one that is not blocked.
    BlockedHostTensor(const TensorLengths& l, bool channels_last) : lengths(l)
    {
        if constexpr(device::BlockedTag<Layout>)
        {
            const BlockedMemory m = device::blocked_memory<Layout, T>(l);
            strides               = m.strides;
            elements              = m.elements;
        }
        else
        {
            constexpr std::array<std::size_t, 6> last{0, 1, 3, 4, 5, 2}, first{0, 1, 2, 3, 4, 5};
            strides  = detail::packed_strides(l, channels_last ? last : first);
            elements = element_count(l);
        }
    }
    long_index_t offset(const std::array<long_index_t, 6>& i) const
    {
        if constexpr(device::BlockedTag<Layout>)
            return i[0] * strides[0] + device::blocked_memory<Layout, T>(lengths).offset(
                                           i[1], i[2], {i[3], i[4], i[5]});
        long_index_t sum = 0;
        for(std::size_t d = 0; d < 6; ++d)
            sum += i[d] * strides[d];
        return sum;
    }
    template <class F>
    void each(const F& f) const
    {
        std::array<long_index_t, 6> i{};
        for(long_index_t number = 0; number < element_count(lengths); ++number)
        {
            long_index_t rest = number;
            for(std::size_t d = 6; d-- > 0; rest /= lengths[d])
                i[d] = rest % lengths[d];
            f(number, offset(i));
        }
    }
    /// Fills memory with random values, and returns them by number.
    std::vector<int> fill(std::vector<T>& memory, Random& random) const
    {
        memory.assign(static_cast<std::size_t>(elements), not_a_number<T>());
        std::vector<int> values(static_cast<std::size_t>(element_count(lengths)));
        each([&](long_index_t number, long_index_t at) {
            const auto value                         = static_cast<int>(random(-2, 3));
            values[static_cast<std::size_t>(number)] = value;
            memory[static_cast<std::size_t>(at)]     = type_convert<T>(static_cast<float>(value));
        });
        return values;
    }
};

inline std::size_t number_of(const TensorLengths& l, const std::array<long_index_t, 6>& i)
{
    long_index_t n = 0;
    for(std::size_t d = 0; d < 6; ++d)
        n = n * l[d] + i[d];
    return static_cast<std::size_t>(n);
}

/// f(number of x, of w, of y) of each product of the convolution.
template <class F>
void each_product(const ConvProblem& p, const F& f)
{
    const TensorLengths x = p.input_lengths(), w = p.filter_lengths(), y = p.output_lengths();
    for_each(p.output(), [&](const Spatial& o) {
        for_each(p.filter, [&](const Spatial& t) {
            Spatial in{};
            for(std::size_t d = 0; d < 3; ++d)
            {
                in[d] = o[d] * p.stride[d] + t[d] * p.dilation[d] - p.pad_low[d];
                if(in[d] < 0 || in[d] >= p.input[d])
                    return;
            }
            for(long_index_t g = 0; g < p.groups; ++g)
                for(long_index_t n = 0; n < p.batch; ++n)
                    for(long_index_t k = 0; k < p.out_channels; ++k)
                    {
                        const std::size_t ny = number_of(y, {g, n, k, o[0], o[1], o[2]});
                        std::size_t nx       = number_of(x, {g, n, 0, in[0], in[1], in[2]}),
                                    nw       = number_of(w, {g, k, 0, t[0], t[1], t[2]});
                        for(long_index_t ch = 0; ch < p.in_channels; ++ch)
                        {
                            f(nx, nw, ny);
                            nx += static_cast<std::size_t>(x[3] * x[4] * x[5]);
                            nw += static_cast<std::size_t>(w[3] * w[4] * w[5]);
                        }
                    }
        });
    });
}

inline ConvProblem random_blocked_problem(index_t rank, long_index_t channels_of, Random& random)
{
    ConvProblem p  = random_problem(rank, random);
    p.groups       = random(0, 3) == 0 ? 2 : 1;
    p.in_channels  = channels_of * random(1, 40 / channels_of);
    p.out_channels = channels_of * random(1, 40 / channels_of);
    return p;
}

/// Operand, Result: element types; X, W, Y: layouts.
template <index_t rank, class Operand, class Result, class X, class W, class Y, GemmTuning tuning>
struct BlockedCase
{
    static inline std::size_t workspace_bytes = 0; ///< bytes that the last one asked for

    template <class T>
    static std::array<T, rank> dims(const Spatial& s)
    {
        std::array<T, rank> r{};
        for(std::size_t i = 0; i < rank; ++i)
            r[i] = static_cast<T>(s[3 - rank + i]);
        return r;
    }
    template <class Values>
    static std::array<index_t, rank + 3> tensor(const Values& v)
    {
        std::array<index_t, rank + 3> r{};
        for(std::size_t i = 0; i < 3; ++i)
            r[i] = static_cast<index_t>(v[i]);
        for(std::size_t i = 0; i < rank; ++i)
            r[3 + i] = static_cast<index_t>(v[6 - rank + i]);
        return r;
    }

    using Forward        = device::DeviceGroupedConvFwdBlockedImplicitGemm<rank,
                                                                    X,
                                                                    W,
                                                                    Y,
                                                                    Operand,
                                                                    Operand,
                                                                    Result,
                                                                    PassThrough,
                                                                    PassThrough,
                                                                    PassThrough,
                                                                    tuning>;
    using BackwardData   = device::DeviceGroupedConvBwdDataBlockedImplicitGemm<rank,
                                                                             Y,
                                                                             W,
                                                                             X,
                                                                             Operand,
                                                                             Operand,
                                                                             Result,
                                                                             PassThrough,
                                                                             PassThrough,
                                                                             PassThrough,
                                                                             tuning>;
    using BackwardWeight = device::DeviceGroupedConvBwdWeightBlockedImplicitGemm<rank,
                                                                                 X,
                                                                                 W,
                                                                                 Y,
                                                                                 Operand,
                                                                                 Result,
                                                                                 Operand,
                                                                                 PassThrough,
                                                                                 PassThrough,
                                                                                 PassThrough,
                                                                                 tuning>;
    /// The direction with this result.
    template <device::Role result>
    using Of = std::conditional_t<result == out,
                                  Forward,
                                  std::conditional_t<result == in, BackwardData, BackwardWeight>>;

    template <device::Role role, device::Role result>
    using Element = std::conditional_t<role == result, Result, Operand>;

    /// The argument of an operation on memory at x, w, y. split_k: of backward weight.
    template <class Op, device::Role result>
    static auto
    argument(const ConvProblem& p, void* x, void* w, void* y, [[maybe_unused]] index_t split_k = -1)
    {
        const auto xl = tensor(p.input_lengths()), xs = tensor(p.input_strides),
                   wl = tensor(p.filter_lengths()), ws = tensor(p.filter_strides),
                   yl = tensor(p.output_lengths()), ys = tensor(p.output_strides);
        const auto s = dims<index_t>(p.stride), d = dims<index_t>(p.dilation),
                   l = dims<index_t>(p.pad_low), r = dims<index_t>(p.pad_high);
        if constexpr(result == device::Role::output)
            return Op{}.MakeArgumentPointer(
                x, w, {}, y, xl, xs, wl, ws, {}, {}, yl, ys, s, d, l, r, {}, {}, {});
        else if constexpr(result == device::Role::input)
            return Op{}.MakeArgumentPointer(
                y, w, {}, x, yl, ys, wl, ws, {}, {}, xl, xs, s, d, l, r, {}, {}, {});
        else
            return Op{}.MakeArgumentPointer(
                x, w, y, xl, xs, wl, ws, yl, ys, s, d, l, r, {}, {}, {}, split_k);
    }

    template <class Op, device::Role result>
    static void expect_right(ConvProblem p,
                             Random& random,
                             bool channels_last,
                             index_t split_k    = -1,
                             bool has_workspace = true)
    {
        const BlockedHostTensor<X, Element<in, result>> x(p.input_lengths(), channels_last);
        const BlockedHostTensor<W, Element<filter, result>> w(p.filter_lengths(), channels_last);
        const BlockedHostTensor<Y, Element<out, result>> y(p.output_lengths(), channels_last);
        p.input_strides  = x.strides;
        p.filter_strides = w.strides;
        p.output_strides = y.strides;
        std::vector<Element<in, result>> x_memory;
        std::vector<Element<filter, result>> w_memory;
        std::vector<Element<out, result>> y_memory;
        const std::vector<int> x_values = x.fill(x_memory, random),
                               w_values = w.fill(w_memory, random),
                               y_values = y.fill(y_memory, random);
        const auto compare              = [&](auto& memory, const auto& of) {
            std::vector<double> sums(static_cast<std::size_t>(element_count(of.lengths)));
            each_product(p, [&](std::size_t nx, std::size_t nw, std::size_t ny) {
                if constexpr(result == in)
                    sums[nx] += double{1} * w_values[nw] * y_values[ny];
                else if constexpr(result == filter)
                    sums[nw] += double{1} * x_values[nx] * y_values[ny];
                else
                    sums[ny] += double{1} * x_values[nx] * w_values[nw];
            });
            std::vector<Result> expected(memory.size(), type_convert<Result>(0.f));
            of.each([&](long_index_t number, long_index_t at) {
                expected[static_cast<std::size_t>(at)] = type_convert<Result>(
                    static_cast<float>(sums[static_cast<std::size_t>(number)]));
            });
            memory.assign(expected.size(), not_a_number<Result>());

            constexpr auto vector = static_cast<std::size_t>(
                std::max({tuning.a_vector, tuning.b_vector, tuning.c_vector}));
            const PlacedMemory x_device = on_device(x_memory, vector * sizeof(x_memory[0])),
                               w_device = on_device(w_memory, vector * sizeof(w_memory[0])),
                               y_device = on_device(y_memory, vector * sizeof(y_memory[0]));
            Op op;
            const auto a    = argument<Op, result>(p,
                                                x_device.GetDeviceBuffer(),
                                                w_device.GetDeviceBuffer(),
                                                y_device.GetDeviceBuffer(),
                                                split_k);
            workspace_bytes = op.GetWorkSpaceSize(a.get());
            const PlacedMemory workspace(workspace_bytes);
            if(has_workspace)
                op.SetWorkSpacePointer(a.get(), workspace.GetDeviceBuffer());
            ASSERT_EQ(op.WhyNotSupported(a.get()), "") << text(p);
            op.MakeInvokerPointer()->Run(a.get());
            const PlacedMemory& got = result == in       ? x_device
                                                   : result == filter ? w_device
                                                                      : y_device;
            got.FromDevice(memory.data());
            for(std::size_t i = 0; i < expected.size(); ++i)
                ASSERT_EQ(type_convert<float>(memory[i]), type_convert<float>(expected[i]))
                    << text(p) << " at " << i << " of " << expected.size();
        };
        if constexpr(result == in)
            compare(x_memory, x);
        else if constexpr(result == filter)
            compare(w_memory, w);
        else
            compare(y_memory, y);
    }

    /// channels_of: what C and K are a multiple of; packed tensors ask for their vectors.
    template <class Op, device::Role result>
    static void
    expect_random(unsigned seed, int count, long_index_t channels_of = 1, bool channels_last = true)
    {
        Random random{std::mt19937(seed)};
        for(int i = 0; i < count; ++i)
        {
            ConvProblem p = random_blocked_problem(rank, channels_of, random);
            ASSERT_NO_FATAL_FAILURE((expect_right<Op, result>(p, random, channels_last)));
        }
    }
    template <class Op, device::Role result>
    static std::string why_not()
    {
        ConvProblem p = make_packed_problem<2>(1, 1, 8, 8, {1, 1}, {4, 4}, {1, 1}, {1, 1}, {}, {});
        alignas(64) static char memory[3][64];
        Op op;
        return op.WhyNotSupported(argument<Op, result>(p, memory[0], memory[1], memory[2]).get());
    }
};

} // namespace ck::test
