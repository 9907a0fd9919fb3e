#pragma once
// The stages that every pipeline schedule is made of.
#include "ck/utility/number.hpp"

#include <concepts>

namespace ck::block {

/// A reduction in slices. `buffer` counts the LDS buffers of the schedule.
template <class S>
concept PipelineStages = requires(S stages, Number<0> buffer)
{
    stages.fetch();          // issue the loads of the next slice: global memory -> registers
    stages.stage(buffer);    // registers -> LDS
    stages.wait();           // barrier: LDS writes are visible, LDS reads are done
    stages.wait_read();      // barrier behind multiply(): LDS reads are done
    stages.multiply(buffer); // LDS -> registers -> matrix instructions
};

/// Stages whose slices come in runs.
template <class S>
concept RunStages = PipelineStages<S> && requires(S stages)
{
    // Returns how many slices, from the next one on, fetch_of_run() goes through without more; some
    // may lie behind the last.
    {
        stages.begin_run()
        } -> std::same_as<index_t>;
    stages.fetch_of_run(); // fetch() of the run's next slice
};

} // namespace ck::block
