#pragma once
// Adds several lists of numbers; each number is summed in the order of the lists.
#include "ck/host_utility/runtime.hpp"
#include "ck/utility/integer.hpp"

#include <cstddef>

namespace ck::distributed {

/// The count as a signed number. Throws std::invalid_argument if no memory can be so large.
long_index_t checked_count(std::size_t count);

/// Sets sums[i] to the sum of number i of all lists. sums: on entry list number `own`, of `count`
/// numbers. others: [lists - 1, count], the other lists in order.
void sum_in_order(
    float* sums, const float* others, long_index_t count, int lists, int own, hipStream_t stream);

} // namespace ck::distributed
