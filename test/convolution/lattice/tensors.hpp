#pragma once
// The three tensors of one problem on the device, guarded, and what must come of them by
// definition, in either direction.
#include "ck/convolution/direction.hpp"
#include "ck/convolution/problem.hpp"
#include "ck/utility/data_type.hpp"

#include "placed_memory.hpp"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ck::test {

enum class Type
{
    f16,
    bf16,
    f32,
    f64
};

template <class T>
inline constexpr Type type_of = Type::f32;
template <>
inline constexpr Type type_of<half_t> = Type::f16;
template <>
inline constexpr Type type_of<bhalf_t> = Type::bf16;
template <>
inline constexpr Type type_of<double> = Type::f64;

std::size_t size_of(Type type);
/// `x` rounded to the type.
double rounded(Type type, double x);

enum class Data
{
    // Numbers in [-2, 2]: all sums are exact, and the result is the rounded exact one. Doubles are
    // in
    // [-2^19, 2^19]: floats hold neither their products nor their sums.
    integers,
    decimals, // thousandths in [-1, 1]
};

/// Operations on X, W and Y, or their gradients, as the oracle sees them.
struct Operations
{
    std::function<float(float)> output, filter, input; // empty: identity
};

/// The operands filled, the result of NaNs; expected values by a plain loop in double. Tensors are
/// as long as the problem's strides make them, without gaps.
class Tensors
{
public:
    Tensors(Direction direction,
            const ConvProblem& p,
            Type type,
            Data data,
            const Operations& operations = {});

    void* input() const { return x_.GetDeviceBuffer(); }
    void* filter() const { return w_.GetDeviceBuffer(); }
    void* output() const { return y_.GetDeviceBuffer(); }

    const std::vector<double>& filter_values() const { return w_values_; }
    /// Of Y, or of X when it is the operand.
    const std::vector<double>& operand_values() const { return operand_values_; }
    /// What the result must be.
    const std::vector<double>& expected() const { return expected_; }

    /// The bytes of the result.
    std::vector<unsigned char> result() const
    {
        return from_device<unsigned char>(result_buffer());
    }
    std::vector<double> result_values() const;

    /// Empty when the result is what it must be and nothing else was written; else what is wrong.
    /// Integers: equal. Decimals: within the bound that follows from the reduction's length and
    /// the type.
    std::string mistakes(bool multiplies_in_tf32) const;

private:
    double bound(std::size_t i, bool multiplies_in_tf32) const;
    bool is_forward() const { return direction_ == Direction::forward; }
    const PlacedMemory& operand_buffer() const { return is_forward() ? x_ : y_; }
    const PlacedMemory& result_buffer() const { return is_forward() ? y_ : x_; }

    Direction direction_;
    ConvProblem problem_;
    Type type_;
    Data data_;
    std::vector<double> operand_values_, w_values_, expected_, magnitudes_;
    PlacedMemory x_, w_, y_;
};

/// The definition, output by output: for each group, image, output position and filter tap that
/// meets the input, visit(x, y, w) with the places of the first channels.
template <class Visit>
void for_each_tap(const ConvProblem& p, Visit&& visit)
{
    const Spatial out = p.output();
    const auto place  = [](const TensorStrides& s, const Spatial& i) {
        return i[0] * s[3] + i[1] * s[4] + i[2] * s[5];
    };
    const auto indices = [&](const Spatial& lengths, auto&& f) {
        Spatial i{};
        for(i[0] = 0; i[0] < lengths[0]; ++i[0])
            for(i[1] = 0; i[1] < lengths[1]; ++i[1])
                for(i[2] = 0; i[2] < lengths[2]; ++i[2])
                    f(i);
    };
    const auto image = [](const TensorStrides& s, long_index_t g, long_index_t n) {
        return g * s[0] + n * s[1];
    };
    for(long_index_t g = 0; g < p.groups; ++g)
        for(long_index_t n = 0; n < p.batch; ++n)
            indices(out, [&](const Spatial& o) {
                indices(p.filter, [&](const Spatial& y) {
                    Spatial in{};
                    for(std::size_t d = 0; d < 3; ++d)
                    {
                        in[d] = o[d] * p.stride[d] + y[d] * p.dilation[d] - p.pad_low[d];
                        if(in[d] < 0 || in[d] >= p.input[d])
                            return;
                    }
                    visit(image(p.input_strides, g, n) + place(p.input_strides, in),
                          image(p.output_strides, g, n) + place(p.output_strides, o),
                          g * p.filter_strides[0] + place(p.filter_strides, y));
                });
            });
}

} // namespace ck::test
