#pragma once
// Fits lines that convert predictions to times.
#include "ck/calibrate.hpp"

#include <string>
#include <vector>

namespace ck::conv {

/// A kernel's time.
struct CalibrationTime
{
    std::string kernels;         ///< the start of its line
    double cycles       = 0;     ///< predicted
    double microseconds = 0;     ///< measured
    bool is_held_out    = false; ///< nothing is fitted to it
};

/// Returns the number of predicted cycles in a microsecond: the mean over the kinds of kernels, so
/// that a kind that is measured often does not count more.
double cycles_in_a_microsecond(const std::vector<CalibrationTime>& times);

/// Returns a line for each kind of kernels, in order: the built-in prediction, a factor, or a start
/// and a factor (neither less than 0: short launches would take no time), whichever is nearest to
/// the times that were held out. If none were, or if there are fewer than two
/// others, it keeps the built-in predictions.
std::vector<CalibratedLine> fit_lines(const std::vector<CalibrationTime>& times, double mhz);

} // namespace ck::conv
