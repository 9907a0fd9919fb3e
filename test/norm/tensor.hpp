#pragma once
// What tests of norms share: tensors, and the rounding of their types.
#include "ck/conv.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/type_convert.hpp"

#include <gtest/gtest.h>

#include "guarded_memory.hpp"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace ck::norm_test {

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
    std::size_t size() const { return count_; }
    void* address() const { return memory_.address() + at_; }
    /// NaN, in every type.
    void fill() const
    {
        const std::vector<unsigned char> bytes(memory_.size(), 0xff);
        HIP_CHECK_ERROR(
            hipMemcpy(memory_.address(), bytes.data(), bytes.size(), hipMemcpyHostToDevice));
    }
    /// Rounded to the type; returns the rounded values.
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

/// For channels' values and sums.
inline DataType channel_type_of(DataType type)
{
    return type == DataType::f64 ? DataType::f64 : DataType::f32;
}

/// `count` numbers around `from`.
inline Reals numbers(std::size_t count, Real from, Real by, std::uint32_t seed)
{
    Reals r(count);
    for(std::size_t i = 0; i < count; ++i)
        r[i] = from + by * noise(i, seed);
    return r;
}

/// Fails where a number is not within its bound; NaN never is. name: of the case.
inline void expect_near(const std::string& name,
                        const char* what,
                        const Reals& got,
                        const Reals& right,
                        const Reals& bound)
{
    std::size_t wrong = 0, first = 0;
    for(std::size_t i = right.size(); i-- > 0;)
        if(!(std::fabs(got[i] - right[i]) <= bound[i]))
            ++wrong, first = i;
    EXPECT_EQ(wrong, 0u) << name << ": " << wrong << " wrong numbers of " << what << ", the first "
                         << first << ": " << static_cast<double>(got[first]) << ", not "
                         << static_cast<double>(right[first]) << " within "
                         << static_cast<double>(bound[first]);
}

/// silu, and its derivative.
inline Real silu(Real z) { return z / (1 + std::exp(-z)); }
inline Real silu_derivative(Real z)
{
    const Real s = 1 / (1 + std::exp(-z));
    return s * (1 + z * (1 - s));
}

inline constexpr Real smallest = 0x1p-24L; ///< smallest f16; no denormal rounds by more

} // namespace ck::norm_test
