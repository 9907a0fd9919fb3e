#pragma once
// The stream of a device operation, and whether it is timed. An aggregate in the global namespace:
// clients write StreamConfig{nullptr, true}, so the order of the members is part of the interface.

#include "ck/host_utility/runtime.hpp"

/// The stream of a launch, and how it is timed. The order of the members is part of the interface.
struct StreamConfig
{
    hipStream_t stream_id_ = nullptr; ///< null: the default stream
    bool time_kernel_      = false;   ///< Run returns the mean milliseconds of one launch; else 0
    int log_level_         = 0;       ///< more than 0: a launch describes itself on standard output
    int cold_niters_       = 5;       ///< warm-up launches before the timed ones
    int nrepeat_           = 50;      ///< timed launches
    bool flush_cache       = false;   ///< ignored here
    int rotating_count     = 1;       ///< ignored here
};
