#pragma once
// A sum of several lists of numbers, each number in the lists' order.
#include "ck/host_utility/runtime.hpp"
#include "ck/utility/integer.hpp"

#include <cstddef>

namespace ck::distributed {

/// How many floats a sum has. Throws std::invalid_argument for more than memory may have.
long_index_t checked_count(std::size_t count);

/// sums[i] becomes the sum of number i of all lists. sums: list number `own`, of `count` numbers.
/// others: [lists - 1, count], the other lists in their order.
void sum_in_order(
    float* sums, const float* others, long_index_t count, int lists, int own, hipStream_t stream);

} // namespace ck::distributed
