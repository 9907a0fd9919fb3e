#pragma once
// Measurements on the user's own device: lines that convert a prediction to a time. Their files
// have the format of conv/model/machine, whose files are compiled in.
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
    std::string device; ///< the device that was measured
    double mhz = 0;     ///< predicted cycles in a microsecond
    std::shared_ptr<const CalibrationLines> lines;
};

/// Reads a file's text. Throws std::runtime_error with the number of the wrong line.
Calibration read_calibration(std::istream& in);

/// Makes predictions use the lines on the devices with these numbers. Existing plans do not change.
/// Null restores the built-in predictions.
void use_calibration(std::shared_ptr<const Calibration> lines, const std::vector<int>& devices);

/// The calibration in use on the current device; may be null.
std::shared_ptr<const Calibration> calibration_in_use();

/// Converts the `cycles` of a kernel to calibrated clock cycles on the current device.
double calibrated(const KernelFacts& kernel, long_index_t groups, double cycles);

/// The start of a kernel's lines: "tensor_maps dw".
std::string line_key(const KernelFacts& kernel);

/// Makes the kernel predict calibrated times.
void calibrate_predictions(ConvKernel& kernel);

} // namespace ck::tensor_operation::device::instance
