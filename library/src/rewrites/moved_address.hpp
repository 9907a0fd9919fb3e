#pragma once
// Addresses within tensors whose own addresses may not be known yet.
#include "ck/utility/integer.hpp"

#include <cstdint>

namespace ck::tensor_operation::device::instance {

/// An address in a tensor. If the tensor is at null, a placeholder: far from the others', and with
/// the same offset from a multiple of 16.
template <class Pointer>
Pointer moved(Pointer tensor, std::uintptr_t number, long_index_t elements, index_t element_bytes)
{
    const std::uintptr_t base =
        tensor == nullptr ? number << 60 : reinterpret_cast<std::uintptr_t>(tensor);
    return reinterpret_cast<Pointer>(base + static_cast<std::uintptr_t>(elements * element_bytes));
}

} // namespace ck::tensor_operation::device::instance
