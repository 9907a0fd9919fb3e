// Patches: filters as wide as their stride, without padding. The pixels of a patch's row are
// contiguous, channels last, and so are those of the filter's row. So a row of 16 pixels with 3
// channels is one pixel with 48 channels: the same memory is a convolution with filters of one
// column, whose channels fill vectors. Nothing is copied unless they still do not fill vectors, as
// with 14 pixels of 3 channels.
//
// The rows of patches become another dimension, so that no stride is left; tensor maps support
// strides of up to 8. The first rows of all patches are a plane of a volume, the second rows the
// next plane, and filters are as deep as the volume. For dX, each plane is a separate product with
// the same dY: planes are groups.
//
// A filter that covers X is one patch, whatever its stride. Each pixel of dX has one tap, but other
// kernels multiply each pixel by all taps. NVIDIA GPUs do without, since it was not measured there.
#include "ck/host_utility/device_prop.hpp"

#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/patches.hpp"
#include "rewrites/rewrites.hpp"

namespace ck::tensor_operation::device::instance {

namespace {

enum : std::size_t
{
    d,
    h,
    w, // dimension W of lengths
    of_d = 3,
    of_h,
    of_w, // dimension W of strides
    group   = 0,
    channel = 2
};

/// The problem of dX with the filter's lengths as strides where the filter covers X: the same.
ConvProblem with_strides_of_patches(const Family& family, ConvProblem p)
{
    const arch::Target target = current_target();
    if(family.direction == Direction::backward_data &&
       (arch::is_amd(target) || target == arch::Target::host))
        for(std::size_t i = 0; i < 3; ++i)
            if(p.input[i] == p.filter[i] && p.pad_low[i] == 0 && p.pad_high[i] == 0 &&
               p.dilation[i] == 1)
                p.stride[i] = p.filter[i];
    return p;
}

/// Whether the columns of filters can become channels.
bool has_patches(const Family& family, const ConvProblem& p)
{
    return family.d.empty() && p.groups == 1 && p.filter[w] > 1 && are_patches_along(p, w) &&
           p.input_strides[channel] == 1 && p.filter_strides[channel] == 1 &&
           p.input_strides[of_w] == p.in_channels && p.filter_strides[of_w] == p.in_channels;
}

/// Turns the columns of patches into channels.
void merge_columns(ConvProblem& p)
{
    const long_index_t merge = p.filter[w];
    p.in_channels *= merge;
    p.input[w] /= merge;
    p.filter[w] = p.stride[w] = 1;
    p.input_strides[of_w] = p.filter_strides[of_w] = p.in_channels;
}

/// Turns the rows of patches into planes of a volume, or into groups.
void take_rows(ConvProblem& p, Direction direction)
{
    const long_index_t rows = p.filter[h], next = p.input_strides[of_h],
                       tap = p.filter_strides[of_h];
    p.input[h] /= rows;
    p.filter[h] = p.stride[h] = 1;
    p.input_strides[of_h] *= rows;
    if(direction == Direction::backward_data)
    {
        p.groups                = rows;
        p.input_strides[group]  = next;
        p.filter_strides[group] = tap;
        p.output_strides[group] = 0;
        return;
    }
    p.rank                 = 3;
    p.input[d]             = rows;
    p.filter[d]            = rows;
    p.input_strides[of_d]  = next;
    p.filter_strides[of_d] = tap;
}

/// The argument with columns as channels.
struct Merged : OtherArgument
{
    static Merged of(const Family& family, const ConvArgument& argument)
    {
        Merged r;
        r.valid             = check_argument(argument);
        const ConvProblem p = with_strides_of_patches(family, argument.problem);
        if(r.valid && !has_patches(family, p))
            r.valid =
                refused("this kernel is for filters as wide as their stride, or for dX of "
                        "the filter's size, without padding, of packed pixels without groups");
        if(!r.valid)
            return r;
        r.inner        = argument;
        ConvProblem& q = r.inner.problem = p;
        merge_columns(q);
        if(q.input[d] == 1 && q.filter[d] == 1 && q.filter[h] > 1 && are_patches_along(q, h))
            take_rows(q, family.direction);
        return r;
    }
};

} // namespace

std::vector<std::span<const ConvKernel>> folded_width(const Family& family,
                                                      const ConvArgument& argument)
{
    if(!check_argument(argument) ||
       !has_patches(family, with_strides_of_patches(family, argument.problem)))
        return {};
    return kernels_and_copies_with_prologue<Merged>(
        family, family, argument, "FoldedWidth<", CopiedChannels::padded);
}

} // namespace ck::tensor_operation::device::instance
