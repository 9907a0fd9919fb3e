#pragma once
// The residue classes of a transform by the length of their sums: a stride of 1000 has a million
// classes in two dimensions, of at most nine different lengths.
#include "ck/tensor_operation/operator_transform/merged_backward_data.hpp"

#include <vector>

namespace ck {

/// Classes with as many filter taps as class `number` in each dimension.
struct ClassKind
{
    index_t number;
    long_index_t count;
};

/// Of a transform with one class.
template <class Transform>
std::vector<ClassKind> class_kinds(const Transform&)
{
    return {{0, 1}};
}

namespace detail {

inline std::vector<ClassKind> kinds_of_dimension(const BackwardData::Dimension& d, index_t classes)
{
    const index_t t = d.tap_step.value, with_taps = math::min(t, d.filter);
    std::vector<ClassKind> kinds;
    const auto add = [&](index_t number, long_index_t count) {
        if(count > 0)
            kinds.push_back({number, count});
    };
    if(d.common.value == 0)
    {
        add(0, math::min(d.taps_rest, with_taps));
        add(d.taps_rest, with_taps - math::min(d.taps_rest, with_taps));
        add(with_taps, classes - with_taps);
        return kinds;
    }
    ClassKind more{0, 0}, fewer{0, 0};
    for(index_t yt = 0; yt < with_taps; ++yt)
    {
        const auto h0 = static_cast<index_t>((long_index_t{d.dilation} * yt + d.pad_rest) %
                                             d.stride.value); // (d*yt - pad) mod s
        if(h0 < classes)
        {
            ClassKind& kind = yt < d.taps_rest ? more : fewer;
            kind            = {h0, kind.count + 1};
        }
    }
    index_t without = 0;
    if(more.count + fewer.count < classes)
        while(BackwardData::residue(d, without).taps.value > 0)
            ++without;
    add(more.number, more.count);
    add(fewer.number, fewer.count);
    add(without, classes - more.count - fewer.count);
    return kinds;
}

} // namespace detail

/// Costs as much as the filter is long.
inline std::vector<ClassKind> class_kinds(const BackwardData& b)
{
    const index_t w = b.classes_w.value, h = b.classes_hw.value / w, d = b.classes / (w * h);
    std::vector<ClassKind> kinds;
    for(const ClassKind& kd : detail::kinds_of_dimension(b.dimension[0], d))
        for(const ClassKind& kh : detail::kinds_of_dimension(b.dimension[1], h))
            for(const ClassKind& kw : detail::kinds_of_dimension(b.dimension[2], w))
                kinds.push_back(
                    {(kd.number * h + kh.number) * w + kw.number, kd.count * kh.count * kw.count});
    return kinds;
}
inline std::vector<ClassKind> class_kinds(const MergedBackwardData& b)
{
    return class_kinds(b.all);
}

} // namespace ck
