#pragma once
// ReferenceImageToColumn: computes the matrix of a convolution's windows on the CPU, by definition.
#include "ck/library/reference_tensor_operation/cpu/reference_rearrange.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::tensor_operation::host {

/// M[g,m,k] = I[g,n,c,hi,wi], m = (n, ho, wo), k = (y, x, c), hi = ho*stride + y*dilation -
/// left_pad; 0 in the padding; in 1 to 3 dimensions. Input: the image, its dimensions in the order
/// G,N,C,[D]HW or without the group. Output: the matrix, G,M,K. Both may have any strides; the
/// layout tag is ignored. Uses CK_HOST_THREADS threads, or all.
template <ck::index_t NDimSpatial, typename ImageLayout, typename InDataType, typename OutDataType>
requires(1 <= NDimSpatial && NDimSpatial <= 3) struct ReferenceImageToColumn
    : public ReferenceRearrange<
          ReferenceImageToColumn<NDimSpatial, ImageLayout, InDataType, OutDataType>,
          NDimSpatial,
          InDataType,
          OutDataType>
{
    /// Reads the image.
    static constexpr bool from_image = true;

    /// Writes the whole output, on CK_HOST_THREADS threads, or all.
    template <class Argument, class Shapes>
    static void compute(const Argument& arg, const Shapes& s)
    {
        const ConvProblem& p = s.problem;
        const Spatial out    = p.output();
        for_each_row(
            p, out, [&](long_index_t g, long_index_t n, long_index_t d_out, long_index_t h_out) {
                for(long_index_t w_out = 0; w_out < out[2]; ++w_out)
                    ReferenceImageToColumn::for_each_tap(p, [&](const Spatial& tap) {
                        const Spatial at{d_out, h_out, w_out};
                        Spatial in;
                        for(std::size_t d = 0; d < 3; ++d)
                            in[d] = input_position(p, d, at[d], tap[d]);
                        const bool inside = in[0] >= 0 && in[1] >= 0 && in[2] >= 0;
                        for(long_index_t c = 0; c < p.in_channels; ++c)
                            arg.output_.data()[s.matrix_offset(g, n, at, tap, c)] =
                                inside ? type_convert<OutDataType>(arg.input_.data()[s.image.offset(
                                             {g, n, c, in[0], in[1], in[2]})])
                                       : type_convert<OutDataType>(0);
                    });
            });
    }

    std::string GetTypeString() const override { return "ReferenceImageToColumn"; }
};

} // namespace ck::tensor_operation::host
