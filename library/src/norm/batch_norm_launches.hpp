#pragma once
// Launches a batch norm whose spec and tensors were checked.
#include "ck/batch_norm.hpp"

namespace ck::norm {

/// Bytes of workspace that forward and backward need: the larger of the two.
std::size_t workspace_size(const BatchNormSpec& spec);

void forward(const BatchNormSpec& spec, const BatchNormTensors& tensors);
void backward(const BatchNormSpec& spec, const BatchNormTensors& tensors);
void inference(const BatchNormSpec& spec, const BatchNormTensors& tensors);

} // namespace ck::norm
