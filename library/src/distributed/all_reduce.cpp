// A sum over ranks in their order: each rank gets one part of all others' numbers, adds them up,
// and sends the sums back.
#include "ck/distributed/communicator.hpp"
#include "ck/distributed/split.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "distributed/sum_in_order.hpp"
#include <algorithm>
#include <vector>

namespace ck::distributed {

struct AllReduce::State
{
    State(Communicator& c, std::size_t count)
        : communicator(c),
          parts(even_parts(static_cast<long_index_t>(count), c.size())),
          others(sizeof(float) * static_cast<std::size_t>(own().size() * (c.size() - 1)))
    {}

    const Rows& own() const { return parts[static_cast<std::size_t>(communicator.rank())]; }

    static std::size_t bytes(const Rows& part)
    {
        return sizeof(float) * static_cast<std::size_t>(part.size());
    }

    /// f(peer, its part, how many peers were before it) of all others.
    template <class F>
    void for_each_peer(const F& f) const
    {
        long_index_t number = 0;
        for(int peer = 0; peer < communicator.size(); ++peer)
            if(peer != communicator.rank())
                f(peer, parts[static_cast<std::size_t>(peer)], number++);
    }

    void add_up() const
    {
        sum_in_order(numbers + own().begin,
                     static_cast<const float*>(others.GetDeviceBuffer()),
                     own().size(),
                     communicator.size(),
                     communicator.rank(),
                     static_cast<hipStream_t>(stream));
    }

    Communicator& communicator;
    Parts parts;
    DeviceMem others; ///< other ranks' numbers of this rank's part
    float* numbers = nullptr;
    void* stream   = nullptr;
    std::unique_ptr<Exchange> exchange;
};

AllReduce::AllReduce(Communicator& communicator, std::size_t count)
    : state_(std::make_unique<State>(communicator, count))
{}
AllReduce::~AllReduce()                    = default;
AllReduce::AllReduce(AllReduce&&) noexcept = default;

void AllReduce::begin(float* numbers, void* stream)
{
    State& s  = *state_;
    s.numbers = numbers;
    s.stream  = stream;
    std::vector<Send> sends;
    std::vector<Receive> receives;
    const long_index_t count = s.own().size();
    auto* const others       = static_cast<float*>(s.others.GetDeviceBuffer());
    s.for_each_peer([&](int peer, const Rows& part, long_index_t number) {
        sends.push_back({peer, numbers + part.begin, State::bytes(part)});
        receives.push_back({peer, others + number * count, State::bytes(s.own())});
    });
    s.exchange = s.communicator.begin(sends, receives, stream);
}

void AllReduce::finish()
{
    State& s = *state_;
    s.exchange->finish();
    s.add_up();
    std::vector<Send> sends;
    std::vector<Receive> receives;
    s.for_each_peer([&](int peer, const Rows& part, long_index_t) {
        sends.push_back({peer, s.numbers + s.own().begin, State::bytes(s.own())});
        receives.push_back({peer, s.numbers + part.begin, State::bytes(part)});
    });
    s.communicator.begin(sends, receives, s.stream)->finish();
    s.exchange.reset();
}

} // namespace ck::distributed
