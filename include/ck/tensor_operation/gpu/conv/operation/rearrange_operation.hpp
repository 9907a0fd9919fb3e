#pragma once
// Checks and launches a kernel that copies between an image and the matrix of its
// windows.
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/tensor_operation/gpu/conv/argument/rearrange_argument.hpp"
#include "ck/tensor_operation/gpu/conv/operation/kernel_operation.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"
#include "ck/tensor_operation/gpu/grid/rearrange_params.hpp"
#include "ck/tensor_operation/operator_transform/column_matrix.hpp"
#include "ck/utility/sequence.hpp"

#include <limits>
#include <string>

namespace ck::tensor_operation::device {

/// Kernel_: GridwiseImageToColumn or GridwiseColumnToImage. Name::value: the operation's name.
template <class Kernel_, class Name>
struct RearrangeLaunch
{
    using Kernel = Kernel_;
    using In     = typename Kernel::Input;
    using Out    = typename Kernel::Output;

    static constexpr grid::RearrangeTile tile = Kernel::shape;
    static constexpr bool to_image =
        std::is_same_v<typename Kernel::Transform, BackwardDataByPixel>;
    using Image  = std::conditional_t<to_image, Out, In>;
    using Matrix = std::conditional_t<to_image, In, Out>;

    static const PlainKernel<RearrangeArguments>& get()
    {
        const auto text = [](index_t n) { return std::to_string(n); };
        static const PlainKernel<RearrangeArguments> kernel{
            std::string(Name::value) + '<' + text(tile.block_size()) + ", " + text(tile.rows) +
                ", " + text(tile.columns) + ", " + text(tile.row_threads) + 'x' +
                text(tile.column_threads) + ", " + text(tile.vector) + '>',
            &supports,
            &run};
        return kernel;
    }

    static Support supports(const RearrangeArguments& given)
    {
        if(!given.valid)
            return given.valid;
        const RearrangeArguments a = meant(given);
        const ConvProblem& p       = a.problem;
        const TensorLengths matrix = matrix_lengths(p);
        const TensorStrides strides{
            a.matrix_strides[0], a.matrix_strides[1], a.matrix_strides[2], 0, 0, 0};
        if(const Support s = ck::detail::addressable("column matrix", "GMK111", matrix, strides);
           !s)
            return s;
        if(const Support s = to_image
                                 ? check_written("the image", p.input_lengths(), p.input_strides)
                                 : check_written("the column matrix", matrix, strides);
           !s)
            return s;
        if(const Support s = check_vectors("the image",
                                           "C",
                                           p.input_lengths(),
                                           p.input_strides,
                                           2,
                                           tile.vector,
                                           sizeof(Image),
                                           to_image ? a.out : a.in);
           !s)
            return s;
        if(const Support s = check_vectors("the column matrix",
                                           "its columns",
                                           matrix,
                                           strides,
                                           2,
                                           tile.vector,
                                           sizeof(Matrix),
                                           to_image ? a.in : a.out);
           !s)
            return s;
        const TensorMemory image_memory{"the image",
                                        to_image ? a.out : a.in,
                                        p.input_lengths(),
                                        p.input_strides,
                                        sizeof(Image)},
            matrix_memory{
                "the column matrix", to_image ? a.in : a.out, matrix, strides, sizeof(Matrix)};
        if(const Support s = to_image ? check_apart(image_memory, matrix_memory)
                                      : check_apart(matrix_memory, image_memory);
           !s)
            return s;
        if(const Support s = check_sub_batch(p, 1); !s)
            return s;
        if(const long_index_t blocks = make_params(a, sub_batch_size(p)).tiles.size();
           blocks > std::numeric_limits<index_t>::max())
            return refused("the problem has " + std::to_string(blocks) +
                           " tiles, but a launch has fewer than 2^31");
        return {};
    }

    static float run(const RearrangeArguments& given, const StreamConfig& config)
    {
        const RearrangeArguments a = meant(given);
        require_address(to_image ? "the image" : "the column matrix",
                        to_image ? a.problem.input_lengths() : matrix_lengths(a.problem),
                        a.out);
        if(element_count(a.problem.input_lengths()) > 0)
            require_address(to_image ? "the column matrix" : "the image",
                            to_image ? matrix_lengths(a.problem) : a.problem.input_lengths(),
                            a.in);
        const auto params = make_params(a, sub_batch_size(a.problem));
        return launch_and_time_kernel<Kernel>(
            config, static_cast<index_t>(params.tiles.size()), params);
    }

    /// The kernel's parameters, for sub-batches of `batch` images.
    static typename Kernel::Params make_params(const RearrangeArguments& a, index_t batch)
    {
        ConvProblem p = a.problem;
        typename Kernel::Params r{};
        r.in  = static_cast<const In*>(a.in);
        r.out = static_cast<Out*>(a.out);
        number_rows_and_columns(p);
        r.transform                = Kernel::Transform::make(p, batch);
        const long_index_t columns = to_image ? p.in_channels : column_count(p);
        r.tiles                    = {
                               make_divisor(math::integer_divide_ceil(static_cast<index_t>(columns), tile.columns)),
                               make_divisor(r.transform.phase_count()),
                               make_divisor(math::integer_divide_ceil(r.transform.max_rows(), tile.rows)),
                               make_divisor(1),
                               make_divisor(static_cast<index_t>(p.groups)),
                               static_cast<index_t>(
                math::integer_divide_ceil(p.batch, static_cast<long_index_t>(batch)))};
        r.image_group     = p.input_strides[0];
        r.image_sub_batch = p.input_strides[1] * batch;
        r.matrix_group    = a.matrix_strides[0];
        r.matrix_row      = a.matrix_strides[1];
        r.matrix_column   = a.matrix_strides[2];
        r.rows_of_image   = static_cast<index_t>(row_count(p, 1));
        r.channels        = static_cast<index_t>(p.in_channels);
        r.batch           = static_cast<index_t>(p.batch);
        r.sub_batch_size  = batch;
        return r;
    }

private:
    /// Composable Kernel's client swaps the lengths of output and filter; the rows of the written
    /// matrix would then overlap. If they overlap as given and do not overlap when swapped, this
    /// returns the swapped arguments, otherwise the given ones.
    static RearrangeArguments meant(const RearrangeArguments& given)
    {
        const auto writes_apart = [](const RearrangeArguments& a) {
            return static_cast<bool>(check_written(
                "the column matrix",
                matrix_lengths(a.problem),
                {a.matrix_strides[0], a.matrix_strides[1], a.matrix_strides[2], 0, 0, 0}));
        };
        if(to_image || writes_apart(given))
            return given;
        RearrangeArguments swapped = given;
        swapped.problem.filter     = given.problem.output();
        return validate(swapped.problem) && swapped.problem.output() == given.problem.filter &&
                       writes_apart(swapped)
                   ? swapped
                   : given;
    }

    static TensorLengths matrix_lengths(const ConvProblem& p)
    {
        return {p.groups, row_count(p, p.batch), column_count(p), 1, 1, 1};
    }

    static Support check_sub_batch(const ConvProblem& p, long_index_t batch)
    {
        return to_image ? check_column_to_image(p, batch, sizeof(Image))
                        : check_image_to_column(p, batch, sizeof(Image));
    }

    /// Images in a sub-batch: as many as 32-bit offsets reach; 0 if they do not reach one.
    static index_t sub_batch_size(const ConvProblem& p)
    {
        return ck::detail::most_images(
            p, [&](long_index_t images) { return static_cast<bool>(check_sub_batch(p, images)); });
    }
};

/// The tile for an operation's positions. ThreadClusterLengths: a Sequence of rows and columns.
template <index_t BlockSize,
          index_t MPerBlock,
          index_t KPerBlock,
          class ThreadClusterLengths,
          index_t ScalarPerVector>
constexpr grid::RearrangeTile rearrange_tile()
{
    static_assert(ThreadClusterLengths::mSize == 2,
                  "ThreadClusterLengths has the threads along rows and along columns");
    static_assert(ThreadClusterLengths::At(0) * ThreadClusterLengths::At(1) == BlockSize,
                  "the thread cluster's lengths multiply to the block's size");
    return {MPerBlock,
            KPerBlock,
            ThreadClusterLengths::At(0),
            ThreadClusterLengths::At(1),
            ScalarPerVector};
}

} // namespace ck::tensor_operation::device
