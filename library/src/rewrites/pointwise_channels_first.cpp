// 1x1 convolutions of channels-first tensors with kernels of another direction. If pixels are
// contiguous, an image of Y is W times an image of X: rows are channels, columns are pixels. For
// channels-last tensors, backward data computes such a product, with pixels as channels, Y's
// channels as pixels, W as dY, and a group for each image. dX is the transposed W times dY, as
// in backward weight. dW is the sum over all images of dY times the transposed X, as in forward,
// with pixels as channels and a filter tap for each image. So vectors of pixels are loaded and
// stored where kernels of the direction itself would move single elements, and nothing is
// copied.
#include "ck/tensor_operation/gpu/conv/plan/pixel_matrix.hpp"

#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/rewrites.hpp"
#include "tensor_operation_instance/kernel_facts.hpp"
#include <algorithm>
#include <string>

namespace ck::tensor_operation::device::instance {

namespace {

/// Whether the problem is one matrix product for each image, and fits its family.
bool is_product(const Family& family, const ConvArgument& argument)
{
    const ConvProblem& p = argument.problem;
    const auto each      = [](const Spatial& values, long_index_t value) {
        return std::all_of(
            values.begin(), values.end(), [=](long_index_t v) { return v == value; });
    };
    return family.d.empty() && family.operation_a == "PassThrough" &&
           family.operation_b == "PassThrough" && family.operation_c == "PassThrough" &&
           p.groups == 1 && p.batch > 0 && each(p.filter, 1) && each(p.stride, 1) &&
           each(p.pad_low, 0) && each(p.pad_high, 0) &&
           is_channels_first(p.input, p.input_strides) &&
           is_channels_first(p.output(), p.output_strides) &&
           p.input[0] * p.input[1] * p.input[2] > 1;
}

/// The family of the other direction.
Family exchanged(Family family)
{
    switch(family.direction)
    {
    case Direction::forward:
        family.direction = Direction::backward_data;
        break;
    case Direction::backward_data:
        family.direction = Direction::backward_weight;
        break;
    case Direction::backward_weight:
        family.direction = Direction::forward;
        break;
    }
    return family;
}

enum : std::size_t
{
    n = 1,
    channels_at // W: k, followed by c
};

/// The argument of forward kernels for dW: a line with one pixel for each channel of Y, and the
/// images of X and Y as planes, all of which a filter covers.
ConvArgument exchanged_weight(const ConvArgument& argument)
{
    const ConvProblem& p   = argument.problem;
    const TensorStrides &x = p.input_strides, &w = p.filter_strides, &y = p.output_strides;
    ConvProblem q;
    q.rank         = 3;
    q.out_channels = p.in_channels;
    q.in_channels  = p.input[0] * p.input[1] * p.input[2];
    q.filter       = {p.batch, 1, 1};
    q.input        = {p.batch, 1, p.out_channels};
    // g n c d h w; dimensions of one element may have any stride
    q.input_strides  = {0, 0, 1, y[n], 0, y[channels_at]};
    q.filter_strides = {0, x[channels_at], 1, x[n], 0, 0}; // g k c z y x
    q.output_strides = {0, 0, w[channels_at], 0, 0, w[1]};

    ConvArgument r = argument;
    r.problem      = q;
    r.split_k      = 1;
    return r;
}

/// The argument of its kernels: a line with one pixel for each channel of Y.
ConvArgument exchanged(const Family& family, const ConvArgument& argument)
{
    if(family.direction == Direction::backward_weight)
        return exchanged_weight(argument);
    const ConvProblem& p   = argument.problem;
    const TensorStrides &x = p.input_strides, &w = p.filter_strides, &y = p.output_strides;
    ConvProblem q;
    q.rank         = 1;
    q.groups       = p.batch;
    q.out_channels = p.in_channels;
    q.in_channels  = p.input[0] * p.input[1] * p.input[2];
    q.input        = {1, 1, p.out_channels};
    // g n c d h w; dimensions of one element may have any stride
    q.input_strides  = {y[n], 0, 1, 0, 0, y[channels_at]};
    q.filter_strides = {x[n], x[channels_at], 1, 0, 0, 0}; // g k c z y x
    q.output_strides = {0, 0, w[channels_at], 0, 0, w[1]};

    ConvArgument r = argument;
    r.problem      = q;
    r.a            = argument.b;
    r.b            = argument.a;
    r.split_k      = argument.whole_sums ? 1 : -1;
    return r;
}

/// How many times as long as predicted kernels take: if sums are one slice of 64 channels, 1.2 to
/// 2.2 on an H200, otherwise 1.0 to 1.1 (forward).
double longer(Direction direction, const ConvProblem& p)
{
    constexpr double of_one_slice = 1.3;
    if(direction == Direction::backward_weight)
        return 1;
    return (direction == Direction::forward ? p.in_channels : p.out_channels) <= 64 ? of_one_slice
                                                                                    : 1;
}

/// A family's kernels, each computed by one of the other direction.
struct FamilyOfProducts
{
    explicit FamilyOfProducts(const Family& of) : family(of)
    {
        for(const ConvKernel& kernel : kernels_of(exchanged(family)))
            kernels.push_back(
                {"ChannelsFirst1x1<" + kernel.name + '>',
                 [of, &kernel](const ConvArgument& a) {
                     return is_product(of, a) ? kernel.supports(exchanged(of, a))
                                              : refused_others();
                 },
                 [of, &kernel](const ConvArgument& a) {
                     return is_product(of, a) ? kernel.workspace_size(exchanged(of, a)) : 0;
                 },
                 [of, &kernel](const ConvArgument& a, LaunchList& list) {
                     kernel.add(exchanged(of, a), list);
                 },
                 [of, &kernel](const ConvArgument& a) {
                     return is_product(of, a)
                                ? longer(of.direction, a.problem) * kernel.predict(exchanged(of, a))
                                : 0;
                 },
                 [this, &kernel](const AskedArgument& a) {
                     const ForAll& all =
                         a.once<ForAll>(this, [&] { return ForAll(family, a.argument); });
                     std::optional<double> time;
                     if(all.inner)
                     {
                         all.inner->below = a.below / all.longer;
                         time             = ask(kernel, *all.inner);
                     }
                     if(time)
                         *time *= all.longer;
                     return time;
                 }});
    }
    FamilyOfProducts(const FamilyOfProducts&)            = delete;
    FamilyOfProducts& operator=(const FamilyOfProducts&) = delete;

    /// The converted argument, for all of them.
    struct ForAll
    {
        ForAll(const Family& of, const ConvArgument& a)
        {
            if(!is_product(of, a))
                return;
            other = exchanged(of, a);
            inner.emplace(other);
            longer = instance::longer(of.direction, a.problem);
        }
        ForAll(const ForAll&)            = delete;
        ForAll& operator=(const ForAll&) = delete;

        ConvArgument other;
        std::optional<AskedArgument> inner; ///< about that argument; empty if it is not a product
        double longer = 1;
    };

    static Support refused_others()
    {
        return refused(
            "this kernel is for 1x1 without stride, padding and groups, of tensors whose "
            "pixels are side by side");
    }

    const Family family;
    std::vector<ConvKernel> kernels;
};

} // namespace

std::span<const ConvKernel> pointwise_channels_first(const Family& family,
                                                     const ConvArgument& argument)
{
    if(!is_product(family, argument))
        return {};
    return kernels_made_once<FamilyOfProducts>(family);
}

} // namespace ck::tensor_operation::device::instance
