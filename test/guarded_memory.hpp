#pragma once
// Device memory between pages that nobody may touch: on the host, a kernel that reads or writes
// outside of it ends the program there. On a GPU it is ordinary memory, and so it is with
// AddressSanitizer, which checks each byte.
#include "ck/config.h"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/runtime.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CK_TEST_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define CK_TEST_ADDRESS_SANITIZER
#endif
#if defined(CK_PLATFORM_HOST) && !defined(CK_TEST_ADDRESS_SANITIZER)
#define CK_TEST_GUARD_PAGES
#include <memory>
#include <new>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace ck::test {

#if defined(CK_TEST_GUARD_PAGES)

class GuardedMemory
{
public:
    static constexpr bool guarded = true;

    /// Allocates at least `bytes` bytes, in whole pages.
    explicit GuardedMemory(std::size_t bytes)
    {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        size_           = (bytes + page - 1) / page * page;
        void* const all =
            mmap(nullptr, size_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if(all == MAP_FAILED)
            throw std::bad_alloc();
        pages_   = {static_cast<char*>(all), Unmap{size_ + 2 * page}};
        address_ = pages_.get() + page;
        if(size_ > 0 && mprotect(address_, size_, PROT_READ | PROT_WRITE) != 0)
            throw std::bad_alloc();
    }
    char* address() const { return address_; }
    std::size_t size() const { return size_; }

private:
    struct Unmap
    {
        std::size_t size;
        void operator()(char* p) const { munmap(p, size); }
    };

    std::size_t size_;
    std::unique_ptr<char[], Unmap> pages_{nullptr, Unmap{0}};
    char* address_;
};

#else

class GuardedMemory
{
public:
    static constexpr bool guarded = false;

    explicit GuardedMemory(std::size_t bytes) : memory_(bytes) {}
    char* address() const { return static_cast<char*>(memory_.GetDeviceBuffer()); }
    std::size_t size() const { return memory_.GetBufferSize(); }

private:
    DeviceMem memory_;
};

#endif

/// Bytes at a multiple of 16 that end where the memory does, or up to 15 bytes before.
class EndingMemory
{
public:
    explicit EndingMemory(std::size_t bytes) : bytes_(bytes), memory_(bytes) {}
    void* GetDeviceBuffer() const
    {
        return bytes_ == 0 ? nullptr : memory_.address() + (memory_.size() - bytes_) / 16 * 16;
    }
    std::size_t GetBufferSize() const { return bytes_; }
    void ToDevice(const void* from) const
    {
        if(bytes_ > 0)
            HIP_CHECK_ERROR(hipMemcpy(GetDeviceBuffer(), from, bytes_, hipMemcpyHostToDevice));
    }
    void FromDevice(void* to) const
    {
        if(bytes_ > 0)
            HIP_CHECK_ERROR(hipMemcpy(to, GetDeviceBuffer(), bytes_, hipMemcpyDeviceToHost));
    }

private:
    std::size_t bytes_;
    GuardedMemory memory_;
};

} // namespace ck::test
