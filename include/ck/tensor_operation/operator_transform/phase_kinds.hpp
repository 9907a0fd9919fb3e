#pragma once
// Groups the phases of a transform by the length of their sums. A stride of 1000 has a million
// phases in two dimensions, but at most nine lengths.
#include "ck/tensor_operation/operator_transform/merged_backward_data.hpp"

#include <array>

namespace ck {

/// Phases with as many filter taps in each dimension as phase `number`.
struct PhaseKind
{
    index_t number;
    long_index_t count;
};

/// All kinds of a transform, at most three per dimension.
class PhaseKinds
{
public:
    void add(const PhaseKind& kind) { kinds_[size_++] = kind; }
    const PhaseKind* begin() const { return kinds_.data(); }
    const PhaseKind* end() const { return begin() + size_; }
    std::size_t size() const { return size_; }

private:
    std::array<PhaseKind, 27> kinds_;
    std::size_t size_ = 0;
};

/// For a transform with a single phase.
template <class Transform>
PhaseKinds phase_kinds(const Transform&)
{
    PhaseKinds one;
    one.add({0, 1});
    return one;
}

namespace detail {

/// The kinds of a dimension whose phases BackwardData numbers.
inline std::array<PhaseKind, 3> kinds_of_dimension(const BackwardData::Dimension& d, index_t phases)
{
    const index_t with_taps = math::min(d.tap_step.value, d.filter),
                  more      = math::min(d.taps_rest, with_taps);
    return {PhaseKind{0, more}, {more, with_taps - more}, {with_taps, phases - with_taps}};
}

/// The kinds of a dimension whose phases are numbered by pixel.
inline std::array<PhaseKind, 3> kinds_of_pixels(const BackwardData::Dimension& d,
                                                const BackwardDataByPixel::PixelDimension& p,
                                                index_t phases)
{
    PhaseKind more{0, 0}, fewer{0, 0}, without{0, 0};
    for(index_t yt = 0; yt < math::min(d.tap_step.value, d.filter); ++yt)
    {
        const auto h0 = static_cast<index_t>((long_index_t{d.dilation} * yt + d.pad_rest) %
                                             d.stride.value); // (d*yt - pad) mod s
        if(h0 < phases)
        {
            PhaseKind& kind = yt < d.taps_rest ? more : fewer;
            kind            = {h0, kind.count + 1};
        }
    }
    without.count = phases - more.count - fewer.count;
    if(without.count > 0)
        while(BackwardDataByPixel::residue(d, p, without.number).taps.value > 0)
            ++without.number;
    return {more, fewer, without};
}

/// Combines the kinds of all dimensions. kinds(i, phases): kinds of dimension i, which has `phases`
/// phases.
template <class Kinds>
PhaseKinds all_kinds(const BackwardData& b, const Kinds& kinds)
{
    const index_t w = b.phases_w.value, h = b.phases_hw.value / w, d = b.phases / (w * h);
    PhaseKinds all;
    for(const PhaseKind& kd : kinds(0, d))
        for(const PhaseKind& kh : kinds(1, h))
            for(const PhaseKind& kw : kinds(2, w))
                if(kd.count * kh.count * kw.count > 0)
                    all.add({(kd.number * h + kh.number) * w + kw.number,
                             kd.count * kh.count * kw.count});
    return all;
}

} // namespace detail

inline PhaseKinds phase_kinds(const BackwardData& b)
{
    return detail::all_kinds(b, [&](int i, index_t phases) {
        return detail::kinds_of_dimension(b.dimension[i], phases);
    });
}
/// Takes time proportional to the filter length.
inline PhaseKinds phase_kinds(const BackwardDataByPixel& b)
{
    return detail::all_kinds(b, [&](int i, index_t phases) {
        return b.of_pixels[i].common.value > 0
                   ? detail::kinds_of_pixels(b.dimension[i], b.of_pixels[i], phases)
                   : detail::kinds_of_dimension(b.dimension[i], phases);
    });
}
inline PhaseKinds phase_kinds(const MergedBackwardData& b) { return phase_kinds(b.all); }

} // namespace ck
