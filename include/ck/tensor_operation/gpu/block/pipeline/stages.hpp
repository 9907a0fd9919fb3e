#pragma once
// The stages of which every pipeline schedule consists.
#include "ck/utility/integer.hpp"
#include "ck/utility/number.hpp"

#include <concepts>

namespace ck::block {

/// A reduction in slices. `buffer` is the index of one of the schedule's LDS buffers.
template <class S>
concept PipelineStages = requires(S stages, Number<0> buffer)
{
    stages.fetch();          // issue the loads of the next slice: global memory -> registers
    stages.stage(buffer);    // registers -> LDS
    stages.wait();           // barrier: LDS writes are visible, LDS reads are done
    stages.wait_read();      // barrier after multiply(): LDS reads are done
    stages.multiply(buffer); // LDS -> registers -> matrix instructions
};

/// Stages that multiply a slice in steps, with other work in between. After multiply_but_last() the
/// slice is not read from LDS any more.
template <class S>
concept StepStages = requires(S stages, Number<0> buffer)
{
    stages.read_first(buffer);        // LDS -> registers: what the first step multiplies
    stages.multiply_but_last(buffer); // the steps before the last
    stages.multiply_last();           // the last one
};

/// Stages whose slices come in runs.
template <class S>
concept RunStages = PipelineStages<S> && StepStages<S> && requires(S stages, Number<0> next)
{
    stages.multiply_half();           // half of the last step
    stages.multiply_other_half(next); // the other half; also reads the next slice's first operands
    // Returns how many slices, from the next one on, fetch_of_run() covers without further calls;
    // some may be after the last slice.
    {
        stages.begin_run()
        } -> std::same_as<index_t>;
    stages.fetch_of_run(); // fetch() of the run's next slice
};

/// Begins a run and returns its slices; `slices` then counts those after it. Not a lambda: clang 22
/// would call it for int8 with many loads, and put their positions in scratch memory.
template <class Stages>
CK_HOST_DEVICE CK_INLINE constexpr index_t begin_run(Stages& s, index_t& slices)
{
    const index_t in_run = math::min(s.begin_run(), slices);
    slices -= in_run;
    return in_run;
}

} // namespace ck::block
