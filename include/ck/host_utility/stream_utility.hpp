#pragma once
// Properties of a stream, under Composable Kernel's name.
#include "ck/host_utility/device_prop.hpp"
#include "ck/stream_config.hpp"

/// Compute units (SMs) of the current device, which must be that of config's stream; on the host,
/// processors. Ignores masks that restrict a stream to some of them.
inline int getAvailableComputeUnitCount(const StreamConfig&)
{
    return static_cast<int>(ck::compute_unit_count());
}
