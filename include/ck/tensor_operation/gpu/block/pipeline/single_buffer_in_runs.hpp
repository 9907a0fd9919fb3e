#pragma once
// single_buffer.hpp for slices that come in runs: within a run no check is made per slice, such as
// whether it is the last, ends a tap or is shorter.
#include "ck/tensor_operation/gpu/block/pipeline/stages.hpp"
#include "ck/utility/integer.hpp"

namespace ck::block {

struct SingleBufferInRuns
{
    static constexpr index_t buffers = 1;

    /// C += A * B over `slices` slices of the reduction. The first slice is multiplied separately,
    /// because MFMA takes the constant 0 as its accumulator; so are the last two.
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
        s.fetch_of_run();
        --in_run;
        s.read_first(buffer);
        begin_step(s);
        for(;;)
        {
            if(in_run != 0)
                do
                {
                    s.fetch_of_run();
                    end_step(s);
                    begin_step(s);
                } while(--in_run != 0);
            if(slices == 0)
                break;
            in_run = begin_run(s, slices);
        }
        end_step(s);
        s.multiply_but_last(buffer);
        s.multiply_last();
    }

private:
    /// Multiplies a slice and stores the fetched one to LDS. In between, registers are free and the
    /// following slice is fetched: its loads have the time of one slice.
    template <class Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void begin_step(Stages& s)
    {
        constexpr Number<0> buffer{};
        s.multiply_but_last(buffer);
        s.wait_read(); // every wave is done
        s.stage(buffer);
    }
    template <class Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void end_step(Stages& s)
    {
        constexpr Number<0> buffer{};
        s.multiply_half(); // while LDS is written
        s.wait();
        s.multiply_other_half(buffer);
    }
};

} // namespace ck::block
