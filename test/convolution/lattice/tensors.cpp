// Labels: optimized where sanitized, compiled alone
#include "convolution/lattice/tensors.hpp"

#include "ck/library/utility/error_bound.hpp"
#include "ck/utility/type_convert.hpp"

#include "convolution/lattice/problems.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace ck::test {
namespace {

template <class F>
auto with_type(Type type, F&& f)
{
    switch(type)
    {
    case Type::f16:
        return f(half_t{});
    case Type::bf16:
        return f(bhalf_t{});
    case Type::f64:
        return f(double{});
    default:
        return f(float{});
    }
}

std::vector<unsigned char> to_bytes(Type type, const std::vector<double>& values)
{
    return with_type(type, [&]<class T>(T) {
        std::vector<unsigned char> bytes(values.size() * sizeof(T));
        for(std::size_t i = 0; i < values.size(); ++i)
        {
            const T x = type_convert<T>(values[i]);
            std::memcpy(bytes.data() + i * sizeof(T), &x, sizeof(T));
        }
        return bytes;
    });
}

std::vector<double> from_bytes(Type type, const std::vector<unsigned char>& bytes)
{
    return with_type(type, [&]<class T>(T) {
        std::vector<double> values(bytes.size() / sizeof(T));
        for(std::size_t i = 0; i < values.size(); ++i)
        {
            T x;
            std::memcpy(&x, bytes.data() + i * sizeof(T), sizeof(T));
            values[i] = type_convert<double>(x);
        }
        return values;
    });
}

std::vector<double> filled(Type type, Data data, long_index_t size, std::uint32_t seed)
{
    const int most = type == Type::f64 ? 1 << 19 : 2;
    std::vector<double> values(static_cast<std::size_t>(size));
    for(double& value : values)
    {
        seed                   = seed * 1664525u + 1013904223u;
        const std::uint32_t at = seed >> 8;
        value                  = data == Data::integers
                                     ? static_cast<int>(at % static_cast<unsigned>(2 * most + 1)) - most
                                     : (static_cast<int>(at % 2001) - 1000) / 1000.;
        value                  = rounded(type, value);
    }
    return values;
}

std::vector<unsigned char> nans(std::size_t elements, Type type)
{
    return std::vector<unsigned char>(elements * size_of(type), 0xFF);
}

} // namespace

std::size_t size_of(Type type)
{
    return with_type(type, [](auto x) { return sizeof(x); });
}

double rounded(Type type, double x)
{
    return with_type(type, [&]<class T>(T) { return type_convert<double>(type_convert<T>(x)); });
}

Tensors::Tensors(
    Direction direction, const ConvProblem& p, Type type, Data data, const Operations& operations)
    : direction_(direction),
      problem_(p),
      type_(type),
      data_(data),
      operand_values_(filled(
          type, data, element_count(is_forward() ? p.input_lengths() : p.output_lengths()), 1)),
      w_values_(filled(type, data, element_count(p.filter_lengths()), 2)),
      expected_(static_cast<std::size_t>(
          element_count(is_forward() ? p.output_lengths() : p.input_lengths()))),
      magnitudes_(expected_.size()),
      x_(on_device(is_forward() ? to_bytes(type, operand_values_) : nans(expected_.size(), type))),
      w_(on_device(to_bytes(type, w_values_))),
      y_(on_device(is_forward() ? nans(expected_.size(), type) : to_bytes(type, operand_values_)))
{
    const auto applied = [](const std::function<float(float)>& f, const std::vector<double>& from) {
        std::vector<double> to(from.begin(), from.end());
        if(f)
            std::transform(from.begin(), from.end(), to.begin(), f);
        return to;
    };
    const std::vector<double> a = applied(is_forward() ? operations.input : operations.output,
                                          operand_values_),
                              w = applied(operations.filter, w_values_);
    const auto at               = [](long_index_t i) { return static_cast<std::size_t>(i); };
    for_each_tap(p, [&](long_index_t x_at, long_index_t y_at, long_index_t w_at) {
        for(long_index_t k = 0; k < p.out_channels; ++k)
            for(long_index_t c = 0; c < p.in_channels; ++c)
            {
                const std::size_t x = at(x_at + c * p.input_strides[2]),
                                  y = at(y_at + k * p.output_strides[2]);
                const double product =
                    a[is_forward() ? x : y] *
                    w[at(w_at + k * p.filter_strides[1] + c * p.filter_strides[2])];
                expected_[is_forward() ? y : x] += product;
                magnitudes_[is_forward() ? y : x] += std::abs(product);
            }
    });
    if(const auto& f = is_forward() ? operations.output : operations.input)
        for(double& result : expected_)
            result = f(static_cast<float>(result));
}

std::vector<double> Tensors::result_values() const { return from_bytes(type_, result()); }

double Tensors::bound(std::size_t i, bool multiplies_in_tf32) const
{
    const double length =
        static_cast<double>((is_forward() ? problem_.in_channels : problem_.out_channels) *
                            problem_.filter[0] * problem_.filter[1] * problem_.filter[2]);
    if(multiplies_in_tf32)
        return utils::error_bound<float, tf32_t, float>(length, magnitudes_[i]);
    return with_type(type_, [&]<class T>(T) {
        const double of_kernel = utils::error_bound<T, T, T>(length, magnitudes_[i]);
        // What is expected was added up in double, too.
        return std::is_same_v<T, double> ? 2 * of_kernel : of_kernel;
    });
}

std::string Tensors::mistakes(bool multiplies_in_tf32) const
{
    std::ostringstream said;
    const std::vector<double> result = result_values();
    std::size_t wrong                = 0;
    for(std::size_t i = 0; i < result.size(); ++i)
    {
        const double exact   = expected_[i];
        const double allowed = data_ == Data::integers ? 0 : bound(i, multiplies_in_tf32);
        const double target  = data_ == Data::integers ? rounded(type_, exact) : exact;
        if(std::abs(result[i] - target) <= allowed) // false for NaN
            continue;
        if(++wrong > 3)
            continue;
        said << "\n  element " << i << " of the result is " << result[i] << ", not " << target
             << " +- " << allowed;
    }
    if(wrong > 0)
        said << "\n  " << wrong << " of " << result.size() << " elements of the result are wrong";
    const auto guards = [&](const char* name, const PlacedMemory& buffer) {
        if(buffer.strayed() > 0)
            said << "\n  memory beside " << name << " was written";
    };
    guards("X", x_);
    guards("W", w_);
    guards("Y", y_);
    if(from_device<unsigned char>(w_) != to_bytes(type_, w_values_))
        said << "\n  W was written";
    if(from_device<unsigned char>(operand_buffer()) != to_bytes(type_, operand_values_))
        said << "\n  the other operand was written";
    return said.str().empty() ? "" : text(problem_) + said.str();
}

} // namespace ck::test
