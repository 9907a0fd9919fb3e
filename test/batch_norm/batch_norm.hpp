#pragma once
// A batch norm with its tensors, run and compared with plain loops in a wider type. Bounds follow
// from the rounding of each step: u for what sums are in, u_stored for elements.
#include "ck/batch_norm.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/type_convert.hpp"

#include <gtest/gtest.h>

#include "guarded_memory.hpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace ck::batch_norm_test {

using Real  = long double;
using Reals = std::vector<Real>;

inline std::size_t size_of(DataType type)
{
    return type == DataType::f64 ? 8 : type == DataType::f32 ? 4 : 2;
}
/// Half the distance of neighbours, of a number of 1.
inline Real rounding(DataType type)
{
    return type == DataType::f64   ? 0x1p-53L
           : type == DataType::f32 ? 0x1p-24L
           : type == DataType::f16 ? 0x1p-11L
                                   : 0x1p-8L;
}

/// f(type) with the type of elements.
template <class F>
auto with_type(DataType type, const F& f)
{
    switch(type)
    {
    case DataType::f64:
        return f(double{});
    case DataType::f32:
        return f(float{});
    case DataType::f16:
        return f(half_t{});
    default:
        return f(bhalf_t{});
    }
}

/// A tensor whose neighbouring bytes are looked after, at an odd multiple of `alignment`, 16 or
/// less.
class Tensor
{
public:
    Tensor(DataType type, std::size_t count, std::size_t alignment)
        : type_(type),
          count_(count),
          memory_(bytes() + 64)
    {
        const std::size_t end = memory_.size() - bytes();
        at_                   = end / 16 * 16;
        if(alignment < 16 && at_ + alignment > end)
            at_ -= 16;
        at_ += alignment % 16;
        fill();
    }

    DataType type() const { return type_; }
    void* address() const { return memory_.address() + at_; }
    /// NaN, in every type.
    void fill() const
    {
        const std::vector<unsigned char> bytes(memory_.size(), 0xff);
        HIP_CHECK_ERROR(
            hipMemcpy(memory_.address(), bytes.data(), bytes.size(), hipMemcpyHostToDevice));
    }
    /// As the type has them; returns what these are.
    Reals write(const Reals& values) const
    {
        Reals stored(values.size());
        std::vector<unsigned char> to(bytes());
        with_type(type_, [&]<class T>(T) {
            for(std::size_t i = 0; i < values.size(); ++i)
            {
                const T x = type_convert<T>(static_cast<double>(values[i]));
                std::memcpy(&to[i * sizeof(T)], &x, sizeof(T));
                stored[i] = static_cast<Real>(type_convert<double>(x));
            }
        });
        if(!to.empty())
            HIP_CHECK_ERROR(hipMemcpy(address(), to.data(), to.size(), hipMemcpyHostToDevice));
        return stored;
    }
    /// Fails where a byte outside has changed.
    Reals read() const
    {
        const std::vector<unsigned char> all = raw();
        for(std::size_t i = 0; i < all.size(); ++i)
            if((i < at_ || i >= at_ + bytes()) && all[i] != 0xff)
            {
                ADD_FAILURE() << "byte " << i << " was written, but the tensor has those from "
                              << at_ << " to " << at_ + bytes();
                break;
            }
        Reals values(count_);
        with_type(type_, [&]<class T>(T) {
            for(std::size_t i = 0; i < count_; ++i)
            {
                T x;
                std::memcpy(&x, &all[at_ + i * sizeof(T)], sizeof(T));
                values[i] = static_cast<Real>(type_convert<double>(x));
            }
        });
        return values;
    }
    std::vector<unsigned char> raw() const
    {
        std::vector<unsigned char> all(memory_.size());
        HIP_CHECK_ERROR(
            hipMemcpy(all.data(), memory_.address(), all.size(), hipMemcpyDeviceToHost));
        return all;
    }

private:
    std::size_t bytes() const { return count_ * size_of(type_); }

    DataType type_;
    std::size_t count_;
    test::GuardedMemory memory_;
    std::size_t at_;
};

/// From -1 to 1, the same in every run.
inline Real noise(std::size_t i, std::uint32_t seed)
{
    std::uint32_t h = static_cast<std::uint32_t>(i) * 0x9e3779b9u ^ (seed * 0x85ebca6bu);
    h               = (h ^ (h >> 16)) * 0x7feb352du;
    h               = (h ^ (h >> 15)) * 0x846ca68bu;
    h ^= h >> 16;
    return static_cast<Real>(h) / 0x1p31L - 1;
}

/// What a case has besides its spec.
struct Options
{
    bool weight = true, bias = true, running = true, d_residual = true, d_channels = true;
    Real mean = 0.5L, deviation = 1; ///< of x; each channel's values differ slightly
    double momentum = 0.1;
};

class BatchNorm
{
public:
    BatchNorm(const BatchNormSpec& spec, const Options& options = {});

    /// Runs and compares; failures name the case.
    void check_forward();
    void check_backward(); ///< call it after check_forward()
    void check_inference();

    BatchNormTensors tensors() const;

    BatchNormSpec spec;
    Options options;
    BatchNormPlan plan;
    DataType channel_type;
    std::size_t rows, channels;
    Tensor x, residual, y, dy, dx, d_residual;
    Tensor weight, bias, mean, inverse, running_mean, running_variance, d_weight, d_bias;
    test::EndingMemory workspace;

    /// As they are stored.
    struct
    {
        Reals x, residual, weight, bias, mean, inverse, running_mean, running_variance;
    } values;

    std::string name() const;

private:
    /// Fails where a number is not within its bound; NaN never is.
    void expect(const char* what, const Reals& got, const Reals& right, const Reals& bound) const;
    Real weight_of(std::size_t c) const { return options.weight ? values.weight[c] : 1; }
    Real bias_of(std::size_t c) const { return options.bias ? values.bias[c] : 0; }
    Real activated(Real z) const;
    Real derivative(Real z) const;
    /// How near z is to a place where the derivative jumps.
    Real to_jump(Real z) const;

    Real u, u_stored;
    /// Additions, one after the other, at most: of a thread's rows (the tiling has at most eight
    /// for such sizes), of a block's threads, of ranges.
    Real additions() const { return static_cast<Real>(std::min<std::size_t>(rows, 264)) + 14; }
    static constexpr Real smallest = 0x1p-24L; ///< of f16; nothing rounds by more below normal ones
};

/// Inference, forward and backward.
inline void check(const BatchNormSpec& spec, const Options& options = {})
{
    {
        BatchNorm b(spec, options);
        b.check_inference();
    }
    BatchNorm b(spec, options);
    b.check_forward();
    b.check_backward();
}

inline BatchNormSpec
spec_of(DataType type, long_index_t rows, long_index_t channels, std::size_t alignment = 16)
{
    return {.type = type, .rows = rows, .channels = channels, .alignment = alignment};
}

} // namespace ck::batch_norm_test
