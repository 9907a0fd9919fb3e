#pragma once
// Backward weight of blocked tensors behind BackwardWeightShell: one launch, whose sums are not
// split.
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_shell.hpp"
#include "ck/tensor_operation/gpu/conv/operation/blocked_conv_operation.hpp"

namespace ck::tensor_operation::device {

/// Gemm: BlockedLaunch's operation of BackwardWeightDirection.
template <class Gemm>
struct BlockedWeightOperation
{
    static constexpr GemmTuning tuning = Gemm::tuning;

    using Kernel     = typename Gemm::Kernel;
    using A          = typename Gemm::A;
    using B          = typename Gemm::B;
    using C          = typename Gemm::C;
    using OperationA = typename Gemm::OperationA;
    using OperationB = typename Gemm::OperationB;
    using OperationC = typename Gemm::OperationC;

    struct Argument : public Gemm::Argument
    {
        index_t split_k = 1; ///< or -1: as the operation likes
    };

    static void make_plan(Argument& a)
    {
        if(a.valid && a.split_k != 1 && a.split_k != -1)
            a.valid = refused("split_k is " + std::to_string(a.split_k) +
                              ", but sums of blocked tensors are not split: 1, or -1");
    }
    static Support supports(const Argument& a, bool) { return Gemm::supports(a); }
    static std::size_t workspace_size(const Argument&) { return 0; }
    static float run(const Argument& a, const StreamConfig& config, void* = nullptr)
    {
        return Gemm::run(a, config);
    }
};

} // namespace ck::tensor_operation::device
