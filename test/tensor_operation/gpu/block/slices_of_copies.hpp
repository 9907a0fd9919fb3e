#pragma once
// Runs a block whose threads ask slices where their loads of B, or of A, lie.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/tensor_operation/gpu/thread/place_entry.hpp"

#include <vector>

namespace ck::block::test {

/// Bytes of an element.
inline constexpr index_t element = 2;

/// A copy that is not looked at.
struct Ignored
{
    CK_DEVICE CK_INLINE void select_places(const arch::offset_t*) {}
    CK_DEVICE CK_INLINE void select_offset(arch::offset_t) {}
    CK_DEVICE CK_INLINE void move_k(index_t) {}
    CK_DEVICE CK_INLINE void limit_k(index_t) {}
    template <class Entry>
    CK_DEVICE CK_INLINE void select_slice(const Entry*)
    {}
};

/// Runs one block of Kernel; its result, `count` offsets.
template <class Kernel>
std::vector<arch::offset_t> run_block(typename Kernel::Params params, index_t count)
{
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(arch::offset_t);
    std::vector<arch::offset_t> result(static_cast<std::size_t>(count), 12345);
    HIP_CHECK_ERROR(hipMalloc(&params.result, bytes));
    HIP_CHECK_ERROR(hipMemcpy(params.result, result.data(), bytes, hipMemcpyHostToDevice));
    HIP_CHECK_ERROR(arch::launch<Kernel>(1, nullptr, params));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    HIP_CHECK_ERROR(hipMemcpy(result.data(), params.result, bytes, hipMemcpyDeviceToHost));
    HIP_CHECK_ERROR(hipFree(params.result));
    return result;
}

/// Where a place lies, in bytes.
inline arch::offset_t bytes_of(const Place& place)
{
    return place.valid ? static_cast<arch::offset_t>(place.offset) * element : arch::nowhere;
}

} // namespace ck::block::test
