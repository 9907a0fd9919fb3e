#pragma once
// The expected result of a convolution, and whether a result matches it.
#include "ck/tensor_operation/gpu/device/device_base.hpp"

#include "buffers.hpp"
#include <array>
#include <vector>

namespace ck::profiler {

/// How far a result is from the reference.
struct Accuracy
{
    double error            = 0; ///< largest |result - reference|
    double bound            = 0; ///< allowed error of that element, including the result's rounding
    bool right              = true;
    std::size_t first_wrong = 0;  ///< index of the first wrong element
    double got = 0, expected = 0; ///< its values
    double unit = 0;              ///< last place of the result with the largest error
};

/// The result of a problem by definition, computed on the device in double, one thread for each
/// element, and a bound for each element on the effect of other orders of its sum. The bound
/// follows from the number of terms and the sum of their magnitudes (error_bound.hpp); it is 0 if
/// all sums of whole numbers are exact in the accumulator.
class Reference
{
public:
    Reference(const ConvRequest& request,
              const ConvProblem& problem,
              const TensorShapes& shapes,
              const std::array<Block, 2>& operands,
              const std::vector<Block>& d,
              Fill fill);

    /// result: as in memory, in the result's type. Compares every element: it must be the rounding
    /// of a number within the bound of the reference.
    Accuracy compare(const std::vector<unsigned char>& result) const;

    /// Expects the low eight bits of each result, as int8 through the device interface, instead of
    /// the nearest number of the type.
    void keep_low_bits();

private:
    const NumberType& type_;
    std::vector<double> value_, bound_;
};

} // namespace ck::profiler
