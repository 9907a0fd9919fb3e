#pragma once
// Reads a command line of MIOpenDriver, as it appears in users' logs.
#include "request.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

/// "[... ./bin/MIOpenDriver] convbfp16 -n 128 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -F 1
/// ...": a request for each direction in -F (1 forward, 2 backward data, 4 backward weight, or sums
/// of them; 0 all). Long names work, too. Flags about how MIOpen measures (-t, -V, -i ...) are
/// accepted and ignored. Throws WrongArgument if it is not a convolution command, and for
/// unsupported flags that change the result (transposed convolution, bias, casts).
std::vector<ConvRequest> requests_from_miopen(const std::string& command_line);

} // namespace ck::profiler
