#pragma once
// cuDNN as a rival: the algorithms of its find function and the plans of its graph API.
#include "rival.hpp"

namespace ck::profiler {

/// Makes a rival of cuDNN; see make_rival().
std::unique_ptr<Rival>
make_cudnn_rival(const ConvRequest& request, const ConvProblem& problem, const ConvTensors& some);

} // namespace ck::profiler
