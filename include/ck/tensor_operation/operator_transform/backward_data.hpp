#pragma once
// Backward data as GEMMs: dX[g,n,hi,wi,c] = sum over k,y,x of dY[g,n,ho,wo,k] * W[g,k,y,x,c],
// hi = ho*stride + y*dilation - pad.
//
// With stride s and dilation d in a dimension, hi only meets the filter taps y for which hi + pad -
// d*y is a multiple of s. With g = gcd(s, d) and t = s/g these are no y at all, or y = yt, yt + t,
// yt + 2t ...: the positions hi fall into s phases, residues modulo s, and each phase is a dense
// GEMM over its own taps. Phase number p in [0, s):
//   yt = p % t, o = p / t,  residue r = (d*yt + o) mod s of hi + pad;  taps only where o == 0
//   hi = h0 + s*j,              h0 = (r - pad) mod s, j in [0, rows)
//   y  = yt + t*ydot,           ydot in [0, taps)
//   ho = (h0 + pad - d*yt)/s + j - (d/g)*ydot, inside [0, Ho) or the product is 0
// Phases of the dimensions multiply. Every hi is in exactly one phase; a phase without taps still
// writes its zeros.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/operator_transform/pixel_map.hpp"

namespace ck {

struct BackwardData
{
    static constexpr bool a_along_k = true;  // dY's fastest dimension is k, the reduction
    static constexpr bool b_along_k = false; // W's is c, the row

    /// One spatial dimension. Counts that differ by one between phases are stored in both variants.
    struct Dimension
    {
        index_t back;      // d / gcd(s, d): pixels of dY that one step of ydot moves back
        Divisor stride;    // s
        Divisor tap_step;  // t = s / gcd(s, d)
        Divisor rows;      // floor(Hi / s)
        Divisor rows_more; // rows + 1, for phases with h0 < rows_rest
        Divisor taps;      // floor(Y / t)
        Divisor taps_more; // taps + 1, for phases with yt < taps_rest
        index_t rows_rest; // Hi mod s
        index_t taps_rest; // Y mod t
        index_t dilation;  // d
        index_t pad_steps; // ceil(pad / s)
        index_t pad_rest;  // s * ceil(pad / s) - pad
        index_t input;     // Hi
        index_t filter;    // Y
        index_t output;    // Ho
        index_t dx_stride, w_stride, dy_stride; // elements
    };
    Dimension dimension[3];
    Divisor phases_w, phases_hw; // phases of W, and of H and W together
    index_t phases;
    index_t rows_of_image; // rows per image in the longest phase
    index_t batch;         // images in a full sub-batch
    index_t in_channels;
    Divisor out_channels;
    index_t dx_n, dx_c, w_k, w_c, dy_n, dy_k; // strides, elements

    /// Makes GEMMs for sub-batches of `batch` images of a valid problem that passes
    /// check_backward_data(problem, batch, ...). The caller adds the 64-bit offsets of group and
    /// sub-batch to the three pointers.
    static BackwardData make(const ConvProblem& problem, index_t batch);

    CK_HOST_DEVICE constexpr index_t phase_count() const { return phases; }

    /// The largest number of rows of any phase, for a full sub-batch.
    CK_HOST_DEVICE constexpr index_t max_rows() const { return rows_of_image * batch; }

    /// One phase in one dimension.
    struct Residue
    {
        Divisor rows, taps;
        index_t h0;  // first hi
        index_t yt;  // first y
        index_t ho0; // ho at j = 0, ydot = 0; arbitrary if there are no taps
    };
    CK_HOST_DEVICE static constexpr Residue residue(const Dimension& d, index_t phase);

    /// The map of pixels and taps to dY.
    CK_HOST_DEVICE static constexpr PixelMap pixel_map(const Dimension& d, const Residue& r)
    {
        return {r.taps, r.rows, -r.ho0, 1, -d.back};
    }

    CK_HOST_DEVICE constexpr auto
    describe_windows(const Residue& d, const Residue& h, const Residue& w, index_t images) const;
    CK_HOST_DEVICE constexpr auto describe_taps(const Residue& d,
                                                const Residue& h,
                                                const Residue& w,
                                                index_t channels_in,
                                                const Divisor& channels_out) const;
    CK_HOST_DEVICE constexpr auto
    describe_c(const Residue& d, const Residue& h, const Residue& w, index_t images) const;

    /// One phase in all dimensions.
    struct Residues
    {
        Residue d, h, w;
        CK_HOST_DEVICE constexpr index_t tap_count() const
        {
            return d.taps.value * h.taps.value * w.taps.value;
        }
    };
    CK_HOST_DEVICE constexpr Residues residues(index_t number) const;

    struct Phase;

    /// Phase `number` in [0, phase_count()) for a sub-batch of `images` images; most taps first.
    CK_HOST_DEVICE constexpr Phase make_phase(index_t number, index_t images) const;
    CK_HOST_DEVICE constexpr Phase make_phase(const Residues& r, index_t images) const;

protected:
    /// Sets everything except the phases.
    static BackwardData make_dimensions(const ConvProblem& problem, index_t batch);

    /// Sets the phases: `count` in each dimension; their product is below 2^31.
    constexpr void set_phases(const Spatial& count)
    {
        phases_w  = make_divisor(static_cast<index_t>(count[2]));
        phases_hw = make_divisor(static_cast<index_t>(count[1] * count[2]));
        phases    = static_cast<index_t>(count[0] * count[1] * count[2]);
    }
};

CK_HOST_DEVICE CK_INLINE constexpr BackwardData::Residue BackwardData::residue(const Dimension& d,
                                                                               index_t phase)
{
    const index_t o      = quotient(phase, d.tap_step);
    const index_t yt     = phase - o * d.tap_step.value;
    const index_t pixel  = d.dilation * yt + o;
    const index_t steps  = quotient(pixel, d.stride);
    const index_t r      = pixel - steps * d.stride.value;
    const bool wraps     = r + d.pad_rest >= d.stride.value;
    const index_t h0     = r + d.pad_rest - (wraps ? d.stride.value : 0);
    const Divisor no_tap = make_divisor(0);
    return {select(h0 < d.rows_rest, d.rows_more, d.rows),
            select(o == 0, select(yt < d.taps_rest, d.taps_more, d.taps), no_tap),
            h0,
            yt,
            d.pad_steps - (wraps ? 1 : 0) - steps};
}

/// dY as [n, zdot, jd, ydot, jh, xdot, jw, k]
CK_HOST_DEVICE CK_INLINE constexpr auto BackwardData::describe_windows(const Residue& d,
                                                                       const Residue& h,
                                                                       const Residue& w,
                                                                       index_t images) const
{
    const auto& [D, H, W] = dimension;
    return ck::windows_of(
        strided({undivided(images),
                 undivided(D.output),
                 undivided(H.output),
                 undivided(W.output),
                 out_channels},
                {dy_n, D.dy_stride, H.dy_stride, W.dy_stride, dy_k}), // [n, do, ho, wo, k]
        pixel_map(D, d),
        pixel_map(H, h),
        pixel_map(W, w));
}

/// W as [c, zdot, ydot, xdot, k]
CK_HOST_DEVICE CK_INLINE constexpr auto
BackwardData::describe_taps(const Residue& d,
                            const Residue& h,
                            const Residue& w,
                            index_t channels_in,
                            const Divisor& channels_out) const
{
    const auto& [D, H, W] = dimension;
    return strided({undivided(channels_in),
                    undivided(D.filter),
                    undivided(H.filter),
                    undivided(W.filter),
                    channels_out},
                   {w_c, D.w_stride, H.w_stride, W.w_stride, w_k}) // [c, z, y, x, k]
           | slice<1>(d.yt, undivided(D.filter - d.yt)) |
           slice<2>(h.yt, undivided(H.filter - h.yt)) | slice<3>(w.yt, undivided(W.filter - w.yt)) |
           embed<1>({d.taps}, {D.tap_step.value}) | embed<2>({h.taps}, {H.tap_step.value}) |
           embed<3>({w.taps}, {W.tap_step.value});
}

/// dX as [row = (n, jd, jh, jw), column = c]
CK_HOST_DEVICE CK_INLINE constexpr auto
BackwardData::describe_c(const Residue& d, const Residue& h, const Residue& w, index_t images) const
{
    const auto& [D, H, W] = dimension;
    return strided({undivided(images),
                    undivided(D.input),
                    undivided(H.input),
                    undivided(W.input),
                    undivided(in_channels)},
                   {dx_n, D.dx_stride, H.dx_stride, W.dx_stride, dx_c}) // [n, di, hi, wi, c]
           | slice<1>(d.h0, undivided(D.input - d.h0)) | slice<2>(h.h0, undivided(H.input - h.h0)) |
           slice<3>(w.h0, undivided(W.input - w.h0)) | embed<1>({d.rows}, {D.stride.value}) |
           embed<2>({h.rows}, {H.stride.value}) |
           embed<3>({w.rows}, {W.stride.value}) // [n, jd, jh, jw, c]
           | merge(Group<0, 1, 2, 3>{}, Group<4>{});
}

struct BackwardData::Phase
{
    // row = (n, jd, jh, jw), tap = (zdot, ydot, xdot)
    using MergeA = Merge<Group<0, 2, 4, 6>, Group<1, 3, 5>, Group<7>>;
    using MergeB = Merge<Group<0>, Group<1, 2, 3>, Group<4>>;
    using A      = decltype(BackwardData{}.describe_windows({}, {}, {}, 0) | MergeA{});
    using B      = decltype(BackwardData{}.describe_taps({}, {}, {}, 0, {}) | MergeB{});
    using C      = decltype(BackwardData{}.describe_c({}, {}, {}, 0));

    A a; // dY as [row, tap, k]; checked in its three spatial dimensions
    B b; // W as [c, tap, k]
    C c; // dX as [row, c]
    index_t tap_count;
};

CK_HOST_DEVICE CK_INLINE constexpr BackwardData::Residues
BackwardData::residues(index_t number) const
{
    const index_t cd = quotient(number, phases_hw), in_hw = number - cd * phases_hw.value;
    const index_t ch = quotient(in_hw, phases_w), cw = in_hw - ch * phases_w.value;
    return {residue(dimension[0], cd), residue(dimension[1], ch), residue(dimension[2], cw)};
}

CK_HOST_DEVICE CK_INLINE constexpr BackwardData::Phase
BackwardData::make_phase(index_t number, index_t images) const
{
    return make_phase(residues(number), images);
}
CK_HOST_DEVICE CK_INLINE constexpr BackwardData::Phase
BackwardData::make_phase(const Residues& r, index_t images) const
{
    return {describe_windows(r.d, r.h, r.w, images) | Phase::MergeA{},
            describe_taps(r.d, r.h, r.w, in_channels, out_channels) | Phase::MergeB{},
            describe_c(r.d, r.h, r.w, images),
            r.tap_count()};
}

inline BackwardData BackwardData::make(const ConvProblem& p, index_t batch)
{
    BackwardData r = make_dimensions(p, batch);
    r.set_phases(p.stride);
    return r;
}

inline BackwardData BackwardData::make_dimensions(const ConvProblem& p, index_t batch)
{
    // A stride that does not fit 32 bits belongs to a dimension of length 1, whose only index is
    // 0.
    const auto narrow = [](long_index_t value) { return static_cast<index_t>(value); };
    const Spatial out = p.output();
    BackwardData r{};
    r.rows_of_image = 1;
    for(std::size_t i = 0; i < 3; ++i)
    {
        const index_t s = narrow(p.stride[i]), d = narrow(p.filter[i] == 1 ? 1 : p.dilation[i]),
                      g    = math::gcd(s, d);
        const index_t rows = narrow(p.input[i] / s), taps = narrow(p.filter[i] / (s / g));
        const index_t pad_steps = -narrow(math::integer_divide_floor(-p.pad_low[i], p.stride[i]));
        r.dimension[i]          = {.back      = d / g,
                                   .stride    = make_divisor(s),
                                   .tap_step  = make_divisor(s / g),
                                   .rows      = make_divisor(rows),
                                   .rows_more = make_divisor(rows + 1),
                                   .taps      = make_divisor(taps),
                                   .taps_more = make_divisor(taps + 1),
                                   .rows_rest = narrow(p.input[i] % s),
                                   .taps_rest = narrow(p.filter[i] % (s / g)),
                                   .dilation  = d,
                                   .pad_steps = pad_steps,
                                   .pad_rest  = narrow(p.stride[i] * pad_steps - p.pad_low[i]),
                                   .input     = narrow(p.input[i]),
                                   .filter    = narrow(p.filter[i]),
                                   .output    = narrow(out[i]),
                                   .dx_stride = narrow(p.input_strides[3 + i]),
                                   .w_stride  = narrow(p.filter_strides[3 + i]),
                                   .dy_stride = narrow(p.output_strides[3 + i])};
        r.rows_of_image *= rows + (r.dimension[i].rows_rest != 0 ? 1 : 0);
    }
    r.batch        = batch;
    r.in_channels  = narrow(p.in_channels);
    r.out_channels = make_divisor(narrow(p.out_channels));
    r.dx_n         = narrow(p.input_strides[1]);
    r.dx_c         = narrow(p.input_strides[2]);
    r.w_k          = narrow(p.filter_strides[1]);
    r.w_c          = narrow(p.filter_strides[2]);
    r.dy_n         = narrow(p.output_strides[1]);
    r.dy_k         = narrow(p.output_strides[2]);
    return r;
}

} // namespace ck
