// Patches: filters as wide as their stride, without padding. The pixels of a patch's row follow
// each other in memory, channels last, and so do those of the filter's row. So a row of 16 pixels
// with 3 channels is one pixel with 48 channels: the same memory is a convolution with filters of
// one column, whose channels fill vectors. Nothing is copied.
#include "tensor_operation_instance/merged_columns.hpp"

#include "tensor_operation_instance/kernel_behind.hpp"

namespace ck::tensor_operation::device::instance {

namespace {

/// Whether the columns of filters can be channels.
bool has_patches(const Family& family, const ConvProblem& p)
{
    constexpr std::size_t w = 2, channel = 2, column = 5; // of lengths; of strides
    return family.d.empty() && p.groups == 1 && p.filter[w] > 1 && p.stride[w] == p.filter[w] &&
           p.dilation[w] == 1 && p.pad_low[w] == 0 && p.pad_high[w] == 0 &&
           p.input[w] == p.filter[w] * p.output()[w] && p.input_strides[channel] == 1 &&
           p.filter_strides[channel] == 1 && p.input_strides[column] == p.in_channels &&
           p.filter_strides[column] == p.in_channels;
}

/// The argument with columns for channels.
struct Merged
{
    static constexpr const char* wants_workspace = "";

    Support valid;
    ConvArgument inner{};

    static std::size_t bytes() { return 0; }
    static void require_tensors() {} // the kernel does
    static float before(const StreamConfig&) { return 0; }
    static float behind(const StreamConfig&) { return 0; }
    static double predicted() { return 0; }

    static Merged of(const Family& family, const ConvArgument& argument)
    {
        Merged r;
        r.valid = check_argument(argument);
        if(r.valid && !has_patches(family, argument.problem))
            r.valid =
                refused("this kernel is for filters as wide as their stride, without padding, "
                        "of packed pixels without groups");
        if(!r.valid)
            return r;
        r.inner                  = argument;
        ConvProblem& q           = r.inner.problem;
        const long_index_t merge = q.filter[2];
        q.in_channels *= merge;
        q.input[2] /= merge;
        q.filter[2] = q.stride[2] = 1;
        q.input_strides[5] = q.filter_strides[5] = q.in_channels;
        return r;
    }
};

} // namespace

std::span<const ConvKernel> merged_columns(const Family& family, const ConvArgument& argument)
{
    if(!check_argument(argument) || !has_patches(family, argument.problem))
        return {};
    return kernels_behind<Merged>(
        family, kernels_of(family), "MergedColumns<", [](const ConvKernel&) { return true; });
}

} // namespace ck::tensor_operation::device::instance
