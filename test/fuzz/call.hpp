#pragma once
// One call of an operation, as a client could make it: right, wrong, or far from anything.
#include "ck/convolution/direction.hpp"
#include "ck/utility/integer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ck::fuzz {

/// Tensors, in all directions alike; the first three are X, W and Y or their gradients.
enum Tensor : std::size_t
{
    tensor_x,
    tensor_w,
    tensor_y,
    tensor_d0,
    tensor_d1,
    tensor_count
};
constexpr Tensor result_of(Direction d)
{
    return d == Direction::forward ? tensor_y : d == Direction::backward_data ? tensor_x : tensor_w;
}

/// Lengths in the order g, n or k, c or k, and D H W; spatial dimensions alone have D H W.
using Lengths = std::array<long_index_t, 6>;
using Spatial = std::array<long_index_t, 3>;

struct TensorArgument
{
    Lengths lengths{1, 1, 1, 1, 1, 1};
    Lengths strides{1, 1, 1, 1, 1, 1};
    bool null           = false;
    Tensor at           = tensor_count; ///< the tensor whose memory it lies in
    long_index_t offset = 0;            ///< bytes from the first byte of that memory
};

enum class Workspace
{
    as_asked,
    none,
    misaligned
};

struct Call
{
    Direction direction{};
    std::size_t rank = 2;
    std::array<TensorArgument, tensor_count> tensors{};
    Spatial stride{1, 1, 1}, dilation{1, 1, 1}, pad_low{0, 0, 0}, pad_high{0, 0, 0};
    long_index_t split_k = 1;
    Workspace workspace  = Workspace::as_asked;
    unsigned run_by      = 0; ///< index among the operations that support it
    unsigned seed        = 0; ///< seed of the numbers
    std::size_t longer   = 7; ///< index of the list that is too long, if any
    std::size_t shorter  = 7; ///< index of the list that is too short; 7: none

    const TensorArgument& result() const { return tensors[result_of(direction)]; }
};

/// The call that bytes stand for; any bytes do.
Call decode(Direction direction, const std::uint8_t* data, std::size_t size);

/// The part of the call for an operation of `rank` dimensions with `d_count` D tensors. Index: 32
/// bits, or 64.
Call as_told(Call call, std::size_t rank, std::size_t d_count, bool wide);

/// Y's length along one dimension, as X, W and the rest make it; 0 where there is none.
__int128 full_output_length(const Call& call, std::size_t dimension);

std::string text(const Call& call);

} // namespace ck::fuzz
