#pragma once
// What a convolution's result must be, and whether a result is that.
#include "ck/tensor_operation/gpu/device/device_base.hpp"

#include "buffers.hpp"
#include <array>
#include <vector>

namespace ck::profiler {

/// How far a result is from the reference.
struct Accuracy
{
    double error            = 0; ///< greatest |result - reference|
    double bound            = 0; ///< what it may be at that element, the result's rounding included
    bool right              = true;
    std::size_t first_wrong = 0;  ///< an element, where it is wrong
    double got = 0, expected = 0; ///< there
    double unit = 0;              ///< in the last place of the result, where the error is greatest
};

/// The result of a problem by its definition, computed on the device in double, one thread an
/// element, and for each element a bound on what other orders of its sum may differ by: derived
/// from the number of terms and the sum of their magnitudes (error_bound.hpp), 0 where all sums of
/// whole numbers are exact in the accumulator.
class Reference
{
public:
    Reference(const ConvRequest& request,
              const ConvProblem& problem,
              const TensorShapes& shapes,
              const std::array<Block, 2>& operands,
              const std::vector<Block>& d,
              Fill fill);

    /// result: as it lies in memory, in the result's type. Every element is compared: it must be
    /// one that a number within the bound of the reference rounds to.
    Accuracy compare(const std::vector<unsigned char>& result) const;

private:
    const NumberType& type_;
    std::vector<double> value_, bound_;
};

} // namespace ck::profiler
