#pragma once
// Measures how long kernels take on this device, so that plan() predicts better on devices that
// nobody fitted the built-in numbers to.
//
//   ck::calibrate();                       // once, on the machine that trains; at most ten minutes
//   ck::ConvPlan plan = ck::plan(forward); // from now on, in any process: by the new predictions
//
// The result is a file, which plan() reads. docs/tuning.md explains it. Link
// composable_kernel::conv.
#include "ck/conv.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ck {

/// A line of the file: from what is predicted for some kernels to what the device takes.
struct CalibratedLine
{
    std::string kernels;      ///< "tensor_maps y": the pipeline, and what is computed
    double start         = 0; ///< clock cycles
    double factor        = 1; ///< of the predicted cycles
    std::size_t fitted   = 0; ///< times that it was fitted to
    std::size_t held_out = 0; ///< other times, by which the errors are
    double error_before  = 0; ///< of the built-in predictions, 0.1: a tenth, on average
    double error_after   = 0; ///< of the line
};

/// What calibrate() found.
struct CalibrateResult
{
    std::string path{};                  ///< of the file; empty: see `why`
    std::string device{};                ///< that was measured
    double mhz        = 0;               ///< cycles of predictions in a microsecond, on average
    std::size_t times = 0;               ///< number of kernels and specs that were measured
    std::size_t specs = 0;               ///< specs with at least one time
    std::vector<CalibratedLine> lines{}; ///< those that are better than the built-in predictions,
                                         ///< and the others with a factor of 1
    std::string why{};                   ///< why there is no file
};

/// How to measure.
struct CalibrateOptions
{
    std::vector<ConvSpec> specs{}; ///< to be measured; empty: calibration_specs()
    double seconds = 540;          ///< limit for all together; a launch that has begun is finished
    std::size_t kernels_of_kind =
        2;              ///< the most kernels of a pipeline that are measured for a spec
    std::string path{}; ///< of the file; empty: machine_file()
    /// Called with a line of text after each spec. Empty: it is written to stderr.
    std::function<void(const std::string&)> progress{};
    /// Returns the microseconds of a kernel for which so many cycles are predicted. Empty: it is
    /// measured on the current device.
    std::function<double(const ConvSpec&, const std::string& kernel, double cycles)> time{};
};

/// Measures some kernels of each pipeline on the current device, fits lines to two thirds of the
/// specs, keeps those that are better for the others, and writes the file. Plans that are made from
/// then on are by it; meanwhile those of other threads are by the built-in predictions. Throws
/// Refused if options are wrong.
CalibrateResult calibrate(const CalibrateOptions& options = {});

/// What calibrate() measures: layers of networks, of several types and all directions; where the
/// CPU stands in for a GPU, small ones.
std::vector<ConvSpec> calibration_specs();

/// The path of the file: the environment's CK_MACHINE, else machine.ini in the folder of
/// tuning_database(). Empty if CK_MACHINE is, or if there is no such folder: there is no file.
std::string machine_file();

} // namespace ck
