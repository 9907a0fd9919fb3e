// The sizes of one convolution: checks, derived numbers, command line.
#include "ck/library/utility/convolution_parameter.hpp"

#include "ck/library/utility/host_tensor_descriptor.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string_view>

namespace ck::utils::conv {

namespace {

using Lengths = std::vector<long_index_t>;

Lengths widen(const std::vector<index_t>& values) { return {values.begin(), values.end()}; }

void check_size(const char* what, const Lengths& values, long_index_t n_dim)
{
    if(static_cast<long_index_t>(values.size()) != n_dim)
        throw std::invalid_argument(
            "ConvParam: " + std::string(what) + " has " + std::to_string(values.size()) +
            " elements, but the convolution has " + std::to_string(n_dim) + " spatial dimensions");
}

/// `first` times all lengths, at most SIZE_MAX; a negative length, which anybody may assign, counts
/// as 0.
std::size_t product(std::size_t first, const Lengths& lengths)
{
    std::size_t result = first;
    for(const long_index_t length : lengths)
        result = math::saturating_product(
            result, static_cast<std::size_t>(std::max<long_index_t>(length, 0)));
    return result;
}

/// Command line arguments, read one after another.
class Arguments
{
public:
    Arguments(int first, char* const argv[]) : next_(first), argv_(argv) {}

    /// A whole number of at least `least`; `name` is its name in messages.
    long_index_t number(const std::string& name, long_index_t least)
    {
        const int position = next_;
        const char* text   = argv_[position];
        if(text == nullptr) // argv ends with a null pointer
            fail(position, name, "is missing");
        ++next_;
        const std::string_view digits = text;
        long_index_t value            = 0;
        const char* const last        = digits.data() + digits.size();
        const auto [end, error]       = std::from_chars(digits.data(), last, value);
        const std::string quoted      = '"' + std::string(digits) + '"';
        if(error == std::errc::result_out_of_range)
            fail(position, name, "is " + quoted + ", which is out of range");
        if(error != std::errc{} || end != last)
            fail(position, name, "is " + quoted + ", but must be a whole number");
        constexpr long_index_t most = std::numeric_limits<index_t>::max();
        if(value < least || value > most)
            fail(position,
                 name,
                 "is " + std::to_string(value) + ", but must be from " + std::to_string(least) +
                     " to " + std::to_string(most));
        return value;
    }

    Lengths numbers(const std::string& name, const char* letters, long_index_t least)
    {
        Lengths values;
        for(; *letters != '\0'; ++letters)
            values.push_back(number(name + " " + *letters, least));
        return values;
    }

private:
    [[noreturn]] static void fail(int position, const std::string& name, const std::string& what)
    {
        throw std::invalid_argument("argument " + std::to_string(position) + " (" + name + ") " +
                                    what);
    }

    int next_;
    char* const* argv_;
};

ConvParam parse(int num_dim_spatial, int arg_idx, char* const argv[], bool grouped)
{
    if(num_dim_spatial < 1 || num_dim_spatial > 3)
        throw std::invalid_argument("the number of spatial dimensions is " +
                                    std::to_string(num_dim_spatial) + ", but must be 1, 2 or 3");
    const char* image  = &"DHW"[3 - num_dim_spatial];
    const char* filter = &"ZYX"[3 - num_dim_spatial];

    Arguments arguments(arg_idx, argv);
    const long_index_t G     = grouped ? arguments.number("G, groups", 1) : 1;
    const long_index_t N     = arguments.number("N, batch", 1);
    const long_index_t K     = arguments.number("K, output channels", 1);
    const long_index_t C     = arguments.number("C, input channels", 1);
    const Lengths filters    = arguments.numbers("filter", filter, 1);
    const Lengths inputs     = arguments.numbers("input", image, 1);
    const Lengths strides    = arguments.numbers("stride", image, 1);
    const Lengths dilations  = arguments.numbers("dilation", image, 1);
    const Lengths left_pads  = arguments.numbers("left pad", image, 0);
    const Lengths right_pads = arguments.numbers("right pad", image, 0);
    const ConvParam param(long_index_t{num_dim_spatial},
                          G,
                          N,
                          K,
                          C,
                          filters,
                          inputs,
                          strides,
                          dilations,
                          left_pads,
                          right_pads);

    for(std::size_t d = 0; d < filters.size(); ++d)
        if(param.output_spatial_lengths_[d] < 1)
            throw std::invalid_argument(std::string("filter ") + filter[d] + " of " +
                                        std::to_string(filters[d]) + " with dilation " +
                                        std::to_string(dilations[d]) + " covers " +
                                        std::to_string((filters[d] - 1) * dilations[d] + 1) +
                                        " elements, but the padded input " + image[d] + " has " +
                                        std::to_string(inputs[d] + left_pads[d] + right_pads[d]));
    return param;
}

} // namespace

ConvParam::ConvParam()
    : ConvParam(2, 1, 128, 256, 192, {3, 3}, {71, 71}, {2, 2}, {1, 1}, {1, 1}, {1, 1})
{}

// Weak, as in host_tensor.cpp.
[[gnu::weak]] ConvParam::ConvParam(index_t n_dim,
                                   index_t group_count,
                                   index_t n_batch,
                                   index_t n_out_channels,
                                   index_t n_in_channels,
                                   const std::vector<index_t>& filters_len,
                                   const std::vector<index_t>& input_len,
                                   const std::vector<index_t>& strides,
                                   const std::vector<index_t>& dilations,
                                   const std::vector<index_t>& left_pads,
                                   const std::vector<index_t>& right_pads)
    : ConvParam(long_index_t{n_dim},
                long_index_t{group_count},
                long_index_t{n_batch},
                long_index_t{n_out_channels},
                long_index_t{n_in_channels},
                widen(filters_len),
                widen(input_len),
                widen(strides),
                widen(dilations),
                widen(left_pads),
                widen(right_pads))
{}

ConvParam::ConvParam(long_index_t n_dim,
                     long_index_t group_count,
                     long_index_t n_batch,
                     long_index_t n_out_channels,
                     long_index_t n_in_channels,
                     const Lengths& filters_len,
                     const Lengths& input_len,
                     const Lengths& strides,
                     const Lengths& dilations,
                     const Lengths& left_pads,
                     const Lengths& right_pads)
    : num_dim_spatial_(n_dim),
      G_(group_count),
      N_(n_batch),
      K_(n_out_channels),
      C_(n_in_channels),
      filter_spatial_lengths_(filters_len),
      input_spatial_lengths_(input_len),
      conv_filter_strides_(strides),
      conv_filter_dilations_(dilations),
      input_left_pads_(left_pads),
      input_right_pads_(right_pads)
{
    if(n_dim < 1 || n_dim > 3)
        throw std::invalid_argument("ConvParam: " + std::to_string(n_dim) +
                                    " spatial dimensions, but there must be 1, 2 or 3");
    check_size("the filter", filters_len, n_dim);
    check_size("the input", input_len, n_dim);
    check_size("the strides", strides, n_dim);
    check_size("the dilations", dilations, n_dim);
    check_size("the left pads", left_pads, n_dim);
    check_size("the right pads", right_pads, n_dim);
    // Before strides are computed from the lengths, which must not overflow.
    ConvProblem problem   = GetProblem();
    problem.input_strides = problem.filter_strides = problem.output_strides = {};
    if(const Support support = validate(problem); !support)
        throw std::invalid_argument("ConvParam: " + support.reason);
    const Spatial output = problem.output();
    output_spatial_lengths_.assign(output.end() - n_dim, output.end());
}

ConvProblem ConvParam::GetProblem() const
{
    ConvProblem p;
    p.rank         = static_cast<index_t>(num_dim_spatial_);
    p.groups       = G_;
    p.batch        = N_;
    p.out_channels = K_;
    p.in_channels  = C_;
    p.input        = to_spatial(input_spatial_lengths_, 1);
    p.filter       = to_spatial(filter_spatial_lengths_, 1);
    p.stride       = to_spatial(conv_filter_strides_, 1);
    p.dilation     = to_spatial(conv_filter_dilations_, 1);
    p.pad_low      = to_spatial(input_left_pads_, 0);
    p.pad_high     = to_spatial(input_right_pads_, 0);
    if(!output_spatial_lengths_.empty())
        set_packed_strides(p);
    return p;
}

std::size_t ConvParam::GetInputElements() const
{
    return product(product(1, {G_, N_, C_}), input_spatial_lengths_);
}

std::size_t ConvParam::GetWeightElements() const
{
    return product(product(1, {G_, K_, C_}), filter_spatial_lengths_);
}

std::size_t ConvParam::GetOutputElements() const
{
    return product(product(1, {G_, N_, K_}), output_spatial_lengths_);
}

std::size_t ConvParam::GetFlops() const
{
    return product(product(GetOutputElements(), {2, C_}), filter_spatial_lengths_);
}

std::string get_conv_param_parser_helper_msg()
{
    return "Following arguments (depending on number of spatial dims):\n"
           " Number of spatial dimensions (1=Conv1d, 2=Conv2d, 3=Conv3d)\n"
           " G, N, K, C (K output and C input channels per group),\n"
           " <filter spatial dimensions>, (ie Y, X for 2D)\n"
           " <input image spatial dimensions>, (ie Hi, Wi for 2D)\n"
           " <strides>, (ie Sy, Sx for 2D)\n"
           " <dilations>, (ie Dy, Dx for 2D)\n"
           " <left padding>, (ie LeftPy, LeftPx for 2D)\n"
           " <right padding>, (ie RightPy, RightPx for 2D)\n";
}

ConvParam parse_conv_param(int num_dim_spatial, int arg_idx, char* const argv[])
{
    return parse(num_dim_spatial, arg_idx, argv, true);
}

ConvParam parse_ungrouped_conv_param(int num_dim_spatial, int arg_idx, char* const argv[])
{
    return parse(num_dim_spatial, arg_idx, argv, false);
}

std::ostream& operator<<(std::ostream& os, const ConvParam& p)
{
    const auto list = [&os](const char* name, const std::vector<ck::long_index_t>& values) {
        LogRange(os << ", " << name << " {", values, ", ") << "}";
    };
    os << "ConvParam: " << p.num_dim_spatial_ << "D, G " << p.G_ << ", N " << p.N_ << ", K " << p.K_
       << ", C " << p.C_;
    list("filter", p.filter_spatial_lengths_);
    list("input", p.input_spatial_lengths_);
    list("output", p.output_spatial_lengths_);
    list("strides", p.conv_filter_strides_);
    list("dilations", p.conv_filter_dilations_);
    list("left pads", p.input_left_pads_);
    list("right pads", p.input_right_pads_);
    return os;
}

} // namespace ck::utils::conv
