#pragma once
// One LDS buffer, as single_buffer.hpp, for slices that come in runs: within a run nothing is asked
// of a slice, be it whether it is the last, the end of a tap or cut short.
#include "ck/tensor_operation/gpu/block/pipeline/stages.hpp"
#include "ck/utility/integer.hpp"

namespace ck::block {

struct SingleBufferInRuns
{
    static constexpr index_t buffers = 1;

    /// C += A * B over `slices` slices of the reduction. The first is multiplied apart, since MFMA
    /// takes the constant 0 for its accumulators, and so is the last, which no other follows.
    template <RunStages Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void run(Stages& s, index_t slices)
    {
        if(slices == 0)
            return;
        constexpr Number<0> buffer{};
        index_t in_run = begin_run(s, slices);
        s.fetch_of_run();
        s.stage(buffer);
        s.wait(); // the slice is in LDS for every wave
        if(--in_run == 0 && slices == 0)
            return s.multiply(buffer);
        if(in_run == 0)
            in_run = begin_run(s, slices);
        step(s);
        --in_run;
        for(;;)
        {
            if(in_run != 0)
                do
                    step(s);
                while(--in_run != 0);
            if(slices == 0)
                break;
            in_run = begin_run(s, slices);
        }
        s.multiply(buffer);
    }

private:
    /// Begins a run and returns its slices; `slices` then counts those behind it. A lambda would be
    /// called by clang 22, of int8 with many loads, whose places would be in scratch memory.
    template <class Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr index_t begin_run(Stages& s, index_t& slices)
    {
        const index_t in_run = math::min(s.begin_run(), slices);
        slices -= in_run;
        return in_run;
    }

    /// Multiplies a slice and brings the next one to LDS.
    template <class Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void step(Stages& s)
    {
        constexpr Number<0> buffer{};
        s.fetch_of_run();
        s.multiply(buffer);
        s.wait_read(); // every wave is done
        s.stage(buffer);
        s.wait();
    }
};

} // namespace ck::block
