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

/// The calibration that the calling thread predicts by on the current device; may be null.
std::shared_ptr<const Calibration> calibration_in_use();

/// While it lives, the calling thread predicts by one calibration, whatever other threads do:
/// predictions that are compared with each other need the same lines. Inside the life of another,
/// it changes nothing.
class OneCalibration
{
public:
    /// The one in use on the current device.
    OneCalibration() : OneCalibration(calibration_in_use()) {}
    /// This one; null: the built-in predictions.
    explicit OneCalibration(std::shared_ptr<const Calibration> calibration);
    ~OneCalibration();
    OneCalibration(const OneCalibration&)            = delete;
    OneCalibration& operator=(const OneCalibration&) = delete;

    const std::shared_ptr<const Calibration>& get() const { return calibration_; }

private:
    std::shared_ptr<const Calibration> calibration_;
    const OneCalibration* outer_;
};

/// Converts the `cycles` of a kernel to calibrated clock cycles on the current device.
double calibrated(const KernelFacts& kernel, long_index_t groups, double cycles);

/// The start of a kernel's lines: "tensor_maps dw".
std::string line_key(const KernelFacts& kernel);

/// Makes the kernel predict calibrated times.
void calibrate_predictions(ConvKernel& kernel);

} // namespace ck::tensor_operation::device::instance
