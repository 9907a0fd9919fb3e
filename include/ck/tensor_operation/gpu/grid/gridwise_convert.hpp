#pragma once
// Converts a tensor between 8-bit types and f16, which represents every int8 and every 8-bit float
// exactly; from 8-bit OCP floats to bf16, which represents each of them, too; or from uint8 to
// int8.
#include "ck/arch/sync.hpp"
#include "ck/tensor_operation/gpu/grid/flat_vectors.hpp"
#include "ck/utility/type_convert.hpp"

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ck::grid {

/// Each thread converts some vectors of elements that are contiguous in both tensors.
template <class From, class To, index_t vector>
struct GridwiseConvert : FlatVectors<FlatIndex<6, 2>>
{
    static_assert(!std::is_same_v<From, std::uint8_t> || std::is_same_v<To, std::int8_t>);

    struct Params
    {
        const From* from;
        To* to;
        FlatIndex<6, 2> index; ///< offsets of each vector in `to` and in `from`

        auto addresses() const { return std::tie(from, to); }
    };

    static constexpr bool starts_early(const Params&) { return true; }

    /// To f16 and back, Infinity was too large for f16: treated like any larger number. NaN stays
    /// NaN. Elements of uint8 become int8 less 128.
    CK_HOST_DEVICE CK_INLINE static To converted(From from)
    {
        if constexpr(std::is_same_v<From, std::uint8_t>)
            return static_cast<To>(from ^ 0x80);
        else if constexpr(std::is_same_v<To, bhalf_t>)
            return type_convert<To>(type_convert<float>(from));
        else
        {
            const float x       = type_convert<float>(from);
            constexpr float max = 65504; // largest f16
            return saturated<To>(x > max ? max : x < -max ? -max : x);
        }
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        arch::let_next_kernel_start();
        using Read  = Vector<From, vector>;
        using Write = Vector<To, vector>;
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
            repeat<vector>([&](index_t e) { r[e] = converted(value[i][e]); });
            *reinterpret_cast<Write*>(p.to + to[i]) = r;
        });
    }
};

} // namespace ck::grid
