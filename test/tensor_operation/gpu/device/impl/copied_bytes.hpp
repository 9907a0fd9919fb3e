#pragma once
// What a device's copy of a tensor writes, seen as bytes.
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ck::test {

using Bytes = std::vector<std::uint8_t>;

/// Bytes of which none is zero.
inline Bytes numbered(std::size_t count)
{
    Bytes bytes(count);
    for(std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<std::uint8_t>(i % 251 + 1);
    return bytes;
}

/// What is in `to` after Operation has copied `from`. from_offset, to_offset: bytes before each
/// tensor.
template <class Operation, class Shape>
Bytes copied(const Shape& shape,
             index_t element_bytes,
             const Bytes& from,
             std::size_t from_offset,
             const Bytes& to,
             std::size_t to_offset)
{
    const DeviceMem in(from.size()), out(to.size());
    in.ToDevice(from.data());
    out.ToDevice(to.data());
    const typename Operation::Argument a{
        shape,
        element_bytes,
        static_cast<const std::uint8_t*>(in.GetDeviceBuffer()) + from_offset,
        static_cast<std::uint8_t*>(out.GetDeviceBuffer()) + to_offset};
    EXPECT_EQ(Operation::supports(a).reason, "");
    Operation::run(a);
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    Bytes result(to.size());
    out.FromDevice(result.data());
    return result;
}

} // namespace ck::test
