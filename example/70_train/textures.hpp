#pragma once
// The task is to tell four textures apart: stripes along rows, columns or a diagonal, or a
// chequered pattern, shifted by up to a period, with noise. In every class each pixel is light and
// dark equally often, so no linear function of the pixels can tell them apart.
#include "random.hpp"
#include <cstdint>
#include <vector>

namespace train {

struct Batch
{
    std::vector<float> images; ///< [image, row, column], one channel
    std::vector<std::int32_t> labels;
};

inline constexpr int classes = 4;

/// -1 or 1.
inline float texture(int label, int row, int column)
{
    const int stripes[classes] = {row, column, row + column, row ^ column};
    return (stripes[label] & 2) != 0 ? 1.f : -1.f;
}

/// `noise`: its standard deviation; the texture's own is 1.
inline Batch textures(Random& random, int images, int size, float noise = 0.7f)
{
    Batch batch;
    batch.images.reserve(static_cast<std::size_t>(images) * size * size);
    for(int image = 0; image < images; ++image)
    {
        const int label = random.below(classes), down = random.below(4), right = random.below(4);
        batch.labels.push_back(label);
        for(int row = 0; row < size; ++row)
            for(int column = 0; column < size; ++column)
                batch.images.push_back(texture(label, row + down, column + right) +
                                       noise * random.normal());
    }
    return batch;
}

} // namespace train
