#pragma once
// Tensors that are too large for the host: filled, and read here and there, on the device.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/utility/type_convert.hpp"

#include "convolution/lattice/instance.hpp"
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace ck::test {

/// x in [-2, 2] of an element's place, the same on host and device; no two rows alike.
CK_HOST_DEVICE inline float value_at(long_index_t i)
{
    const auto mixed = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u;
    return static_cast<float>(static_cast<index_t>((mixed >> 40) % 5) - 2);
}

struct Fill
{
    struct Params
    {
        half_t* x;
        long_index_t size, grid;
        bool nans;
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_unit   = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        long_index_t i = long_index_t{arch::block_index()} * block_size + arch::thread_index();
        for(; i < p.size; i += p.grid * block_size)
            p.x[i] = type_convert<half_t>(p.nans ? std::numeric_limits<float>::quiet_NaN()
                                                 : value_at(i));
    }
};

struct Memory
{
    explicit Memory(long_index_t elements, bool nans)
    {
        HIP_CHECK_ERROR(hipMalloc(&x, static_cast<std::size_t>(elements) * sizeof(half_t)));
        constexpr index_t grid = 1 << 14;
        HIP_CHECK_ERROR(arch::launch<Fill>(grid, nullptr, {x, elements, grid, nans}));
    }
    ~Memory() { static_cast<void>(hipFree(x)); }
    Memory(const Memory&)            = delete;
    Memory& operator=(const Memory&) = delete;
    half_t* x                        = nullptr;
};

/// Whether this is a device with 16 GiB of free memory.
inline bool has_room()
{
    std::size_t free = 0, total = 0;
    HIP_CHECK_ERROR(hipMemGetInfo(&free, &total));
    return !arch::emulated && std::getenv("EMU_ARCH") == nullptr && free >= (std::size_t{16} << 30);
}

} // namespace ck::test
