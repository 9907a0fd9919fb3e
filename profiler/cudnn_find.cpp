// Uses cudnnFindConvolution... and cudnnConvolution..., which have the same order of arguments in
// every direction.
#include "cudnn_find.hpp"

#include <span>

namespace ck::profiler {

namespace {

constexpr const char* forward_names[]       = {"implicit_gemm",
                                               "implicit_precomp_gemm",
                                               "gemm",
                                               "direct",
                                               "fft",
                                               "fft_tiling",
                                               "winograd",
                                               "winograd_nonfused"};
constexpr const char* backward_data_names[] = {
    "algorithm 0", "algorithm 1", "fft", "fft_tiling", "winograd", "winograd_nonfused"};
constexpr const char* backward_weight_names[] = {"algorithm 0",
                                                 "algorithm 1",
                                                 "fft",
                                                 "algorithm 3",
                                                 "winograd",
                                                 "winograd_nonfused",
                                                 "fft_tiling"};
static_assert(std::size(forward_names) == CUDNN_CONVOLUTION_FWD_ALGO_COUNT &&
              std::size(backward_data_names) == CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT &&
              std::size(backward_weight_names) == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT);

const char* suffix(cudnnMathType_t math)
{
    switch(math)
    {
    case CUDNN_DEFAULT_MATH:
        break;
    case CUDNN_TENSOR_OP_MATH:
        return ", tensor cores";
    case CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION:
        return ", converted for tensor cores";
    case CUDNN_FMA_MATH:
        return ", multiply-add";
    }
    return "";
}

/// The two operands and the result, in the order of cuDNN's functions for the directions: X W Y, W
/// dY dX, X dY dW.
template <class A, class B, class C>
struct Operands
{
    A a;
    const void* a_memory;
    B b;
    const void* b_memory;
    C c;
    void* c_memory;
};
template <class A, class B, class C>
Operands(A, const void*, B, const void*, C, void*) -> Operands<A, B, C>;

template <class Perf, class A, class B, class C>
std::vector<CudnnFind::Algorithm> find(cudnnStatus_t (*function)(cudnnHandle_t,
                                                                 A,
                                                                 const void*,
                                                                 B,
                                                                 const void*,
                                                                 cudnnConvolutionDescriptor_t,
                                                                 C,
                                                                 void*,
                                                                 int,
                                                                 int*,
                                                                 Perf*,
                                                                 void*,
                                                                 std::size_t),
                                       std::span<const char* const> names,
                                       cudnnHandle_t handle,
                                       cudnnConvolutionDescriptor_t convolution,
                                       const Operands<A, B, C>& o,
                                       void* workspace,
                                       std::size_t workspace_bytes)
{
    std::vector<Perf> all(3 * names.size()); // algorithms may be listed with several kinds of math
    int found = 0;
    CK_CUDNN(function(handle,
                      o.a,
                      o.a_memory,
                      o.b,
                      o.b_memory,
                      convolution,
                      o.c,
                      o.c_memory,
                      static_cast<int>(all.size()),
                      &found,
                      all.data(),
                      workspace,
                      workspace_bytes));
    std::vector<CudnnFind::Algorithm> algorithms;
    for(std::size_t i = 0; i < static_cast<std::size_t>(found); ++i)
        if(const Perf& p = all[i]; p.status == CUDNN_STATUS_SUCCESS && p.memory <= workspace_bytes)
            algorithms.push_back({"find: " + std::string(names[static_cast<std::size_t>(p.algo)]) +
                                      suffix(p.mathType),
                                  p.memory,
                                  static_cast<int>(p.algo),
                                  p.mathType});
    return algorithms;
}

template <class Number, class Algorithm, class A, class B, class C>
void run(cudnnStatus_t (*function)(cudnnHandle_t,
                                   const void*,
                                   A,
                                   const void*,
                                   B,
                                   const void*,
                                   cudnnConvolutionDescriptor_t,
                                   Algorithm,
                                   void*,
                                   std::size_t,
                                   const void*,
                                   C,
                                   void*),
         cudnnHandle_t handle,
         cudnnConvolutionDescriptor_t convolution,
         const Operands<A, B, C>& o,
         const CudnnFind::Algorithm& algorithm,
         void* workspace)
{
    const Number one = 1, zero = 0;
    CK_CUDNN(function(handle,
                      &one,
                      o.a,
                      o.a_memory,
                      o.b,
                      o.b_memory,
                      convolution,
                      static_cast<Algorithm>(algorithm.number),
                      workspace,
                      algorithm.workspace,
                      &zero,
                      o.c,
                      o.c_memory));
}

std::vector<int> ints(const std::vector<std::int64_t>& values)
{
    return {values.begin(), values.end()}; // a problem's lengths are less than 2^31
}

cudnnTensorFormat_t format(CudnnOrder order)
{
    return order == CudnnOrder::channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
}

} // namespace

CudnnFind::CudnnFind(const CudnnHandle& handle,
                     const CudnnProblem& p,
                     const ConvTensors& t,
                     void* workspace,
                     std::size_t workspace_bytes)
    : direction_(p.direction),
      doubles_(p.compute == CUDNN_DATA_DOUBLE)
{
    if(!p.symmetric_pads())
        throw std::runtime_error("the find function has no asymmetric padding");
    if(p.x.type != p.w.type || p.w.type != p.y.type)
        throw std::runtime_error("the find function has tensors of one type alone");
    for(const CudnnTensor* const tensor : {&p.x, &p.w, &p.y})
        if(tensor->order == CudnnOrder::other || tensor->order != p.x.order)
            throw std::runtime_error(std::string("the find function has tensors of one order, "
                                                 "channels last or first; X is ") +
                                     name(p.x.order) + ", W " + name(p.w.order) + ", Y " +
                                     name(p.y.order));
    const auto set = [](const Tensor& descriptor, const CudnnTensor& tensor) {
        const std::vector<int> lengths = ints(tensor.lengths);
        CK_CUDNN(cudnnSetTensorNdDescriptorEx(descriptor.get(),
                                              format(tensor.order),
                                              tensor.type,
                                              static_cast<int>(lengths.size()),
                                              lengths.data()));
    };
    set(x_, p.x);
    set(y_, p.y);
    const std::vector<int> w = ints(p.w.lengths);
    CK_CUDNN(cudnnSetFilterNdDescriptor(
        w_.get(), p.w.type, format(p.w.order), static_cast<int>(w.size()), w.data()));
    CK_CUDNN(cudnnSetConvolutionNdDescriptor(convolution_.get(),
                                             static_cast<int>(p.rank()),
                                             ints(p.pad_low).data(),
                                             ints(p.stride).data(),
                                             ints(p.dilation).data(),
                                             CUDNN_CROSS_CORRELATION,
                                             p.compute));
    CK_CUDNN(cudnnSetConvolutionGroupCount(convolution_.get(), static_cast<int>(p.groups)));
    // The default math for floats allows tf32.
    CK_CUDNN(cudnnSetConvolutionMathType(convolution_.get(),
                                         p.x.type == CUDNN_DATA_FLOAT
                                             ? (p.tf32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH)
                                         : doubles_ ? CUDNN_DEFAULT_MATH
                                                    : CUDNN_TENSOR_OP_MATH));
    const auto found = [&](auto function, std::span<const char* const> names, const auto& o) {
        algorithms_ =
            find(function, names, handle.get(), convolution_.get(), o, workspace, workspace_bytes);
    };
    switch(direction_)
    {
    case Direction::forward:
        found(cudnnFindConvolutionForwardAlgorithmEx,
              forward_names,
              Operands{x_.get(), t.x, w_.get(), t.w, y_.get(), t.y});
        break;
    case Direction::backward_data:
        found(cudnnFindConvolutionBackwardDataAlgorithmEx,
              backward_data_names,
              Operands{w_.get(), t.w, y_.get(), t.y, x_.get(), t.x});
        break;
    case Direction::backward_weight:
        found(cudnnFindConvolutionBackwardFilterAlgorithmEx,
              backward_weight_names,
              Operands{x_.get(), t.x, y_.get(), t.y, w_.get(), t.w});
        break;
    }
    if(algorithms_.empty())
        throw std::runtime_error("the find function has no algorithm that computes this");
}

void CudnnFind::launch(const CudnnHandle& handle,
                       const Algorithm& algorithm,
                       const ConvTensors& t,
                       void* workspace) const
{
    CK_CUDNN(cudnnSetConvolutionMathType(convolution_.get(), algorithm.math));
    const auto run_it = [&](auto function, const auto& o) {
        if(doubles_)
            run<double>(function, handle.get(), convolution_.get(), o, algorithm, workspace);
        else
            run<float>(function, handle.get(), convolution_.get(), o, algorithm, workspace);
    };
    switch(direction_)
    {
    case Direction::forward:
        run_it(cudnnConvolutionForward, Operands{x_.get(), t.x, w_.get(), t.w, y_.get(), t.y});
        break;
    case Direction::backward_data:
        run_it(cudnnConvolutionBackwardData, Operands{w_.get(), t.w, y_.get(), t.y, x_.get(), t.x});
        break;
    case Direction::backward_weight:
        run_it(cudnnConvolutionBackwardFilter,
               Operands{x_.get(), t.x, y_.get(), t.y, w_.get(), t.w});
        break;
    }
}

} // namespace ck::profiler
