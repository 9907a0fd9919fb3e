#pragma once
// The command line of MIOpenDriver as it stands in users' logs.
#include "request.hpp"
#include <string>
#include <vector>

namespace ck::profiler {

/// "[... ./bin/MIOpenDriver] convbfp16 -n 128 -c 64 -H 56 -W 56 -k 64 -y 3 -x 3 -p 1 -q 1 -F 1
/// ...": a request for each direction that -F names (1 forward, 2 backward data, 4 backward weight,
/// or sums of them; 0 all). Long names work, too. Flags about how MIOpen measures (-t, -V, -i ...)
/// are taken and not looked at. Throws WrongArgument for what is no convolution command and for
/// flags that change the result and are not served (transposed convolution, bias, casts).
std::vector<ConvRequest> requests_from_miopen(const std::string& command_line);

} // namespace ck::profiler
