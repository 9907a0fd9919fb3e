#pragma once
// The gradients of all parameters in one buffer, in the order in which the backward pass writes
// them, and their sums over ranks, which begin before the pass ends.
#include "ck/distributed/communicator.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "kernels.hpp"
#include <optional>
#include <vector>

namespace train {

class Gradients
{
public:
    /// The gradient pointer of a parameter, and its number of elements.
    struct Place
    {
        float** gradient;
        index_t count;
    };

    /// places: the first that is written first. communicator: null if there is only one rank.
    void allocate(const std::vector<Place>& places, ck::distributed::Communicator* communicator)
    {
        std::size_t count = 0;
        for(const Place& place : places)
            count += padded(place.count);
        memory_.Realloc(sizeof(float) * count);
        memory_.SetZero(); // between gradients, too: it is all added up
        auto* next = static_cast<float*>(memory_.GetDeviceBuffer());
        for(const Place& place : places)
        {
            *place.gradient = next;
            next += padded(place.count);
        }
        if(communicator != nullptr)
        {
            // Several buckets even for a small network, so that there is something to overlap.
            sum_.emplace(*communicator, begin(), count, std::max<std::size_t>(count / 8, 1024));
            communicator_ = communicator;
            share_        = 1.f / static_cast<float>(communicator->size());
        }
    }

    /// All gradients up to this one are on the stream.
    void ready(const float* gradient, index_t count)
    {
        if(sum_)
            sum_->ready(static_cast<std::size_t>(gradient - begin()) + padded(count), nullptr);
    }
    /// Waits until all gradients are the sums over ranks.
    void finish()
    {
        if(!sum_)
            return;
        sum_->finish(nullptr);
        communicator_->synchronize(nullptr); // reports a lost rank
    }
    /// The factor that turns a sum over ranks into the mean.
    float share() const { return share_; }

private:
    float* begin() const { return static_cast<float*>(memory_.GetDeviceBuffer()); }
    /// Convolutions write at multiples of 16 bytes.
    static std::size_t padded(index_t count)
    {
        return (static_cast<std::size_t>(count) + 3) / 4 * 4;
    }

    DeviceMem memory_;
    ck::distributed::Communicator* communicator_ = nullptr;
    std::optional<ck::distributed::BucketedAllReduce> sum_;
    float share_ = 1;
};

} // namespace train
