#pragma once
// Device memory for tests: bytes at a random multiple of the required alignment, among others that
// must not be written. Reads beyond some of it are noticed, too: on the host by a guard page,
// elsewhere at the end of the allocation, which memory checkers and the emulator watch.
#include "ck/host_utility/hip_check_error.hpp"

#include <gtest/gtest.h>

#include "guarded_memory.hpp"
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <random>
#include <vector>

namespace ck::test {

/// Fails the test at its end if bytes around it were written.
class PlacedMemory
{
public:
    static constexpr std::size_t vector_bytes = 16; ///< what most kernels access at a time

    /// alignment: a power of two, at most 256. The content is that of the surroundings.
    explicit PlacedMemory(std::size_t bytes,
                          std::size_t alignment = vector_bytes,
                          unsigned seed         = next_seed())
        : bytes_(bytes),
          alignment_(alignment),
          engine_(seed)
    {
        move();
    }
    PlacedMemory(PlacedMemory&&) noexcept = default;
    ~PlacedMemory()
    {
        if(memory_ == nullptr) // it has moved away
            return;
        try
        {
            EXPECT_EQ(strayed(), 0u) << "bytes beside a tensor of " << bytes_
                                     << " were written; its address is " << GetDeviceBuffer();
        }
        catch(const std::exception& e)
        {
            ADD_FAILURE() << e.what();
        }
    }

    /// Goes to another address and forgets what was there.
    void move()
    {
        const std::size_t residue = alignment_ * (engine_() % (period / alignment_));
        const bool exact          = engine_() % 2 == 0; // puts it at one end, if possible
        if(GuardedMemory::guarded)
        {
            if(memory_ == nullptr)
                memory_ = std::make_unique<GuardedMemory>(bytes_ + 4 * period);
            const std::size_t most = memory_->size() - bytes_; // bytes before it
            if(engine_() % 4 == 0)                             // at the beginning
                place_ = exact ? 0 : residue;
            else
                place_ = most - most % alignment_ - (exact ? 0 : residue);
        }
        else
        {
            // Allocations are multiples of the period, or as near as the host's are.
            place_  = period + residue;
            memory_ = std::make_unique<GuardedMemory>(place_ + bytes_ + (exact ? 0 : period));
        }
        write_all(pattern);
    }

    void* GetDeviceBuffer() const { return memory_->address() + place_; }
    std::size_t GetBufferSize() const { return bytes_; }
    void ToDevice(const void* from) const { ToDevice(from, bytes_); }
    void ToDevice(const void* from, std::size_t bytes) const
    {
        if(bytes > 0)
            HIP_CHECK_ERROR(hipMemcpy(GetDeviceBuffer(), from, bytes, hipMemcpyHostToDevice));
    }
    void FromDevice(void* to) const { FromDevice(to, bytes_); }
    void FromDevice(void* to, std::size_t bytes) const
    {
        if(bytes > 0)
            HIP_CHECK_ERROR(hipMemcpy(to, GetDeviceBuffer(), bytes, hipMemcpyDeviceToHost));
    }
    /// Sets every byte of it: 0xFF is NaN in all floating-point types.
    void fill(unsigned char byte) const
    {
        ToDevice(std::vector<unsigned char>(bytes_, byte).data());
    }

    /// Bytes around it that were written.
    std::size_t strayed() const
    {
        std::vector<char> all(memory_->size());
        HIP_CHECK_ERROR(
            hipMemcpy(all.data(), memory_->address(), all.size(), hipMemcpyDeviceToHost));
        const auto strange = [](char byte) { return byte != pattern; };
        return static_cast<std::size_t>(
            std::count_if(all.data(), all.data() + place_, strange) +
            std::count_if(all.data() + place_ + bytes_, all.data() + all.size(), strange));
    }

private:
    static constexpr std::size_t period = 256; ///< number of residues
    static constexpr char pattern       = 0x5a;

    /// The same ones in each run of a program.
    static unsigned next_seed()
    {
        static std::atomic<unsigned> seed = 0;
        return seed++;
    }
    void write_all(char byte) const
    {
        const std::vector<char> all(memory_->size(), byte);
        HIP_CHECK_ERROR(
            hipMemcpy(memory_->address(), all.data(), all.size(), hipMemcpyHostToDevice));
    }

    std::size_t bytes_, alignment_;
    std::mt19937 engine_;
    std::unique_ptr<GuardedMemory> memory_;
    std::size_t place_ = 0; ///< bytes before it
};

/// A copy of these numbers, at a multiple of `alignment` bytes.
template <class T>
PlacedMemory on_device(const std::vector<T>& values,
                       std::size_t alignment = PlacedMemory::vector_bytes)
{
    PlacedMemory memory(sizeof(T) * values.size(), alignment);
    memory.ToDevice(values.data());
    return memory;
}
/// Reads all of it.
template <class T>
std::vector<T> from_device(const PlacedMemory& memory)
{
    std::vector<T> values(memory.GetBufferSize() / sizeof(T));
    memory.FromDevice(values.data());
    return values;
}

} // namespace ck::test
