#pragma once
// One LDS buffer: while a slice is multiplied from LDS, the next one is on its way from global
// memory to registers.
#include "ck/tensor_operation/gpu/block/pipeline/stages.hpp"

namespace ck::block {

struct SingleBuffer
{
    static constexpr index_t buffers = 1;

    /// C += A * B over `slices` slices of the reduction.
    template <PipelineStages Stages>
    CK_HOST_DEVICE CK_INLINE static constexpr void run(Stages& s, index_t slices)
    {
        constexpr Number<0> buffer{};
        if(slices == 0)
            return;
        s.fetch();
        s.stage(buffer);
        for(index_t i = 1; i < slices; ++i)
        {
            s.fetch();          // slice i
            s.wait();           // slice i - 1 is in LDS for every wave
            s.multiply(buffer); // slice i - 1
            s.wait();           // every wave is done reading it
            s.stage(buffer);
        }
        s.wait();
        s.multiply(buffer); // the last slice
    }
};

} // namespace ck::block
