#pragma once
// Tensors of more than 2 GiB. On a device they are filled, and read in some places. On the host
// they are only addresses, whose pages exist once they are written.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/convolution/problem.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/utility/type_convert.hpp"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <sys/mman.h>

namespace ck::test {

/// x in [-2, 2] of an element's place, the same on host and device; no two rows alike.
CK_HOST_DEVICE inline float value_at(long_index_t i)
{
    const auto mixed = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u;
    return static_cast<float>(static_cast<index_t>((mixed >> 40) % 5) - 2);
}

/// Kernels of `grid` blocks that go through elements one by one.
struct Elementwise
{
    struct SharedStorage
    {};
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    /// each(i) for the numbers below `size` that are this thread's.
    template <class Each>
    CK_DEVICE static void for_each(long_index_t size, long_index_t grid, const Each& each)
    {
        long_index_t i = long_index_t{arch::block_index()} * block_size + arch::thread_index();
        for(; i < size; i += grid * block_size)
            each(i);
    }
};

struct Fill : Elementwise
{
    struct Params
    {
        half_t* x;
        long_index_t size, grid;
        bool nans;
    };
    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        for_each(p.size, p.grid, [&](long_index_t i) {
            p.x[i] = type_convert<half_t>(p.nans ? std::numeric_limits<float>::quiet_NaN()
                                                 : value_at(i));
        });
    }
};

/// Memory on a device, full of value_at or of NaNs; on the host it is full of zeros.
struct Memory
{
    explicit Memory(long_index_t elements, bool nans)
        : bytes(static_cast<std::size_t>(elements) * sizeof(half_t))
    {
        if constexpr(arch::emulated)
        {
            void* const at = mmap(nullptr,
                                  bytes,
                                  PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                  -1,
                                  0);
            if(at == MAP_FAILED)
                throw std::runtime_error("no " + std::to_string(bytes) + " bytes of addresses");
            x = static_cast<half_t*>(at);
        }
        else
        {
            HIP_CHECK_ERROR(hipMalloc(&x, bytes));
            constexpr index_t grid = 1 << 14;
            HIP_CHECK_ERROR(arch::launch<Fill>(grid, nullptr, {x, elements, grid, nans}));
        }
    }
    ~Memory()
    {
        if constexpr(arch::emulated)
            munmap(x, bytes);
        else
            static_cast<void>(hipFree(x));
    }
    Memory(const Memory&)            = delete;
    Memory& operator=(const Memory&) = delete;
    std::size_t bytes;
    half_t* x = nullptr;
};

inline long_index_t place_of(const TensorStrides& strides, const TensorLengths& element)
{
    long_index_t at = 0;
    for(std::size_t i = 0; i < element.size(); ++i)
        at += element[i] * strides[i];
    return at;
}

/// f(element) for all elements of a tensor.
template <class F>
void for_each_element(const TensorLengths& lengths, const F& f)
{
    const long_index_t count = element_count(lengths);
    for(long_index_t i = 0; i < count; ++i)
    {
        TensorLengths element{};
        long_index_t rest = i;
        for(std::size_t dim = element.size(); dim-- > 0; rest /= lengths[dim])
            element[dim] = rest % lengths[dim];
        f(element);
    }
}

/// The elements of a tensor as value_at, which on a device all memory is.
inline void fill(const Memory& memory, const TensorLengths& lengths, const TensorStrides& strides)
{
    if constexpr(arch::emulated)
        for_each_element(lengths, [&](const TensorLengths& element) {
            const long_index_t at = place_of(strides, element);
            memory.x[at]          = type_convert<half_t>(value_at(at));
        });
}

/// Whether this is a device with 16 GiB of free memory.
inline bool has_room()
{
    std::size_t free = 0, total = 0;
    HIP_CHECK_ERROR(hipMemGetInfo(&free, &total));
    return !arch::emulated && std::getenv("EMU_ARCH") == nullptr && free >= (std::size_t{16} << 30);
}

} // namespace ck::test
