// Computes single elements of the definition for hashed tensors.
#include "split_samples.hpp"

#include <random>

namespace ck::profiler {

namespace {

using Point = std::array<long_index_t, 3>; // d, h, w

/// The whole convolution with hashed tensors.
class Definition
{
public:
    Definition(const SplitProblem& problem, const SplitTensors& tensors) : p_(problem), t_(tensors)
    {}

    bool inside(const Point& at) const
    {
        return at[0] >= 0 && at[0] < p_.depth && at[1] >= 0 && at[1] < p_.width && at[2] >= 0 &&
               at[2] < p_.width;
    }
    long_index_t x_index(const Point& at, long_index_t c) const
    {
        return voxel(at) * p_.channels + c;
    }
    long_index_t y_index(const Point& at, long_index_t k) const
    {
        return voxel(at) * p_.filters + k;
    }
    long_index_t weight_index(long_index_t k, const Point& tap, long_index_t c) const
    {
        return (((k * 3 + tap[0]) * 3 + tap[1]) * 3 + tap[2]) * p_.channels + c;
    }

    /// An element of Y, or of dX if `data`.
    double element(bool data, const Point& at, long_index_t channel) const
    {
        double sum = 0;
        for_each_tap([&](const Point& tap) {
            const auto line = [&](std::size_t i) {
                return data ? at[i] + 1 - tap[i] : at[i] + tap[i] - 1;
            };
            const Point from{line(0), line(1), line(2)};
            if(!inside(from))
                return;
            const HashedTensor& read = data ? t_.dy : t_.x;
            const long_index_t first = data ? y_index(from, 0) : x_index(from, 0);
            for(long_index_t i = 0; i < (data ? p_.filters : p_.channels); ++i)
                sum += static_cast<double>(
                    read[first + i] *
                    t_.w[data ? weight_index(i, tap, channel) : weight_index(channel, tap, i)]);
        });
        return sum;
    }

    /// An element of dW.
    double gradient(long_index_t k, const Point& tap, long_index_t c) const
    {
        double sum = 0;
        for(long_index_t d = 0; d < p_.depth; ++d)
            for(long_index_t h = 0; h < p_.width; ++h)
                for(long_index_t w = 0; w < p_.width; ++w)
                    if(const Point x{d + tap[0] - 1, h + tap[1] - 1, w + tap[2] - 1}; inside(x))
                        sum +=
                            static_cast<double>(t_.dy[y_index({d, h, w}, k)] * t_.x[x_index(x, c)]);
        return sum;
    }

private:
    long_index_t voxel(const Point& at) const
    {
        return (at[0] * p_.width + at[1]) * p_.width + at[2];
    }
    template <class F>
    static void for_each_tap(const F& f)
    {
        for(long_index_t z = 0; z < 3; ++z)
            for(long_index_t y = 0; y < 3; ++y)
                for(long_index_t x = 0; x < 3; ++x)
                    f(Point{z, y, x});
    }

    SplitProblem p_;
    SplitTensors t_;
};

/// Numbers in [0, values), the same ones for each seed.
class Draws
{
public:
    explicit Draws(int seed) : random_(static_cast<std::uint64_t>(seed)) {}
    long_index_t operator()(long_index_t values)
    {
        return static_cast<long_index_t>(random_() % static_cast<std::uint64_t>(values));
    }

private:
    std::mt19937_64 random_;
};

} // namespace

std::vector<SplitSample>
split_samples(const SplitProblem& problem, Direction direction, distributed::Rows own, int rank)
{
    constexpr long_index_t many_terms = 1 << 26; // in a sum, which then takes the CPU seconds
    const SplitProblem& p             = problem;
    Draws draw(rank);
    std::vector<SplitSample> all;
    if(direction == Direction::backward_weight)
    {
        const int samples = p.depth * p.width * p.width <= many_terms ? 4 : 1;
        for(int i = 0; i < samples; ++i)
            all.push_back({{draw(3), draw(3), draw(3)}, draw(p.channels), draw(p.filters)});
        return all;
    }
    const auto places = [&] { return std::array{long_index_t{0}, p.width - 1, draw(p.width)}; };
    for(long_index_t d = own.begin; d < own.end; ++d)
        for(const long_index_t h : places())
            for(const long_index_t w : places())
                all.push_back(
                    {{d, h, w},
                     draw(direction == Direction::backward_data ? p.channels : p.filters)});
    return all;
}

SplitElement split_element(const SplitProblem& problem,
                           const SplitTensors& tensors,
                           Direction direction,
                           const SplitSample& sample)
{
    const Definition definition(problem, tensors);
    const SplitSample& s = sample;
    if(direction == Direction::backward_weight)
        return {definition.weight_index(s.filter, s.at, s.channel),
                definition.gradient(s.filter, s.at, s.channel)};
    const bool data = direction == Direction::backward_data;
    return {data ? definition.x_index(s.at, s.channel) : definition.y_index(s.at, s.channel),
            definition.element(data, s.at, s.channel)};
}

} // namespace ck::profiler
