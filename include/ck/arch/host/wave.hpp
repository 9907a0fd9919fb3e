#pragma once
// Rendezvous of the lanes of a wave, from which every emulated wave-wide operation is built.

#include "ck/arch/host/block.hpp"

namespace ck::arch {

/// All threads of an aligned group of `lanes` (a power of two) meet. The last to arrive calls
/// execute(of_lane), where of_lane[i] is what lane i passed as `mine`; then all go on.
template <class F>
CK_INLINE void wave_operation(index_t lanes, void* mine, F&& execute)
{
    host::require_block("wave_operation").rendezvous(lanes, mine, std::forward<F>(execute));
}

} // namespace ck::arch
