// Device memory through plain calls of the runtime.
#include "ck/library/utility/device_memory.hpp"

#include "ck/host_utility/hip_check_error.hpp"

#include <string>
#include <utility>

namespace {

void check(hipError_t error, const char* what, std::size_t bytes)
{
    if(error != hipSuccess)
        throw std::runtime_error(std::string("DeviceMem: ") + what + " of " +
                                 std::to_string(bytes) +
                                 " bytes failed: " + ck::describe_error(error));
}

} // namespace

DeviceMem::DeviceMem(std::size_t mem_size)
{
    if(mem_size > 0)
        check(hipMalloc(&mpDeviceBuf, mem_size), "allocation", mem_size);
    mMemSize = mem_size;
}

DeviceMem::~DeviceMem()
{
    if(mpDeviceBuf != nullptr)
        static_cast<void>(hipFree(mpDeviceBuf)); // a failure here cannot be handled
}

DeviceMem::DeviceMem(DeviceMem&& other) noexcept
    : mpDeviceBuf(std::exchange(other.mpDeviceBuf, nullptr)),
      mMemSize(std::exchange(other.mMemSize, 0))
{}

DeviceMem& DeviceMem::operator=(DeviceMem&& other) noexcept
{
    std::swap(mpDeviceBuf, other.mpDeviceBuf);
    std::swap(mMemSize, other.mMemSize);
    return *this;
}

void DeviceMem::Realloc(std::size_t mem_size)
{
    *this = DeviceMem{}; // free first: both may not fit
    *this = DeviceMem(mem_size);
}

void DeviceMem::CheckTransfer(const char* what, std::size_t bytes) const
{
    if(bytes > mMemSize)
        throw std::runtime_error(std::string("DeviceMem::") + what + ": " + std::to_string(bytes) +
                                 " bytes, but the buffer has " + std::to_string(mMemSize));
}

void DeviceMem::ToDevice(const void* p, std::size_t bytes) const
{
    CheckTransfer("ToDevice", bytes);
    if(bytes > 0)
        check(hipMemcpy(mpDeviceBuf, p, bytes, hipMemcpyHostToDevice), "copy to the device", bytes);
}

void DeviceMem::FromDevice(void* p, std::size_t bytes) const
{
    CheckTransfer("FromDevice", bytes);
    if(bytes > 0)
        check(
            hipMemcpy(p, mpDeviceBuf, bytes, hipMemcpyDeviceToHost), "copy from the device", bytes);
}

void DeviceMem::SetZero() const
{
    if(mMemSize > 0)
        check(hipMemset(mpDeviceBuf, 0, mMemSize), "setting to zero", mMemSize);
}
