#pragma once
// Compares samples of a share's result with the convolution's definition.
#include "split_share.hpp"

namespace ck::profiler {

/// The number of compared values, and of wrong ones.
struct SplitCheck
{
    std::size_t compared = 0;
    std::size_t wrong    = 0;
};

/// Fills with integers, runs the pass and compares this rank's split_samples(): each must equal the
/// definition, rounded once to the result's type.
SplitCheck check_share(SplitShare& share, distributed::Margins margins);

} // namespace ck::profiler
