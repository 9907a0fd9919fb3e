#pragma once
// Images that are too large for one launch are cut along D, H or W into pieces that are separate
// convolutions, with the arithmetic of ck/distributed/split.hpp.
//
// A piece is some rows of the result, the rows of the input that they need, and the pads
// that keep their relative position. Each element of Y or dX belongs to one piece; dW is the
// sum over the pieces, in order. Strides do not change: pieces are read and written in
// place.
//
// The dimension with the longest stride is cut first, into the fewest pieces that fit. If single
// rows of it still do not fit, the next one is cut, too.
//
// With PieceBytes, pieces are also that small. If whole images are, a piece has several.
//
// If no cut is enough, because channels are too far apart, pieces are made small enough for kernels
// on copies.
#include "ck/convolution/direction.hpp"
#include "ck/tensor_operation/gpu/conv/argument/d_argument.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"

#include "rewrites/piece_bytes.hpp"
#include <optional>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The most bytes that a launch addresses in one image of a tensor. A test may set fewer, to cut
/// small images.
using LaunchBytes = BytesOfThread<struct OfLaunches, ck::detail::index_limit>;

/// A piece of one image, or several whole images.
struct ImagePiece
{
    ConvProblem problem;     ///< the convolution of the piece
    long_index_t image;      ///< index of the first image
    Spatial input{0, 0, 0};  ///< first element of X or dX, in the whole image
    Spatial output{0, 0, 0}; ///< first element of Y or dY

    /// Elements from a tensor's first to the piece's.
    long_index_t offset(Role role, const TensorStrides& strides) const;
};

/// A tensor that is read in addition.
struct ImageOperand
{
    DArgument d;
    index_t element_bytes;
};

struct ImagePieces
{
    static constexpr long_index_t most = 1 << 16; ///< pieces, of all images

    Spatial parts{1, 1, 1}; ///< number of parts of an image along D, H and W
    long_index_t images{1}; ///< of a piece, except the last; 1 if images are cut
    std::vector<ImagePiece> pieces;

    /// Empty if all fits uncut, or if no cut helps. d: tensors with the lengths of Y or dX.
    static std::optional<ImagePieces> of(Direction direction,
                                         const ConvProblem& problem,
                                         const ElementBytes& bytes,
                                         const std::vector<ImageOperand>& d);
};

} // namespace ck::tensor_operation::device::instance
