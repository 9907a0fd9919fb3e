#pragma once
// On which stream a device operation runs, and whether it is timed. An aggregate in the global
// namespace: clients write StreamConfig{nullptr, true}, so the order of the members is interface.

#include "ck/host_utility/runtime.hpp"

/// The stream of a launch, and whether and how it is timed. The order of the members is interface.
struct StreamConfig
{
    hipStream_t stream_id_ = nullptr; ///< null: the default stream
    bool time_kernel_      = false;   ///< Run returns the mean milliseconds of one launch; else 0
    int log_level_         = 0;       ///< above 0: a launch describes itself on standard output
    int cold_niters_       = 5;       ///< warm-up launches before the timed ones
    int nrepeat_           = 50;      ///< timed launches
    bool flush_cache       = false;   ///< without effect here
    int rotating_count     = 1;       ///< without effect here
};
