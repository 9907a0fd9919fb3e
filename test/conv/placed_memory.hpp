#pragma once
// Device memory for tests: bytes at a random multiple of what an address must be a multiple of,
// among others that nobody may write.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace ck::conv_test {

class PlacedMemory
{
public:
    /// alignment: a power of two, at most 256. The content is that of the surroundings.
    PlacedMemory(std::size_t bytes, std::size_t alignment, unsigned seed)
        : bytes_(bytes),
          alignment_(alignment),
          engine_(seed),
          memory_(before + bytes + behind)
    {
        move();
    }

    /// Goes to another address and forgets what was there.
    void move()
    {
        place_ = alignment_ * (engine_() % (period / alignment_));
        memory_.ToDevice(std::vector<char>(memory_.GetBufferSize(), pattern).data());
    }

    void* GetDeviceBuffer() const
    {
        return static_cast<char*>(memory_.GetDeviceBuffer()) + margin() + place_;
    }
    void ToDevice(const void* from, std::size_t bytes) const
    {
        if(bytes > 0)
            HIP_CHECK_ERROR(hipMemcpy(GetDeviceBuffer(), from, bytes, hipMemcpyHostToDevice));
    }
    void FromDevice(void* to, std::size_t bytes) const
    {
        if(bytes > 0)
            HIP_CHECK_ERROR(hipMemcpy(to, GetDeviceBuffer(), bytes, hipMemcpyDeviceToHost));
    }

    /// Bytes around it that were written.
    std::size_t strayed() const
    {
        std::vector<char> all(memory_.GetBufferSize());
        memory_.FromDevice(all.data());
        const std::size_t begin = margin() + place_;
        const auto strange      = [](char byte) { return byte != pattern; };
        return static_cast<std::size_t>(
            std::count_if(all.data(), all.data() + begin, strange) +
            std::count_if(all.data() + begin + bytes_, all.data() + all.size(), strange));
    }

private:
    static constexpr std::size_t period = 256; ///< of residues
    static constexpr std::size_t before = 2 * period, behind = 2 * period;
    static constexpr char pattern = 0x5a;

    /// Bytes from the memory's beginning to the next multiple of the period.
    std::size_t margin() const
    {
        const auto at = reinterpret_cast<std::uintptr_t>(memory_.GetDeviceBuffer());
        return period - at % period;
    }

    std::size_t bytes_, alignment_;
    std::mt19937 engine_;
    DeviceMem memory_;
    std::size_t place_ = 0;
};

} // namespace ck::conv_test
