#pragma once
// DeviceMem: owns device memory.
#include "ck/host_utility/runtime.hpp"

#include <cstddef>
#include <stdexcept>
#include <vector>

/// Bytes on the device. Transfers are synchronous; failures throw std::runtime_error with the
/// runtime's reason. Size 0 is a null buffer, and transfers of 0 bytes do nothing.
struct DeviceMem
{
    DeviceMem() = default;
    /// The contents are not initialised.
    explicit DeviceMem(std::size_t mem_size);
    ~DeviceMem();

    DeviceMem(const DeviceMem&)            = delete;
    DeviceMem& operator=(const DeviceMem&) = delete;
    /// Takes the memory; the other has none then.
    DeviceMem(DeviceMem&& other) noexcept;
    /// Frees its own memory and takes the other's.
    DeviceMem& operator=(DeviceMem&& other) noexcept;

    /// Other memory of another size; the contents are lost.
    void Realloc(std::size_t mem_size);

    /// The address on the device; null where the size is 0.
    void* GetDeviceBuffer() const { return mpDeviceBuf; }
    /// Bytes.
    std::size_t GetBufferSize() const { return mMemSize; }

    /// Copies all of it from host memory.
    void ToDevice(const void* p) const { ToDevice(p, mMemSize); }
    /// Copies so many bytes from host memory to its beginning; std::runtime_error if it is smaller.
    void ToDevice(const void* p, std::size_t bytes) const;
    /// Copies all of it to host memory.
    void FromDevice(void* p) const { FromDevice(p, mMemSize); }
    /// Copies so many bytes of its beginning to host memory; std::runtime_error if it is smaller.
    void FromDevice(void* p, std::size_t bytes) const;
    /// Sets every byte to 0.
    void SetZero() const;

    /// Fills the memory with copies of x; its size must be a multiple of x's.
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
