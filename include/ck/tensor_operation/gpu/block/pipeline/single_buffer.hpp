#pragma once
// One LDS buffer: while a slice is multiplied from LDS, the next one is on its way from global
// memory to registers.
#include "ck/tensor_operation/gpu/block/pipeline/stages.hpp"

namespace ck::block {

struct SingleBuffer
{
    static constexpr index_t buffers = 1;
    static constexpr bool in_runs    = true;

    /// C += A * B over `slices` slices of the reduction. Runs of slices are loops of their own,
    /// which count and nothing else. The first slice is multiplied apart: MFMA takes the constant 0
    /// for its accumulators.
    template <RunStages Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void run(Stages& s, index_t slices)
    {
        if(slices == 0)
            return;
        constexpr Number<0> buffer{};
        const auto begin_run = [&] {
            const index_t in_run = math::min(s.begin_run(), slices);
            slices -= in_run; // those behind the run
            return in_run;
        };
        index_t in_run = begin_run();
        s.fetch();
        s.stage(buffer);
        s.wait(); // the slice is in LDS for every wave
        if(--in_run == 0 && slices == 0)
            return s.multiply(buffer);
        if(in_run == 0)
            in_run = begin_run();
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
            in_run = begin_run();
        }
        s.multiply(buffer);
    }

private:
    /// Multiplies a slice and brings the next one to LDS.
    template <class Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void step(Stages& s)
    {
        constexpr Number<0> buffer{};
        s.fetch();
        s.multiply(buffer);
        s.wait_read(); // every wave is done
        s.stage(buffer);
        s.wait();
    }
};

} // namespace ck::block
