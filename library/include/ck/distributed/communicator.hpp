#pragma once
// What ranks say to each other: messages between neighbours, sums over all in a fixed order. One
// interface for threads of a process, processes with MPI, and GPUs with NCCL or RCCL.
//
// Ranks are numbered from 0. Every wait ends: after a time limit, or as soon as the transport knows
// that a rank is lost, with a TransportError that says who waited for whom.
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

/// A rank is lost, is late, or sends something else than what is awaited.
class TransportError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// How ranks wait.
struct Limits
{
    /// How long a rank waits for another before it gives up; more than 0, at most a year.
    std::chrono::milliseconds wait{60'000};
};

/// Memory that a rank sends; of the kind that the transport moves.
struct Send
{
    int to;            ///< rank
    const void* data;  ///< first byte
    std::size_t bytes; ///< may be 0
};

/// Memory that a rank receives into.
struct Receive
{
    int from;          ///< rank
    void* data;        ///< first byte
    std::size_t bytes; ///< as many as are sent
};

/// Messages on their way.
class Exchange
{
public:
    virtual ~Exchange() = default;
    /// To be called once; throws std::logic_error the second time. What is put on the stream of
    /// begin() afterwards sees what was received, and may overwrite what was sent. Throws
    /// TransportError.
    virtual void finish() = 0;
};

/// One rank's end of a group of ranks; for one thread at a time.
class Communicator
{
public:
    virtual ~Communicator() = default;

    /// This rank's number, from 0.
    int rank() const { return rank_; }
    /// How many ranks.
    int size() const { return size_; }
    /// How this rank waits.
    const Limits& limits() const { return limits_; }
    /// "in-process", "MPI", "NCCL"
    virtual std::string transport() const = 0;
    /// Ends all other ranks, and maybe this one, where a rank cannot go on. run() and
    /// run_in_process() call it, or do as much.
    virtual void abandon() noexcept {}

    /// Sends and receives, after what is on the stream (hipStream_t or cudaStream_t). Messages from
    /// one rank to another arrive in the order of the begin() calls, and all ranks call begin() in
    /// orders that fit. Several exchanges may be on their way. Throws std::invalid_argument for a
    /// peer that is no other rank, and for bytes at a null address.
    std::unique_ptr<Exchange>
    begin(std::span<const Send> sends, std::span<const Receive> receives, void* stream);
    /// Copies the root's memory to all ranks'. Throws std::invalid_argument for a root that is no
    /// rank, and for bytes at a null address.
    virtual void broadcast(void* data, std::size_t bytes, int root, void* stream);
    /// Returns once all ranks are here.
    virtual void barrier();
    /// Returns once all that is on the stream is done, or throws TransportError after the time
    /// limit. Programs call it where they would call hipStreamSynchronize(): a GPU waits for lost
    /// ranks for ever.
    virtual void synchronize(void* stream);

protected:
    /// rank: below size.
    Communicator(int rank, int size, const Limits& limits);
    /// begin() with peers that are checked.
    virtual std::unique_ptr<Exchange>
    start(std::span<const Send> sends, std::span<const Receive> receives, void* stream) = 0;
    /// Throws what broadcast() does.
    void require_broadcast(const void* data, std::size_t bytes, int root) const;

private:
    int rank_, size_;
    Limits limits_;
};

/// The sum of all ranks' numbers, in all ranks. Each number is added up in the ranks' order by one
/// of them: the same bits for the same number of ranks, whatever the transport.
class AllReduce
{
public:
    /// For so many floats; holds memory for as many. The communicator has to live as long. Throws
    /// std::invalid_argument for more than memory may have.
    AllReduce(Communicator& communicator, std::size_t count);
    ~AllReduce();
    /// Takes the other's memory and what it has begun.
    AllReduce(AllReduce&&) noexcept;

    /// Sends this rank's numbers on their way, after what is on the stream. They must stay until
    /// finish() returns. Throws std::logic_error where finish() is to come first, and
    /// std::invalid_argument for no address.
    void begin(float* numbers, void* stream);
    /// The numbers are the sums for what is put on the stream afterwards. Throws std::logic_error
    /// where begin() is to come first.
    void finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// A sum over all ranks that begins while the numbers are still made: gradients, in the order in
/// which the backward pass writes them. They are cut into buckets; each is on its way as soon as it
/// is complete. The same bits as AllReduce's of each bucket.
class BucketedAllReduce
{
public:
    /// numbers: `count` floats in one piece, the first to be ready first; they and the communicator
    /// have to live as long. bucket: floats of each but the last, the same on all ranks, at
    /// least 1. Throws std::invalid_argument for others.
    BucketedAllReduce(Communicator& communicator,
                      float* numbers,
                      std::size_t count,
                      std::size_t bucket = std::size_t{1} << 20);
    ~BucketedAllReduce();
    /// Takes the other's memory and what it has begun.
    BucketedAllReduce(BucketedAllReduce&&) noexcept;

    /// The first `ready` numbers are there once what is on the stream is done. To be called on all
    /// ranks with the same numbers, in ascending order from the first call or the last finish() on.
    /// Throws std::invalid_argument for more than there are, or for less than before.
    void ready(std::size_t ready, void* stream);
    /// All numbers are there, and are the sums for what is put on the stream afterwards.
    void finish(void* stream);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Compares a text between all ranks, and throws the same std::invalid_argument in all of them
/// where two differ. problem: empty, or why this rank cannot go on, which ends all ranks with that
/// message.
void agree(Communicator& communicator, const std::string& text, const std::string& problem = {});

/// Runs ranks as threads of this process, each with a communicator; on GPUs rank i has device i,
/// counted modulo the devices. Where one throws, anything at all, those that wait for it are woken,
/// and what it threw is thrown once all have ended.
void run_in_process(int ranks,
                    const std::function<void(Communicator&)>& rank,
                    const Limits& limits = {});

} // namespace ck::distributed
