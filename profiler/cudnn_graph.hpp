#pragma once
// Plans of cuDNN's graph API, through its C interface: the engines that its heuristics propose for
// a convolution, each with its knobs.
#include "cudnn_descriptor.hpp"
#include "cudnn_problem.hpp"
#include "rival.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

class CudnnGraph
{
public:
    struct Plan
    {
        std::string name;      ///< "graph: engine 24, tile_size 3, stages 2"
        std::size_t workspace; ///< bytes
        CudnnDescriptor configuration, plan;
    };

    /// Throws std::runtime_error, with the reasons, if no plan can be made. Leaves out
    /// plans that need more than `most_workspace` bytes, plans that need the filter in
    /// another order in memory and, if floats must not be multiplied as tf32, plans on
    /// tensor cores.
    CudnnGraph(const CudnnHandle& handle, const CudnnProblem& problem, std::size_t most_workspace);

    /// The plans in the order in which the heuristics propose them, best first.
    const std::vector<Plan>& plans() const { return plans_; }

    /// Launches on the handle's stream. The workspace must have at least the bytes that the plan
    /// needs.
    void launch(const CudnnHandle& handle,
                const Plan& plan,
                const ConvTensors& tensors,
                void* workspace) const;

private:
    std::vector<std::vector<CudnnDescriptor>> graphs_; ///< with the parts that they refer to
    std::vector<Plan> plans_;
};

} // namespace ck::profiler
