#pragma once
// The file of the user's own machine, which plans are predicted by.
#include <memory>

namespace ck::tensor_operation::device::instance {
struct Calibration;
}

namespace ck::conv {

/// Reads the file when this is called for the first time, if there is one, and takes it for the
/// current device, if it is for that. Says on stderr what is wrong with it. Returns what it is for
/// the current device; null: the built-in predictions.
std::shared_ptr<const tensor_operation::device::instance::Calibration> use_machine_file();

/// As if the process had just started. What was read is out of use.
void forget_machine_file();

} // namespace ck::conv
