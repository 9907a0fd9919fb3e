// Addresses that the instruction under way touches, kept for the timing model.
#pragma once
#include "trace.hpp"
#include <vector>

namespace emu::timing {

/// Addresses below are offsets into LDS.
constexpr std::uint64_t lowest_address = 1 << 20;

/// Those of this thread since they were last taken.
inline std::vector<Access>& accesses()
{
    static thread_local std::vector<Access> noted;
    return noted;
}

} // namespace emu::timing
