#pragma once
// split_k as every operation takes it: into how many parts the sum of an element is cut.
#include "ck/convolution/support.hpp"
#include "ck/utility/integer.hpp"

#include <string>

namespace ck::tensor_operation::device {

/// split_k that leaves the number of parts to each kernel.
inline constexpr index_t automatic_split_k = -1;

/// Which values of split_k there are: a number of parts, where 0 asks for one, or automatic.
inline Support check_split_k(index_t split_k)
{
    return split_k >= automatic_split_k
               ? Support{}
               : refused("split_k is " + std::to_string(split_k) +
                         ", but must be at least 1 (0 counts as 1), or -1 for an automatic choice");
}

/// The parts that a split_k asks for that is not automatic.
constexpr index_t parts_of(index_t split_k) { return split_k == 0 ? 1 : split_k; }

} // namespace ck::tensor_operation::device
