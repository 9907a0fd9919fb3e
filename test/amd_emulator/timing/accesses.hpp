// Addresses that the instruction under way touches, kept for the timing model.
#pragma once
#include "trace.hpp"
#include <vector>

namespace emu::timing {

/// Addresses below are offsets into LDS.
constexpr std::uint64_t lowest_address = 1 << 20;

/// Whether accesses are noted: from the first launch whose time is predicted on.
inline bool notes_accesses = false;

/// Those of this thread since they were last taken.
inline std::vector<Access>& accesses()
{
    static thread_local std::vector<Access> noted;
    return noted;
}

inline void note_access(int lane, std::uint64_t address, std::uint32_t bytes)
{
    if(__builtin_expect(notes_accesses, 0))
        accesses().push_back({lane, address, bytes});
}

} // namespace emu::timing
