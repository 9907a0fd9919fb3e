// Sums buckets while other kernels compute: a bucket is sent once it is complete, and added up when
// the next one is sent.
#include "ck/distributed/communicator.hpp"

#include "distributed/stream_event.hpp"
#include "distributed/sum_in_order.hpp"
#include "distributed/thrown.hpp"
#include <algorithm>
#include <vector>

namespace ck::distributed {

struct BucketedAllReduce::State
{
    State(Communicator& communicator, float* first, std::size_t all, std::size_t size)
        : numbers(first),
          count(all),
          bucket(size)
    {
        checked_count(count);
        if(bucket == 0)
            throw std::invalid_argument("a bucket has 0 numbers, but must have at least 1");
        if(numbers == nullptr && count > 0)
            throw std::invalid_argument("numbers is null, but " + std::to_string(count) +
                                        " are summed");
        for(std::size_t begin = 0; begin < count; begin += bucket)
            sums.emplace_back(communicator, std::min(bucket, count - begin));
    }

    void ready(std::size_t there, void* stream)
    {
        if(there > count || there < known)
            throw std::invalid_argument(
                "ck::distributed::BucketedAllReduce::ready(): " + std::to_string(there) +
                " numbers are ready, but must be from " + std::to_string(known) +
                ", those that were ready before, to " + std::to_string(count) + ", all");
        known = there;
        while(begun < sums.size() && std::min((begun + 1) * bucket, count) <= there)
        {
            written.record(stream);
            written.hold(sums_at.get());
            sums[begun].begin(numbers + begun * bucket, sums_at.get());
            if(begun > 0)
                sums[begun - 1].finish();
            ++begun;
        }
    }

    float* numbers;
    std::size_t count, bucket;
    std::size_t known = 0; ///< numbers that are ready
    std::size_t begun = 0; ///< buckets; all except the last of them are finished
    std::vector<AllReduce> sums;
    SideStream sums_at;
    StreamEvent written, done;
};

BucketedAllReduce::BucketedAllReduce(Communicator& communicator,
                                     float* numbers,
                                     std::size_t count,
                                     std::size_t bucket)
    : state_(std::make_unique<State>(communicator, numbers, count, bucket))
{}
BucketedAllReduce::~BucketedAllReduce()                            = default;
BucketedAllReduce::BucketedAllReduce(BucketedAllReduce&&) noexcept = default;

void BucketedAllReduce::ready(std::size_t ready, void* stream)
{
    if(state_ == nullptr)
        refuse_call("BucketedAllReduce::ready()", "another one has taken its memory");
    state_->ready(ready, stream);
}

void BucketedAllReduce::finish(void* stream)
{
    if(state_ == nullptr)
        refuse_call("BucketedAllReduce::finish()", "another one has taken its memory");
    State& s = *state_;
    s.ready(s.count, stream);
    if(s.begun > 0)
        s.sums[s.begun - 1].finish();
    s.begun = s.known = 0;
    s.done.record(s.sums_at.get());
    s.done.hold(stream);
}

} // namespace ck::distributed
