#pragma once
// Backward data of one image whose channels are in blocks: channel c is at c / block * outer + c %
// block * inner. This describes NDC1HWC0 and FRACTAL_Z_3D, and also NDHWC and NCDHW, whose outer
// stride is `block` inner ones.
#include "ck/tensor_operation/operator_transform/backward_data.hpp"

namespace ck {

struct BackwardDataInBlocks : BackwardData
{
    static constexpr index_t block  = 16; ///< channels per block
    static constexpr Divisor within = make_divisor(block);

    /// Strides between blocks, in elements: C of dX, C of W, K of dY. W's K has one stride.
    struct Outer
    {
        index_t dx_c, w_c, dy_k;
    } outer;

    /// Makes it for a problem that BackwardData::make() takes; its channel strides are the inner
    /// ones.
    static BackwardDataInBlocks make(const ConvProblem& problem, const Outer& outer)
    {
        BackwardDataInBlocks r{};
        static_cast<BackwardData&>(r) = BackwardData::make(problem, 1);
        r.outer                       = outer;
        return r;
    }

    CK_HOST_DEVICE constexpr auto
    describe_windows(const Residue& d, const Residue& h, const Residue& w) const;
    CK_HOST_DEVICE constexpr auto
    describe_taps(const Residue& d, const Residue& h, const Residue& w) const;
    CK_HOST_DEVICE constexpr auto
    describe_c(const Residue& d, const Residue& h, const Residue& w) const;

    struct Phase;
    CK_HOST_DEVICE constexpr Phase make_phase(const Residues& r) const;
    /// Makes only the `c` of a phase.
    CK_HOST_DEVICE constexpr auto make_c(const Residues& r) const;

    /// Number of a phase's rows before position (d, h, 0) of dX, where positions count rows of W. A
    /// range of positions corresponds to a range of the phase's rows.
    CK_HOST_DEVICE CK_INLINE constexpr index_t
    rows_before(const Residues& r, index_t d, index_t h) const
    {
        const index_t before_d = places_before(dimension[0], r.d, d);
        const index_t before_h = places_before(dimension[1], r.h, h);
        const bool in_phase =
            before_d < r.d.rows.value && r.d.h0 + before_d * dimension[0].stride.value == d;
        return (before_d * r.h.rows.value + (in_phase ? before_h : 0)) * r.w.rows.value;
    }

private:
    CK_HOST_DEVICE CK_INLINE static constexpr index_t
    places_before(const Dimension& dim, const Residue& r, index_t at)
    {
        const index_t steps =
            at <= r.h0 ? 0 : quotient(at - r.h0 + dim.stride.value - 1, dim.stride);
        return math::min(steps, r.rows.value);
    }

    CK_HOST_DEVICE static constexpr Divisor blocks_of(index_t channels)
    {
        return undivided(math::integer_divide_ceil(channels, block));
    }
};

/// dY as [n, zdot, jd, ydot, jh, xdot, jw, k1, k0]
CK_HOST_DEVICE CK_INLINE constexpr auto
BackwardDataInBlocks::describe_windows(const Residue& d, const Residue& h, const Residue& w) const
{
    constexpr Divisor channel = within; // local: device code names no constants in memory
    const auto& [D, H, W]     = dimension;
    return ck::windows_of(strided({undivided(1),
                                   undivided(D.output),
                                   undivided(H.output),
                                   undivided(W.output),
                                   blocks_of(out_channels.value),
                                   channel},
                                  {dy_n, D.dy_stride, H.dy_stride, W.dy_stride, outer.dy_k, dy_k}),
                          pixel_map(D, d),
                          pixel_map(H, h),
                          pixel_map(W, w));
}

/// W as [c1, c0, zdot, ydot, xdot, k]
CK_HOST_DEVICE CK_INLINE constexpr auto
BackwardDataInBlocks::describe_taps(const Residue& d, const Residue& h, const Residue& w) const
{
    constexpr Divisor channel = within; // local: device code names no constants in memory
    const auto& [D, H, W]     = dimension;
    return strided({blocks_of(in_channels),
                    channel,
                    undivided(D.filter),
                    undivided(H.filter),
                    undivided(W.filter),
                    out_channels},
                   {outer.w_c, w_c, D.w_stride, H.w_stride, W.w_stride, w_k}) |
           slice<2>(d.yt, undivided(D.filter - d.yt)) | slice<3>(h.yt, undivided(H.filter - h.yt)) |
           slice<4>(w.yt, undivided(W.filter - w.yt)) | embed<2>({d.taps}, {D.tap_step.value}) |
           embed<3>({h.taps}, {H.tap_step.value}) | embed<4>({w.taps}, {W.tap_step.value});
}

/// dX as [n, jd, jh, jw, c1, c0]
CK_HOST_DEVICE CK_INLINE constexpr auto
BackwardDataInBlocks::describe_c(const Residue& d, const Residue& h, const Residue& w) const
{
    constexpr Divisor channel = within; // local: device code names no constants in memory
    const auto& [D, H, W]     = dimension;
    return strided({undivided(1),
                    undivided(D.input),
                    undivided(H.input),
                    undivided(W.input),
                    blocks_of(in_channels),
                    channel},
                   {dx_n, D.dx_stride, H.dx_stride, W.dx_stride, outer.dx_c, dx_c}) |
           slice<1>(d.h0, undivided(D.input - d.h0)) | slice<2>(h.h0, undivided(H.input - h.h0)) |
           slice<3>(w.h0, undivided(W.input - w.h0)) | embed<1>({d.rows}, {D.stride.value}) |
           embed<2>({h.rows}, {H.stride.value}) | embed<3>({w.rows}, {W.stride.value});
}

struct BackwardDataInBlocks::Phase
{
    // row = (n, jd, jh, jw), tap = (zdot, ydot, xdot)
    using MergeA = Merge<Group<0, 2, 4, 6>, Group<1, 3, 5>, Group<7, 8>>;
    using MergeB = Merge<Group<0, 1>, Group<2, 3, 4>, Group<5>>;
    using MergeC = Merge<Group<0, 1, 2, 3>, Group<4, 5>>;
    using A      = decltype(BackwardDataInBlocks{}.describe_windows({}, {}, {}) | MergeA{});
    using B      = decltype(BackwardDataInBlocks{}.describe_taps({}, {}, {}) | MergeB{});
    using C      = decltype(BackwardDataInBlocks{}.describe_c({}, {}, {}) | MergeC{});

    A a; // dY as [row, tap, k], k up to a whole block; checked in its three spatial dimensions
    B b; // W as [c, tap, k], c up to a whole block
    C c; // dX as [row, c], c up to a whole block
    index_t tap_count;
};

CK_HOST_DEVICE CK_INLINE constexpr auto BackwardDataInBlocks::make_c(const Residues& r) const
{
    return describe_c(r.d, r.h, r.w) | Phase::MergeC{};
}
CK_HOST_DEVICE CK_INLINE constexpr BackwardDataInBlocks::Phase
BackwardDataInBlocks::make_phase(const Residues& r) const
{
    return {describe_windows(r.d, r.h, r.w) | Phase::MergeA{},
            describe_taps(r.d, r.h, r.w) | Phase::MergeB{},
            make_c(r),
            r.tap_count()};
}

} // namespace ck
