#pragma once
// The file of the user's own machine, which plans are predicted by.

namespace ck::conv {

/// Reads the file when this is called for the first time, if there is one, and takes it for the
/// current device, if it is for that. Says on stderr what is wrong with it.
void use_machine_file();

/// As if the process began anew. What was read is out of use.
void forget_machine_file();

} // namespace ck::conv
