#pragma once
// split_k as every operation takes it: the number of parts into which each sum is split.
#include "ck/convolution/support.hpp"
#include "ck/utility/integer.hpp"

#include <string>

namespace ck::tensor_operation::device {

/// The split_k that lets each kernel choose the number of parts.
inline constexpr index_t automatic_split_k = -1;

/// Whether split_k is valid: a number of parts (0 means one) or automatic_split_k.
inline Support check_split_k(index_t split_k)
{
    return split_k >= automatic_split_k
               ? Support{}
               : refused("split_k is " + std::to_string(split_k) +
                         ", but must be at least 1 (0 counts as 1), or -1 for an automatic choice");
}

/// The number of parts for a split_k that is not automatic.
constexpr index_t parts_of(index_t split_k) { return split_k == 0 ? 1 : split_k; }

} // namespace ck::tensor_operation::device
