#pragma once
// One LDS buffer: while a slice is multiplied from LDS, the next one is loaded from global memory
// to registers.
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
        s.wait(); // the slice is in LDS for every wave
        if(slices > 1)
            s.fetch(); // the next one
        s.multiply(buffer);
        for(index_t i = 1; i < slices; ++i)
        {
            s.wait_read(); // every wave is done
            s.stage(buffer);
            s.wait();
            if(i + 1 < slices)
                s.fetch();
            s.multiply(buffer);
        }
    }
};

} // namespace ck::block
