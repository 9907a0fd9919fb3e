#pragma once
// The tensors of a problem in device memory, several sets that take turns so that none stays in the
// cache, and the numbers in them.
#include "ck/library/utility/device_memory.hpp"

#include "measure.hpp"
#include "request.hpp"
#include "rival.hpp"
#include <array>
#include <string>
#include <vector>

namespace ck::profiler {

/// Numbers that are repeated throughout a tensor. Their count is a prime, so that no stride of the
/// tensor meets the same ones again and again. Each tensor has its own numbers: if X and dY had the
/// same ones, some weights would be sums of squares.
class Block
{
public:
    static constexpr std::size_t most = 1000003;

    /// tensor: 0 and 1 are the operands, then come the D tensors; it has `elements` elements. The
    /// numbers are exact in `type`.
    Block(Fill fill, std::size_t tensor, long_index_t elements, const NumberType& type);

    const std::vector<double>& values() const { return values_; }
    /// The value of element i of the tensor.
    double operator[](std::size_t i) const { return values_[i % values_.size()]; }

private:
    std::vector<double> values_;
};

/// The element types and lengths of X, W and Y.
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
    /// Bytes, with each element counted once.
    double bytes() const
    {
        return static_cast<double>(bytes(0)) + static_cast<double>(bytes(1)) +
               static_cast<double>(bytes(2));
    }
};

/// Which of X, W and Y the direction computes.
constexpr std::size_t result_of(Direction direction)
{
    return direction == Direction::forward ? 2 : direction == Direction::backward_data ? 0 : 1;
}

/// Sets of X, W and Y. Operands hold the blocks' numbers, results NaN (integers: -1).
class Buffers
{
public:
    /// many: use more sets than the cache can hold; otherwise one. operands: the blocks of the two
    /// tensors that the direction reads, in the order X, W, Y.
    Buffers(const TensorShapes& shapes,
            Direction direction,
            const std::array<Block, 2>& operands,
            bool many);

    /// The set for the i-th launch.
    ConvTensors set(int i) const;
    int sets() const { return static_cast<int>(memory_.size() / 3); }
    /// The result in set 0 as it is in memory. Then sets it to NaN.
    std::vector<unsigned char> take();

private:
    void spoil(std::size_t memory);

    TensorShapes shapes_;
    std::size_t result_;
    std::vector<DeviceMem> memory_;
};

} // namespace ck::profiler
