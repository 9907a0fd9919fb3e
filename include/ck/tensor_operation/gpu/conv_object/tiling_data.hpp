#pragma once
// A kernel's parameters: the convolution, its tensors' layouts, and its division into shares of
// workgroups. ObjectTiling makes them on the host as plain bytes; the object reads them.
#include "ck/tensor_operation/operator_transform/backward_data_in_blocks.hpp"

#include <cstdint>

namespace ck::conv_object {

/// The layout of a tensor; docs/conv3d_backprop_input.md gives the offsets.
enum class Format : std::int32_t
{
    ncdhw,        ///< weights: Cout, Cin, filter
    ndc1hwc0,     ///< dX and dY: channels in blocks of 16
    fractal_z_3d, ///< weights: channels in blocks of 16
    ndhwc,        ///< weights: Cout, filter, Cin
};

/// The layouts of the object's tensors.
struct Formats
{
    Format weight;      ///< W's
    Format grad_output; ///< dY's
    Format grad_input;  ///< dX's
};

/// One workgroup's part of dX, in the terms of the object's calls.
struct Share
{
    std::uint64_t singleShapeM; ///< positions of dX: whole rows of W, in the order d, h, w
    std::uint64_t singleShapeK; ///< channels of dY times filter taps
    std::uint32_t singleShapeN; ///< channels of dX
    std::uint32_t dinStartIdx;  ///< first depth of dX
    std::int32_t curHoStartIdx; ///< first row of dX, as a row of the stride-expanded dY: see below
    std::uint64_t offsetA;      ///< elements of dY before the share's image and channels
    std::uint64_t offsetB;      ///< elements of W before the share's channels
    std::uint64_t offsetC;      ///< elements of dX before the share's image and channels
    std::uint32_t imageIdx;     ///< image of the batch
    std::uint32_t cinStartIdx;  ///< first channel of dX
};

/// What a kernel with the object needs to know about its problem, as plain bytes: pass it to the
/// kernel as a parameter. Programs call its functions; only the object reads its fields.
struct TilingData
{
    BackwardDataInBlocks transform; ///< lengths, strides and the phases of dX
    index_t up_pad; ///< rows above dY in the stride-1 correlation: dilation * (Kh - 1) - pad up
    index_t taps;   ///< taps of the filter
    index_t batch;  ///< images
    long_index_t grad_output_image; ///< elements of an image of dY
    long_index_t grad_input_image;  ///< elements of an image of dX
    std::uint32_t configuration;    ///< the kernel's: configuration_of()
    std::int32_t instruction;       ///< arch::Matrix

    // The cut into shares.
    index_t share_rows;     ///< rows of W in a share; the last share of an image may have fewer
    index_t share_channels; ///< channels of dX in a share, whole blocks; the last may have fewer
    Divisor shares_of_rows; ///< in an image
    Divisor shares_of_channels; ///< in an image
    std::uint32_t block_count;  ///< workgroups
    std::uint32_t thread_count; ///< threads of a workgroup
    std::uint32_t lds_bytes;    ///< LDS of a workgroup

    std::uint32_t workgroups() const { return block_count; } ///< one for each share
    std::uint32_t threads() const { return thread_count; }   ///< threads of a workgroup
    std::uint32_t ldsBytes() const { return lds_bytes; }     ///< LDS that a launch must ask for

    /// Rows of W in an image of dX.
    CK_HOST_DEVICE constexpr index_t rows() const
    {
        return transform.dimension[0].input * transform.dimension[1].input;
    }

    /// curHoStartIdx of row hi of dX. dX is the stride-1 correlation of the filter with dY whose
    /// rows are `stride` apart; row hi begins at that dY's row hi - up_pad.
    CK_HOST_DEVICE constexpr std::int32_t ho_start(index_t hi) const { return hi - up_pad; }

    /// The part of workgroup `number` of [0, workgroups()); neighbours share what they read of dY.
    CK_HOST_DEVICE constexpr Share share(std::uint32_t number) const
    {
        index_t rest              = static_cast<index_t>(number);
        const index_t channels_at = split_off(rest, shares_of_channels) * share_channels;
        const index_t row         = split_off(rest, shares_of_rows) * share_rows;
        const long_index_t image  = rest;
        const index_t height      = transform.dimension[1].input;
        const long_index_t block  = channels_at / BackwardDataInBlocks::block;
        const long_index_t some   = math::min(share_rows, rows() - row);
        const auto offset         = [](long_index_t elements) {
            return static_cast<std::uint64_t>(elements);
        };
        return {.singleShapeM = offset(some * transform.dimension[2].input),
                .singleShapeK = offset(long_index_t{transform.out_channels.value} * taps),
                .singleShapeN = static_cast<std::uint32_t>(
                    math::min(share_channels, transform.in_channels - channels_at)),
                .dinStartIdx   = static_cast<std::uint32_t>(row / height),
                .curHoStartIdx = ho_start(row % height),
                .offsetA       = offset(image * grad_output_image),
                .offsetB       = offset(block * transform.outer.w_c),
                .offsetC       = offset(image * grad_input_image + block * transform.outer.dx_c),
                .imageIdx      = static_cast<std::uint32_t>(image),
                .cinStartIdx   = static_cast<std::uint32_t>(channels_at)};
    }
};

} // namespace ck::conv_object
