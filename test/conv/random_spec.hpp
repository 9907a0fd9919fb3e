#pragma once
// Specs made of random numbers, sound and not, and what becomes of each: a right result or a
// refusal with a reason. Anything else is a mistake.
#include "conv/convolution.hpp"
#include <cstdint>
#include <random>

namespace ck::conv_test {

/// Numbers from a seed, or from bytes that somebody chose; of bytes that are used up the least.
class Random
{
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    Random(const std::uint8_t* bytes, std::size_t count) : bytes_(bytes), left_(count) {}

    long_index_t number(long_index_t least, long_index_t most)
    {
        return least + static_cast<long_index_t>(next() % static_cast<unsigned>(most - least + 1));
    }
    bool one_in(long_index_t n) { return number(1, n) == n; }
    template <class T, std::size_t n>
    T one_of(const T (&values)[n])
    {
        return values[number(0, static_cast<long_index_t>(n) - 1)];
    }
    Extents extents(std::size_t rank, long_index_t least, long_index_t most)
    {
        Extents e;
        for(std::size_t i = 0; i < rank; ++i)
            e.push_back(number(least, most));
        return e;
    }

private:
    unsigned next()
    {
        if(bytes_ == nullptr)
            return static_cast<unsigned>(engine_());
        if(left_ == 0)
            return 0;
        --left_;
        return *bytes_++;
    }

    std::mt19937 engine_{};
    const std::uint8_t* bytes_ = nullptr;
    std::size_t left_          = 0;
};

/// Makes one mistake, or something rare.
inline void spoil(ConvSpec& s, Random& r)
{
    constexpr long_index_t numbers[]{-1,
                                     0,
                                     1 << 20,
                                     (long_index_t{1} << 31) - 1,
                                     long_index_t{1} << 31,
                                     long_index_t{1} << 62,
                                     std::numeric_limits<long_index_t>::min(),
                                     std::numeric_limits<long_index_t>::max()};
    long_index_t* const fields[]{&s.groups,
                                 &s.n,
                                 &s.k,
                                 &s.c,
                                 &s.input[0],
                                 &s.filter[0],
                                 &s.strides[0],
                                 &s.dilations[0],
                                 &s.pads[0].low,
                                 &s.pads[0].high};
    switch(r.number(0, 9))
    {
    case 0:
        s.input.push_back(r.number(1, 3));
        break;
    case 1:
        s.type = static_cast<DataType>(r.number(-1, 11));
        break;
    case 2:
        s.direction = static_cast<Direction>(r.number(-1, 3));
        break;
    case 3:
        s.epilogue.residual = static_cast<Residual>(r.number(-1, 3));
        break;
    case 4:
        s.alignment = static_cast<std::size_t>(r.number(0, 32));
        break;
    case 5:
        s.beta           = r.one_of({-1.f, .5f, NAN, INFINITY});
        s.epilogue.scale = r.one_of({0.f, -2.f, NAN, INFINITY});
        break;
    default:
        *r.one_of(fields) = r.one_of(numbers);
    }
}

/// Strides of a tensor that is permuted, and has gaps, or none.
inline Strides random_strides(const TensorLengths& lengths, std::size_t rank, Random& r)
{
    std::vector<std::size_t> order{0, 1, 2};
    for(std::size_t i = 6 - rank; i < 6; ++i)
        order.push_back(i);
    for(std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1],
                  order[static_cast<std::size_t>(r.number(0, static_cast<long_index_t>(i) - 1))]);
    TensorStrides strides{};
    long_index_t next = 1;
    for(const std::size_t dim : order)
    {
        strides[dim] = next;
        next         = next * std::max<long_index_t>(lengths[dim], 1) + (r.one_in(8) ? 1 : 0);
    }
    if(r.one_in(16)) // elements in the same place, or before the first
        strides[order[0]] = r.number(-1, 0);
    Strides s{strides[0], strides[1], strides[2]};
    for(std::size_t i = 6 - rank; i < 6; ++i)
        s.push_back(strides[i]);
    return s;
}

inline ConvSpec random_spec(Random& r)
{
    const auto rank = static_cast<std::size_t>(r.number(1, 3));
    ConvSpec s;
    s.direction = static_cast<Direction>(r.number(0, 2));
    s.type      = r.one_of({DataType::f32,
                            DataType::f16,
                            DataType::bf16,
                            DataType::i8,
                            DataType::f32,
                            DataType::f16,
                            DataType::bf16,
                            DataType::i8,
                            DataType::f64,
                            DataType::f8,
                            DataType::f8_ocp});
    if(s.type == DataType::f32 && r.one_in(4))
        s.compute = DataType::tf32;
    s.layout    = r.one_of({Layout::channels_last, Layout::channels_first});
    s.groups    = r.number(1, 3);
    s.n         = r.number(0, 3);
    s.k         = r.one_of({1, 3, 8, 16});
    s.c         = r.one_of({1, 5, 8, 32});
    s.input     = r.extents(rank, 1, rank == 3 ? 5 : 7); // emulated kernels are slow
    s.filter    = r.extents(rank, 1, 3);
    s.strides   = r.extents(rank, 1, 3);
    s.dilations = r.extents(rank, 1, 2);
    for(std::size_t i = 0; i < rank; ++i)
        s.pads.push_back({r.number(-1, 2), r.number(-1, 3)});
    s.transposed = r.one_in(4);
    if(s.transposed && r.one_in(2))
        s.output_padding = r.extents(rank, 0, 2);
    if(r.one_in(6)) // depthwise
    {
        s.groups = r.one_of({8, 12, 16, 32});
        s.k = s.c = 1;
    }
    s.beta = r.one_in(4) ? 1 : 0;
    if(r.one_in(3))
        s.epilogue.scale = r.one_of({2.f, .5f, -.25f});
    s.epilogue.bias = r.one_in(4);
    if(r.one_in(4))
        s.epilogue.activation = r.one_of({Activation::relu,
                                          Activation::relu,
                                          Activation::silu,
                                          Activation::gelu,
                                          Activation::clamp,
                                          Activation::leaky_relu,
                                          Activation::hard_swish,
                                          Activation::hard_sigmoid,
                                          Activation::sigmoid});
    if(s.epilogue.activation == Activation::clamp)
        s.epilogue.least = -3, s.epilogue.most = 20;
    if(s.epilogue.activation == Activation::leaky_relu)
        s.epilogue.slope = .1f;
    if(s.direction == Direction::backward_weight && r.one_in(4))
    {
        s.bias_gradient = true;
        s.epilogue.bias = false;
    }
    if(s.direction == Direction::backward_weight && s.type == DataType::bf16 && r.one_in(4))
        s.w_type = DataType::f32;
    if(r.one_in(4))
        s.epilogue.residual = r.one_of({Residual::before_activation, Residual::after_activation});
    if(r.one_in(4))
        s.alignment = r.one_of({1, 2, 4, 8});
    if(r.one_in(3))
        spoil(s, r);
    else if(r.one_in(3))
        try
        {
            const TensorLengths x = Convolution::x_lengths(s), w = Convolution::w_lengths(s),
                                y = Convolution::y_lengths(s);
            s.layout              = Layout::strided;
            s.x_strides           = random_strides(x, rank, r);
            s.w_strides           = random_strides(w, rank, r);
            s.y_strides           = random_strides(y, rank, r);
        }
        catch(const Refused&)
        {} // the filter does not fit, for one
    return s;
}

inline PlanOptions random_options(Random& r)
{
    PlanOptions o;
    if(r.one_in(4))
        o.workspace_limit = static_cast<std::size_t>(r.one_of({0, 100, 10000}));
    if(r.one_in(8))
        o.forbid = r.one_of({"^Xdl", "^Dl", "256", "SeparateEpilogue<", "["});
    return o;
}

enum class Outcome
{
    right,
    refused,
    large, ///< planned, but too large to be computed by plain loops
    wrong
};

/// Plans the spec, from its text again, and runs it. Text of what is wrong in `what`.
inline Outcome outcome_of(const ConvSpec& spec, const PlanOptions& options, std::string& what)
{
    try
    {
        const ConvPlan p = plan(spec, options);
        what             = p.explain();
        if(deserialize(p.serialize()).kernel() != p.kernel())
            return Outcome::wrong;
        const std::size_t bytes = spec.x_bytes() + spec.w_bytes() + spec.y_bytes();
        if(bytes >= 100000)
            return Outcome::large;
        if(options.workspace_limit && p.workspace_size() > *options.workspace_limit)
            return Outcome::wrong;
        return Convolution(spec).mistakes(p) == 0 ? Outcome::right : Outcome::wrong;
    }
    catch(const Refused& why)
    {
        what = why.what();
        return what.size() > 20 ? Outcome::refused : Outcome::wrong;
    }
}

} // namespace ck::conv_test
