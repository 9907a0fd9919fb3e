// Converts Composable Kernel's ConvParam to a spec, and back.
#include "ck/library/utility/convolution_parameter.hpp"

#include "conv/resolve.hpp"

namespace ck {

ConvSpec make_spec(const utils::conv::ConvParam& param, Direction direction, DataType type)
{
    ConvSpec s;
    s.direction      = direction;
    s.type           = type;
    s.groups         = param.G_;
    s.n              = param.N_;
    s.k              = param.K_;
    s.c              = param.C_;
    s.input          = Extents(param.input_spatial_lengths_);
    s.filter         = Extents(param.filter_spatial_lengths_);
    s.strides        = Extents(param.conv_filter_strides_);
    s.dilations      = Extents(param.conv_filter_dilations_);
    const auto &left = param.input_left_pads_, &right = param.input_right_pads_;
    if(left.size() != right.size())
        throw Refused("ck::make_spec: there are " + std::to_string(left.size()) +
                      " left pads, but " + std::to_string(right.size()) + " right ones");
    for(std::size_t i = 0; i < left.size(); ++i)
        s.pads.push_back({left[i], right[i]});
    return s;
}

utils::conv::ConvParam to_conv_param(const ConvSpec& spec)
{
    if(spec.transposed)
        throw Refused("ck::to_conv_param: transposed is set, but ConvParam has no such field");
    const ConvProblem p = conv::sizes_of(spec).problem;
    const auto list     = [&](const Spatial& values) {
        return std::vector<long_index_t>(values.end() - p.rank, values.end());
    };
    return {p.rank,
            p.groups,
            p.batch,
            p.out_channels,
            p.in_channels,
            list(p.filter),
            list(p.input),
            list(p.stride),
            list(p.dilation),
            list(p.pad_low),
            list(p.pad_high)};
}

} // namespace ck
