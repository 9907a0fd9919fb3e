// Layouts by name, and kinds of problems.
#include "request.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ck::profiler {

namespace {

constexpr std::array<std::pair<Layout, const char*>, 4> layouts{{{Layout::gnhwc, "gnhwc"},
                                                                 {Layout::nhwgc, "nhwgc"},
                                                                 {Layout::ngchw, "ngchw"},
                                                                 {Layout::nchw, "nchw"}}};

} // namespace

const char* name(Layout layout)
{
    for(const auto& [value, text] : layouts)
        if(value == layout)
            return text;
    return "unknown layout";
}

Layout layout_from_name(const std::string& name)
{
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    for(const auto& [value, text] : layouts)
        if(lower == text)
            return value;
    if(lower == "nhwc") // for one group or several the same as
        return Layout::nhwgc;
    throw WrongArgument("the layout is '" + name +
                        "', but must be one of gnhwc, nhwgc (or nhwc), ngchw (filters GKYXC), nchw "
                        "(filters GKCYX)");
}

void set_strides(ConvProblem& p, Layout layout)
{
    set_packed_strides(
        p, layout == Layout::gnhwc ? PackedOrder::group_first : PackedOrder::group_inside);
    if(layout != Layout::ngchw && layout != Layout::nchw)
        return;
    const auto packed = [](const TensorLengths& lengths, std::array<std::size_t, 6> order) {
        TensorStrides strides{};
        long_index_t next = 1;
        for(std::size_t i = 6; i-- > 0;)
        {
            strides[order[i]] = next;
            next *= lengths[order[i]];
        }
        return strides;
    };
    p.input_strides  = packed(p.input_lengths(), {1, 0, 2, 3, 4, 5});
    p.output_strides = packed(p.output_lengths(), {1, 0, 2, 3, 4, 5});
    if(layout == Layout::nchw)
        p.filter_strides = packed(p.filter_lengths(), {0, 1, 2, 3, 4, 5});
}

std::string NamedProblem::kind() const
{
    const ConvProblem& p = problem;
    const Spatial ones{1, 1, 1};
    if(p.groups > 1)
        return p.in_channels == 1 ? "depthwise" : "grouped";
    if(p.in_channels % 8 != 0 || p.out_channels % 8 != 0)
        return "odd channels";
    if(p.dilation != ones)
        return "dilated";
    if(p.stride != ones)
        return "strided";
    if(p.filter == ones)
        return "1x1";
    if(std::min(p.in_channels, p.out_channels) <= 64)
        return "narrow";
    return p.rank == 2 ? "large" : "1D, 3D";
}

} // namespace ck::profiler
