#pragma once
// Copies a tensor of uint8 as int8: each element less 128.
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/grid/flat_vectors.hpp"

#include <cstdint>
#include <tuple>

namespace ck::grid {

/// Each thread copies some vectors of elements that are contiguous in both tensors.
template <index_t vector>
struct GridwiseToSigned : FlatVectors<FlatIndex<6, 2>>
{
    struct Params
    {
        const std::uint8_t* from;
        std::int8_t* to;
        FlatIndex<6, 2> index; ///< of vectors: offsets in `to` and in `from`

        auto addresses() const { return std::tie(from, to); }
    };

    static constexpr bool starts_early(const Params&) { return true; }

    static long_index_t grid_size(const Params& p) { return blocks(p.index); }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        arch::let_next_kernel_start();
        using Read  = Vector<std::uint8_t, vector>;
        using Write = Vector<std::int8_t, vector>;
        Read value[together];
        long_index_t to[together];
        arch::wait_for_previous_kernel();
        repeat<together>([&](index_t i) {
            const auto at = place(p.index, i);
            to[i]         = at[0];
            value[i]      = *reinterpret_cast<const Read*>(p.from + at[1]);
        });
        repeat<together>([&](index_t i) {
            if(number(i) >= p.index.count)
                return;
            Write r;
            repeat<vector>([&](index_t e) { r[e] = static_cast<std::int8_t>(value[i][e] ^ 0x80); });
            *reinterpret_cast<Write*>(p.to + to[i]) = r;
        });
    }
};

} // namespace ck::grid
