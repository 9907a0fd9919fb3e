#pragma once
// Group normalisation with the residual and the relu after it: y = relu(gamma * xhat + beta + r),
// xhat = (x - mean) / deviation over the pixels and channels of one group of an image. It keeps no
// state between batches, so training and evaluation are the same.
#include "kernels.hpp"
#include <cmath>

namespace train {

/// Lengths of tensors [images, pixels, channels].
struct NormShape
{
    index_t images, pixels, channels, groups;

    CK_HOST_DEVICE index_t channels_of_group() const { return channels / groups; }
    CK_HOST_DEVICE index_t elements_of_group() const { return pixels * channels_of_group(); }
    /// The offset of element i of a block's image and group.
    CK_HOST_DEVICE index_t channel(index_t block, index_t i) const
    {
        return block % groups * channels_of_group() + i % channels_of_group();
    }
    CK_HOST_DEVICE index_t element(index_t block, index_t i) const
    {
        const index_t pixel = block / groups * pixels + i / channels_of_group();
        return pixel * channels + channel(block, i);
    }
};

struct Statistics
{
    float mean, inverse_deviation;
};

/// One block for each group of each image.
template <class T>
struct Normalise
{
    NormShape shape;
    const T* x;
    const T* residual; ///< null: none
    const float* gamma;
    const float* beta;
    T* y;
    Statistics* statistics;
    bool relu;

    CK_DEVICE void operator()(index_t block, BlockMemory& memory) const
    {
        const index_t count = shape.elements_of_group();
        const float one     = 1.f / static_cast<float>(count);
        float sum = 0, squares = 0;
        for(index_t i = ck::arch::thread_index(); i < count; i += threads)
            sum += read(x, shape.element(block, i));
        const float mean = memory.sum(sum) * one;
        for(index_t i = ck::arch::thread_index(); i < count; i += threads)
        {
            const float d = read(x, shape.element(block, i)) - mean;
            squares += d * d;
        }
        const float inverse = 1.f / std::sqrt(memory.sum(squares) * one + 1e-5f);
        for(index_t i = ck::arch::thread_index(); i < count; i += threads)
        {
            const index_t at = shape.element(block, i), c = shape.channel(block, i);
            float value = gamma[c] * (read(x, at) - mean) * inverse + beta[c];
            if(residual != nullptr)
                value += read(residual, at);
            write(y, at, relu && !(value > 0) ? 0.f : value);
        }
        if(ck::arch::thread_index() == 0)
            statistics[block] = {mean, inverse};
    }
};

/// The inputs of both gradient kernels.
template <class T>
struct NormGradient
{
    NormShape shape;
    const T* x;
    const T* y;
    const T* dy;
    const Statistics* statistics;
    bool relu;

    /// z, the value before the relu.
    CK_DEVICE float gradient(index_t at) const
    {
        return relu && !(read(y, at) > 0) ? 0.f : read(dy, at);
    }
    CK_DEVICE float normalised(index_t at, const Statistics& s) const
    {
        return (read(x, at) - s.mean) * s.inverse_deviation;
    }
};

/// dx and the residual's gradient; one block for each group of each image.
template <class T>
struct NormaliseBackward
{
    NormGradient<T> in;
    const float* gamma;
    T* dx;
    T* dresidual; ///< null: none

    CK_DEVICE void operator()(index_t block, BlockMemory& memory) const
    {
        const Statistics s  = in.statistics[block];
        const index_t count = in.shape.elements_of_group();
        float sum = 0, product = 0;
        for(index_t i = ck::arch::thread_index(); i < count; i += threads)
        {
            const index_t at = in.shape.element(block, i);
            const float g    = in.gradient(at) * gamma[in.shape.channel(block, i)];
            sum += g;
            product += g * in.normalised(at, s);
        }
        const float one  = 1.f / static_cast<float>(count);
        const float mean = memory.sum(sum) * one, along = memory.sum(product) * one;
        for(index_t i = ck::arch::thread_index(); i < count; i += threads)
        {
            const index_t at = in.shape.element(block, i);
            const float g    = in.gradient(at);
            const float own  = g * gamma[in.shape.channel(block, i)];
            write(dx, at, s.inverse_deviation * (own - mean - along * in.normalised(at, s)));
            if(dresidual != nullptr)
                write(dresidual, at, g);
        }
    }
};

/// The gradients of gamma and beta; one block for each channel.
template <class T>
struct NormaliseBackwardParameters
{
    NormGradient<T> in;
    float* dgamma;
    float* dbeta;

    CK_DEVICE void operator()(index_t channel, BlockMemory& memory) const
    {
        const NormShape& shape = in.shape;
        const index_t group    = channel / shape.channels_of_group();
        float of_gamma = 0, of_beta = 0;
        for(index_t i = ck::arch::thread_index(); i < shape.images * shape.pixels; i += threads)
        {
            const index_t at = i * shape.channels + channel;
            const float g    = in.gradient(at);
            of_beta += g;
            of_gamma +=
                g * in.normalised(at, in.statistics[i / shape.pixels * shape.groups + group]);
        }
        const float sum_gamma = memory.sum(of_gamma), sum_beta = memory.sum(of_beta);
        if(ck::arch::thread_index() == 0)
        {
            dgamma[channel] = sum_gamma;
            dbeta[channel]  = sum_beta;
        }
    }
};

} // namespace train
