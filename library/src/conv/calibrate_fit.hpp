#pragma once
// Lines that lead from predictions to times.
#include "ck/calibrate.hpp"

#include <string>
#include <vector>

namespace ck::conv {

/// A kernel's time.
struct CalibrationTime
{
    std::string kernels;         ///< what its line begins with
    double cycles       = 0;     ///< predicted
    double microseconds = 0;     ///< measured
    bool is_held_out    = false; ///< nothing is fitted to it
};

/// Returns how many predicted cycles there are in a microsecond: the mean of the kinds of kernels,
/// so that one that is measured often counts no more.
double cycles_in_a_microsecond(const std::vector<CalibrationTime>& times);

/// Returns a line for each kind of kernels, in their order: of none, a factor, and a start and a
/// factor (neither below 0: short launches would promise to take no time) that one which is nearest
/// to the times that were held out. Where none were, or less than two were fitted to, the built-in
/// predictions stand.
std::vector<CalibratedLine> fit_lines(const std::vector<CalibrationTime>& times, double mhz);

} // namespace ck::conv
