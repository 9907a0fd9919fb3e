#pragma once
// Launches a group norm whose spec and tensors were checked.
#include "ck/group_norm.hpp"

namespace ck::norm {

// The kind `group`.

/// Bytes of workspace that forward and backward need: the larger of the two.
std::size_t group_workspace_size(const GroupNormSpec& spec);

void group_forward(const GroupNormSpec& spec, const GroupNormTensors& tensors);
void group_backward(const GroupNormSpec& spec, const GroupNormTensors& tensors);

// The other kinds, whose statistics are those of a pixel.

/// Bytes of workspace that backward needs; forward needs none.
std::size_t row_workspace_size(const GroupNormSpec& spec);

void row_forward(const GroupNormSpec& spec, const GroupNormTensors& tensors);
void row_backward(const GroupNormSpec& spec, const GroupNormTensors& tensors);

} // namespace ck::norm
