#pragma once
// Mean and deviation, from sums of x - pivot and of its square.
#include "ck/arch/index.hpp"

#include <cmath>

namespace ck::norm {

template <class Acc>
struct Moments
{
    double mean, variance;
    double inverse; ///< 1 / deviation
    Acc stored;     ///< the mean
    double rounded; ///< by how much storing the mean changed it

    /// sum, squares: of x - pivot and of its square, over `count` values.
    CK_DEVICE CK_INLINE
    Moments(Acc of_pivot, double sum, double squares, double count, double epsilon)
    {
        const double from_pivot = sum / count, pivot = static_cast<double>(of_pivot);
        mean                    = pivot + from_pivot;
        const double difference = squares / count - from_pivot * from_pivot;
        variance                = difference < 0 ? 0 : difference; // NaN stays NaN
        inverse                 = 1 / std::sqrt(variance + epsilon);
        stored                  = static_cast<Acc>(mean);
        rounded                 = static_cast<double>(stored) - pivot - from_pivot;
    }
};

} // namespace ck::norm
