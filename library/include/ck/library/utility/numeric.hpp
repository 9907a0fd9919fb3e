#pragma once
// Folds the first elements of a sequence.
#include <functional>
#include <numeric>

namespace ck {

/// Folds op over the first `count` elements from `first`, starting with `init`.
template <class T, class ForwardIterator, class Size, class BinaryOperation>
T accumulate_n(ForwardIterator first, Size count, T init, BinaryOperation op)
{
    for(; count > 0; --count, ++first)
        init = op(init, *first);
    return init;
}

} // namespace ck
