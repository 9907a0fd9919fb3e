// What all transports share: checks, and operations built from exchanges.
#include "ck/distributed/communicator.hpp"

#include "ck/host_utility/hip_check_error.hpp"

#include "distributed/thrown.hpp"
#include <utility>
#include <vector>

namespace ck::distributed {

namespace {

std::string text(int n) { return std::to_string(n); }

/// The exchange of the transport; it can be finished only once.
class Once : public Exchange
{
public:
    explicit Once(std::unique_ptr<Exchange> transports) : exchange_(std::move(transports)) {}

    void finish() override
    {
        if(exchange_ == nullptr)
            refuse_call("Exchange::finish()", "it has been called before");
        const auto exchange = std::move(exchange_); // ends even if it throws
        exchange->finish();
    }

private:
    std::unique_ptr<Exchange> exchange_;
};

/// Exchanges the same number of bytes between all ranks.
void exchange_with_all(Communicator& c, std::size_t bytes, const void* mine, void* theirs)
{
    std::vector<Send> sends;
    std::vector<Receive> receives;
    for(int peer = 0; peer < c.size(); ++peer)
    {
        if(peer == c.rank())
            continue;
        sends.push_back({peer, mine, bytes});
        receives.push_back({peer, static_cast<char*>(theirs) + bytes * receives.size(), bytes});
    }
    c.begin(sends, receives, nullptr)->finish();
}

} // namespace

Communicator::Communicator(int rank, int size, const Limits& limits)
    : rank_(rank),
      size_(size),
      limits_(limits)
{
    if(size < 1 || rank < 0 || rank >= size)
        throw std::invalid_argument("rank " + text(rank) + " of " + text(size) +
                                    ", but ranks are numbered from 0 to below their number");
    constexpr std::chrono::milliseconds a_year = std::chrono::hours(24 * 365);
    if(limits.wait.count() <= 0 || limits.wait > a_year) // clocks end, too
        throw std::invalid_argument("the time limit is " + std::to_string(limits.wait.count()) +
                                    " ms, but must be more than 0 and at most " +
                                    std::to_string(a_year.count()) + ", a year");
}

std::unique_ptr<Exchange>
Communicator::begin(std::span<const Send> sends, std::span<const Receive> receives, void* stream)
{
    const auto require_peer = [&](int peer, const void* data, std::size_t bytes) {
        if(peer < 0 || peer >= size_ || peer == rank_)
            throw std::invalid_argument("rank " + text(rank_) + " of " + text(size_) +
                                        " names rank " + text(peer) + " as another");
        if(data == nullptr && bytes > 0)
            throw std::invalid_argument("rank " + text(rank_) + " of " + text(size_) + " gives " +
                                        std::to_string(bytes) +
                                        " bytes at a null address for rank " + text(peer));
    };
    for(const Send& s : sends)
        require_peer(s.to, s.data, s.bytes);
    for(const Receive& r : receives)
        require_peer(r.from, r.data, r.bytes);
    return std::make_unique<Once>(start(sends, receives, stream));
}

void Communicator::require_broadcast(const void* data, std::size_t bytes, int root) const
{
    if(root < 0 || root >= size_)
        throw std::invalid_argument("the root of a broadcast is rank " + text(root) +
                                    ", but there are ranks 0 to " + text(size_ - 1));
    if(data == nullptr && bytes > 0)
        throw std::invalid_argument("rank " + text(rank_) + " of " + text(size_) + " gives " +
                                    std::to_string(bytes) +
                                    " bytes at a null address for a broadcast");
}

void Communicator::broadcast(void* data, std::size_t bytes, int root, void* stream)
{
    require_broadcast(data, bytes, root);
    std::vector<Send> sends;
    std::vector<Receive> receives;
    if(rank_ != root)
        receives.push_back({root, data, bytes});
    else
        for(int peer = 0; peer < size_; ++peer)
            if(peer != root)
                sends.push_back({peer, data, bytes});
    begin(sends, receives, stream)->finish();
}

void Communicator::synchronize(void* stream)
{
    HIP_CHECK_ERROR(hipStreamSynchronize(static_cast<hipStream_t>(stream)));
}

void Communicator::barrier()
{
    char nothing = 0;
    exchange_with_all(*this, 0, &nothing, &nothing);
}

} // namespace ck::distributed
