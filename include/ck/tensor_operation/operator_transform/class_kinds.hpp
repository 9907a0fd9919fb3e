#pragma once
// The residue classes of a transform by the length of their sums: a stride of 1000 has a million
// classes in two dimensions, of at most nine different lengths.
#include "ck/tensor_operation/operator_transform/merged_backward_data.hpp"

#include <array>

namespace ck {

/// Classes with as many filter taps as class `number` in each dimension.
struct ClassKind
{
    index_t number;
    long_index_t count;
};

/// All of a transform's: of each dimension at most three.
class ClassKinds
{
public:
    void add(const ClassKind& kind) { kinds_[size_++] = kind; }
    const ClassKind* begin() const { return kinds_.data(); }
    const ClassKind* end() const { return begin() + size_; }
    std::size_t size() const { return size_; }

private:
    std::array<ClassKind, 27> kinds_;
    std::size_t size_ = 0;
};

/// Of a transform with one class.
template <class Transform>
ClassKinds class_kinds(const Transform&)
{
    ClassKinds one;
    one.add({0, 1});
    return one;
}

namespace detail {

/// Of a dimension whose classes BackwardData numbers.
inline std::array<ClassKind, 3> kinds_of_dimension(const BackwardData::Dimension& d,
                                                   index_t classes)
{
    const index_t with_taps = math::min(d.tap_step.value, d.filter),
                  more      = math::min(d.taps_rest, with_taps);
    return {ClassKind{0, more}, {more, with_taps - more}, {with_taps, classes - with_taps}};
}

/// Of a dimension whose classes are numbered by their pixels.
inline std::array<ClassKind, 3> kinds_of_pixels(const BackwardData::Dimension& d,
                                                const BackwardDataByPixel::PixelDimension& p,
                                                index_t classes)
{
    ClassKind more{0, 0}, fewer{0, 0}, without{0, 0};
    for(index_t yt = 0; yt < math::min(d.tap_step.value, d.filter); ++yt)
    {
        const auto h0 = static_cast<index_t>((long_index_t{d.dilation} * yt + d.pad_rest) %
                                             d.stride.value); // (d*yt - pad) mod s
        if(h0 < classes)
        {
            ClassKind& kind = yt < d.taps_rest ? more : fewer;
            kind            = {h0, kind.count + 1};
        }
    }
    without.count = classes - more.count - fewer.count;
    if(without.count > 0)
        while(BackwardDataByPixel::residue(d, p, without.number).taps.value > 0)
            ++without.number;
    return {more, fewer, without};
}

/// kinds(i): of dimension i, which has so many classes.
template <class Kinds>
ClassKinds all_kinds(const BackwardData& b, const Kinds& kinds)
{
    const index_t w = b.classes_w.value, h = b.classes_hw.value / w, d = b.classes / (w * h);
    ClassKinds all;
    for(const ClassKind& kd : kinds(0, d))
        for(const ClassKind& kh : kinds(1, h))
            for(const ClassKind& kw : kinds(2, w))
                if(kd.count * kh.count * kw.count > 0)
                    all.add({(kd.number * h + kh.number) * w + kw.number,
                             kd.count * kh.count * kw.count});
    return all;
}

} // namespace detail

inline ClassKinds class_kinds(const BackwardData& b)
{
    return detail::all_kinds(b, [&](int i, index_t classes) {
        return detail::kinds_of_dimension(b.dimension[i], classes);
    });
}
/// Costs as much as the filter is long.
inline ClassKinds class_kinds(const BackwardDataByPixel& b)
{
    return detail::all_kinds(b, [&](int i, index_t classes) {
        return b.of_pixels[i].common.value > 0
                   ? detail::kinds_of_pixels(b.dimension[i], b.of_pixels[i], classes)
                   : detail::kinds_of_dimension(b.dimension[i], classes);
    });
}
inline ClassKinds class_kinds(const MergedBackwardData& b) { return class_kinds(b.all); }

} // namespace ck
