#pragma once
// The launches of a batch norm whose spec and tensors are in order.
#include "ck/batch_norm.hpp"

namespace ck::batch_norm {

std::size_t bytes_of_element(DataType type);
/// Bytes that forward and backward need, whichever is more.
std::size_t workspace_size(const BatchNormSpec& spec);

void forward(const BatchNormSpec& spec, const BatchNormTensors& tensors);
void backward(const BatchNormSpec& spec, const BatchNormTensors& tensors);
void inference(const BatchNormSpec& spec, const BatchNormTensors& tensors);

} // namespace ck::batch_norm
