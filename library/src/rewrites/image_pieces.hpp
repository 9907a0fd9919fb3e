#pragma once
// Images that are too large for one launch, cut along D, H or W into pieces that are convolutions
// of their own, by the arithmetic of ck/distributed/split.hpp.
//
// A piece is some rows of the result, the rows that they need of the tensor that is read, and the
// pads with which these meet as in the whole image. Each element of Y or dX belongs to one piece;
// dW is the sum over the pieces, in their order. Strides stay: pieces are read and written in
// place.
//
// The dimension of the longest stride is cut first, into as few pieces as fit. If single rows of it
// still do not fit, the next one is cut, too.
//
// Where no cut is enough, since channels are too far apart, pieces are made so small that kernels
// on copies take them.
#include "ck/tensor_operation/gpu/conv/argument/d_argument.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"

#include <optional>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The most bytes that a launch reaches of one image of a tensor. A test may say fewer, for its
/// thread, while an object of this type lives: then small images are cut.
class LaunchBytes
{
public:
    explicit LaunchBytes(long_index_t most) : outer_(now()) { now() = most; }
    ~LaunchBytes() { now() = outer_; }
    LaunchBytes(const LaunchBytes&)            = delete;
    LaunchBytes& operator=(const LaunchBytes&) = delete;

    /// On this thread.
    static long_index_t most() { return now(); }

private:
    static long_index_t& now()
    {
        thread_local long_index_t most = ck::detail::index_limit;
        return most;
    }

    long_index_t outer_;
};

/// Of one image.
struct ImagePiece
{
    ConvProblem problem;     ///< one image's piece
    long_index_t image;      ///< its number
    Spatial input{0, 0, 0};  ///< the first element of X or dX, in the whole image
    Spatial output{0, 0, 0}; ///< of Y or dY

    /// Elements from a tensor's first to the piece's.
    long_index_t offset(Role role, const TensorStrides& strides) const;
};

/// A tensor beside the result.
struct ImageOperand
{
    DArgument d;
    index_t element_bytes;
};

struct ImagePieces
{
    Spatial parts{1, 1, 1}; ///< into which an image is cut along D, H and W
    std::vector<ImagePiece> pieces;

    /// Nothing where images fit as they are, or no cut helps. d: read beside Y or dX.
    static std::optional<ImagePieces> of(Direction direction,
                                         const ConvProblem& problem,
                                         const ElementBytes& bytes,
                                         const std::vector<ImageOperand>& d);
};

} // namespace ck::tensor_operation::device::instance
