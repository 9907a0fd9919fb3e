#pragma once
// The algorithms of cuDNN's older interface, cudnnConvolution..., that its find function ran.
#include "cudnn_problem.hpp"
#include "cudnn_status.hpp"
#include "rival.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

class CudnnFind
{
public:
    struct Algorithm
    {
        std::string name;      ///< "find: implicit_precomp_gemm"
        std::size_t workspace; ///< bytes
        int number;
        cudnnMathType_t math;
    };

    /// Runs all algorithms on `some`, whose result is overwritten, with the workspace. Throws
    /// std::runtime_error, with the reason, if there is no algorithm.
    CudnnFind(const CudnnHandle& handle,
              const CudnnProblem& problem,
              const ConvTensors& some,
              void* workspace,
              std::size_t workspace_bytes);

    /// The fastest first, by the single launch that the find function timed.
    const std::vector<Algorithm>& algorithms() const { return algorithms_; }

    /// Launches on the handle's stream. The workspace must have at least the bytes that the
    /// algorithm needs.
    void launch(const CudnnHandle& handle,
                const Algorithm& algorithm,
                const ConvTensors& tensors,
                void* workspace) const;

private:
    using Tensor      = CudnnOwner<cudnnCreateTensorDescriptor,
                              cudnnDestroyTensorDescriptor,
                              cudnnTensorDescriptor_t>;
    using Filter      = CudnnOwner<cudnnCreateFilterDescriptor,
                              cudnnDestroyFilterDescriptor,
                              cudnnFilterDescriptor_t>;
    using Convolution = CudnnOwner<cudnnCreateConvolutionDescriptor,
                                   cudnnDestroyConvolutionDescriptor,
                                   cudnnConvolutionDescriptor_t>;

    Direction direction_;
    bool doubles_; ///< alpha and beta are doubles
    Tensor x_, y_;
    Filter w_;
    Convolution convolution_;
    std::vector<Algorithm> algorithms_;
};

} // namespace ck::profiler
