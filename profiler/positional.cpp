// Reads numbers by position, from a table.
#include "positional.hpp"

#include "split_k.hpp"
#include <limits>

namespace ck::profiler {

namespace {

const Choice packed_layout{"tensor layout", {"", "nhwgc"}};
const Choice packed_type{"data type", {"f32", "f16", "bf16", "i8"}};
const Choice clamped_type{"data type", {"f32", "f16", "bf16", "", "", "", "", "", "tf32"}};
const Choice forward_layout{"tensor layout", {"gnhwc", "nhwgc", "ngchw", "nchw"}};
const Choice index_type{"index type", {"32 bit", "64 bit"}};

/// The positional arguments of an operation before the flags.
struct Positions
{
    const char* operation;
    std::vector<Choice> choices;
    bool grouped = true; ///< problem: dimensions, G, N, K, C and so on; else CK's older form
    /// Whether a number of parts is last; since 2025: unless the order is that of 2024.
    enum Parts
    {
        none,
        always,
        since_2025
    } parts = none;
};

const std::vector<Positions>& all_positions()
{
    static const std::vector<Positions> all{
        {"conv_fwd", {packed_type, packed_layout}},
        {"conv_fwd_bias_relu",
         {{"data type", {"", "f16"}},
          {"input layout", {"", "nhwgc"}},
          {"weight layout", {"", "nhwgc"}},
          {"output layout", {"", "nhwgc"}}},
         false},
        {"conv_fwd_bias_relu_add",
         {{"data type", {"", "f16"}},
          {"input layout", {"", "nhwgc"}},
          {"weight layout", {"", "nhwgc"}},
          {"output layout", {"", "nhwgc"}}},
         false},
        {"conv_bwd_data", {packed_type, packed_layout}},
        {"grouped_conv_fwd",
         {{"data type", {"f32", "f16", "bf16", "i8", "f8", "bf8", "f8_bf8", "bf8_f8", "tf32"}},
          forward_layout,
          index_type}},
        {"grouped_conv_fwd_clamp", {clamped_type, forward_layout, index_type}},
        {"grouped_conv_fwd_bias_clamp", {clamped_type, forward_layout, index_type}},
        {"grouped_conv_fwd_outelementop",
         {{"data type", {"f8", "bf8", "f8_bf8", "bf8_f8"}},
          {"element-wise operation", {"convscale", "convinvscale"}},
          {"tensor layout", {"", "nhwgc"}}}},
        {"grouped_conv_bwd_data",
         {{"data type", {"f32", "f16", "bf16", "tf32"}}, forward_layout},
         true,
         Positions::since_2025},
        {"grouped_conv_bwd_weight",
         {{"data type", {"f32", "f16", "bf16_f32", "f16_as_bf8_f8", "i8", "bf16", "tf32"}},
          {"tensor layout", {"", "gnhwc", "nhwgc", "ngchw", "nchw"}}},
         true,
         Positions::always}};
    return all;
}

const Positions& positions_of(const std::string& operation)
{
    for(const Positions& p : all_positions())
        if(operation == p.operation)
            return p;
    throw WrongArgument(operation + " takes no numbers by position; see --help");
}

/// N K C Y X Hi Wi Sy Sx Dy Dx LPy LPx RPy RPx.
ConvProblem read_older_problem(Reader& reader)
{
    ConvProblem p;
    p.batch        = reader.next("N");
    p.out_channels = reader.next("K", 1);
    p.in_channels  = reader.next("C", 1);
    const auto two = [&](const char* what, long_index_t least, long_index_t neutral) {
        const long_index_t y = reader.next(what, least);
        return Spatial{neutral, y, reader.next(what, least)};
    };
    p.filter   = two("filter length", 1, 1);
    p.input    = two("input length", 1, 1);
    p.stride   = two("stride", 1, 1);
    p.dilation = two("dilation", 1, 1);
    p.pad_low  = two("left pad", 0, 0);
    p.pad_high = two("right pad", 0, 0);
    return p;
}

} // namespace

ConvProblem read_problem(Reader& reader, bool conv_of_one_group)
{
    ConvProblem p;
    p.rank         = static_cast<index_t>(reader.next("spatial dimensions", 1, 3));
    p.groups       = reader.next("G", 1);
    p.batch        = reader.next("N");
    p.out_channels = reader.next("K", 1);
    p.in_channels  = reader.next("C", 1);
    if(conv_of_one_group && p.groups != 1)
        throw WrongArgument("G is " + std::to_string(p.groups) +
                            ", but this operation has one group; see grouped_conv_*");
    const auto list = [&](const char* what, long_index_t least, long_index_t neutral) {
        std::vector<long_index_t> values;
        for(index_t i = 0; i < p.rank; ++i)
            values.push_back(reader.next(what, least));
        return to_spatial(values, neutral);
    };
    constexpr long_index_t crop = -std::numeric_limits<index_t>::max();
    p.filter                    = list("filter length", 1, 1);
    p.input                     = list("input length", 1, 1);
    p.stride                    = list("stride", 1, 1);
    p.dilation                  = list("dilation", 1, 1);
    p.pad_low                   = list("left pad", crop, 0);
    p.pad_high                  = list("right pad", crop, 0);
    return p;
}

ConvRequest read_positions(const std::string& operation,
                           const std::vector<std::string>& values,
                           Options& options)
{
    const Positions& positions = positions_of(operation);
    Reader reader(operation, values);
    std::string type, variant;
    ConvRequest request;
    for(const Choice& choice : positions.choices)
    {
        const std::string chosen = reader.next(choice);
        const std::string what   = choice.name;
        if(what == "data type")
            type = chosen;
        else if(what == "element-wise operation")
            variant = chosen;
        else if(what != "index type") // any size is computed with either
            request.layout = layout_from_name(chosen);
    }
    read_flags(reader, options);

    const ConvOperation& op = *find_conv_operation(operation, variant);
    const Types& types      = find_types(op, type);
    const bool one_group    = operation == "conv_fwd" || operation == "conv_bwd_data";
    ConvProblem p =
        positions.grouped ? read_problem(reader, one_group) : read_older_problem(reader);
    const bool newer = positions.parts == Positions::since_2025;
    if(newer && !options.order_2024 && reader.at_end())
        throw WrongArgument("there are " + std::to_string(values.size()) + " numbers after " +
                            operation + ", but number " + std::to_string(values.size() + 1) +
                            " must be the split_k; with --order 2024 there is none");
    if(newer && options.order_2024 && values.size() == reader.taken() + 1)
        throw WrongArgument("there are " + std::to_string(values.size()) + " numbers after " +
                            operation + ", but in the order of 2024 this problem takes " +
                            std::to_string(reader.taken()) +
                            "; without --order 2024 the last is split_k");
    if(positions.parts == Positions::always || (newer && !options.order_2024))
    {
        const std::string& text = reader.take("split_k");
        const std::vector<index_t> parts =
            split_k_from_text(reader.where("split_k"), text, options.order_2024);
        if(!newer) // backward data chooses it itself
            request.split_k = parts;
    }
    reader.end();
    if(const Support s = validate(p); !s)
        throw WrongArgument(s.reason);
    set_strides(p, request.layout);
    request.operation = operation;
    request.type      = type;
    request.variant   = variant;
    request.family    = family_of(op, types);
    request.problems  = {{"", p}};
    return request;
}

std::string describe_positions(const std::string& operation)
{
    const Positions& positions = positions_of(operation);
    std::string text;
    int number      = 0;
    const auto line = [&](const std::string& what) {
        text += "  " + std::to_string(++number) + "  " + what + "\n";
    };
    for(const Choice& choice : positions.choices)
        line(describe(choice));
    for(const std::string& flag : flag_descriptions)
        line(flag);
    if(positions.grouped)
        text +=
            "  then  spatial dimensions, G, N, K, C (K, C of a group) and, each as [D] H W:\n"
            "        filter lengths, input lengths, strides, dilations, left pads, right pads\n";
    else
        text += "  then  N K C Y X Hi Wi Sy Sx Dy Dx LeftPy LeftPx RightPy RightPx\n";
    if(positions.parts == Positions::always)
        text += "  last  split_k: the number of partial sums; -1 takes the number that is "
                "predicted to be "
                "the fastest; all (or 0; with --order 2024 also -1) tries 1, 2, 4 ... 128\n";
    if(positions.parts == Positions::since_2025)
        text +=
            "  last  split_k: -1, a number or all; each kernel chooses for itself; with --order "
            "2024 it is left out\n";
    return text;
}

} // namespace ck::profiler
