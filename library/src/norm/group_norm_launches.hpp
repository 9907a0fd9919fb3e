#pragma once
// Launches a group norm whose spec and tensors were checked.
#include "ck/group_norm.hpp"

namespace ck::norm {

/// Bytes of workspace that forward and backward need: the larger of the two.
std::size_t workspace_size(const GroupNormSpec& spec);

void forward(const GroupNormSpec& spec, const GroupNormTensors& tensors);
void backward(const GroupNormSpec& spec, const GroupNormTensors& tensors);

} // namespace ck::norm
