#pragma once
// Launches a max pooling whose spec and tensors were checked.
#include "ck/max_pool.hpp"

namespace ck::pool {

void forward(const MaxPoolSpec& spec, const MaxPoolTensors& tensors);
void backward(const MaxPoolSpec& spec, const MaxPoolTensors& tensors);

} // namespace ck::pool
