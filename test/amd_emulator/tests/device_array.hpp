#pragma once
// Device memory of a test's kernel.
#include "ck/arch/amd/hip_5.hpp"

#include <gtest/gtest.h>
#include <hip/hip_runtime.h>

#include <string>
#include <vector>

namespace emulator_test {

inline void check(hipError_t error) { ASSERT_EQ(error, hipSuccess) << hipGetErrorString(error); }

/// What the kernel reads and writes; first what `values` hold.
template <class T>
class DeviceArray
{
public:
    explicit DeviceArray(const std::vector<T>& values) : size_{values.size()}
    {
        check(hipMalloc(reinterpret_cast<void**>(&data_), size_ * sizeof(T)));
        check(hipMemcpy(data_, values.data(), size_ * sizeof(T), hipMemcpyHostToDevice));
    }
    explicit DeviceArray(size_t size, T value = {}) : DeviceArray(std::vector<T>(size, value)) {}
    DeviceArray(const DeviceArray&)            = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() { check(hipFree(data_)); }

    operator T*() const { return data_; }
    /// After the kernels that were launched.
    std::vector<T> read() const
    {
        std::vector<T> values(size_);
        check(hipDeviceSynchronize());
        check(hipMemcpy(values.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost));
        return values;
    }

private:
    T* data_ = nullptr;
    size_t size_;
};

/// gfx90a, without features.
inline std::string device_name()
{
    hipDeviceProp_t properties;
    check(hipGetDeviceProperties(&properties, 0));
    const std::string name = properties.gcnArchName;
    return name.substr(0, name.find(':'));
}
inline int wave_size()
{
    hipDeviceProp_t properties;
    check(hipGetDeviceProperties(&properties, 0));
    return properties.warpSize;
}

} // namespace emulator_test
