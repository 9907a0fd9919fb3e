#pragma once
// Random numbers that are the same on every machine for the same seed.
#include <cstdint>
#include <vector>

namespace train {

class Random
{
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    /// Splitmix64.
    std::uint64_t bits()
    {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z               = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
        z               = (z ^ z >> 27) * 0x94D049BB133111EB;
        return z ^ z >> 31;
    }
    /// An integer from 0 to below `end`.
    int below(int end) { return static_cast<int>((bits() >> 33) % static_cast<unsigned>(end)); }
    /// A number from 0 to below 1.
    float uniform() { return static_cast<float>(bits() >> 40) * 0x1p-24f; }
    /// Mean 0, deviation 1: a sum of uniform ones, exact arithmetic on every machine.
    float normal()
    {
        float sum = -6;
        for(int i = 0; i < 12; ++i)
            sum += uniform();
        return sum;
    }
    std::vector<float> normals(std::size_t count, float deviation)
    {
        std::vector<float> values(count);
        for(float& value : values)
            value = deviation * normal();
        return values;
    }

private:
    std::uint64_t state_;
};

} // namespace train
