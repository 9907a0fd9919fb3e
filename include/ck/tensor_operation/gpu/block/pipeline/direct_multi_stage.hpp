#pragma once
// A circular buffer of LDS slices that loads fill straight from memory (AMD). Waits count single
// copies, so after the last slice as many empty copies are issued, and no group is empty.
#include "ck/tensor_operation/gpu/block/pipeline/stages.hpp"
#include "ck/utility/integer.hpp"

namespace ck::block {

/// The stages of this schedule; slices come in runs, as in RunStages.
template <class S>
concept DirectStages = StepStages<S> && requires(S stages, index_t buffer, Number<1> groups)
{
    {
        stages.begin_run()
        } -> std::same_as<index_t>;
    stages.begin_nothing();             // begins an endless run of slices that do not exist
    stages.copy_of_run(buffer);         // start copying the run's next slice to LDS
    stages.end_group();                 // see AsyncStages
    stages.arrived(groups);             // see AsyncStages
    stages.wait();                      // barrier
    stages.multiply_part(buffer);       // of the last step; also reads the next first operands
    stages.multiply_other_part(buffer); // the rest; a single step reads those here
};

template <index_t buffers_>
struct DirectMultiStage
{
    static_assert(buffers_ >= 2, "a circular buffer has at least two buffers");
    static constexpr index_t buffers = buffers_; ///< slices on their way before the first is
                                                 ///< multiplied

    /// C += A * B over `slices` slices of the reduction.
    template <DirectStages Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void run(Stages& s, index_t slices)
    {
        if(slices == 0)
            return;
        index_t left = slices, in_run = 0; // slices of later runs, and of this one, to be copied
        for(index_t buffer = 0; buffer < buffers; ++buffer)
        {
            if(in_run == 0)
                in_run = begin_run(s, left);
            s.copy_of_run(buffer);
            s.end_group();
            --in_run;
            s.wait(); // tables of the copies have been read; others are written
        }
        s.arrived(Number<buffers - 1>{});
        s.read_first(0);
        index_t full = 0;
        for(index_t followed = slices - 1; followed > 0;)
        {
            if(in_run == 0)
                in_run = begin_run(s, left);
            index_t steps = math::min(in_run, followed);
            in_run -= steps;
            followed -= steps;
            do
                full = step(s, full);
            while(--steps > 0);
        }
        s.arrived(Number<0>{}); // nothing is written to LDS any more
        s.multiply_but_last(full);
        s.multiply_last();
    }

private:
    /// Begins a run (after the last one an empty run) and returns its slices. `left` then counts
    /// the slices after it.
    template <class Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr index_t begin_run(Stages& s, index_t& left)
    {
        if(left > 0)
            return block::begin_run(s, left);
        s.begin_nothing();
        return buffers;
    }

    /// Multiplies the slice in `full`, copies another one over it when every wave has read it, and
    /// returns the buffer of the next slice.
    template <class Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr index_t step(Stages& s, index_t full)
    {
        const index_t next = full + 1 == buffers ? 0 : full + 1;
        s.multiply_but_last(full);
        s.arrived(Number<buffers - 2>{});
        s.multiply_part(next);
        s.copy_of_run(full);
        s.end_group();
        s.multiply_other_part(next);
        return next;
    }
};

} // namespace ck::block
