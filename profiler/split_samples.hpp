#pragma once
// Which elements of a result split_scaling compares, and what the convolution's definition has
// there.
#include "split_share.hpp"
#include <array>
#include <vector>

namespace ck::profiler {

/// An element of Y, dX or dW.
struct SplitSample
{
    std::array<long_index_t, 3> at; ///< row, height and width; of dW the filter's tap
    long_index_t channel;           ///< of Y, of dX, or of X for dW
    long_index_t filter = 0;        ///< of dW
};

/// What a rank compares of its own rows `own`: nine elements in each, the corners, four at the
/// edges and one between them, of channels that are drawn. Of dW, which every rank has all of,
/// four; one if the image has more than 2^26 elements a channel. Other ranks draw others.
std::vector<SplitSample>
split_samples(const SplitProblem& problem, Direction direction, distributed::Rows own, int rank);

struct SplitElement
{
    long_index_t index; ///< in the whole result
    double value;       ///< by the definition, in doubles
};

SplitElement split_element(const SplitProblem& problem,
                           const SplitTensors& tensors,
                           Direction direction,
                           const SplitSample& sample);

} // namespace ck::profiler
