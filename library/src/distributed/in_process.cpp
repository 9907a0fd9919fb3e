// Ranks as threads of one process: the receiver copies, on a separate stream.
#include "ck/distributed/communicator.hpp"

#include "distributed/stream_event.hpp"
#include "distributed/thrown.hpp"
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace ck::distributed {

namespace {

/// Messages from one rank to another are numbered from 0.
struct Number
{
    int from, to;
    std::uint64_t count;
    auto operator<=>(const Number&) const = default;
};

/// Memory that a rank offers. The group's mutex guards it.
struct Offer
{
    const void* data;
    std::size_t bytes;
    std::shared_ptr<StreamEvent> ready;    ///< on the sender's stream: the memory has been written
    std::shared_ptr<StreamEvent> copied{}; ///< on the receiver's stream: null until it begins
};

/// What the ranks share.
class Group
{
public:
    void offer(const Number& number, const std::shared_ptr<Offer>& offer)
    {
        const std::lock_guard lock(mutex_);
        offers_[number] = offer;
        changed_.notify_all();
    }

    std::shared_ptr<Offer> take(const Number& number, const Limits& limits)
    {
        std::unique_lock lock(mutex_);
        wait(lock, limits, number.to, number.from, [&] { return offers_.contains(number); });
        return std::move(offers_.extract(number).mapped());
    }

    void copied(Offer& offer, const std::shared_ptr<StreamEvent>& event)
    {
        const std::lock_guard lock(mutex_);
        offer.copied = event;
        changed_.notify_all();
    }

    std::shared_ptr<StreamEvent>
    wait_copied(const Offer& offer, const Number& number, const Limits& limits)
    {
        std::unique_lock lock(mutex_);
        wait(lock, limits, number.from, number.to, [&] { return offer.copied != nullptr; });
        return offer.copied;
    }

    /// Called before the offered memory may be freed without having been received: takes the offer
    /// back, or waits for the rank that copies it.
    void withdraw(const Offer& offer, const Number& number, const Limits& limits) noexcept
    {
        std::unique_lock lock(mutex_);
        if(offers_.erase(number) == 0)
            changed_.wait_for(lock, limits.wait, [&] { return offer.copied != nullptr; });
    }

    /// Wakes all waiting ranks.
    void lose(const std::string& why)
    {
        const std::lock_guard lock(mutex_);
        if(lost_.empty())
            lost_ = why;
        changed_.notify_all();
    }

private:
    template <class Condition>
    void wait(std::unique_lock<std::mutex>& lock,
              const Limits& limits,
              int rank,
              int other,
              const Condition& there)
    {
        const bool in_time =
            changed_.wait_for(lock, limits.wait, [&] { return there() || !lost_.empty(); });
        if(there())
            return;
        const std::string who =
            "rank " + std::to_string(rank) + " waited for rank " + std::to_string(other) + ", but ";
        throw TransportError(
            who +
            (in_time ? lost_ : "nothing came in " + std::to_string(limits.wait.count()) + " ms"));
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Number, std::shared_ptr<Offer>> offers_;
    std::string lost_; ///< which rank is lost, and why
};

class InProcess : public Communicator
{
public:
    InProcess(Group& group, int rank, int size, const Limits& limits)
        : Communicator(rank, size, limits),
          group_(group),
          sent_(static_cast<std::size_t>(size)),
          received_(static_cast<std::size_t>(size))
    {}

    std::string transport() const override { return "in-process"; }

protected:
    std::unique_ptr<Exchange>
    start(std::span<const Send> sends, std::span<const Receive> receives, void* stream) override;

private:
    friend class InProcessExchange;
    Group& group_;
    std::vector<std::uint64_t> sent_, received_; ///< to and from each rank
    SideStream copies_;
};

class InProcessExchange : public Exchange
{
public:
    InProcessExchange(InProcess& c, void* stream) : c_(c), stream_(stream) {}
    ~InProcessExchange() override
    {
        if(!finished_)
            for(const auto& [number, offer] : sends)
                c_.group_.withdraw(*offer, number, c_.limits());
    }

    void finish() override
    {
        for(const auto& [number, to] : receives)
        {
            const auto offer = c_.group_.take(number, c_.limits());
            try
            {
                copy(*offer, number, to);
            }
            catch(...)
            {
                c_.group_.copied(*offer, begun); // the sender need not wait
                throw;
            }
        }
        for(const auto& [number, offer] : sends)
            c_.group_.wait_copied(*offer, number, c_.limits())->hold(stream_);
        finished_ = true;
    }

    std::vector<std::pair<Number, std::shared_ptr<Offer>>> sends;
    std::vector<std::pair<Number, Receive>> receives;
    std::shared_ptr<StreamEvent> begun = std::make_shared<StreamEvent>();

private:
    void copy(Offer& offer, const Number& number, const Receive& to)
    {
        if(offer.bytes != to.bytes)
            throw TransportError("rank " + std::to_string(number.from) + " sends " +
                                 std::to_string(offer.bytes) + " bytes, but rank " +
                                 std::to_string(number.to) + " awaits " + std::to_string(to.bytes));
        const hipStream_t copies = c_.copies_.get();
        begun->hold(copies); // the memory may be in use before
        offer.ready->hold(copies);
        if(to.bytes > 0)
            HIP_CHECK_ERROR(
                hipMemcpyAsync(to.data, offer.data, to.bytes, hipMemcpyDefault, copies));
        const auto done = std::make_shared<StreamEvent>();
        done->record(copies);
        done->hold(stream_);
        c_.group_.copied(offer, done);
    }

    InProcess& c_;
    void* stream_;
    bool finished_ = false;
};

std::unique_ptr<Exchange>
InProcess::start(std::span<const Send> sends, std::span<const Receive> receives, void* stream)
{
    auto exchange = std::make_unique<InProcessExchange>(*this, stream);
    exchange->begun->record(stream);
    for(const Send& s : sends)
    {
        const Number number{rank(), s.to, sent_[static_cast<std::size_t>(s.to)]++};
        const auto offer = std::make_shared<Offer>(Offer{s.data, s.bytes, exchange->begun});
        exchange->sends.emplace_back(number, offer);
        group_.offer(number, offer);
    }
    for(const Receive& r : receives)
        exchange->receives.emplace_back(
            Number{r.from, rank(), received_[static_cast<std::size_t>(r.from)]++}, r);
    return exchange;
}

/// Lets the current device, `own`, read the memory of the others. Devices without peer access copy
/// through the CPU's memory.
void enable_peers(int own, int devices)
{
    for(int peer = 0; peer < devices; ++peer)
    {
        int can = 0;
        if(peer != own)
            HIP_CHECK_ERROR(hipDeviceCanAccessPeer(&can, own, peer));
        if(can == 0)
            continue;
        const hipError_t error = hipDeviceEnablePeerAccess(peer, 0);
        if(error != hipErrorPeerAccessAlreadyEnabled)
            HIP_CHECK_ERROR(error);
        else
            static_cast<void>(hipGetLastError()); // not an error here
    }
}

} // namespace

void run_in_process(int ranks, const std::function<void(Communicator&)>& rank, const Limits& limits)
{
    if(ranks < 1 || ranks > 1024)
        throw std::invalid_argument(std::to_string(ranks) +
                                    " ranks in one process, but must be 1 to 1024");
    int devices = 0;
    HIP_CHECK_ERROR(hipGetDeviceCount(&devices));
    Group group;
    std::mutex mutex;
    std::exception_ptr first; // later exceptions are consequences of the first
    const auto run = [&](int number) {
        const auto failed = [&](const std::string& why) {
            const std::lock_guard lock(mutex);
            if(!first)
                first = std::current_exception();
            group.lose("rank " + std::to_string(number) + " ended: " + why);
        };
        try
        {
            HIP_CHECK_ERROR(hipSetDevice(number % devices));
            enable_peers(number % devices, std::min(ranks, devices));
            InProcess communicator(group, number, ranks, limits);
            rank(communicator);
            HIP_CHECK_ERROR(hipDeviceSynchronize()); // others may still copy from its memory
            communicator.barrier();
        }
        catch(...)
        {
            failed(what_is_thrown());
        }
    };
    std::vector<std::thread> threads;
    for(int number = 0; number < ranks; ++number)
        try
        {
            threads.emplace_back(run, number);
        }
        catch(const std::exception& e) // no thread, or no memory
        {
            const std::lock_guard lock(mutex);
            if(!first)
                first = std::current_exception();
            group.lose("rank " + std::to_string(number) + " did not begin: " + e.what());
            break;
        }
    for(std::thread& thread : threads)
        thread.join();
    if(first)
        std::rethrow_exception(first);
}

} // namespace ck::distributed
