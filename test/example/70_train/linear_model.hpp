#pragma once
// What a linear model makes of the textures: softmax regression on the pixels, by plain loops.
#include "textures.hpp"
#include <algorithm>
#include <cmath>
#include <vector>

namespace train {

class LinearModel
{
public:
    explicit LinearModel(int pixels)
        : pixels_(pixels),
          weights_(static_cast<std::size_t>(classes) * (pixels + 1))
    {}

    void learn(const Batch& data, int epochs, float rate)
    {
        for(int epoch = 0; epoch < epochs; ++epoch)
            for(std::size_t image = 0; image < data.labels.size(); ++image)
            {
                const float* const x = pixels_of(data, image);
                const auto p         = probabilities(x);
                for(int k = 0; k < classes; ++k)
                {
                    const float step = rate * (p[k] - (k == data.labels[image] ? 1.f : 0.f));
                    for(int i = 0; i < pixels_; ++i)
                        row(k)[i] -= step * x[i];
                    row(k)[pixels_] -= step;
                }
            }
    }

    /// Percent.
    double accuracy(const Batch& data) const
    {
        int correct = 0;
        for(std::size_t image = 0; image < data.labels.size(); ++image)
        {
            const auto p = probabilities(pixels_of(data, image));
            correct += std::max_element(p.begin(), p.end()) - p.begin() == data.labels[image];
        }
        return 100. * correct / static_cast<double>(data.labels.size());
    }

private:
    const float* pixels_of(const Batch& data, std::size_t image) const
    {
        return data.images.data() + image * static_cast<std::size_t>(pixels_);
    }
    float* row(int k) { return weights_.data() + k * (pixels_ + 1); }
    const float* row(int k) const { return weights_.data() + k * (pixels_ + 1); }

    std::vector<float> probabilities(const float* x) const
    {
        std::vector<float> p(classes);
        float sum = 0;
        for(int k = 0; k < classes; ++k)
        {
            float logit = row(k)[pixels_];
            for(int i = 0; i < pixels_; ++i)
                logit += row(k)[i] * x[i];
            sum += p[k] = std::exp(logit);
        }
        for(float& value : p)
            value /= sum;
        return p;
    }

    int pixels_;
    std::vector<float> weights_;
};

} // namespace train
