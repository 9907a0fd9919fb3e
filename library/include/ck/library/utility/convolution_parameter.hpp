#pragma once
// ConvParam: the sizes of one convolution, as profilers and tests pass them and as command lines
// give them.
#include "ck/convolution/problem.hpp"
#include "ck/library/utility/numeric.hpp"
#include "ck/utility/integer.hpp"

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace ck::utils::conv {

/// The sizes of one convolution. Vectors have an entry for each spatial dimension, [D] H W; lengths
/// are in elements.
struct ConvParam
{
    /// 2D, filter 3x3, input 71x71, stride 2, dilation 1, pads 1, G N K C = 1 128 256 192.
    ConvParam();

    /// K (output) comes before C (input); both are per group. Each vector has n_dim elements, [D] H
    /// W. Throws std::invalid_argument if the sizes are not a valid convolution.
    ConvParam(ck::index_t n_dim,
              ck::index_t group_count,
              ck::index_t n_batch,
              ck::index_t n_out_channels,
              ck::index_t n_in_channels,
              const std::vector<ck::index_t>& filters_len,
              const std::vector<ck::index_t>& input_len,
              const std::vector<ck::index_t>& strides,
              const std::vector<ck::index_t>& dilations,
              const std::vector<ck::index_t>& left_pads,
              const std::vector<ck::index_t>& right_pads);
    /// The same with 64-bit sizes.
    ConvParam(ck::long_index_t n_dim,
              ck::long_index_t group_count,
              ck::long_index_t n_batch,
              ck::long_index_t n_out_channels,
              ck::long_index_t n_in_channels,
              const std::vector<ck::long_index_t>& filters_len,
              const std::vector<ck::long_index_t>& input_len,
              const std::vector<ck::long_index_t>& strides,
              const std::vector<ck::long_index_t>& dilations,
              const std::vector<ck::long_index_t>& left_pads,
              const std::vector<ck::long_index_t>& right_pads);

    ck::long_index_t num_dim_spatial_; ///< 1 to 3
    ck::long_index_t G_;               ///< groups
    ck::long_index_t N_;               ///< images
    ck::long_index_t K_;               ///< output channels of a group
    ck::long_index_t C_;               ///< input channels of a group

    std::vector<ck::long_index_t> filter_spatial_lengths_; ///< [Z] Y X
    std::vector<ck::long_index_t> input_spatial_lengths_;  ///< [Di] Hi Wi
    std::vector<ck::long_index_t> output_spatial_lengths_; ///< 0 where the filter does not fit

    std::vector<ck::long_index_t> conv_filter_strides_;   ///< 0 if the filter does not fit
    std::vector<ck::long_index_t> conv_filter_dilations_; ///< 1: an ordinary filter

    std::vector<ck::long_index_t> input_left_pads_;  ///< zeros before; may be negative
    std::vector<ck::long_index_t> input_right_pads_; ///< zeros after; may be negative

    /// (input + left + right - dilation * (filter - 1) - 1) / stride + 1
    std::vector<ck::long_index_t> GetOutputSpatialLengths() const
    {
        return output_spatial_lengths_;
    }

    /// The same as a ConvProblem, with contiguous tensors, channels last.
    ConvProblem GetProblem() const;

    /// Elements of the packed input; at most SIZE_MAX.
    std::size_t GetInputElements() const;
    /// Elements of the packed filters; at most SIZE_MAX.
    std::size_t GetWeightElements() const;
    /// Elements of the packed output; at most SIZE_MAX.
    std::size_t GetOutputElements() const;

    /// Floating point operations of each of the three directions, including those on padding; at
    /// most SIZE_MAX.
    std::size_t GetFlops() const;

    /// Bytes of the packed input; at most SIZE_MAX.
    template <class InDataType>
    std::size_t GetInputByte() const
    {
        return math::saturating_product(sizeof(InDataType), GetInputElements());
    }
    /// Bytes of the packed filters; at most SIZE_MAX.
    template <class WeiDataType>
    std::size_t GetWeightByte() const
    {
        return math::saturating_product(sizeof(WeiDataType), GetWeightElements());
    }
    /// Bytes of the packed output; at most SIZE_MAX.
    template <class OutDataType>
    std::size_t GetOutputByte() const
    {
        return math::saturating_product(sizeof(OutDataType), GetOutputElements());
    }
    /// Bytes of the three tensors together; at most SIZE_MAX.
    template <class InDataType, class WeiDataType, class OutDataType>
    std::size_t GetByte() const
    {
        return math::saturating_sum(
            GetInputByte<InDataType>(),
            math::saturating_sum(GetWeightByte<WeiDataType>(), GetOutputByte<OutDataType>()));
    }
};

/// The lines of a help text about the arguments of parse_conv_param.
std::string get_conv_param_parser_helper_msg();

/// Reads G N K C and then filter, input, strides, dilations, left pads, right pads ([D] H W each)
/// from argv[arg_idx] on. Throws std::invalid_argument, with the name of the argument, if one is
/// missing, is not a number, is out of range or does not fit.
ConvParam parse_conv_param(int num_dim_spatial, int arg_idx, char* const argv[]);

/// The same without G, which is 1: N K C and so on.
ConvParam parse_ungrouped_conv_param(int num_dim_spatial, int arg_idx, char* const argv[]);

/// Prints the sizes by name.
std::ostream& operator<<(std::ostream& os, const ConvParam& p);

} // namespace ck::utils::conv
