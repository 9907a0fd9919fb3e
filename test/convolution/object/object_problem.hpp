#pragma once
// Problems of Conv3DBackpropInput, their tensors in its layouts, and the definition in plain loops,
// written from the interface's facts alone.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "lib/conv_backprop/conv3d_bp_input_api.h"
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace ck::test {

using ConvBackpropApi::ConvFormat;
using Triple = std::array<long_index_t, 3>;

struct ObjectProblem
{
    long_index_t n, cout, cin;
    Triple filter, input, stride, dilation, low, high;

    Triple output() const
    {
        Triple o{};
        for(std::size_t i = 0; i < 3; ++i)
            o[i] =
                (input[i] + low[i] + high[i] - dilation[i] * (filter[i] - 1) - 1) / stride[i] + 1;
        return o;
    }
    std::string text() const
    {
        std::string s =
            "N" + std::to_string(n) + " K" + std::to_string(cout) + " C" + std::to_string(cin);
        const auto add = [&](const char* name, const Triple& t) {
            s += std::string(" ") + name + std::to_string(t[0]) + ',' + std::to_string(t[1]) + ',' +
                 std::to_string(t[2]);
        };
        add("filter ", filter);
        add("dX ", input);
        add("stride ", stride);
        add("dilation ", dilation);
        add("low ", low);
        add("high ", high);
        return s;
    }
};

inline long_index_t blocks16(long_index_t c) { return (c + 15) / 16; }

/// The offsets of elements n, c, d, h, w, and how many there are, padding lanes included.
struct Layout
{
    ConvFormat format;
    long_index_t n, c;
    Triple s;

    std::size_t size() const
    {
        const long_index_t volume = s[0] * s[1] * s[2];
        const long_index_t all    = format == ConvFormat::NDC1HWC0 ? n * volume * blocks16(c) * 16
                                    : format == ConvFormat::FRACTAL_Z_3D
                                        ? volume * blocks16(c) * 16 * blocks16(n) * 16
                                        : n * c * volume;
        return static_cast<std::size_t>(all);
    }
    std::size_t operator()(
        long_index_t in, long_index_t ic, long_index_t d, long_index_t h, long_index_t w) const
    {
        const long_index_t c1 = blocks16(c), np = blocks16(n) * 16;
        long_index_t at = 0;
        switch(format)
        {
        case ConvFormat::NDC1HWC0:
            at = ((((in * s[0] + d) * c1 + ic / 16) * s[1] + h) * s[2] + w) * 16 + ic % 16;
            break;
        case ConvFormat::FRACTAL_Z_3D:
            at = ((((d * c1 + ic / 16) * s[1] + h) * s[2] + w) * np + in) * 16 + ic % 16;
            break;
        case ConvFormat::NDHWC:
            at = (((in * s[0] + d) * s[1] + h) * s[2] + w) * c + ic;
            break;
        default:
            at = (((in * c + ic) * s[0] + d) * s[1] + h) * s[2] + w;
        }
        return static_cast<std::size_t>(at);
    }
};

/// Calls f(n, c, d, h, w) for each element.
template <class F>
void for_elements(const Layout& l, F f)
{
    for(long_index_t n = 0; n < l.n; ++n)
        for(long_index_t c = 0; c < l.c; ++c)
            for(long_index_t d = 0; d < l.s[0]; ++d)
                for(long_index_t h = 0; h < l.s[1]; ++h)
                    for(long_index_t w = 0; w < l.s[2]; ++w)
                        f(n, c, d, h, w);
}

/// Tensors of small integers, and dX by definition.
template <class T>
struct ObjectTensors
{
    ObjectProblem p;
    Layout dy, w, dx;
    std::vector<T> dy_data, w_data;
    std::vector<float> dy_values, w_values; ///< n, c, d, h, w

    ObjectTensors(const ObjectProblem& problem,
                  ConvFormat dy_format,
                  ConvFormat w_format,
                  ConvFormat dx_format,
                  std::uint32_t seed)
        : p(problem),
          dy{dy_format, p.n, p.cout, p.output()},
          w{w_format, p.cout, p.cin, p.filter},
          dx{dx_format, p.n, p.cin, p.input}
    {
        std::minstd_rand random(seed);
        const auto fill = [&](const Layout& l, std::vector<T>& data, std::vector<float>& values) {
            // lanes of padding must not count
            data.assign(l.size(), type_convert<T>(std::numeric_limits<float>::quiet_NaN()));
            for_elements(l, [&](auto... at) {
                const float x = static_cast<float>(static_cast<int>(random() % 5) - 2);
                values.push_back(x);
                data[l(at...)] = type_convert<T>(x);
            });
        };
        fill(dy, dy_data, dy_values);
        fill(w, w_data, w_values);
    }

    /// dX[n,c,di,hi,wi], in that order: the sum over what dY * W adds to it, at hi = ho*stride +
    /// y*dilation - low. Channels of dY from k0 on, before k1.
    std::vector<double> expected(long_index_t k0, long_index_t k1) const
    {
        const Layout plain{ConvFormat::NCDHW, p.n, p.cin, p.input};
        std::vector<double> sums(plain.size());
        const Layout dy_plain{ConvFormat::NCDHW, p.n, p.cout, p.output()},
            w_plain{ConvFormat::NCDHW, p.cout, p.cin, p.filter};
        for_elements(dy_plain, [&](auto n, auto k, auto d, auto h, auto x) {
            if(k < k0 || k >= k1)
                return;
            const float g = dy_values[dy_plain(n, k, d, h, x)];
            for(long_index_t c = 0; c < p.cin; ++c)
                for(long_index_t kd = 0; kd < p.filter[0]; ++kd)
                    for(long_index_t kh = 0; kh < p.filter[1]; ++kh)
                        for(long_index_t kw = 0; kw < p.filter[2]; ++kw)
                        {
                            const long_index_t di = d * p.stride[0] + kd * p.dilation[0] - p.low[0],
                                               hi = h * p.stride[1] + kh * p.dilation[1] - p.low[1],
                                               wi = x * p.stride[2] + kw * p.dilation[2] - p.low[2];
                            if(di >= 0 && di < p.input[0] && hi >= 0 && hi < p.input[1] &&
                               wi >= 0 && wi < p.input[2])
                                sums[plain(n, c, di, hi, wi)] +=
                                    double{g} * double{w_values[w_plain(k, c, kd, kh, kw)]};
                        }
        });
        return sums;
    }
    std::vector<double> expected() const { return expected(0, p.cout); }

    /// The tiling, with everything said.
    ConvBackpropApi::Conv3DBpInputTiling tiling(const ConvBackpropApi::Platform& platform) const
    {
        using ConvBackpropApi::TPosition;
        constexpr auto type = std::is_same_v<T, half_t> ? ConvBackpropApi::ConvDtype::FLOAT16
                                                        : ConvBackpropApi::ConvDtype::BF16;
        ConvBackpropApi::Conv3DBpInputTiling t(platform);
        const Triple o = p.output();
        const bool set =
            t.SetWeightShape(p.cout, p.cin, p.filter[0], p.filter[1], p.filter[2]) &&
            t.SetGradOutputShape(p.n, p.cout, o[0], o[1], o[2]) &&
            t.SetInputShape(p.n, p.cin, p.input[0], p.input[1], p.input[2]) &&
            t.SetPadding(p.low[0], p.high[0], p.low[1], p.high[1], p.low[2], p.high[2]) &&
            t.SetStride(p.stride[0], p.stride[1], p.stride[2]) &&
            t.SetDilation(p.dilation[0], p.dilation[1], p.dilation[2]) &&
            t.SetWeightType(TPosition::GM, w.format, type) &&
            t.SetGradOutputType(TPosition::GM, dy.format, type) &&
            t.SetGradInputType(TPosition::GM, dx.format, type);
        if(!set)
            throw std::runtime_error("a setter refuses " + p.text());
        return t;
    }
};

/// What tests run on: the device, or on the host one of each engine.
inline std::vector<ConvBackpropApi::Platform> platforms()
{
    const auto here = ConvBackpropApi::Platform::current();
    if(here.target != arch::Target::host)
        return {here};
    using enum arch::Target;
    std::vector<ConvBackpropApi::Platform> all;
    for(const arch::Target target : {gfx90a, gfx11, gfx12, sm80, gfx10})
        all.push_back({target, here.compute_units});
    return all;
}

/// Device memory with a copy of a vector.
template <class T>
struct OnDevice
{
    DeviceMem memory;
    explicit OnDevice(const std::vector<T>& v) : memory(sizeof(T) * v.size())
    {
        memory.ToDevice(v.data());
    }
    T* get() const { return static_cast<T*>(memory.GetDeviceBuffer()); }
    std::vector<T> read(std::size_t count) const
    {
        std::vector<T> v(count);
        memory.FromDevice(v.data());
        return v;
    }
};

} // namespace ck::test
