// Sets the times of results.
#include "timed.hpp"

#include "platform.hpp"
#include <stdexcept>

namespace ck::profiler {

Rounds rounds_of(const Options& options, double warm_up)
{
    Rounds r;
    r.count   = options.rounds > 0 ? options.rounds : on_cpu ? 1 : r.count;
    r.warm_up = warm_up;
    return r;
}

void set_time(Result& result,
              const Timing& timing,
              const std::optional<Roofline>& roof,
              const Work& work)
{
    if(!timing.ok())
        throw std::runtime_error(timing.error);
    if(const std::string above = above_the_roof(roof, work, timing.median); !above.empty())
        throw std::runtime_error(above);
    result.ms       = timing.median;
    result.ms_low   = timing.low;
    result.ms_high  = timing.high;
    result.roofline = share_of_roof(roof, work, timing.median);
    if(roof)
    {
        result.peak_tflops = roof->tflops;
        result.peak_gbytes = roof->gbytes;
    }
}

} // namespace ck::profiler
