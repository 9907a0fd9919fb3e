#pragma once
// What a stream offers, under Composable Kernel's name.
#include "ck/host_utility/device_prop.hpp"
#include "ck/stream_config.hpp"

/// Compute units (SMs) of the current device, on which config's stream must be; on the host,
/// processors. Masks that leave a stream some of them are not looked at.
inline int getAvailableComputeUnitCount(const StreamConfig&)
{
    return static_cast<int>(ck::compute_unit_count());
}
