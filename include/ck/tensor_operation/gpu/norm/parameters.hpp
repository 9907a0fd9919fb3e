#pragma once
// Weight and bias of a norm, and their gradients: of the type of sums, or of that of elements.
#include "ck/arch/words.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"
#include "ck/utility/vector.hpp"

#include <cstddef>
#include <cstdint>

namespace ck::norm {

/// Values for each channel, which are read as a `const Acc*` is, or written.
template <class T, class Acc>
struct Parameters
{
    void* at;
    bool of_elements; ///< T; else Acc

    CK_DEVICE CK_INLINE Acc operator[](long_index_t c) const
    {
        return of_elements ? type_convert<Acc>(static_cast<const T*>(at)[c])
                           : static_cast<const Acc*>(at)[c];
    }
    /// Whether vectors of neighbours can be loaded.
    CK_DEVICE CK_INLINE bool are_vectors() const
    {
        return reinterpret_cast<std::uintptr_t>(at) % 16 == 0;
    }
    /// Neighbours, the first of which is the c-th, a multiple of their number.
    template <index_t count>
    CK_DEVICE CK_INLINE void load(Acc (&to)[count], long_index_t c) const
    {
        const auto convert = [&](const auto& from) {
            repeat<count>([&](index_t e) { to[e] = type_convert<Acc>(from[e]); });
        };
        if(of_elements)
            convert(arch::read_whole<Vector<T, count>>(static_cast<const T*>(at) + c));
        else
            convert(arch::read_whole<Vector<Acc, count>>(static_cast<const Acc*>(at) + c));
    }
    CK_DEVICE CK_INLINE void store(long_index_t c, Acc value) const
    {
        if(of_elements)
            static_cast<T*>(at)[c] = type_convert<T>(value);
        else
            static_cast<Acc*>(at)[c] = value;
    }
    CK_DEVICE CK_INLINE bool operator==(std::nullptr_t) const { return at == nullptr; }
};

} // namespace ck::norm
