#pragma once
// A share's result beside the convolution's definition, at samples.
#include "split_share.hpp"

namespace ck::profiler {

/// How many numbers were compared, and how many were wrong.
struct SplitCheck
{
    std::size_t compared = 0;
    std::size_t wrong    = 0;
};

/// Fills with integers, runs the pass and compares this rank's split_samples(): each has to be the
/// definition's, rounded once to the result's type.
SplitCheck check_share(SplitShare& share, distributed::Margins margins);

} // namespace ck::profiler
