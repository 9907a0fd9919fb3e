#pragma once
// Forward as a GEMM: Y[g,n,ho,wo,k] = sum over y,x,c of X[g,n,hi,wi,c] * W[g,k,y,x,c],
// hi = ho*stride + y*dilation - pad. Rows are output pixels, columns k, the reduction (tap, c).
#include "ck/tensor_operation/operator_transform/views.hpp"

namespace ck {

struct Forward
{
    static constexpr bool a_along_k = true; // X's fastest dimension is c, the reduction
    static constexpr bool b_along_k = true; // W's, too

    ConvViews views;

    /// Makes a GEMM for sub-batches of `batch` images of a valid problem that passes
    /// check_forward(problem, batch ...). The caller adds the 64-bit offsets of group and sub-batch
    /// to the three pointers.
    static Forward make(const ConvProblem& problem, index_t batch)
    {
        return {ConvViews::make(problem, batch)};
    }

    CK_HOST_DEVICE constexpr index_t phase_count() const { return 1; }

    /// The number of rows of a full sub-batch.
    CK_HOST_DEVICE constexpr index_t max_rows() const
    {
        return views.pixels_of_image * views.batch;
    }

    struct Phase;

    /// Phase 0, for a sub-batch of `images` images.
    CK_HOST_DEVICE constexpr Phase make_phase(index_t number, index_t images) const;
};

struct Forward::Phase
{
    // row = (n, do, ho, wo), tap = (z, y, x)
    using MergeA = Merge<Group<0, 2, 4, 6>, Group<1, 3, 5>, Group<7>>;
    using MergeB = Merge<Group<0>, Group<1, 2, 3>, Group<4>>;
    using MergeC = Merge<Group<0, 1, 2, 3>, Group<4>>;
    using A      = decltype(ConvViews{}.describe_x(0) | MergeA{});
    using B      = decltype(ConvViews{}.describe_w() | MergeB{});
    using C      = decltype(ConvViews{}.describe_y(0) | MergeC{});

    A a; // X as [row, tap, c]; checked in its three spatial dimensions
    B b; // W as [k, tap, c]
    C c; // Y as [row, k]
    index_t tap_count;
};

CK_HOST_DEVICE CK_INLINE constexpr Forward::Phase Forward::make_phase(index_t, index_t images) const
{
    return {views.describe_x(images) | Phase::MergeA{},
            views.describe_w() | Phase::MergeB{},
            views.describe_y(images) | Phase::MergeC{},
            views.taps};
}

} // namespace ck
