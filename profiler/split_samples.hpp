#pragma once
// The elements of a result that split_scaling compares, and their values by
// definition.
#include "split_share.hpp"
#include <array>
#include <vector>

namespace ck::profiler {

/// An element of Y, dX or dW.
struct SplitSample
{
    std::array<long_index_t, 3> at; ///< row, height and width; for dW the filter's tap
    long_index_t channel;           ///< channel of Y, of dX, or for dW of X
    long_index_t filter = 0;        ///< for dW
};

/// A rank's samples. In each of its `own` rows nine elements, with random channels: the corners,
/// four at the edges and one between. For dW, which each rank has, four elements, or one if the
/// image has more than 2^26 elements in a channel. Each rank has other samples.
std::vector<SplitSample>
split_samples(const SplitProblem& problem, Direction direction, distributed::Rows own, int rank);

struct SplitElement
{
    long_index_t index; ///< index in the whole result
    double value;       ///< by the definition, in doubles
};

SplitElement split_element(const SplitProblem& problem,
                           const SplitTensors& tensors,
                           Direction direction,
                           const SplitSample& sample);

} // namespace ck::profiler
