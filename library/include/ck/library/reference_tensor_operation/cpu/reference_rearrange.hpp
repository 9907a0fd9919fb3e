#pragma once
// What the CPU references of image to column and column to image share: argument, checks, and the
// place in the image of each element of the matrix.
#include "ck/library/reference_tensor_operation/cpu/convolution_loops.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_operator.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_tensor.hpp"

#include <utility>

namespace ck::tensor_operation::host {

/// Derived defines
///   static constexpr bool from_image
///   static void compute(const Argument&, const Shapes&);   writes the whole output
///   std::string GetTypeString() const
template <class Derived, ck::index_t NDimSpatial, class InDataType, class OutDataType>
struct ReferenceRearrange : public ReferenceOperator<Derived, NDimSpatial>
{
    /// Refers to the two tensors, which must outlive it.
    struct Argument : public device::BaseArgument
    {
        /// The tensors; filter lengths, strides, dilations and pads with NDimSpatial entries, [D] H
        /// W.
        Argument(const Tensor<InDataType>& input,
                 Tensor<OutDataType>& output,
                 std::vector<ck::long_index_t> filter_spatial_lengths,
                 std::vector<ck::long_index_t> conv_filter_strides,
                 std::vector<ck::long_index_t> conv_filter_dilations,
                 std::vector<ck::long_index_t> input_left_pads,
                 std::vector<ck::long_index_t> input_right_pads)
            : input_(input),
              output_(output),
              filter_spatial_lengths_(std::move(filter_spatial_lengths)),
              conv_strides_(std::move(conv_filter_strides)),
              conv_dilations_(std::move(conv_filter_dilations)),
              in_left_pads_(std::move(input_left_pads)),
              in_right_pads_(std::move(input_right_pads))
        {}

        /// The tensor that is read.
        const Tensor<InDataType>& input_;
        /// The tensor that is written.
        Tensor<OutDataType>& output_;

        /// [D] H W.
        std::vector<ck::long_index_t> filter_spatial_lengths_;
        /// [D] H W.
        std::vector<ck::long_index_t> conv_strides_;
        /// [D] H W.
        std::vector<ck::long_index_t> conv_dilations_;
        /// [D] H W.
        std::vector<ck::long_index_t> in_left_pads_;
        /// [D] H W.
        std::vector<ck::long_index_t> in_right_pads_;
    };

    /// Sizes and strides of both tensors, checked.
    struct Shapes
    {
        /// The convolution whose windows are the rows of the matrix.
        ConvProblem problem;
        TensorShape image;                          ///< lengths and strides of the image
        std::array<long_index_t, 3> matrix_strides; ///< G M K, in elements

        /// The offset, in elements, of the matrix element of group g, image n, output pixel `out`,
        /// filter tap and channel c.
        long_index_t matrix_offset(long_index_t g,
                                   long_index_t n,
                                   const Spatial& out,
                                   const Spatial& tap,
                                   long_index_t c) const
        {
            const Spatial o      = problem.output();
            const Spatial& f     = problem.filter;
            const long_index_t m = ((n * o[0] + out[0]) * o[1] + out[1]) * o[2] + out[2];
            const long_index_t k =
                ((tap[0] * f[1] + tap[1]) * f[2] + tap[2]) * problem.in_channels + c;
            return g * matrix_strides[0] + m * matrix_strides[1] + k * matrix_strides[2];
        }
    };

    /// Makes an argument; see Argument.
    static auto MakeArgument(const Tensor<InDataType>& input,
                             Tensor<OutDataType>& output,
                             std::vector<ck::long_index_t> filter_spatial_lengths,
                             std::vector<ck::long_index_t> conv_filter_strides,
                             std::vector<ck::long_index_t> conv_filter_dilations,
                             std::vector<ck::long_index_t> input_left_pads,
                             std::vector<ck::long_index_t> input_right_pads)
    {
        return Argument(input,
                        output,
                        std::move(filter_spatial_lengths),
                        std::move(conv_filter_strides),
                        std::move(conv_filter_dilations),
                        std::move(input_left_pads),
                        std::move(input_right_pads));
    }

protected:
    /// Calls f(z y x) for every filter tap, in ascending order.
    template <class F>
    static void for_each_tap(const ConvProblem& p, const F& f)
    {
        for(long_index_t z = 0; z < p.filter[0]; ++z)
            for(long_index_t y = 0; y < p.filter[1]; ++y)
                for(long_index_t x = 0; x < p.filter[2]; ++x)
                    f(Spatial{z, y, x});
    }

private:
    friend struct ReferenceOperator<Derived, NDimSpatial>;
    using ReferenceOperator<Derived, NDimSpatial>::spatial;

    /// Throws std::runtime_error if the tensors do not fit together.
    static Shapes shapes(const Argument& arg)
    {
        const auto& [image, matrix] = [&] {
            if constexpr(Derived::from_image)
                return std::pair<const HostTensorDescriptor&, const HostTensorDescriptor&>(
                    arg.input_.mDesc, arg.output_.mDesc);
            else
                return std::pair<const HostTensorDescriptor&, const HostTensorDescriptor&>(
                    arg.output_.mDesc, arg.input_.mDesc);
        }();
        Shapes s;
        s.image         = tensor_shape(image, NDimSpatial, "image");
        ConvProblem& p  = s.problem;
        p.rank          = NDimSpatial;
        p.groups        = s.image.lengths[0];
        p.batch         = s.image.lengths[1];
        p.in_channels   = s.image.lengths[2];
        p.input         = s.image.spatial();
        p.filter        = spatial("filter lengths", arg.filter_spatial_lengths_, 1);
        p.stride        = spatial("strides", arg.conv_strides_, 1);
        p.dilation      = spatial("dilations", arg.conv_dilations_, 1);
        p.pad_low       = spatial("left pads", arg.in_left_pads_, 0);
        p.pad_high      = spatial("right pads", arg.in_right_pads_, 0);
        p.input_strides = s.image.strides;
        if(const Support support = validate(p); !support)
            throw std::runtime_error(support.reason);
        const Spatial out             = p.output();
        const long_index_t expected[] = {p.groups,
                                         p.batch * out[0] * out[1] * out[2],
                                         p.filter[0] * p.filter[1] * p.filter[2] * p.in_channels};
        if(matrix.GetNumOfDimension() != 3)
            throw std::runtime_error("the column matrix has " +
                                     std::to_string(matrix.GetNumOfDimension()) +
                                     " dimensions, but must have 3: G, M and K");
        for(std::size_t i = 0; i < 3; ++i)
        {
            const auto length = static_cast<long_index_t>(matrix.GetLengths()[i]);
            if(length != expected[i])
                throw std::runtime_error(std::string(1, "GMK"[i]) + " of the column matrix is " +
                                         std::to_string(length) +
                                         ", but image, filter, strides, dilations and pads make "
                                         "it " +
                                         std::to_string(expected[i]));
            s.matrix_strides[i] = static_cast<long_index_t>(matrix.GetStrides()[i]);
        }
        return s;
    }
};

} // namespace ck::tensor_operation::host
