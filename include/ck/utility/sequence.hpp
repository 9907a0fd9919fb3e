#pragma once
// Sequence<Is...>: a list of integers as a type.
#include "ck/utility/number.hpp"

namespace ck {

template <index_t... Is>
struct Sequence
{
    using Type = Sequence;

    static constexpr index_t mSize = sizeof...(Is);

    CK_HOST_DEVICE static constexpr Number<mSize> Size() { return {}; }

    /// Element i, for i in [0, Size()).
    CK_HOST_DEVICE static constexpr index_t At(index_t i)
    {
        const index_t elements[mSize + 1] = {Is..., 0};
        return elements[i];
    }

    template <index_t i>
    CK_HOST_DEVICE static constexpr auto At(Number<i>)
    {
        static_assert(0 <= i && i < mSize, "index outside of the sequence");
        return Number<At(i)>{};
    }

    template <class I>
    CK_HOST_DEVICE constexpr auto operator[](I i) const
    {
        return At(i);
    }
};

} // namespace ck
