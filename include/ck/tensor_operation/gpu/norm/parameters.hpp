#pragma once
// Weight and bias of group norm, and their gradients: of the type of sums, or of that of elements.
#include "ck/utility/integer.hpp"
#include "ck/utility/type_convert.hpp"

#include <cstddef>

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
