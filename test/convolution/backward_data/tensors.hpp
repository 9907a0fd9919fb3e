#pragma once
// The three tensors of one backward-data problem on the device, guarded, and what must come of
// them by definition.
#include "ck/convolution/problem.hpp"
#include "ck/utility/data_type.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ck::test {

enum class Type
{
    f16,
    bf16,
    f32
};

template <class T>
inline constexpr Type type_of = Type::f32;
template <>
inline constexpr Type type_of<half_t> = Type::f16;
template <>
inline constexpr Type type_of<bhalf_t> = Type::bf16;

std::size_t size_of(Type type);
/// `x` rounded to the type.
float rounded(Type type, double x);

enum class Data
{
    integers, // in [-2, 2]: all sums are exact, and the result is the rounded exact one
    decimals, // in [-1, 1], thousandths
};

/// A device buffer between guards of 0xFF bytes: NaNs, should a kernel read them. Without the guard
/// behind, it ends where the allocation ends, which memory checkers watch.
class GuardedBuffer
{
public:
    GuardedBuffer(const std::vector<unsigned char>& contents, bool guard_behind);
    ~GuardedBuffer();
    GuardedBuffer(const GuardedBuffer&)            = delete;
    GuardedBuffer& operator=(const GuardedBuffer&) = delete;

    void* get() const { return memory_ + guard; }
    std::vector<unsigned char> read() const;
    bool guards_are_untouched() const;

    static constexpr std::size_t guard = 256; // keeps the alignment of an allocation

private:
    std::vector<unsigned char> read_all() const;

    unsigned char* memory_ = nullptr;
    std::size_t size_, behind_; // bytes between the guards, and of the guard behind
};

/// Operations on the operands and the result, as the oracle sees them.
struct Operations
{
    std::function<float(float)> output, filter, input; // empty: identity
};

/// dY and W filled, dX of NaNs; expected values by a plain loop in double.
class Tensors
{
public:
    Tensors(const ConvProblem& p, Type type, Data data, const Operations& operations = {});

    void* input() const { return dx_.get(); }
    const void* filter() const { return w_.get(); }
    const void* output() const { return dy_.get(); }

    const std::vector<float>& filter_values() const { return w_values_; }
    const std::vector<float>& output_values() const { return dy_values_; }
    const std::vector<double>& expected() const { return expected_; }

    /// The bytes of dX.
    std::vector<unsigned char> result() const { return dx_.read(); }
    std::vector<float> result_values() const;

    /// Empty when dX is what it must be and nothing else was written; else what is wrong.
    /// Integers: equal. Decimals: within the bound that follows from the reduction's length and
    /// the type.
    std::string mistakes(bool multiplies_in_tf32) const;

private:
    double bound(std::size_t i, bool multiplies_in_tf32) const;

    ConvProblem problem_;
    Type type_;
    Data data_;
    std::vector<float> dy_values_, w_values_;
    std::vector<double> expected_, magnitudes_;
    GuardedBuffer dy_, w_, dx_;
};

/// The definition, output by output: for each image, output position and filter tap that meets the
/// input, visit(dx, dy, w) with the places of channel 0, packed channel-last. Channels c of dX and
/// W and k of dY follow at dx + c and dy + k; W's k at w + k * filter_distance(p).
template <class Visit>
void for_each_tap(const ConvProblem& p, Visit&& visit)
{
    const Spatial out = p.output();
    const auto place  = [](const Spatial& lengths, const Spatial& i) {
        return (i[0] * lengths[1] + i[1]) * lengths[2] + i[2];
    };
    const auto volume  = [](const Spatial& l) { return l[0] * l[1] * l[2]; };
    const auto indices = [&](const Spatial& lengths, auto&& f) {
        Spatial i{};
        for(i[0] = 0; i[0] < lengths[0]; ++i[0])
            for(i[1] = 0; i[1] < lengths[1]; ++i[1])
                for(i[2] = 0; i[2] < lengths[2]; ++i[2])
                    f(i);
    };
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
                visit((n * volume(p.input) + place(p.input, in)) * p.in_channels,
                      (n * volume(out) + place(out, o)) * p.out_channels,
                      place(p.filter, y) * p.in_channels);
            });
        });
}

/// Elements from one k of W to the next.
inline long_index_t filter_distance(const ConvProblem& p)
{
    return p.filter[0] * p.filter[1] * p.filter[2] * p.in_channels;
}

} // namespace ck::test
