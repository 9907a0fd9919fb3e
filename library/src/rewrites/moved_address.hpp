#pragma once
// Addresses within tensors that may not be known yet.
#include "ck/utility/integer.hpp"

#include <cstdint>

namespace ck::tensor_operation::device::instance {

/// An address in a tensor; where that is at null, one that stands for it: apart from the others',
/// and as many bytes from a multiple of 16.
template <class Pointer>
Pointer moved(Pointer tensor, std::uintptr_t number, long_index_t elements, index_t element_bytes)
{
    const std::uintptr_t base =
        tensor == nullptr ? number << 60 : reinterpret_cast<std::uintptr_t>(tensor);
    return reinterpret_cast<Pointer>(base + static_cast<std::uintptr_t>(elements * element_bytes));
}

} // namespace ck::tensor_operation::device::instance
