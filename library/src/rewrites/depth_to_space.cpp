// Backward data of few channels with forward kernels. The dX of a first layer has 1 to 4 channels,
// but tiles have 32 columns or more. Blocks of neighbouring pixels of dX, taken as the channels of
// one pixel (space to depth, grid/pixel_blocks.hpp), fill the columns. Forward computes them from
// dY with filters that are first made from W. The blocks are in the workspace; a last launch writes
// dX from them.
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"

#include "rewrites/depth_to_space_launches.hpp"
#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/rewrites.hpp"
#include <algorithm>

namespace ck::tensor_operation::device::instance {

namespace {

constexpr long_index_t most_channels = 16, most_columns = 64, most_elements = 0x7fffffff;

bool is_for(const Family& family, const ConvProblem& p)
{
    return family.direction == Direction::backward_data && family.d.empty() &&
           family.operation_a == "PassThrough" && family.operation_b == "PassThrough" &&
           family.operation_c == "PassThrough" && family.a == family.b && family.a == family.c &&
           has_depth_to_space(family.a) && p.groups == 1 && p.in_channels <= most_channels &&
           element_count(p.input_lengths()) > 0 && element_count(p.output_lengths()) > 0 &&
           element_count(p.input_lengths()) <= most_elements &&
           element_count(p.output_lengths()) <= most_elements &&
           element_count(p.filter_lengths()) <= most_elements;
}

long_index_t divided_down(long_index_t n, long_index_t by)
{
    return n >= 0 ? n / by : -((-n + by - 1) / by);
}

/// A dimension of the problem, with blocks of `block` pixels.
grid::BlockedAxis blocked_axis(const ConvProblem& p, std::size_t i, long_index_t block)
{
    const auto number        = [](long_index_t n) { return static_cast<index_t>(n); };
    const long_index_t reach = (p.filter[i] - 1) * p.dilation[i];
    const long_index_t first = -divided_down(reach - p.pad_low[i], p.stride[i]),
                       last  = divided_down(block - 1 + p.pad_low[i], p.stride[i]);
    return {number(block),
            number(math::integer_divide_ceil(p.input[i], block)),
            number(first),
            number(std::max(last - first, long_index_t{0}) + 1),
            number(p.stride[i]),
            number(p.dilation[i]),
            number(p.pad_low[i]),
            number(p.filter[i]),
            number(p.input[i]),
            number(p.output()[i])};
}

/// The blocks that take the fewest cycles on an engine that multiplies 32 columns at a time, and
/// waits for dY as long as for 16 more. Single pixels if no blocks are faster.
grid::PixelBlocks best_blocks(const ConvProblem& p)
{
    grid::PixelBlocks best;
    double least = 0;
    Spatial block{};
    const auto each = [&](std::size_t i, const auto& next) {
        const long_index_t first = p.stride[i] <= 8 ? p.stride[i] : 1;
        block[i]                 = 1;
        next();
        for(block[i] = first; block[i] <= 8 && block[i] < 2 * p.input[i]; block[i] *= 2)
            if(block[i] > 1)
                next();
    };
    const auto consider = [&] {
        const long_index_t pixels = block[0] * block[1] * block[2],
                           columns =
                               math::integer_divide_ceil(pixels * p.in_channels, long_index_t{8}) *
                               8;
        if(columns > most_columns && pixels > 1)
            return;
        grid::PixelBlocks b{{}, static_cast<index_t>(p.in_channels), static_cast<index_t>(columns)};
        double cost =
            static_cast<double>(math::integer_divide_ceil(columns, long_index_t{32}) * 32) + 16;
        for(std::size_t i = 0; i < 3; ++i)
        {
            // Other kernels, which separate the phases of strides, handle single pixels.
            const bool strided = block[i] % p.stride[i] == 0;
            if(!strided && pixels > 1)
                return;
            b.axes[i] = blocked_axis(p, i, block[i]);
            cost *= static_cast<double>(b.axes[i].blocks) *
                    (strided ? static_cast<double>(b.axes[i].taps)
                             : static_cast<double>(p.filter[i]) / static_cast<double>(p.stride[i]));
        }
        if(least == 0 || cost < least)
            least = cost, best = b;
    };
    each(0, [&] { each(1, [&] { each(2, consider); }); });
    return best;
}

/// The blocks of an argument: the inner problem is a forward convolution of dY.
struct Blocked
{
    static constexpr const char* wants_workspace = "blocks of dX's pixels are computed in it";

    Support valid;
    std::string type;
    ConvProblem problem;
    grid::PixelBlocks blocks;
    std::size_t filter_bytes = 0, block_bytes = 0; ///< at multiples of 128
    BlockTensors tensors{};
    ConvArgument inner{};

    std::size_t bytes() const { return filter_bytes + block_bytes; }
    void require_tensors() const { require_tensors_at({tensors.dy, tensors.w, tensors.dx}); }
    void add_before(LaunchList& list) const
    {
        make_block_filters(type, problem, blocks, tensors, list);
    }
    void add_after(LaunchList& list) const
    {
        write_from_blocks(type, problem, blocks, tensors, list);
    }
    double predicted() const
    {
        const double dx = static_cast<double>(element_count(problem.input_lengths())) *
                          (type == type_name<float> ? 4 : 2);
        // How many times as long writing dX takes if elements are written singly, to planes. An
        // H200 took 310 us for 4x4 with 3 channels, and the prediction was 109.
        const double written = problem.in_channels > 1 && problem.input_strides[2] != 1 ? 4 : 1;
        return predicted_transposition(static_cast<double>(filter_bytes)) +
               predicted_transposition(written * (static_cast<double>(block_bytes) + dx));
    }

    static Blocked of(const Family& family, const ConvArgument& argument);
};

Support check(const Family& family, const ConvArgument& argument, index_t element_bytes)
{
    if(const Support s = check_copied(argument); !s)
        return s;
    if(!is_for(family, argument.problem))
        return refused("this kernel is for backward data of one group of at most " +
                       std::to_string(most_channels) +
                       " channels, without element-wise operations");
    return check_operands(family.direction, argument, element_bytes);
}

Blocked Blocked::of(const Family& family, const ConvArgument& argument)
{
    const index_t element_bytes = family.a == type_name<float> ? 4 : 2;
    Blocked r;
    r.valid = check(family, argument, element_bytes);
    if(!r.valid)
        return r;
    r.type               = family.a;
    r.problem            = argument.problem;
    const ConvProblem& p = argument.problem;
    r.blocks             = best_blocks(p);
    if(r.blocks.pixels() == 1)
    {
        r.valid = refused("blocks of several pixels of dX would take longer than single ones");
        return r;
    }
    r.inner        = argument;
    ConvProblem& q = r.inner.problem;
    q.out_channels = r.blocks.columns;
    q.in_channels  = p.out_channels;
    q.input        = p.output();
    for(std::size_t i = 0; i < 3; ++i)
    {
        const grid::BlockedAxis& a = r.blocks.axes[i];
        q.filter[i]                = a.taps;
        q.stride[i]                = a.block / a.stride;
        q.dilation[i]              = 1;
        q.pad_low[i]               = -a.first;
        q.pad_high[i] = (a.blocks - 1) * q.stride[i] + a.taps - q.input[i] - q.pad_low[i];
    }
    q.input_strides  = p.output_strides;
    q.filter_strides = ck::detail::packed_strides(q.filter_lengths(), {0, 1, 3, 4, 5, 2});
    q.output_strides = ck::detail::packed_strides(q.output_lengths(), {0, 1, 3, 4, 5, 2});
    if(element_count(q.filter_lengths()) > most_elements ||
       element_count(q.output_lengths()) > most_elements)
    {
        r.valid = refused("the blocks of dX or their filters have 2^31 elements or more");
        return r;
    }
    const auto bytes = [&](const TensorLengths& lengths) {
        return (static_cast<std::size_t>(element_count(lengths) * element_bytes) + 127) / 128 * 128;
    };
    r.filter_bytes    = bytes(q.filter_lengths());
    r.block_bytes     = bytes(q.output_lengths());
    r.tensors         = {argument.a[0],
                         argument.b[0],
                         in_workspace(argument, 0),
                         in_workspace(argument, r.filter_bytes),
                         argument.c};
    r.inner.b         = {r.tensors.filters};
    r.inner.c         = r.tensors.blocks;
    r.inner.split_k   = 1;
    r.inner.workspace = in_workspace(argument, r.bytes());
    return r;
}

} // namespace

std::vector<std::span<const ConvKernel>> depth_to_space(const Family& family,
                                                        const ConvArgument& argument)
{
    if(!check_copied(argument) || !is_for(family, argument.problem) ||
       best_blocks(argument.problem).pixels() == 1)
        return {};
    Family inner    = family;
    inner.direction = Direction::forward;
    return kernels_and_copies_with_prologue<Blocked>(family, inner, argument, "DepthToSpace<");
}

} // namespace ck::tensor_operation::device::instance
