#pragma once
// Which layout tags go together. Kernels take strides, so all tags are supported that have the
// right rank and belong to the right tensors.
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/utility/integer.hpp"

#include <string_view>

namespace ck::tensor_operation::device::instance {

/// What the name of a layout tag means.
struct LayoutFacts
{
    /// A tensor of a convolution; none: the tag is not a layout of a convolution.
    enum Tensor
    {
        none,
        input,
        filter,
        output
    } tensor;          ///< which tensor
    index_t rank;      ///< spatial dimensions
    bool grouped;      ///< has a dimension G
    bool channel_last; ///< channels are the fastest dimension

    /// Whether all facts are equal.
    bool operator==(const LayoutFacts&) const = default;
};

/// The facts of a tag, by its name such as "NHWGC".
constexpr LayoutFacts layout_facts(std::string_view name)
{
    const auto has = [&](char letter) { return name.find(letter) != name.npos; };
    const bool n = has('N'), c = has('C'), k = has('K');
    const auto tensor = n && c   ? LayoutFacts::input
                        : k && c ? LayoutFacts::filter
                        : n && k ? LayoutFacts::output
                                 : LayoutFacts::none;
    index_t rank      = 0;
    for(const char letter : std::string_view(tensor == LayoutFacts::filter ? "ZYX" : "DHW"))
        rank += has(letter) ? 1 : 0;
    return {tensor, rank, has('G'), !name.empty() && name.back() == (c ? 'C' : 'K')};
}

/// Whether operations that take strides support these layouts: all three must have groups.
template <index_t rank, class In, class Wei, class Out>
constexpr bool serves_grouped()
{
    const auto is = [](std::string_view name, LayoutFacts::Tensor tensor) {
        const LayoutFacts f = layout_facts(name);
        return f.tensor == tensor && f.rank == rank && f.grouped;
    };
    return is(In::name, LayoutFacts::input) && is(Wei::name, LayoutFacts::filter) &&
           is(Out::name, LayoutFacts::output);
}

/// Whether operations on contiguous tensors support them: channels last, without groups.
template <index_t rank, class In, class Wei, class Out>
constexpr bool serves_packed()
{
    return layout_facts(In::name) == LayoutFacts{LayoutFacts::input, rank, false, true} &&
           layout_facts(Wei::name) == LayoutFacts{LayoutFacts::filter, rank, false, true} &&
           layout_facts(Out::name) == LayoutFacts{LayoutFacts::output, rank, false, true};
}

} // namespace ck::tensor_operation::device::instance
