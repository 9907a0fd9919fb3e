#pragma once
// A spec with tensors of small integers in memory, and its result by plain loops.
#include "ck/conv.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include "library/tensor_operation_instance/kernel_setup.hpp"
#include "placed_memory.hpp"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ck::conv_test {

using namespace tensor_operation::device::instance;
namespace element_wise = tensor_operation::element_wise;
using test::Element;
using test::element;
using test::PlacedMemory;
using test::Values;

/// A tensor of logical dimensions g, n or k, channel, d, h, w, at a random multiple of `alignment`.
struct SpecTensor
{
    SpecTensor(
        Values v, const TensorStrides& s, DataType type, std::size_t alignment, unsigned seed)
        : values(std::move(v)),
          strides(s),
          of(element(name(type))),
          bytes(size(), '\xff'),
          memory(bytes.size(), std::max(alignment, of.size), seed)
    {
        write();
        // Strides may put elements in the same place: then they are what is there.
        values.for_each_offset(strides, [&](std::size_t i, std::size_t offset) {
            values.values[i] = of.load(bytes.data() + offset * of.size);
        });
    }
    void write()
    {
        values.for_each_offset(strides, [&](std::size_t i, std::size_t offset) {
            of.store(bytes.data() + offset * of.size, values.values[i]);
        });
        memory.ToDevice(bytes.data(), bytes.size());
    }
    void read() { memory.FromDevice(bytes.data(), bytes.size()); }
    /// The same at another address.
    void move()
    {
        memory.move();
        memory.ToDevice(bytes.data(), bytes.size());
    }
    double rounded(double x) const
    {
        std::vector<char> stored(of.size);
        of.store(stored.data(), of.saturated(x));
        return of.load(stored.data());
    }
    /// Elements that are not a number within `error` of what is expected, rounded.
    std::size_t different(const std::vector<double>& expected,
                          const std::vector<double>& error) const
    {
        std::size_t wrong = 0;
        values.for_each_offset(strides, [&](std::size_t i, std::size_t offset) {
            const double got = of.load(bytes.data() + offset * of.size);
            wrong +=
                !(got >= rounded(expected[i] - error[i]) && got <= rounded(expected[i] + error[i]));
        });
        return wrong;
    }

    Values values;
    TensorStrides strides;
    const Element& of;
    std::vector<char> bytes;
    PlacedMemory memory;

private:
    std::size_t size() const
    {
        if(element_count(values.lengths) == 0)
            return 0;
        long_index_t last = 0;
        for(std::size_t i = 0; i < 6; ++i)
            last += (values.lengths[i] - 1) * strides[i];
        return static_cast<std::size_t>(last + 1) * of.size;
    }
};

/// Strides by the table of Layout; not how the library computes them. channels, pixels: lengths.
inline TensorStrides strides_of(Layout layout, const TensorLengths& l, bool filter)
{
    const long_index_t pixels = l[3] * l[4] * l[5];
    TensorStrides s{};
    if(layout == Layout::channels_last)
    {
        const long_index_t pixel = filter ? l[2] : l[0] * l[2];
        s                        = {filter ? l[1] * pixels * l[2] : l[2],
             pixels * pixel,
             1,
             l[4] * l[5] * pixel,
             l[5] * pixel,
             pixel};
    }
    else
        s = {filter ? l[1] * l[2] * pixels : l[2] * pixels,
             filter ? l[2] * pixels : l[0] * l[2] * pixels,
             pixels,
             l[4] * l[5],
             l[5],
             1};
    return s;
}

/// An activation, in double.
inline double activated(const Epilogue& e, double x)
{
    switch(e.activation)
    {
    case Activation::none:
        break;
    case Activation::relu:
        return std::max(x, 0.);
    case Activation::silu:
        return x / (1 + std::exp(-x));
    case Activation::gelu:
        return x * std::erfc(-x / std::sqrt(2.)) / 2;
    case Activation::clamp:
        return std::clamp<double>(x, e.least, e.most);
    case Activation::leaky_relu:
        return x < 0 ? e.slope * x : x;
    case Activation::hard_swish:
        return x * std::clamp(x + 3, 0., 6.) / 6;
    case Activation::hard_sigmoid:
        return std::clamp(x + 3, 0., 6.) / 6;
    case Activation::sigmoid:
        return 1 / (1 + std::exp(-x));
    }
    return x;
}
/// Returns the error of an activation in float. The argument of the exponential, or of the
/// Gaussian, is rounded:
/// its relative error reaches the value multiplied by the argument.
inline double activation_error(const Epilogue& e, double x)
{
    constexpr double epsilon = std::numeric_limits<float>::epsilon();
    const double value       = std::abs(activated(e, x));
    const auto exponential   = [&](double argument) {
        return std::numeric_limits<float>::min() + 4 * (2 + argument) * epsilon * value;
    };
    switch(e.activation)
    {
    case Activation::none:
    case Activation::relu:
    case Activation::clamp:
        break;
    case Activation::silu:
    case Activation::sigmoid:
        return exponential(std::abs(x));
    case Activation::gelu:
        return exponential(x * x / 2);
    case Activation::leaky_relu:
        return x < 0 ? epsilon * value : 0;
    case Activation::hard_swish: // exact where the factor is 0 or 1
        return std::abs(x) < 3 ? 2 * epsilon * std::abs(x) : 0;
    case Activation::hard_sigmoid:
        return std::abs(x) < 3 ? 2 * epsilon : 0;
    }
    return 0;
}

class Convolution
{
public:
    explicit Convolution(const ConvSpec& spec, unsigned seed = 1)
        : spec_(spec),
          x(make(spec, x_lengths(spec), spec.x_strides, spec.x_type, false, seed)),
          w(make(spec, w_lengths(spec), spec.w_strides, spec.w_type, true, seed + 1)),
          y(make(spec, y_lengths(spec), spec.y_strides, spec.y_type, false, seed + 2)),
          residual(Values::integers(result().values.lengths, seed + 3),
                   result().strides,
                   result_type(),
                   spec.alignment,
                   seed + 3),
          bias(Values::integers({spec.groups, 1, bias_channels(), 1, 1, 1}, seed + 4),
               {bias_channels(), 0, 1, 0, 0, 0},
               result_type(),
               spec.alignment,
               seed + 4),
          sums_(compute()),
          seed_(seed)
    {}

    const SpecTensor& result() const
    {
        return spec_.direction == Direction::forward         ? y
               : spec_.direction == Direction::backward_data ? x
                                                             : w;
    }
    SpecTensor& result()
    {
        return spec_.direction == Direction::forward         ? y
               : spec_.direction == Direction::backward_data ? x
                                                             : w;
    }

    /// The tensors, with a workspace for the plan, full of NaN or of numbers.
    ConvTensors tensors(const ConvPlan& plan)
    {
        // NaN and numbers in turns: kernels that compute again what is not finite would repair what
        // they took from there.
        static std::atomic<int> number = 0;
        const std::vector<char> spoilt(plan.workspace_size(), number++ % 2 == 0 ? '\x4b' : '\xff');
        workspace_.emplace(spoilt.size(), 16, seed_ + 5);
        workspace_->ToDevice(spoilt.data(), spoilt.size());
        return {.x    = x.memory.GetDeviceBuffer(),
                .w    = w.memory.GetDeviceBuffer(),
                .y    = y.memory.GetDeviceBuffer(),
                .bias = spec_.epilogue.bias || spec_.bias_gradient ? bias.memory.GetDeviceBuffer()
                                                                   : nullptr,
                .residual  = spec_.epilogue.residual != Residual::none
                                 ? residual.memory.GetDeviceBuffer()
                                 : nullptr,
                .workspace = spoilt.empty() ? nullptr : workspace_->GetDeviceBuffer()};
    }

    /// Fills the result with NaN or, where it is added to, with its integers.
    void spoil()
    {
        std::fill(result().bytes.begin(), result().bytes.end(), '\xff');
        if(spec_.beta == 1)
            result().write();
        result().memory.ToDevice(result().bytes.data(), result().bytes.size());
    }

    /// Puts all tensors at other random multiples of the spec's alignment.
    void move()
    {
        for(SpecTensor* const tensor : {&x, &w, &y, &residual, &bias})
            tensor->move();
    }

    /// Elements of the results that are wrong, and bytes outside tensors that were written, in a
    /// run at random addresses, other ones in each call.
    std::size_t mistakes(const ConvPlan& plan)
    {
        move();
        spoil();
        if(spec_.bias_gradient)
        {
            std::fill(bias.bytes.begin(), bias.bytes.end(), '\xff');
            bias.memory.ToDevice(bias.bytes.data(), bias.bytes.size());
        }
        plan.run(tensors(plan));
        result().read();
        const Expected right =
            expected(plan.kernel().find("SeparateEpilogue<") != std::string::npos);
        std::size_t wrong = result().different(right.values, right.error);
        if(spec_.bias_gradient)
        {
            const std::vector<double> sums = bias_gradient();
            bias.read();
            wrong += bias.different(sums, std::vector<double>(sums.size()));
        }
        for(const SpecTensor* const tensor : {&x, &w, &y, &residual, &bias})
            wrong += tensor->memory.strayed();
        return wrong + workspace_->strayed();
    }

    static TensorLengths x_lengths(const ConvSpec& s)
    {
        return lengths(s.groups, s.n, s.c, s.input);
    }
    static TensorLengths w_lengths(const ConvSpec& s)
    {
        return s.transposed ? lengths(s.groups, s.c, s.k, s.filter)
                            : lengths(s.groups, s.k, s.c, s.filter);
    }
    static TensorLengths y_lengths(const ConvSpec& s)
    {
        return lengths(s.groups, s.n, s.k, s.output());
    }

private:
    static TensorLengths
    lengths(long_index_t a, long_index_t b, long_index_t c, const Extents& spatial)
    {
        TensorLengths l{a, b, c, 1, 1, 1};
        for(std::size_t i = 0; i < spatial.size(); ++i)
            l[6 - spatial.size() + i] = spatial[i];
        return l;
    }
    static SpecTensor make(const ConvSpec& s,
                           const TensorLengths& lengths,
                           const Strides& given,
                           const std::optional<DataType>& type,
                           bool filter,
                           unsigned seed)
    {
        TensorStrides strides{};
        if(s.layout == Layout::strided)
            strides = to_tensor_strides(std::vector<long_index_t>(given.begin(), given.end()));
        else
            strides = strides_of(s.layout, lengths, filter);
        return {Values::integers(lengths, seed), strides, type.value_or(s.type), s.alignment, seed};
    }
    DataType result_type() const
    {
        const auto& own = spec_.direction == Direction::forward         ? spec_.y_type
                          : spec_.direction == Direction::backward_data ? spec_.x_type
                                                                        : spec_.w_type;
        return own.value_or(spec_.type);
    }

    long_index_t bias_channels() const
    {
        return spec_.direction == Direction::backward_weight ? spec_.k : result().values.lengths[2];
    }
    /// dY summed over all but its channels.
    std::vector<double> bias_gradient() const
    {
        std::vector<double> sums(static_cast<std::size_t>(spec_.groups * spec_.k));
        const TensorLengths& l    = y.values.lengths;
        const long_index_t pixels = l[3] * l[4] * l[5];
        for(std::size_t j = 0; j < y.values.values.size(); ++j)
        {
            const auto i = static_cast<long_index_t>(j);
            sums[static_cast<std::size_t>(i / (l[1] * l[2] * pixels) * l[2] + i / pixels % l[2])] +=
                y.values.values[j];
        }
        return sums;
    }

    /// The definition, in double, except for the epilogue.
    std::vector<double> compute()
    {
        const auto value = [](const Extents& list, std::size_t dim, long_index_t neutral) {
            return dim + list.size() < 3 || list.empty() ? neutral : list[dim + list.size() - 3];
        };
        const ConvSpec& s       = spec_;
        const SpecTensor &large = s.transposed ? y : x, &small = s.transposed ? x : y;
        const TensorLengths &l = large.values.lengths, &m = small.values.lengths,
                            &f = w.values.lengths;
        std::vector<double> sums(result().values.values.size());
        std::array<long_index_t, 3> o{}, t{}, i{};
        // Where a row of channels of the larger tensor begins in a tensor, and how far the next
        // elements are. Products walk by pointers, since tests are not optimised.
        struct Walk
        {
            const SpecTensor* tensor;
            long_index_t begin, step;
        };
        const auto products = [&] {
            const auto pixel = [](const TensorLengths& n, const std::array<long_index_t, 3>& at) {
                return (at[0] * n[4] + at[1]) * n[5] + at[2];
            };
            const long_index_t m_pixels = m[3] * m[4] * m[5], f_pixels = f[3] * f[4] * f[5],
                               l_pixels = l[3] * l[4] * l[5], m_pixel = pixel(m, o),
                               f_pixel = pixel(f, t), l_pixel = pixel(l, i);
            for(long_index_t g = 0; g < m[0]; ++g)
                for(long_index_t n = 0; n < m[1]; ++n)
                    for(long_index_t k = 0; k < m[2]; ++k)
                    {
                        Walk walks[] = {
                            {&small, ((g * m[1] + n) * m[2] + k) * m_pixels + m_pixel, 0},
                            {&w, (g * m[2] + k) * l[2] * f_pixels + f_pixel, f_pixels},
                            {&large, (g * m[1] + n) * l[2] * l_pixels + l_pixel, l_pixels}};
                        std::partition(std::begin(walks), std::end(walks), [&](const Walk& of) {
                            return of.tensor == &result();
                        });
                        double* sum = sums.data() + walks[0].begin;
                        const double *first =
                                         walks[1].tensor->values.values.data() + walks[1].begin,
                                     *second =
                                         walks[2].tensor->values.values.data() + walks[2].begin;
                        const long_index_t of_sum = walks[0].step, of_first = walks[1].step,
                                           of_second = walks[2].step;
                        for(long_index_t c = l[2]; c > 0;
                            --c, sum += of_sum, first += of_first, second += of_second)
                            *sum += *first * *second;
                    }
        };
        const auto dimension = [&](const auto& next, std::size_t d) -> void {
            if(d == 3)
                return products();
            const std::size_t pad = d + s.pads.size() < 3 ? 3 : d + s.pads.size() - 3;
            for(o[d] = 0; o[d] < m[3 + d]; ++o[d])
                for(t[d] = 0; t[d] < f[3 + d]; ++t[d])
                {
                    i[d] = o[d] * value(s.strides, d, 1) + t[d] * value(s.dilations, d, 1) -
                           (pad < s.pads.size() ? s.pads[pad].low : 0);
                    if(i[d] >= 0 && i[d] < l[3 + d])
                        next(next, d + 1);
                }
        };
        dimension(dimension, 0);
        return sums;
    }

    struct Expected
    {
        std::vector<double> values, error;
    };
    /// The epilogue of the sums. stored: rounded to the result's type before, as by kernels with a
    /// separate epilogue.
    Expected expected(bool stored) const
    {
        const ConvSpec& s      = spec_;
        const TensorLengths& n = result().values.lengths;
        const Epilogue& e      = s.epilogue;
        const double epsilon   = result_type() == DataType::f64
                                     ? 4 * std::numeric_limits<double>::epsilon() // as above
                                     : std::numeric_limits<float>::epsilon();
        Expected r{sums_, std::vector<double>(sums_.size())};
        for(std::size_t j = 0; j < sums_.size(); ++j)
        {
            const long_index_t pixels = n[3] * n[4] * n[5];
            const auto number         = static_cast<long_index_t>(j);
            double& value             = r.values[j];
            double& error             = r.error[j];
            double v                  = e.scale * (stored ? result().rounded(sums_[j]) : sums_[j]);
            if(e.bias)
                v += bias.values.values[static_cast<std::size_t>(
                    number / (n[1] * n[2] * pixels) * n[2] + number / pixels % n[2])];
            if(e.residual == Residual::before_activation)
                v += residual.values.values[j];
            error = activation_error(e, v);
            v     = activated(e, v);
            if(e.residual == Residual::after_activation)
                v += residual.values.values[j];
            value = v + s.beta * result().values.values[j];
            if(result_type() == DataType::i8)
                value = std::nearbyint(value); // ties to even
            if(error > 0) // not integers: sums are rounded, too, before the result is
                error += epsilon * (std::abs(v) + std::abs(result().values.values[j]));
        }
        return r;
    }

    ConvSpec spec_;

public:
    SpecTensor x, w, y, residual, bias;

private:
    std::vector<double> sums_;
    unsigned seed_;
    std::optional<PlacedMemory> workspace_{};
};

/// A small problem of `rank` dimensions, two groups, with everything unequal that may be.
inline ConvSpec spec_of_rank(std::size_t rank)
{
    ConvSpec s{.groups    = 2,
               .n         = 2,
               .k         = 16,
               .c         = 8,
               .input     = {5, 4, 7},
               .filter    = {2, 1, 3},
               .strides   = {1, 1, 2},
               .dilations = {2, 1, 1},
               .pads      = {{1, 0}, {0, 0}, {1, 2}}};
    const auto last = [&](auto& list) {
        std::decay_t<decltype(list)> shorter;
        for(std::size_t i = 3 - rank; i < 3; ++i)
            shorter.push_back(list[i]);
        list = shorter;
    };
    last(s.input);
    last(s.filter);
    last(s.strides);
    last(s.dilations);
    last(s.pads);
    return s;
}

/// Why tests of a library that was built with a part of its kernels are skipped.
inline constexpr const char* no_kernels = "the library has no kernels of the family";

/// Whether this build has kernels for the spec: of a complete library all must be there, and the
/// test fails.
inline bool has_kernels(const ConvSpec& spec)
{
    try
    {
        plan(spec);
        return true;
    }
    catch(const Refused& refused)
    {
#if defined(CK_LIBRARY_IS_COMPLETE)
        ADD_FAILURE() << refused.what();
#else
        EXPECT_NE(std::string(refused.what()).find(no_kernels), std::string::npos)
            << refused.what();
#endif
        return false;
    }
}

} // namespace ck::conv_test
