#pragma once
// Checks that a program's output was written.
#include <cstdio>
#include <iostream>

namespace ck::utils {

/// Exit status of a program: `status`, or 1 and a message if not all of its standard output could
/// be written, for example because the disk is full.
inline int checked_output(int status)
{
    const bool written = std::cout.flush().good();
    if(std::fflush(stdout) == 0 && written)
        return status;
    std::cerr << "error: standard output could not be written\n";
    return status == 0 ? 1 : status;
}

} // namespace ck::utils
