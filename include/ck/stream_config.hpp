#pragma once
// On which stream a device operation runs, and whether it is timed. An aggregate in the global
// namespace: clients write StreamConfig{nullptr, true}, so the order of the members is interface.

#include "ck/host_utility/runtime.hpp"

struct StreamConfig
{
    hipStream_t stream_id_ = nullptr;
    bool time_kernel_      = false; // Run returns the mean milliseconds of one launch; else 0
    int log_level_         = 0;
    int cold_niters_       = 5;  // warm-up launches before the timed ones
    int nrepeat_           = 50; // timed launches
    bool flush_cache       = false;
    int rotating_count     = 1;
};
