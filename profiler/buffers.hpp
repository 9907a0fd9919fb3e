#pragma once
// The tensors of a problem in device memory, several sets in turns so that none stays in the cache,
// and the numbers that they hold.
#include "ck/library/utility/device_memory.hpp"

#include "measure.hpp"
#include "request.hpp"
#include "rival.hpp"
#include <array>
#include <string>
#include <vector>

namespace ck::profiler {

/// Numbers that are repeated throughout a tensor: as many as a prime, so that no stride of the
/// tensor meets the same ones again and again. Each tensor has numbers of its own: of X and dY that
/// are the same some weights would be sums of squares.
class Block
{
public:
    static constexpr std::size_t most = 1000003;

    /// tensor: 0, 1 for the operands, then D tensors, of `elements`. The numbers are exact in
    /// `type`.
    Block(Fill fill, std::size_t tensor, long_index_t elements, const NumberType& type);

    const std::vector<double>& values() const { return values_; }
    /// The value of the tensor's element number i.
    double operator[](std::size_t i) const { return values_[i % values_.size()]; }

private:
    std::vector<double> values_;
};

/// What X, W and Y of a convolution are: element types, and lengths.
struct TensorShapes
{
    std::array<const NumberType*, 3> type;
    std::array<long_index_t, 3> elements;

    TensorShapes(const ConvProblem& p,
                 const NumberType& x,
                 const NumberType& w,
                 const NumberType& y)
        : type{&x, &w, &y},
          elements{element_count(p.input_lengths()),
                   element_count(p.filter_lengths()),
                   element_count(p.output_lengths())}
    {}
    std::size_t bytes(std::size_t tensor) const
    {
        return static_cast<std::size_t>(elements[tensor]) * type[tensor]->bytes;
    }
    /// Each element touched once.
    double bytes() const
    {
        return static_cast<double>(bytes(0)) + static_cast<double>(bytes(1)) +
               static_cast<double>(bytes(2));
    }
};

/// Which of X, W, Y the direction makes.
constexpr std::size_t result_of(Direction direction)
{
    return direction == Direction::forward ? 2 : direction == Direction::backward_data ? 0 : 1;
}

/// Sets of X, W and Y. Operands hold the blocks' numbers, results NaN (of integers -1).
class Buffers
{
public:
    /// many: sets that are more than the cache holds together; else one. operands: the blocks of
    /// the two that the direction reads, in the order X, W, Y.
    Buffers(const TensorShapes& shapes,
            Direction direction,
            const std::array<Block, 2>& operands,
            bool many);

    /// The set for the i-th launch.
    ConvTensors set(int i) const;
    int sets() const { return static_cast<int>(memory_.size() / 3); }
    /// The result in set 0 as it lies in memory. It becomes NaN.
    std::vector<unsigned char> take();

private:
    void spoil(std::size_t memory);

    TensorShapes shapes_;
    std::size_t result_;
    std::vector<DeviceMem> memory_;
};

} // namespace ck::profiler
