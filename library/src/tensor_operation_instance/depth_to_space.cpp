// Backward data of few channels by kernels of forward. A first layer's dX has 1 to 4 channels,
// where tiles have 32 columns or more. Blocks of neighbouring pixels of dX, taken as the channels
// of one pixel (space to depth, grid/pixel_blocks.hpp), fill them, and are what forward computes of
// dY with filters that are made of W first. The blocks lie in the workspace; a last launch writes
// dX from them.
#include "tensor_operation_instance/depth_to_space.hpp"

#include "ck/tensor_operation/gpu/conv/argument/tensor_memory.hpp"
#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"

#include "tensor_operation_instance/depth_to_space_launches.hpp"
#include <algorithm>
#include <cstdint>
#include <list>
#include <mutex>
#include <stdexcept>

namespace ck::tensor_operation::device::instance {

namespace {

constexpr long_index_t most_channels = 16, most_columns = 64, most_elements = 0x7fffffff;

/// The family of forward that multiplies as this one of backward data does.
Family forward_of(Family family)
{
    family.direction = Direction::forward;
    return family;
}

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

/// A dimension of the problem, with blocks of so many pixels.
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

/// The blocks that take the fewest cycles of an engine that multiplies 32 columns at a time, and
/// waits for dY as long as for 16 more. None, a pixel each, where others take no fewer.
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
            // One pixel a block is what other kernels do, which keep phases of strides apart.
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

/// An argument, and what is made of it.
struct Blocked
{
    Support valid; ///< nothing else is set where it is not
    grid::PixelBlocks blocks;
    std::size_t filter_bytes = 0, block_bytes = 0; ///< at multiples of 128
    BlockTensors tensors{};
    ConvArgument inner{}; ///< of forward

    std::size_t bytes() const { return filter_bytes + block_bytes; }
};

Support check(const Family& family, const ConvArgument& argument, index_t element_bytes)
{
    if(const Support s = check_argument(argument); !s)
        return s;
    const ConvProblem& p = argument.problem;
    if(!is_for(family, p))
        return refused("this kernel is for backward data of one group of at most " +
                       std::to_string(most_channels) +
                       " channels, without element-wise operations");
    if(argument.a.size() != 1 || argument.b.size() != 1 || !argument.d.empty())
        return refused("the argument has " + std::to_string(argument.a.size()) + " A, " +
                       std::to_string(argument.b.size()) + " B and " +
                       std::to_string(argument.d.size()) +
                       " D tensors, but the kernel's family has 1, 1 and 0");
    const TensorLengths dx = p.input_lengths(), w = p.filter_lengths(), dy = p.output_lengths();
    if(const Support s = check_written("dX", dx, p.input_strides); !s)
        return s;
    const TensorMemory written{"dX", argument.c, dx, p.input_strides, element_bytes};
    if(const Support s =
           check_apart(written, {"dY", argument.a[0], dy, p.output_strides, element_bytes});
       !s)
        return s;
    return check_apart(written, {"W", argument.b[0], w, p.filter_strides, element_bytes});
}

Blocked blocked(const Family& family, const ConvArgument& argument)
{
    const index_t element_bytes = family.a == type_name<float> ? 4 : 2;
    Blocked r;
    r.valid = check(family, argument, element_bytes);
    if(!r.valid)
        return r;
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
    const auto bytes = [&](const TensorLengths& lengths) {
        return (static_cast<std::size_t>(element_count(lengths) * element_bytes) + 127) / 128 * 128;
    };
    if(element_count(q.filter_lengths()) > most_elements ||
       element_count(q.output_lengths()) > most_elements)
    {
        r.valid = refused("the blocks of dX or their filters have 2^31 elements or more");
        return r;
    }
    r.filter_bytes        = bytes(q.filter_lengths());
    r.block_bytes         = bytes(q.output_lengths());
    auto* const workspace = static_cast<char*>(argument.workspace);
    const auto at         = [&](std::size_t byte) {
        return workspace == nullptr ? nullptr : workspace + byte;
    };
    r.tensors         = {argument.a[0], argument.b[0], at(0), at(r.filter_bytes), argument.c};
    r.inner.b         = {r.tensors.filters};
    r.inner.c         = r.tensors.blocks;
    r.inner.split_k   = 1;
    r.inner.workspace = at(r.bytes());
    return r;
}

/// A kernel of forward for a family of backward data. Both are kept by address.
struct ByBlocks
{
    const Family& family;
    const ConvKernel& kernel;

    /// What the kernel is asked about: filters and blocks at null, and a workspace, wherever they
    /// will be.
    Blocked asked(ConvArgument argument) const
    {
        argument.workspace = nullptr;
        Blocked r          = blocked(family, argument);
        r.inner.workspace  = reinterpret_cast<void*>(std::uintptr_t{16});
        return r;
    }
    Support supports(const ConvArgument& argument) const
    {
        if(const Support s = check_workspace(argument.workspace); !s)
            return s;
        const Blocked b = asked(argument);
        if(!b.valid)
            return b.valid;
        if(const Support s = kernel.supports(b.inner); !s)
            return s;
        if(argument.workspace == nullptr)
            return no_workspace(b.bytes() + kernel.workspace_size(b.inner),
                                "blocks of dX's pixels are computed in it");
        return {};
    }
    std::size_t workspace_size(const ConvArgument& argument) const
    {
        const Blocked b = asked(argument);
        return b.valid && kernel.supports(b.inner) ? b.bytes() + kernel.workspace_size(b.inner) : 0;
    }
    float run(const ConvArgument& argument, const StreamConfig& config) const
    {
        const Blocked b = blocked(family, argument);
        if(!b.valid)
            throw std::runtime_error("the kernel does not support this: " + b.valid.reason);
        if(argument.workspace == nullptr)
            throw std::runtime_error("there is no workspace, but blocks of dX are computed in it");
        if(argument.a[0] == nullptr || argument.b[0] == nullptr || argument.c == nullptr)
            throw std::runtime_error("dY, W or dX is null");
        return make_block_filters(family.a, argument.problem, b.blocks, b.tensors, config) +
               kernel.run(b.inner, config) +
               write_from_blocks(family.a, argument.problem, b.blocks, b.tensors, config);
    }
    double predict(const ConvArgument& argument) const
    {
        const Blocked b   = asked(argument);
        const double time = b.valid ? kernel.predict(b.inner) : 0;
        if(time == 0)
            return 0;
        const auto dx_bytes =
            static_cast<double>(element_count(argument.problem.input_lengths())) * 2;
        return time + predicted_transposition(static_cast<double>(b.filter_bytes)) +
               predicted_transposition(static_cast<double>(b.block_bytes) + dx_bytes);
    }
    std::optional<double> predict_if_supported(const ConvArgument& argument) const
    {
        return supports(argument) ? std::optional(predict(argument)) : std::nullopt;
    }
};

struct FamilyByBlocks
{
    explicit FamilyByBlocks(const Family& of) : family(of)
    {
        for(const ConvKernel& kernel : kernels_of(forward_of(family)))
        {
            const ByBlocks by{family, kernel};
            kernels.push_back(
                {"DepthToSpace<" + kernel.name + '>',
                 [by](const ConvArgument& a) { return by.supports(a); },
                 [by](const ConvArgument& a) { return by.workspace_size(a); },
                 [by](const ConvArgument& a, const StreamConfig& c) { return by.run(a, c); },
                 [by](const ConvArgument& a) { return by.predict(a); },
                 [by](const ConvArgument& a) { return by.predict_if_supported(a); }});
        }
    }
    FamilyByBlocks(const FamilyByBlocks&)            = delete;
    FamilyByBlocks& operator=(const FamilyByBlocks&) = delete;

    const Family family;
    std::vector<ConvKernel> kernels;
};

} // namespace

std::span<const ConvKernel> depth_to_space(const Family& family, const ConvArgument& argument)
{
    if(!check_argument(argument) || !is_for(family, argument.problem) ||
       best_blocks(argument.problem).pixels() == 1)
        return {};
    static std::mutex mutex;
    static std::list<FamilyByBlocks> made; // of the families that were asked for
    const std::lock_guard lock(mutex);
    for(const FamilyByBlocks& f : made)
        if(f.family == family)
            return f.kernels;
    return made.emplace_back(family).kernels;
}

} // namespace ck::tensor_operation::device::instance
