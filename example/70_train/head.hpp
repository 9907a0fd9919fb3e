#pragma once
// The part after the network's last block: the mean over an image's pixels, softmax and cross
// entropy, and their gradients.
#include "kernels.hpp"
#include <cmath>
#include <cstdint>

namespace train {

/// features[image, channel] = mean over the pixels of x[image, pixel, channel]; one thread each.
template <class T>
struct Pool
{
    index_t pixels, channels;
    const T* x;
    T* features;

    CK_DEVICE void operator()(index_t i) const
    {
        const T* const first = x + i / channels * pixels * channels + i % channels;
        float sum            = 0;
        for(index_t pixel = 0; pixel < pixels; ++pixel)
            sum += read(first, pixel * channels);
        write(features, i, sum / static_cast<float>(pixels));
    }
};

/// One thread for each element of x.
template <class T>
struct PoolBackward
{
    index_t pixels, channels;
    const T* dfeatures;
    T* dx;

    CK_DEVICE void operator()(index_t i) const
    {
        const index_t image = i / (pixels * channels);
        const float whole   = read(dfeatures, image * channels + i % channels);
        write(dx, i, whole / static_cast<float>(pixels));
    }
};

/// -log(softmax(logits)[label]) and the gradient of its batch mean; one thread for each image.
template <class T>
struct CrossEntropy
{
    index_t classes, images;
    const T* logits;
    const std::int32_t* labels;
    float* loss;
    std::int32_t* correct; ///< 1: the largest logit is the label's
    T* dlogits;

    CK_DEVICE void operator()(index_t image) const
    {
        const index_t first = image * classes, label = labels[image];
        index_t best = 0;
        for(index_t k = 1; k < classes; ++k)
            if(read(logits, first + k) > read(logits, first + best))
                best = k;
        const float most = read(logits, first + best);
        float sum        = 0;
        for(index_t k = 0; k < classes; ++k)
            sum += std::exp(read(logits, first + k) - most);
        for(index_t k = 0; k < classes; ++k)
        {
            const float probability = std::exp(read(logits, first + k) - most) / sum;
            const float difference  = probability - (k == label ? 1.f : 0.f);
            write(dlogits, first + k, difference / static_cast<float>(images));
        }
        loss[image]    = std::log(sum) - (read(logits, first + label) - most);
        correct[image] = best == label ? 1 : 0;
    }
};

} // namespace train
