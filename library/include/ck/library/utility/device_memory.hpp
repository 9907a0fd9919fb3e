#pragma once
// DeviceMem: owns device memory.
#include "ck/host_utility/runtime.hpp"

#include <cstddef>
#include <stdexcept>
#include <vector>

/// Memory on the device. Transfers are synchronous; failures throw std::runtime_error with the
/// runtime's message. Size 0 is a null buffer, and transfers of 0 bytes do nothing.
struct DeviceMem
{
    DeviceMem() = default;
    /// The contents are not initialised.
    explicit DeviceMem(std::size_t mem_size);
    ~DeviceMem();

    DeviceMem(const DeviceMem&)            = delete;
    DeviceMem& operator=(const DeviceMem&) = delete;
    /// Takes over the memory and leaves the other without any.
    DeviceMem(DeviceMem&& other) noexcept;
    /// Frees its own memory and takes over the other's.
    DeviceMem& operator=(DeviceMem&& other) noexcept;

    /// Allocates new memory of another size; the contents are lost.
    void Realloc(std::size_t mem_size);

    /// The address on the device; null if the size is 0.
    void* GetDeviceBuffer() const { return mpDeviceBuf; }
    /// Bytes.
    std::size_t GetBufferSize() const { return mMemSize; }

    /// Copies the whole buffer from host memory.
    void ToDevice(const void* p) const { ToDevice(p, mMemSize); }
    /// Copies `bytes` from host memory to its start; std::runtime_error if it is smaller.
    void ToDevice(const void* p, std::size_t bytes) const;
    /// Copies the whole buffer to host memory.
    void FromDevice(void* p) const { FromDevice(p, mMemSize); }
    /// Copies the first `bytes` to host memory; std::runtime_error if it is smaller.
    void FromDevice(void* p, std::size_t bytes) const;
    /// Sets every byte to 0.
    void SetZero() const;

    /// Fills the memory with copies of x; its size must be a multiple of sizeof(x).
    template <class T>
    void SetValue(T x) const
    {
        if(mMemSize % sizeof(T) != 0)
            throw std::runtime_error(
                "DeviceMem::SetValue: the size is not a multiple of the value's");
        const std::vector<T> values(mMemSize / sizeof(T), x);
        ToDevice(values.data());
    }

    void* mpDeviceBuf    = nullptr; ///< the address; Composable Kernel's member
    std::size_t mMemSize = 0;       ///< bytes; Composable Kernel's member

private:
    void CheckTransfer(const char* what, std::size_t bytes) const;
};
