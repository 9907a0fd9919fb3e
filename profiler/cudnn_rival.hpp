#pragma once
// cuDNN's convolution, channels-last, any direction, by each algorithm that its find function ran.
// Only for benchmarks: an optional dependency.
#include "ck/convolution/direction.hpp"
#include "ck/convolution/problem.hpp"

#include <cuda_runtime_api.h>

#include <cudnn.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace ck::profiler {

inline void cudnn_check(cudnnStatus_t status, const char* call)
{
    if(status != CUDNN_STATUS_SUCCESS)
        throw std::runtime_error(std::string(call) + ": " + cudnnGetErrorString(status));
}
#define CK_CUDNN(call) ::ck::profiler::cudnn_check(call, #call)

/// The tensors of a convolution, or their gradients, in device memory.
struct ConvTensors
{
    void *x, *w, *y;
};

class CudnnConvolution
{
public:
    /// Data of `type`, f32 accumulation, of int8 int32; floats may be multiplied as tf32. Symmetric
    /// padding only. Throws std::runtime_error where cuDNN cannot compute the problem.
    /// The tensors are of the problem's sizes; all algorithms are run on these, which writes the
    /// result. The one that find calls the fastest is chosen.
    CudnnConvolution(Direction direction,
                     const ConvProblem& p,
                     cudnnDataType_t type,
                     const ConvTensors& t)
        : CudnnConvolution(direction)
    { // delegated: what is made before something is thrown is destroyed
        if(p.pad_low != p.pad_high)
            throw std::runtime_error("cuDNN has no asymmetric padding");
        CK_CUDNN(cudnnCreate(&handle_));
        CK_CUDNN(cudnnCreateTensorDescriptor(&x_));
        CK_CUDNN(cudnnCreateTensorDescriptor(&y_));
        CK_CUDNN(cudnnCreateFilterDescriptor(&w_));
        CK_CUDNN(cudnnCreateConvolutionDescriptor(&conv_));

        const std::size_t rank = p.rank == 3 ? 3 : 2; // 1D as 2D with height 1
        const auto ints        = [&](const Spatial& s) {
            return std::vector<int>(s.end() - static_cast<std::ptrdiff_t>(rank), s.end());
        };
        const auto dims = [&](long_index_t a, long_index_t b, const Spatial& s) {
            std::vector<int> d{static_cast<int>(a), static_cast<int>(b)};
            const std::vector<int> tail = ints(s);
            d.insert(d.end(), tail.begin(), tail.end());
            return d;
        };
        const auto x = dims(p.batch, p.in_channels * p.groups, p.input);
        const auto y = dims(p.batch, p.out_channels * p.groups, p.output());
        const auto w = dims(p.out_channels * p.groups, p.in_channels, p.filter);
        const int n  = static_cast<int>(x.size());
        CK_CUDNN(cudnnSetTensorNdDescriptorEx(x_, CUDNN_TENSOR_NHWC, type, n, x.data()));
        CK_CUDNN(cudnnSetTensorNdDescriptorEx(y_, CUDNN_TENSOR_NHWC, type, n, y.data()));
        CK_CUDNN(cudnnSetFilterNdDescriptor(w_, type, CUDNN_TENSOR_NHWC, n, w.data()));
        CK_CUDNN(cudnnSetConvolutionNdDescriptor(conv_,
                                                 static_cast<int>(rank),
                                                 ints(p.pad_low).data(),
                                                 ints(p.stride).data(),
                                                 ints(p.dilation).data(),
                                                 CUDNN_CROSS_CORRELATION,
                                                 type == CUDNN_DATA_INT8 ? CUDNN_DATA_INT32
                                                                         : CUDNN_DATA_FLOAT));
        CK_CUDNN(cudnnSetConvolutionGroupCount(conv_, static_cast<int>(p.groups)));
        // For floats it is the default that allows tf32.
        CK_CUDNN(cudnnSetConvolutionMathType(
            conv_, type == CUDNN_DATA_FLOAT ? CUDNN_DEFAULT_MATH : CUDNN_TENSOR_OP_MATH));
        if(cudaMalloc(&workspace_, most_workspace) != cudaSuccess)
            throw std::runtime_error("no memory for cuDNN's workspace");
        find(t);
        choose(algorithms_.front());
    }
    CudnnConvolution(const CudnnConvolution&) = delete;
    ~CudnnConvolution()
    {
        if(handle_ == nullptr)
            return; // nothing was made
        (void)cudaFree(workspace_);
        (void)cudnnDestroyConvolutionDescriptor(conv_);
        (void)cudnnDestroyFilterDescriptor(w_);
        (void)cudnnDestroyTensorDescriptor(y_);
        (void)cudnnDestroyTensorDescriptor(x_);
        (void)cudnnDestroy(handle_);
    }

    void run(cudaStream_t stream, const ConvTensors& t)
    {
        const float one = 1.f, zero = 0.f;
        CK_CUDNN(cudnnSetStream(handle_, stream));
        switch(direction_)
        {
        case Direction::forward:
            CK_CUDNN(cudnnConvolutionForward(handle_,
                                             &one,
                                             x_,
                                             t.x,
                                             w_,
                                             t.w,
                                             conv_,
                                             static_cast<cudnnConvolutionFwdAlgo_t>(chosen_.number),
                                             workspace_,
                                             chosen_.workspace_bytes,
                                             &zero,
                                             y_,
                                             t.y));
            break;
        case Direction::backward_data:
            CK_CUDNN(cudnnConvolutionBackwardData(
                handle_,
                &one,
                w_,
                t.w,
                y_,
                t.y,
                conv_,
                static_cast<cudnnConvolutionBwdDataAlgo_t>(chosen_.number),
                workspace_,
                chosen_.workspace_bytes,
                &zero,
                x_,
                t.x));
            break;
        case Direction::backward_weight:
            CK_CUDNN(cudnnConvolutionBackwardFilter(
                handle_,
                &one,
                x_,
                t.x,
                y_,
                t.y,
                conv_,
                static_cast<cudnnConvolutionBwdFilterAlgo_t>(chosen_.number),
                workspace_,
                chosen_.workspace_bytes,
                &zero,
                w_,
                t.w));
            break;
        }
    }

    struct Algorithm
    {
        int number;
        std::size_t workspace_bytes;
        cudnnMathType_t math;
        double ms; ///< of the one launch that find timed, in which it may have been loaded
    };
    /// Those that can compute the problem, the fastest first as find has it.
    const std::vector<Algorithm>& algorithms() const { return algorithms_; }

    /// What run() runs.
    void choose(const Algorithm& a)
    {
        chosen_ = a;
        CK_CUDNN(cudnnSetConvolutionMathType(conv_, a.math));
    }

private:
    explicit CudnnConvolution(Direction direction) : direction_(direction) {}

    static constexpr std::size_t most_workspace = std::size_t{4} << 30;

    void find(const ConvTensors& t)
    {
        int found       = 0;
        const auto keep = [&](const auto& all) {
            for(int i = 0; i < found; ++i)
                if(const auto& a = all[static_cast<std::size_t>(i)];
                   a.status == CUDNN_STATUS_SUCCESS)
                    algorithms_.push_back(
                        {static_cast<int>(a.algo), a.memory, a.mathType, double{a.time}});
            if(algorithms_.empty())
                throw std::runtime_error("cuDNN has no algorithm for this problem");
        };
        if(direction_ == Direction::forward)
        {
            std::vector<cudnnConvolutionFwdAlgoPerf_t> all(CUDNN_CONVOLUTION_FWD_ALGO_COUNT);
            CK_CUDNN(cudnnFindConvolutionForwardAlgorithmEx(handle_,
                                                            x_,
                                                            t.x,
                                                            w_,
                                                            t.w,
                                                            conv_,
                                                            y_,
                                                            t.y,
                                                            static_cast<int>(all.size()),
                                                            &found,
                                                            all.data(),
                                                            workspace_,
                                                            most_workspace));
            keep(all);
        }
        else if(direction_ == Direction::backward_data)
        {
            std::vector<cudnnConvolutionBwdDataAlgoPerf_t> all(
                CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT);
            CK_CUDNN(cudnnFindConvolutionBackwardDataAlgorithmEx(handle_,
                                                                 w_,
                                                                 t.w,
                                                                 y_,
                                                                 t.y,
                                                                 conv_,
                                                                 x_,
                                                                 t.x,
                                                                 static_cast<int>(all.size()),
                                                                 &found,
                                                                 all.data(),
                                                                 workspace_,
                                                                 most_workspace));
            keep(all);
        }
        else
        {
            std::vector<cudnnConvolutionBwdFilterAlgoPerf_t> all(
                CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT);
            CK_CUDNN(cudnnFindConvolutionBackwardFilterAlgorithmEx(handle_,
                                                                   x_,
                                                                   t.x,
                                                                   y_,
                                                                   t.y,
                                                                   conv_,
                                                                   w_,
                                                                   t.w,
                                                                   static_cast<int>(all.size()),
                                                                   &found,
                                                                   all.data(),
                                                                   workspace_,
                                                                   most_workspace));
            keep(all);
        }
    }

    Direction direction_;
    cudnnHandle_t handle_{};
    cudnnTensorDescriptor_t x_{}, y_{};
    cudnnFilterDescriptor_t w_{};
    cudnnConvolutionDescriptor_t conv_{};
    std::vector<Algorithm> algorithms_;
    Algorithm chosen_{};
    void* workspace_ = nullptr;
};

} // namespace ck::profiler
