// A sum over ranks in their order: each rank receives one part of the numbers of all others, adds
// it up, and sends the sums back.
#include "ck/distributed/communicator.hpp"
#include "ck/distributed/split.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "distributed/sum_in_order.hpp"
#include "distributed/thrown.hpp"
#include <algorithm>
#include <vector>

namespace ck::distributed {

struct AllReduce::State
{
    State(Communicator& c, std::size_t all)
        : communicator(c),
          count(all),
          parts(even_parts(checked_count(all), c.size())),
          others(sizeof(float) * static_cast<std::size_t>(own().size() * (c.size() - 1)))
    {}

    const Rows& own() const { return parts[static_cast<std::size_t>(communicator.rank())]; }

    static std::size_t bytes(const Rows& part)
    {
        return sizeof(float) * static_cast<std::size_t>(part.size());
    }

    /// Calls f(peer, its part, number of earlier peers) for all other ranks.
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
    std::size_t count;
    Parts parts;
    DeviceMem others; ///< other ranks' numbers for this rank's part
    float* numbers = nullptr;
    void* stream   = nullptr;
    std::unique_ptr<Exchange> exchange; ///< null unless begun
};

AllReduce::AllReduce(Communicator& communicator, std::size_t count)
    : state_(std::make_unique<State>(communicator, count))
{}
AllReduce::~AllReduce()                    = default;
AllReduce::AllReduce(AllReduce&&) noexcept = default;

void AllReduce::begin(float* numbers, void* stream)
{
    if(state_ == nullptr)
        refuse_call("AllReduce::begin()", "another one has taken its memory");
    State& s = *state_;
    if(s.exchange != nullptr)
        refuse_call("AllReduce::begin()", "finish() comes first: a sum has begun");
    if(numbers == nullptr && s.count > 0)
        throw std::invalid_argument("ck::distributed::AllReduce::begin(): numbers is null, but " +
                                    std::to_string(s.count) + " are summed");
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
    if(state_ == nullptr || state_->exchange == nullptr)
        refuse_call("AllReduce::finish()", "begin() comes first: no sum has begun");
    State& s            = *state_;
    const auto exchange = std::move(s.exchange); // ends even if it throws
    exchange->finish();
    s.add_up();
    std::vector<Send> sends;
    std::vector<Receive> receives;
    s.for_each_peer([&](int peer, const Rows& part, long_index_t) {
        sends.push_back({peer, s.numbers + s.own().begin, State::bytes(s.own())});
        receives.push_back({peer, s.numbers + part.begin, State::bytes(part)});
    });
    s.communicator.begin(sends, receives, s.stream)->finish();
}

} // namespace ck::distributed
