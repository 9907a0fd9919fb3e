#pragma once
// What was measured on the user's own device: lines that lead from a prediction to a time. Files of
// them are like those of conv/model/machine, which are compiled in.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace ck::tensor_operation::device::instance {

struct CalibrationLines;

/// A file of lines.
struct Calibration
{
    std::string path;
    std::string device; ///< that was measured
    double mhz = 0;     ///< cycles of predictions in a microsecond
    std::shared_ptr<const CalibrationLines> lines;
};

/// Reads a file's text. Throws std::runtime_error, whose text begins with the number of the line.
Calibration read_calibration(std::istream& in);

/// From now on predictions are those of the lines, on the devices whose numbers these are. Plans
/// that were made stay as they are. Null: the built-in predictions again.
void use_calibration(std::shared_ptr<const Calibration> lines, const std::vector<int>& devices);

/// What is in use on the current device; null: nothing.
std::shared_ptr<const Calibration> calibration_in_use();

/// The clock cycles that stand for `cycles` of a kernel on the current device.
double calibrated(const KernelFacts& kernel, long_index_t groups, double cycles);

/// What lines of a kernel begin with: "tensor_maps dw".
std::string line_key(const KernelFacts& kernel);

/// Makes the kernel predict calibrated times.
void calibrate_predictions(ConvKernel& kernel);

} // namespace ck::tensor_operation::device::instance
