// Reads MIOpenDriver's flags, as its help lists them.
#include "miopen.hpp"

#include "operations.hpp"
#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <sstream>
#include <utility>

namespace ck::profiler {

namespace {

/// A flag of MIOpenDriver's conv command: letter, long name, default.
struct Flag
{
    char letter;
    const char* name;
    const char* otherwise;
};

/// Flags that describe the convolution.
constexpr Flag flags[] = {{'n', "batchsize", "100"},
                          {'c', "in_channels", "3"},
                          {'!', "in_d", "32"},
                          {'H', "in_h", "32"},
                          {'W', "in_w", "32"},
                          {'k', "out_channels", "32"},
                          {'@', "fil_d", "3"},
                          {'y', "fil_h", "3"},
                          {'x', "fil_w", "3"},
                          {'#', "conv_stride_d", "1"},
                          {'u', "conv_stride_h", "1"},
                          {'v', "conv_stride_w", "1"},
                          {'$', "pad_d", "0"},
                          {'p', "pad_h", "0"},
                          {'q', "pad_w", "0"},
                          {'^', "dilation_d", "1"},
                          {'l', "dilation_h", "1"},
                          {'j', "dilation_w", "1"},
                          {'g', "group_count", "1"},
                          {'_', "spatial_dim", "2"},
                          {'F', "forw", "0"},
                          {'m', "mode", "conv"},
                          {'z', "pad_mode", "default"},
                          {'b', "bias", "0"},
                          {'I', "in_layout", ""},
                          {'O', "out_layout", ""},
                          {'f', "fil_layout", ""},
                          {'L', "tensor_vect", "0"},
                          {'U', "wei_cast_type", "-1"},
                          {'R', "in_cast_type", "-1"},
                          {'T', "out_cast_type", "-1"},
                          {'X', "trans_output_pad_w", "0"},
                          {'Y', "trans_output_pad_h", "0"},
                          {'%', "trans_output_pad_d", "0"}};

/// Flags about how MIOpen measures: each takes a value.
constexpr Flag measuring[] = {{'i', "iter", ""},
                              {'t', "time", ""},
                              {'V', "verify", ""},
                              {'w', "wall", ""},
                              {'S', "solution", ""},
                              {'s', "search", ""},
                              {'P', "printconv", ""},
                              {'o', "dump_output", ""},
                              {'d', "in_data", ""},
                              {'e', "weights", ""},
                              {'D', "dout_data", ""},
                              {'a', "in_bias", ""},
                              {'r', "pad_val", ""},
                              {'C', "verification_cache", ""},
                              {'G', "gpualloc", ""},
                              {'B', "gpubuffer_check", ""},
                              {'M', "mixed_init", ""},
                              {'N', "warmup", ""}};

const std::map<std::string, const char*> types{{"conv", "f32"},
                                               {"convfp16", "f16"},
                                               {"convbfp16", "bf16"},
                                               {"convint8", "i8"},
                                               {"convfp8", "f8"},
                                               {"convbfp8", "bf8"}};

class Arguments
{
public:
    explicit Arguments(std::istringstream& words)
    {
        for(std::string word; words >> word;)
        {
            std::string value;
            const Flag* flag = find(word, value);
            if(flag == nullptr)
                throw WrongArgument("MIOpenDriver's '" + word +
                                    "' is not a flag of a convolution command");
            if(value.empty() && !(words >> value))
                throw WrongArgument("MIOpenDriver's '" + word + "' has no value after it");
            values_[flag->name] = value;
        }
    }
    std::string text(const std::string& name) const
    {
        if(const auto found = values_.find(name); found != values_.end())
            return found->second;
        for(const Flag& flag : flags)
            if(name == flag.name)
                return flag.otherwise;
        return "";
    }
    bool given(const std::string& name) const { return values_.count(name) != 0; }
    long_index_t number(const std::string& name) const
    {
        const std::string value = text(name);
        long_index_t n          = 0;
        const char* const last  = value.data() + value.size();
        const auto [end, error] = std::from_chars(value.data(), last, n);
        if(error != std::errc{} || end != last)
            throw WrongArgument("MIOpenDriver's --" + name + " is '" + value +
                                "', but must be a whole number");
        return n;
    }

private:
    /// Accepts -n 128, --batchsize 128 and --batchsize=128.
    static const Flag* find(const std::string& word, std::string& value)
    {
        std::string key = word;
        if(word.starts_with("--"))
        {
            const std::size_t equals = word.find('=');
            key                      = word.substr(2, equals == word.npos ? equals : equals - 2);
            if(equals != word.npos)
                value = word.substr(equals + 1);
        }
        const auto is = [&](const Flag& flag) {
            return word.starts_with("--")
                       ? key == flag.name
                       : word.size() == 2 && word[0] == '-' && word[1] == flag.letter;
        };
        for(const Flag& flag : flags)
            if(is(flag))
                return &flag;
        for(const Flag& flag : measuring)
            if(is(flag))
                return &flag;
        return nullptr;
    }

    std::map<std::string, std::string> values_;
};

void refuse_unless(bool ok, const Arguments& a, const char* name, const char* rule)
{
    if(!ok)
        throw WrongArgument("MIOpenDriver's --" + std::string(name) + " is '" + a.text(name) +
                            "', but " + rule);
}

/// The described problem, not yet checked.
ConvProblem described_problem(const Arguments& a)
{
    const long_index_t rank = a.number("spatial_dim");
    refuse_unless(rank == 2 || rank == 3, a, "spatial_dim", "must be 2 or 3");
    const auto list = [&](const std::string& d,
                          const std::string& h,
                          const std::string& w,
                          long_index_t neutral) {
        return Spatial{rank == 3 ? a.number(d) : neutral, a.number(h), a.number(w)};
    };
    ConvProblem p;
    p.rank     = static_cast<index_t>(rank);
    p.batch    = a.number("batchsize");
    p.groups   = a.number("group_count");
    p.input    = list("in_d", "in_h", "in_w", 1);
    p.filter   = list("fil_d", "fil_h", "fil_w", 1);
    p.stride   = list("conv_stride_d", "conv_stride_h", "conv_stride_w", 1);
    p.dilation = list("dilation_d", "dilation_h", "dilation_w", 1);
    p.pad_low = p.pad_high = list("pad_d", "pad_h", "pad_w", 0);
    const auto of_group    = [&](const char* name) {
        const long_index_t all = a.number(name);
        refuse_unless(p.groups > 0 && all % p.groups == 0,
                      a,
                      name,
                      ("must be a multiple of the groups, " + std::to_string(p.groups)).c_str());
        return all / p.groups;
    };
    p.in_channels  = of_group("in_channels");
    p.out_channels = of_group("out_channels");
    return p;
}

ConvProblem problem_of(const Arguments& a)
{
    const ConvProblem p = described_problem(a);
    if(const Support s = validate(p); !s)
        throw WrongArgument("MIOpenDriver's problem is not a convolution: " + s.reason);
    return p;
}

/// The convolution whose gradient is the transposed convolution: its input has the length
///   (length - 1) stride - 2 pad + dilation (filter - 1) + 1 + output pad.
ConvProblem transposed_problem_of(const Arguments& a)
{
    ConvProblem p = described_problem(a);
    std::swap(p.in_channels, p.out_channels);
    const char* const pads[] = {"trans_output_pad_d", "trans_output_pad_h", "trans_output_pad_w"};
    for(std::size_t d = 0; d < 3; ++d)
    {
        const long_index_t pad = d == 0 && p.rank == 2 ? 0 : a.number(pads[d]);
        refuse_unless(0 <= pad && pad < std::max(p.stride[d], p.dilation[d]),
                      a,
                      pads[d],
                      "must be at least 0 and less than the stride or the dilation");
        p.input[d] = (p.input[d] - 1) * p.stride[d] - 2 * p.pad_low[d] +
                     p.dilation[d] * (p.filter[d] - 1) + 1 + pad;
        // Output padding of a whole stride adds no window.
        p.pad_high[d] -= pad / p.stride[d] * p.stride[d];
    }
    if(const Support s = validate(p); !s)
        throw WrongArgument("MIOpenDriver's problem is not a transposed convolution: " + s.reason);
    return p;
}

} // namespace

std::vector<ConvRequest> requests_from_miopen(const std::string& command_line)
{
    const std::string program = "MIOpenDriver";
    const std::size_t at      = command_line.rfind(program);
    // The rest of the word, such as .exe, belongs to the program's name.
    const std::size_t arguments =
        at == command_line.npos ? 0 : command_line.find_first_of(" \t\n", at + program.size());
    std::istringstream words(arguments == command_line.npos ? "" : command_line.substr(arguments));
    std::string command;
    words >> command;
    const auto type = types.find(command);
    if(type == types.end())
        throw WrongArgument(
            "MIOpenDriver's command is '" + command +
            "', but must be conv, convfp16, convbfp16, convint8, convfp8 or convbfp8");
    const Arguments a(words);
    const bool transposed = a.text("mode") == "trans";
    refuse_unless(transposed || a.text("mode") == "conv", a, "mode", "must be conv or trans");
    refuse_unless(a.text("pad_mode") == "default", a, "pad_mode", "only default is served");
    refuse_unless(
        a.text("bias") == "0", a, "bias", "no bias is served here; see conv_fwd_bias_relu");
    refuse_unless(a.text("tensor_vect") == "0", a, "tensor_vect", "no vectorized layout is served");
    for(const char* cast : {"wei_cast_type", "in_cast_type", "out_cast_type"})
        refuse_unless(a.text(cast) == "-1", a, cast, "no casts are served");
    for(const char* pad : {"trans_output_pad_d", "trans_output_pad_h", "trans_output_pad_w"})
        refuse_unless(transposed || a.text(pad) == "0", a, pad, "output pads are of --mode trans");
    const bool first = !a.given("in_layout") || a.text("in_layout").starts_with("NC");
    for(const char* layout : {"in_layout", "out_layout", "fil_layout"})
        if(a.given(layout))
        {
            const std::string text = a.text(layout);
            refuse_unless(text == "NCHW" || text == "NHWC" || text == "NCDHW" || text == "NDHWC",
                          a,
                          layout,
                          "must be NCHW, NHWC, NCDHW or NDHWC");
            refuse_unless(text.starts_with("NC") == first, a, layout, "layouts must be the same");
        }
    const long_index_t directions = a.number("forw");
    refuse_unless(directions >= 0 && directions <= 7,
                  a,
                  "forw",
                  "must be 0 (all) or a sum of 1 forward, 2 backward data, 4 backward weight");

    ConvProblem p = transposed ? transposed_problem_of(a) : problem_of(a);
    std::vector<ConvRequest> requests;
    // The transposed convolution is the gradient of one from its output to its input.
    for(const auto& [bit, name] :
        {std::pair{1, transposed ? "grouped_conv_bwd_data" : "grouped_conv_fwd"},
         std::pair{2, transposed ? "grouped_conv_fwd" : "grouped_conv_bwd_data"},
         std::pair{4, "grouped_conv_bwd_weight"}})
    {
        if(directions != 0 && (directions & bit) == 0)
            continue;
        const ConvOperation& operation = *find_conv_operation(name);
        ConvRequest request;
        request.operation = name;
        request.type      = type->second;
        try
        {
            request.family = family_of(operation, find_types(operation, type->second));
        }
        catch(const WrongArgument& lacks_type)
        {
            // Requests for all directions get those that exist; forward always does.
            if(directions != 0)
                throw;
            std::cerr << "left out: " << lacks_type.what() << "\n";
            continue;
        }
        request.layout = first ? Layout::nchw : Layout::nhwgc;
        set_strides(p, request.layout);
        request.problems = {{"", p}};
        requests.push_back(request);
    }
    return requests;
}

} // namespace ck::profiler
