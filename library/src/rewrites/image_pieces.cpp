// Computes how many pieces an image needs, and the rows of each.
#include "rewrites/image_pieces.hpp"

#include "ck/distributed/split.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"

#include "rewrites/channel_copy.hpp"
#include <algorithm>
#include <array>

namespace ck::tensor_operation::device::instance {

namespace {

distributed::Line line_along(const ConvProblem& p, std::size_t i)
{
    return {p.input[i], p.filter[i], p.stride[i], p.dilation[i], p.pad_low[i], p.pad_high[i]};
}

/// Turns a problem into that of a piece along a dimension.
void set_piece(ConvProblem& p, std::size_t i, const distributed::Piece& piece)
{
    p.input[i]    = piece.x.size();
    p.pad_low[i]  = piece.pad_low;
    p.pad_high[i] = piece.pad_high;
}

/// The piece that computes these rows of the result.
distributed::Piece
piece_with(const distributed::Line& line, Direction direction, const distributed::Rows& result)
{
    // The row of X that becomes the input if windows see only padding: the nearest.
    const long_index_t near =
        direction == Direction::backward_data
            ? 0
            : std::clamp<long_index_t>(
                  result.begin * line.stride - line.pad_low, 0, line.input - 1);
    return distributed::piece_of(line, direction, result, {near, near + 1});
}

/// The largest piece with this many rows of the result.
distributed::Piece
largest_piece(const distributed::Line& line, Direction direction, long_index_t rows)
{
    if(direction != Direction::backward_data)
    {
        const long_index_t padded = (rows - 1) * line.stride + line.reach(),
                           x      = std::min(padded, line.input);
        return {{0, x}, {0, rows}, 0, padded - x};
    }
    const long_index_t y = std::min((rows + line.reach() - 2) / line.stride + 1, line.output());
    return distributed::make_piece(line, {0, rows}, {0, y});
}

class Fit
{
public:
    Fit(Direction direction, const ElementBytes& bytes, const std::vector<ImageOperand>& d)
        : direction_(direction),
          bytes_(bytes),
          d_(d)
    {}

    /// Whether a launch can address all of a problem of one image, and its copy is small.
    bool in_place(const ConvProblem& p) const
    {
        return is_small(p) && check(p) &&
               reaches(p.input_lengths(), p.input_strides, bytes_.input) &&
               reaches(p.output_lengths(), p.output_strides, bytes_.output) &&
               std::all_of(d_.begin(), d_.end(), [&](const ImageOperand& operand) {
                   const TensorLengths result = direction_ == Direction::backward_data
                                                    ? p.input_lengths()
                                                    : p.output_lengths();
                   return reaches(
                       lengths_of_d(result, operand.d), operand.d.strides, operand.element_bytes);
               });
    }
    /// Whether a launch can address all of its channels-last copy, whose pixels start at vectors.
    bool on_copies(ConvProblem p) const
    {
        const TensorStrides filter_strides = p.filter_strides;
        set_packed_strides(p);
        p.filter_strides = filter_strides;
        return is_small(p) && check(p) &&
               of_copy(p.input_lengths(), bytes_.input) <= LaunchBytes::most() &&
               of_copy(p.output_lengths(), bytes_.output) <= LaunchBytes::most();
    }
    /// The number of images like this one that a piece may have.
    long_index_t images(const ConvProblem& one) const
    {
        return PieceBytes::most() == any_bytes
                   ? any_bytes
                   : PieceBytes::most() / std::max(largest(one), long_index_t{1});
    }

private:
    bool check(const ConvProblem& p) const
    {
        const WithoutReasons yes_or_no;
        return static_cast<bool>(
            direction_ == Direction::forward         ? ForwardDirection::check(p, bytes_)
            : direction_ == Direction::backward_data ? BackwardDataDirection::check(p, bytes_)
                                                     : BackwardWeightDirection::check(p, bytes_));
    }
    static bool reaches(TensorLengths lengths, const TensorStrides& strides, index_t bytes)
    {
        lengths[1] = 1;
        return ck::detail::reach_in_bytes(lengths, strides, bytes) <= LaunchBytes::most();
    }
    bool is_small(const ConvProblem& p) const { return largest(p) <= PieceBytes::most(); }
    /// Bytes of the larger of the channels-last copies of X and Y.
    long_index_t largest(const ConvProblem& p) const
    {
        return std::max(of_copy(p.input_lengths(), bytes_.input),
                        of_copy(p.output_lengths(), bytes_.output));
    }
    static long_index_t of_copy(const TensorLengths& l, index_t bytes)
    {
        const long_index_t granule  = channel_granule(bytes),
                           channels = (l[0] * l[2] + granule - 1) / granule * granule;
        return math::saturating_product(element_count({1, 1, channels, l[3], l[4], l[5]}),
                                        long_index_t{bytes});
    }

    Direction direction_;
    const ElementBytes& bytes_;
    const std::vector<ImageOperand>& d_;
};

/// The number of parts for each dimension of the result so that all pieces fit; empty if no cut is
/// enough. p: for one image.
template <class Fits>
std::optional<Spatial> parts_of(Direction direction, const ConvProblem& p, const Fits& fits)
{
    std::array<std::size_t, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        const long_index_t a = p.input_strides[3 + i], b = p.input_strides[3 + j];
        return a != b ? a > b : i < j;
    });
    const Spatial rows = direction == Direction::backward_data ? p.input : p.output();
    Spatial parts{1, 1, 1};
    ConvProblem cut = p;
    for(const std::size_t i : order)
    {
        const distributed::Line line = line_along(p, i);
        const auto fits_with_rows    = [&](long_index_t n) {
            set_piece(cut, i, largest_piece(line, direction, n));
            return fits(cut);
        };
        long_index_t least = 1, most = rows[i]; // the answer is in [least, most)
        if(!fits_with_rows(1))
        {
            parts[i] = rows[i];
            continue;
        }
        while(most - least > 1)
        {
            const long_index_t middle               = least + (most - least) / 2;
            (fits_with_rows(middle) ? least : most) = middle;
        }
        parts[i] = (rows[i] + least - 1) / least;
        return parts;
    }
    return std::nullopt;
}

} // namespace

long_index_t ImagePiece::offset(Role role, const TensorStrides& strides) const
{
    if(role == Role::filter)
        return 0;
    const Spatial& first = role == Role::input ? input : output;
    return image * strides[1] + first[0] * strides[3] + first[1] * strides[4] +
           first[2] * strides[5];
}

std::optional<ImagePieces> ImagePieces::of(Direction direction,
                                           const ConvProblem& p,
                                           const ElementBytes& bytes,
                                           const std::vector<ImageOperand>& d)
{
    const Fit fit(direction, bytes, d);
    ConvProblem one           = p;
    one.batch                 = 1;
    const bool is_whole       = fit.in_place(one);
    const long_index_t images = is_whole ? fit.images(one) : 1;
    if(p.batch == 0 || (is_whole && images >= p.batch))
        return std::nullopt;
    const Spatial rows = direction == Direction::backward_data ? p.input : p.output();
    if(rows[0] == 0 || rows[1] == 0 || rows[2] == 0)
        return std::nullopt;
    auto parts =
        is_whole ? std::optional(Spatial{1, 1, 1})
                 : parts_of(direction, one, [&](const ConvProblem& q) { return fit.in_place(q); });
    if(!parts && fit.on_copies(one)) // kernels on copies support it uncut
        return std::nullopt;
    if(!parts)
        parts = parts_of(direction, one, [&](const ConvProblem& q) { return fit.on_copies(q); });
    if(!parts ||
       ck::detail::limited_product({(*parts)[0], (*parts)[1], (*parts)[2], p.batch}) > most)
        return std::nullopt;
    const auto rows_of = [&](std::size_t i) {
        return distributed::even_parts(rows[i], static_cast<int>((*parts)[i]));
    };
    ImagePieces r{*parts, images, {}};
    const auto in_d = rows_of(0), in_h = rows_of(1), in_w = rows_of(2);
    for(long_index_t n = 0; n < p.batch; n += images)
        for(const distributed::Rows& at_d : in_d)
            for(const distributed::Rows& at_h : in_h)
                for(const distributed::Rows& at_w : in_w)
                {
                    ImagePiece piece{one, n};
                    piece.problem.batch = std::min(images, p.batch - n);
                    const std::array at{at_d, at_h, at_w};
                    for(std::size_t i = 0; i < 3; ++i)
                    {
                        const distributed::Piece along =
                            piece_with(line_along(p, i), direction, at[i]);
                        set_piece(piece.problem, i, along);
                        piece.input[i]  = along.x.begin;
                        piece.output[i] = along.y.begin;
                    }
                    r.pieces.push_back(piece);
                }
    return r;
}

} // namespace ck::tensor_operation::device::instance
