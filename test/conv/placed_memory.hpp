#pragma once
// Device memory for tests: bytes at a random multiple of what an address must be a multiple of,
// among others that nobody may write. On the host there are no others on one side, but an end of
// what may be read.
#include "ck/host_utility/hip_check_error.hpp"

#include "guarded_memory.hpp"
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
          memory_(bytes + 4 * period)
    {
        move();
    }

    /// Goes to another address and forgets what was there.
    void move()
    {
        const auto begin = reinterpret_cast<std::uintptr_t>(memory_.address());
        const auto most  = memory_.size() - bytes_; // bytes before it
        if(!test::GuardedMemory::guarded)
            place_ =
                period + alignment_ * (engine_() % (period / alignment_)) + period - begin % period;
        else if(engine_() % 4 == 0) // at the beginning
            place_ = engine_() % 2 == 0 ? 0 : alignment_ * (engine_() % (period / alignment_));
        else // at the end, or as near as may be
            place_ = most - (begin + most) % alignment_ -
                     (engine_() % 2 == 0 ? 0 : alignment_ * (engine_() % (period / alignment_)));
        const std::vector<char> all(memory_.size(), pattern);
        HIP_CHECK_ERROR(
            hipMemcpy(memory_.address(), all.data(), all.size(), hipMemcpyHostToDevice));
    }

    void* GetDeviceBuffer() const { return memory_.address() + place_; }
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
        std::vector<char> all(memory_.size());
        HIP_CHECK_ERROR(
            hipMemcpy(all.data(), memory_.address(), all.size(), hipMemcpyDeviceToHost));
        const auto strange = [](char byte) { return byte != pattern; };
        return static_cast<std::size_t>(
            std::count_if(all.data(), all.data() + place_, strange) +
            std::count_if(all.data() + place_ + bytes_, all.data() + all.size(), strange));
    }

private:
    static constexpr std::size_t period = 256; ///< of residues
    static constexpr char pattern       = 0x5a;

    std::size_t bytes_, alignment_;
    std::mt19937 engine_;
    test::GuardedMemory memory_;
    std::size_t place_ = 0; ///< bytes before it
};

} // namespace ck::conv_test
