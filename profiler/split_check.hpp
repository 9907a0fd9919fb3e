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

/// Fills with integers, runs the pass and compares this rank's numbers: nine in each own row, at
/// corners, edges and between them; of dW four, but none where the image has more than 2^26
/// elements a channel. Each has to be the definition's, rounded once to the result's type.
SplitCheck check_share(SplitShare& share, distributed::Margins margins);

} // namespace ck::profiler
