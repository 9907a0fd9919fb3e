#pragma once
// ReferenceColumnToImage: computes the image from the matrix of a convolution's windows on the CPU,
// by definition.
#include "ck/library/reference_tensor_operation/cpu/reference_rearrange.hpp"
#include "ck/tensor_operation/gpu/element/compute_type.hpp"

namespace ck::tensor_operation::host {

/// I[g,n,c,hi,wi] = sum over y, x ascending of M[g,m,k], m = (n, ho, wo), k = (y, x, c),
/// hi = ho*stride + y*dilation - left_pad, over all such ho and wo; in 1 to 3 dimensions. Input:
/// the matrix, G,M,K. Output: the image, its dimensions in the order G,N,C,[D]HW or without the
/// group; every element is overwritten. Both may have any strides; the layout tag is ignored. Sums
/// are float (double for double and int32 data) and rounded once. Uses CK_HOST_THREADS threads, or
/// all.
template <ck::index_t NDimSpatial, typename ImageLayout, typename InDataType, typename OutDataType>
requires(1 <= NDimSpatial && NDimSpatial <= 3) struct ReferenceColumnToImage
    : public ReferenceRearrange<
          ReferenceColumnToImage<NDimSpatial, ImageLayout, InDataType, OutDataType>,
          NDimSpatial,
          InDataType,
          OutDataType>
{
    /// Reads the matrix.
    static constexpr bool from_image = false;

    /// Writes the whole output, on CK_HOST_THREADS threads, or all.
    template <class Argument, class Shapes>
    static void compute(const Argument& arg, const Shapes& s)
    {
        using Sum            = element_wise::ComputeType<InDataType, OutDataType>;
        const ConvProblem& p = s.problem;
        const Spatial out    = p.output();
        for_each_row(
            p, p.input, [&](long_index_t g, long_index_t n, long_index_t d_in, long_index_t h_in) {
                std::vector<Sum> sums(static_cast<std::size_t>(p.in_channels));
                for(long_index_t w_in = 0; w_in < p.input[2]; ++w_in)
                {
                    const Spatial at{d_in, h_in, w_in};
                    sums.assign(sums.size(), 0);
                    ReferenceColumnToImage::for_each_tap(p, [&](const Spatial& tap) {
                        Spatial from;
                        for(std::size_t d = 0; d < 3; ++d)
                            from[d] = output_position(p, out, d, at[d], tap[d]);
                        if(from[0] < 0 || from[1] < 0 || from[2] < 0)
                            return;
                        for(long_index_t c = 0; c < p.in_channels; ++c)
                            sums[static_cast<std::size_t>(c)] += type_convert<Sum>(
                                arg.input_.data()[s.matrix_offset(g, n, from, tap, c)]);
                    });
                    for(long_index_t c = 0; c < p.in_channels; ++c)
                        arg.output_.data()[s.image.offset({g, n, c, d_in, h_in, w_in})] =
                            type_convert<OutDataType>(sums[static_cast<std::size_t>(c)]);
                }
            });
    }

    std::string GetTypeString() const override { return "ReferenceColumnToImage"; }
};

} // namespace ck::tensor_operation::host
