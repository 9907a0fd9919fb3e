#pragma once
// Reads values from the registers of another lane.
#include "ck/arch/index.hpp"
#include "ck/utility/integer.hpp"

#include <cstdint>

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include "ck/arch/host/wave.hpp"
#endif

namespace ck::arch {

/// Returns the value that `lane` of the aligned group of `lanes` threads passes as `mine`. All
/// threads of the group must call it.
template <index_t lanes>
CK_DEVICE CK_INLINE std::uint32_t from_lane(std::uint32_t mine, index_t lane)
{
    static_assert(lanes == 32 || lanes == 64, "a wave has 32 or 64 lanes");
#if defined(CK_LANGUAGE_HIP)
    return static_cast<std::uint32_t>(
        __builtin_amdgcn_ds_bpermute(4 * lane, static_cast<std::int32_t>(mine)));
#elif defined(CK_LANGUAGE_CUDA)
    static_assert(lanes == 32, "an NVIDIA warp has 32 lanes");
    return __shfl_sync(0xffffffffu, mine, lane);
#else
    struct Exchange
    {
        std::uint32_t mine;
        index_t from;
        std::uint32_t result;
    };
    Exchange exchange{mine, lane, 0};
    wave_operation(lanes, &exchange, [](void* const* of_lane) {
        for(index_t i = 0; i < lanes; ++i)
        {
            auto* const to = static_cast<Exchange*>(of_lane[i]);
            to->result     = static_cast<const Exchange*>(of_lane[to->from])->mine;
        }
    });
    return exchange.result;
#endif
}

} // namespace ck::arch
