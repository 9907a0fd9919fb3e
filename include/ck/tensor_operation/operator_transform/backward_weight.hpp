#pragma once
// Backward weight as a GEMM: dW[g,k,y,x,c] = sum over n,ho,wo of dY[g,n,ho,wo,k] * X[g,n,hi,wi,c],
// hi = ho*stride + y*dilation - pad. Rows are k, columns (tap, c), the reduction the output pixels.
//
// A sub-batch, or a part of the reduction, gives a partial sum; the caller adds these
// up.
#include "ck/tensor_operation/operator_transform/views.hpp"

namespace ck {

struct BackwardWeight
{
    static constexpr bool a_along_k = false; // dY's fastest dimension is k, the row
    static constexpr bool b_along_k = false; // X's is c, the column
    static constexpr bool splits    = true;  // blocks may share a reduction, see grid::PartialSums

    ConvViews views;

    /// Makes a GEMM for sub-batches of `batch` images of a valid problem that passes
    /// check_backward_weight(problem, batch ...). The caller adds the 64-bit offsets of group and
    /// sub-batch to the three pointers; all sub-batches of a group have the same dW.
    static BackwardWeight make(const ConvProblem& problem, index_t batch)
    {
        return {ConvViews::make(problem, batch)};
    }

    CK_HOST_DEVICE constexpr index_t phase_count() const { return 1; }
    CK_HOST_DEVICE constexpr index_t max_rows() const { return views.out_channels; }

    /// Length of the reduction of a full sub-batch.
    CK_HOST_DEVICE constexpr index_t max_reduction() const
    {
        return views.pixels_of_image * views.batch;
    }

    struct Phase;

    /// Phase 0, for a sub-batch of `images` images.
    CK_HOST_DEVICE constexpr Phase make_phase(index_t number, index_t images) const;
};

/// The same for tensors with contiguous pixels instead of channels (NGCHW): threads load along the
/// reduction, one element at a time.
struct BackwardWeightByPixels : public BackwardWeight
{
    static constexpr bool a_along_k = true;
    static constexpr bool b_along_k = true;

    static BackwardWeightByPixels make(const ConvProblem& problem, index_t batch)
    {
        return {BackwardWeight::make(problem, batch)};
    }
};

struct BackwardWeight::Phase
{
    // column = (z, y, x, c), reduction = (n, do, ho, wo)
    using MergeA = Merge<Group<4>, Group<0, 1, 2, 3>>;
    using MergeB = Merge<Group<1, 3, 5, 7>, Group<0, 2, 4, 6>>;
    using MergeC = Merge<Group<0>, Group<1, 2, 3, 4>>;
    using A      = decltype(ConvViews{}.describe_y(0) | MergeA{});
    using B      = decltype(ConvViews{}.describe_x(0) | MergeB{});
    using C      = decltype(ConvViews{}.describe_w() | MergeC{});

    A a;               // dY as [k, reduction]
    B b;               // X as [column, reduction]; checked in its three spatial dimensions
    C c;               // dW as [k, column]
    index_t reduction; // output pixels of the sub-batch
};

CK_HOST_DEVICE CK_INLINE constexpr BackwardWeight::Phase
BackwardWeight::make_phase(index_t, index_t images) const
{
    return {views.describe_y(images) | Phase::MergeA{},
            views.describe_x(images) | Phase::MergeB{},
            views.describe_w() | Phase::MergeC{},
            images * views.pixels_of_image};
}

} // namespace ck
