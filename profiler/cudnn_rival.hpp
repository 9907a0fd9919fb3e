#pragma once
// cuDNN's backward data of a 2D or 3D convolution, channels-last, its fastest algorithm found by
// measurement. Only for benchmarks: an optional dependency.
#include "ck/convolution/problem.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
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

class CudnnBackwardData
{
public:
    /// f16 data, f32 accumulation. Symmetric padding only. dX and the others must be device memory
    /// of the problem's sizes; the algorithm is chosen by running all of them once on these.
    CudnnBackwardData(const ConvProblem& p,
                      const void* w_memory,
                      const void* dy_memory,
                      void* dx_memory)
    {
        if(p.pad_low != p.pad_high)
            throw std::runtime_error("cuDNN has no asymmetric padding");
        CK_CUDNN(cudnnCreate(&handle_));
        CK_CUDNN(cudnnCreateTensorDescriptor(&dx_));
        CK_CUDNN(cudnnCreateTensorDescriptor(&dy_));
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
        const auto dx = dims(p.batch, p.in_channels * p.groups, p.input);
        const auto dy = dims(p.batch, p.out_channels * p.groups, p.output());
        const auto w  = dims(p.out_channels * p.groups, p.in_channels, p.filter);
        const int n   = static_cast<int>(dx.size());
        CK_CUDNN(
            cudnnSetTensorNdDescriptorEx(dx_, CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, n, dx.data()));
        CK_CUDNN(
            cudnnSetTensorNdDescriptorEx(dy_, CUDNN_TENSOR_NHWC, CUDNN_DATA_HALF, n, dy.data()));
        CK_CUDNN(cudnnSetFilterNdDescriptor(w_, CUDNN_DATA_HALF, CUDNN_TENSOR_NHWC, n, w.data()));
        CK_CUDNN(cudnnSetConvolutionNdDescriptor(conv_,
                                                 static_cast<int>(rank),
                                                 ints(p.pad_low).data(),
                                                 ints(p.stride).data(),
                                                 ints(p.dilation).data(),
                                                 CUDNN_CROSS_CORRELATION,
                                                 CUDNN_DATA_FLOAT));
        CK_CUDNN(cudnnSetConvolutionGroupCount(conv_, static_cast<int>(p.groups)));
        CK_CUDNN(cudnnSetConvolutionMathType(conv_, CUDNN_TENSOR_OP_MATH));

        constexpr std::size_t most_workspace = std::size_t{4} << 30;
        if(cudaMalloc(&workspace_, most_workspace) != cudaSuccess)
            throw std::runtime_error("no memory for cuDNN's workspace");
        int found = 0;
        std::vector<cudnnConvolutionBwdDataAlgoPerf_t> all(CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT);
        CK_CUDNN(cudnnFindConvolutionBackwardDataAlgorithmEx(handle_,
                                                             w_,
                                                             w_memory,
                                                             dy_,
                                                             dy_memory,
                                                             conv_,
                                                             dx_,
                                                             dx_memory,
                                                             static_cast<int>(all.size()),
                                                             &found,
                                                             all.data(),
                                                             workspace_,
                                                             most_workspace));
        if(found == 0 || all[0].status != CUDNN_STATUS_SUCCESS)
            throw std::runtime_error("cuDNN has no algorithm for this problem");
        best_ = all[0];
        CK_CUDNN(cudnnSetConvolutionMathType(conv_, best_.mathType));
    }
    CudnnBackwardData(const CudnnBackwardData&) = delete;
    ~CudnnBackwardData()
    {
        (void)cudaFree(workspace_);
        (void)cudnnDestroyConvolutionDescriptor(conv_);
        (void)cudnnDestroyFilterDescriptor(w_);
        (void)cudnnDestroyTensorDescriptor(dy_);
        (void)cudnnDestroyTensorDescriptor(dx_);
        (void)cudnnDestroy(handle_);
    }

    void run(cudaStream_t stream, const void* w, const void* dy, void* dx)
    {
        const float one = 1.f, zero = 0.f;
        CK_CUDNN(cudnnSetStream(handle_, stream));
        CK_CUDNN(cudnnConvolutionBackwardData(handle_,
                                              &one,
                                              w_,
                                              w,
                                              dy_,
                                              dy,
                                              conv_,
                                              best_.algo,
                                              workspace_,
                                              best_.memory,
                                              &zero,
                                              dx_,
                                              dx));
    }

    std::string name() const { return "cuDNN algorithm " + std::to_string(best_.algo); }

private:
    cudnnHandle_t handle_{};
    cudnnTensorDescriptor_t dx_{}, dy_{};
    cudnnFilterDescriptor_t w_{};
    cudnnConvolutionDescriptor_t conv_{};
    cudnnConvolutionBwdDataAlgoPerf_t best_{};
    void* workspace_ = nullptr;
};

} // namespace ck::profiler
