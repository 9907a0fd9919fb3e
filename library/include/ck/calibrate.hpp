#pragma once
// Measures how long kernels take on this device, so that plan() predicts better on devices for
// which the built-in numbers were not fitted.
//
//   ck::calibrate();                       // once, on the machine that trains; at most ten minutes
//   ck::ConvPlan plan = ck::plan(forward); // from now on, in any process: with new predictions
//
// The result is a file, which plan() reads. docs/tuning.md explains the interface. Link
// composable_kernel::conv.
#include "ck/conv.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ck {

/// A line of the file: converts the predicted times of some kernels to times on the device.
struct CalibratedLine
{
    std::string kernels;      ///< the pipeline and the result, such as "tensor_maps y"
    double start         = 0; ///< clock cycles
    double factor        = 1; ///< factor for the predicted cycles
    std::size_t fitted   = 0; ///< number of times that it was fitted to
    std::size_t held_out = 0; ///< number of other times, which give the errors
    double error_before  = 0; ///< mean error of the built-in predictions; 0.1 is a tenth
    double error_after   = 0; ///< mean error of the line
};

/// The result of calibrate().
struct CalibrateResult
{
    std::string path{};                  ///< path of the file; if empty, see `why`
    std::string device{};                ///< the device that was measured
    double mhz        = 0;               ///< predicted cycles in a microsecond, on average
    std::size_t times = 0;               ///< number of measured times: pairs of kernel and spec
    std::size_t specs = 0;               ///< specs with at least one time
    std::vector<CalibratedLine> lines{}; ///< those that predict better than the built-in numbers;
                                         ///< the others with a factor of 1
    std::string why{};                   ///< why there is no file
};

/// How to measure.
struct CalibrateOptions
{
    std::vector<ConvSpec> specs{}; ///< to be measured; empty: calibration_specs()
    double seconds = 540;          ///< limit for everything; a launch that has begun is finished
    std::size_t kernels_of_kind =
        2;              ///< the most kernels of a pipeline that are measured for a spec
    std::string path{}; ///< path of the file; empty: machine_file()
    /// Called with a line of text after each spec. If empty, the line is written to stderr.
    std::function<void(const std::string&)> progress{};
    /// Returns the microseconds of a kernel for which `cycles` are predicted. If empty, the kernel
    /// is measured on the current device.
    std::function<double(const ConvSpec&, const std::string& kernel, double cycles)> time{};
};

/// Measures some kernels of each pipeline on the current device, fits lines to two thirds of the
/// specs, keeps those that improve the other specs, and writes the file. Later plans use it. Plans
/// that other threads make meanwhile use the previous file; no plan mixes the two. Throws Refused
/// if options are invalid.
CalibrateResult calibrate(const CalibrateOptions& options = {});

/// The specs that calibrate() measures: layers of networks, with several types and all directions;
/// small ones if the CPU stands in for a GPU.
std::vector<ConvSpec> calibration_specs();

/// Path of the file: CK_MACHINE if set, otherwise machine.ini in the folder of tuning_database().
/// Empty, which means no file, if CK_MACHINE is empty or no folder is known.
std::string machine_file();

} // namespace ck
