#pragma once
// How ranks communicate: messages between neighbours, and sums over all ranks in a fixed order. One
// interface for threads of a process, processes with MPI, and GPUs with NCCL or RCCL.
//
// Ranks are numbered from 0. No wait is endless: after a time limit, or if a rank is known to be
// lost, it throws a TransportError that says who waited for whom.
#include "ck/utility/host_device.hpp"

#if !defined(__cpp_exceptions)
#error "ck/distributed.hpp needs exceptions; ck/conv.hpp does without."
#include <the compiler stops here> // the other errors would be of the same reason
#endif

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace ck::distributed {

/// A rank is lost or late, or sends something unexpected.
class TransportError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// How long ranks wait.
struct Limits
{
    /// The time after which a rank gives up waiting for another: more than 0, at most a year.
    std::chrono::milliseconds wait{60'000};
};

/// Memory that a rank sends. It must be memory that the transport can move.
struct Send
{
    int to;            ///< the rank that receives
    const void* data;  ///< first byte
    std::size_t bytes; ///< may be 0
};

/// Memory that a rank receives into.
struct Receive
{
    int from;          ///< the rank that sends
    void* data;        ///< first byte
    std::size_t bytes; ///< as many as that rank sends
};

/// Messages in flight.
class Exchange
{
public:
    virtual ~Exchange() = default;
    /// Waits for the messages. Work that is enqueued afterwards on the stream of begin() sees what
    /// was received, and may overwrite what was sent. Throws TransportError, and std::logic_error
    /// if it is called twice.
    virtual void finish() = 0;
};

/// One rank's access to a group of ranks. Only one thread may use it.
class Communicator
{
public:
    virtual ~Communicator() = default;

    /// This rank's number, from 0.
    int rank() const { return rank_; }
    /// The number of ranks.
    int size() const { return size_; }
    /// How long this rank waits.
    const Limits& limits() const { return limits_; }
    /// The transport's name: "in-process", "MPI" or "NCCL".
    virtual std::string transport() const = 0;
    /// Ends all other ranks, and maybe this one, if a rank cannot go on. run() calls it;
    /// run_in_process() does the equivalent.
    virtual void abandon() noexcept {}

    /// Sends and receives, after the work on the stream (hipStream_t or cudaStream_t). Messages
    /// from one rank to another arrive in the order of the begin() calls, and the orders of all
    /// ranks must match. Several exchanges may be in flight. Throws std::invalid_argument if a peer
    /// is not another rank, or if an address with bytes is null.
    std::unique_ptr<Exchange>
    begin(std::span<const Send> sends, std::span<const Receive> receives, void* stream);
    /// Copies the root's memory to all ranks. Throws std::invalid_argument if root is not a rank,
    /// or if an address with bytes is null.
    virtual void broadcast(void* data, std::size_t bytes, int root, void* stream);
    /// Returns once all ranks have called it.
    virtual void barrier();
    /// Returns once all work on the stream is done, or throws TransportError after the time limit.
    /// Call it instead of hipStreamSynchronize(), which would wait for lost ranks forever.
    virtual void synchronize(void* stream);

protected:
    /// rank: less than size.
    Communicator(int rank, int size, const Limits& limits);
    /// Called by begin() once the peers are checked.
    virtual std::unique_ptr<Exchange>
    start(std::span<const Send> sends, std::span<const Receive> receives, void* stream) = 0;
    /// Throws as broadcast() does.
    void require_broadcast(const void* data, std::size_t bytes, int root) const;

private:
    int rank_, size_;
    Limits limits_;
};

/// Sums numbers over all ranks, for all ranks. One rank adds up each number, in the order of the
/// ranks: the bits depend on the number of ranks, not on the transport.
class AllReduce
{
public:
    /// For `count` floats; allocates memory for them. The communicator must outlive it. Throws
    /// std::invalid_argument if count is more than memory can hold.
    AllReduce(Communicator& communicator, std::size_t count);
    ~AllReduce();
    /// Takes over the other's memory and the sum that it has begun.
    AllReduce(AllReduce&&) noexcept;

    /// Starts to send this rank's numbers, after the work on the stream. They must stay valid until
    /// finish() returns. Throws std::logic_error if finish() must be called first, and
    /// std::invalid_argument if the address is null.
    void begin(float* numbers, void* stream);
    /// Afterwards the numbers are the sums, for work that is enqueued later. Throws
    /// std::logic_error if begin() must be called first.
    void finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// A sum over all ranks that starts while the numbers are still being computed: gradients, in the
/// order in which the backward pass writes them. They are cut into buckets, and each is sent once
/// it is complete. Each bucket has the same bits as with AllReduce.
class BucketedAllReduce
{
public:
    /// numbers: `count` contiguous floats, the ones that are ready first at the front; they and the
    /// communicator must outlive this object. bucket: floats in each bucket except the last; the
    /// same on all ranks, at least 1. Throws std::invalid_argument for other values.
    BucketedAllReduce(Communicator& communicator,
                      float* numbers,
                      std::size_t count,
                      std::size_t bucket = std::size_t{1} << 20);
    ~BucketedAllReduce();
    /// Takes over the other's memory and the sum that it has begun.
    BucketedAllReduce(BucketedAllReduce&&) noexcept;

    /// Says that the first `ready` numbers are complete once the work on the stream is done. All
    /// ranks call it with the same values, ascending since construction or the last finish().
    /// Throws std::invalid_argument if ready is above the count, or below the previous value.
    void ready(std::size_t ready, void* stream);
    /// All numbers are ready. They are the sums for work that is enqueued on the stream afterwards.
    void finish(void* stream);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Compares a text between all ranks, and throws the same std::invalid_argument on every rank if
/// two texts differ. problem: why this rank cannot continue, which every rank then throws; empty if
/// it can.
void agree(Communicator& communicator, const std::string& text, const std::string& problem = {});

/// Runs ranks as threads of this process, each with a communicator. On GPUs, rank i uses device i
/// modulo the number of devices. If a rank throws anything, ranks that wait for it are woken, and
/// the exception is rethrown once all ranks have ended.
void run_in_process(int ranks,
                    const std::function<void(Communicator&)>& rank,
                    const Limits& limits = {});

} // namespace ck::distributed
