// Ranks as processes of MPI. Every wait polls with a time limit: MPI itself would wait for ever.
#include "ck/distributed/launch.hpp"

#if defined(CK_MPI)
#include <mpi.h>
#endif

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

namespace ck::distributed {

#if !defined(CK_MPI)

bool has_mpi() { return false; }

std::unique_ptr<Communicator> mpi_communicator(const Limits&)
{
    throw std::invalid_argument(
        "this library was built without MPI: CMake found none (Debian: libopenmpi-dev)");
}

#else

namespace {

void check(int error, const char* call)
{
    if(error == MPI_SUCCESS)
        return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length                      = 0;
    MPI_Error_string(error, text, &length);
    throw TransportError(std::string(call) + ": " + text);
}

/// Polls done() until it is true. Throws TransportError after the limit; late() says who is late.
template <class Done, class Late>
void wait(const Limits& limits, const Done& done, const Late& late)
{
    const auto end = std::chrono::steady_clock::now() + limits.wait;
    for(int polls = 0; !done(); ++polls)
    {
        if(std::chrono::steady_clock::now() > end)
            throw TransportError(late());
        if(polls < 100)
            std::this_thread::yield();
        else // more processes than processors may be waiting
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
}

class MpiExchange : public Exchange
{
public:
    struct Message
    {
        MPI_Request request;
        int peer, bytes;
        bool received;
    };

    MpiExchange(int rank, const Limits& limits) : rank_(rank), limits_(limits) {}
    ~MpiExchange() override
    {
        for(Message& m : messages) // an exception is in flight, and the memory will be freed
            if(m.request != MPI_REQUEST_NULL)
            {
                if(m.received)
                    MPI_Cancel(&m.request);
                MPI_Request_free(&m.request);
            }
    }

    void finish() override
    {
        wait(
            limits_,
            [&] {
                return std::all_of(
                    messages.begin(), messages.end(), [&](Message& m) { return is_done(m); });
            },
            [&] {
                const auto late = std::find_if(messages.begin(), messages.end(), [](const auto& m) {
                    return m.request != MPI_REQUEST_NULL;
                });
                return "rank " + std::to_string(rank_) + " waited for rank " +
                       std::to_string(late->peer) + ", but nothing came in " +
                       std::to_string(limits_.wait.count()) + " ms";
            });
    }

    std::vector<Message> messages;

private:
    bool is_done(Message& m) const
    {
        if(m.request == MPI_REQUEST_NULL)
            return true;
        int done = 0, bytes = 0;
        MPI_Status status;
        check(MPI_Test(&m.request, &done, &status), "MPI_Test");
        if(done == 0)
            return false;
        if(m.received)
            check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
        if(m.received && bytes != m.bytes)
            throw TransportError("rank " + std::to_string(m.peer) + " sends " +
                                 std::to_string(bytes) + " bytes, but rank " +
                                 std::to_string(rank_) + " awaits " + std::to_string(m.bytes));
        return true;
    }

    int rank_;
    Limits limits_;
};

/// Initializes MPI unless somebody has, and finalizes what it initialized.
struct Session
{
    Session()
    {
        int started = 0;
        MPI_Initialized(&started);
        if(started == 0)
        {
            int provided = 0;
            check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init");
            owned = true;
        }
        check(MPI_Comm_dup(MPI_COMM_WORLD, &communicator), "MPI_Comm_dup");
        MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
        MPI_Comm_rank(communicator, &rank);
        MPI_Comm_size(communicator, &size);
    }

    bool owned            = false;
    MPI_Comm communicator = MPI_COMM_NULL;
    int rank = 0, size = 1;
};

class Mpi : public Communicator
{
public:
    Mpi(const Session& session, const Limits& limits)
        : Communicator(session.rank, session.size, limits),
          session_(session)
    {}
    ~Mpi() override
    {
        // Finalize waits for all: skipped for lost ranks, and if this rank leaves early.
        if(std::uncaught_exceptions() > exceptions_)
            abandon();
        MPI_Comm_free(&session_.communicator);
        if(session_.owned)
            MPI_Finalize();
    }

    std::string transport() const override { return "MPI"; }
    void abandon() noexcept override { MPI_Abort(session_.communicator, 1); }

    void broadcast(void* data, std::size_t bytes, int root, void*) override
    {
        require_broadcast(data, bytes, root);
        MPI_Request request;
        for(std::size_t begin = 0; begin < bytes; begin += most_bytes)
        {
            check(MPI_Ibcast(static_cast<char*>(data) + begin,
                             static_cast<int>(std::min(bytes - begin, most_bytes)),
                             MPI_BYTE,
                             root,
                             session_.communicator,
                             &request),
                  "MPI_Ibcast");
            finish(request, "a broadcast");
        }
    }
    void barrier() override
    {
        MPI_Request request;
        check(MPI_Ibarrier(session_.communicator, &request), "MPI_Ibarrier");
        finish(request, "a barrier");
    }

protected:
    std::unique_ptr<Exchange>
    start(std::span<const Send> sends, std::span<const Receive> receives, void*) override
    {
        auto exchange  = std::make_unique<MpiExchange>(rank(), limits());
        const auto add = [&](int peer, std::size_t bytes, bool received, const auto& post) {
            std::size_t begin = 0;
            do // at least once: a message without bytes is a message, too
            {
                const auto part = static_cast<int>(std::min(bytes - begin, most_bytes));
                MPI_Request request;
                check(post(begin, part, &request), "MPI_Isend or MPI_Irecv");
                exchange->messages.push_back({request, peer, part, received});
                begin += most_bytes;
            } while(begin < bytes);
        };
        for(const Receive& r : receives)
            add(r.from, r.bytes, true, [&](std::size_t begin, int bytes, MPI_Request* request) {
                return MPI_Irecv(static_cast<char*>(r.data) + begin,
                                 bytes,
                                 MPI_BYTE,
                                 r.from,
                                 0,
                                 session_.communicator,
                                 request);
            });
        for(const Send& s : sends)
            add(s.to, s.bytes, false, [&](std::size_t begin, int bytes, MPI_Request* request) {
                return MPI_Isend(static_cast<const char*>(s.data) + begin,
                                 bytes,
                                 MPI_BYTE,
                                 s.to,
                                 0,
                                 session_.communicator,
                                 request);
            });
        return exchange;
    }

private:
    static constexpr std::size_t most_bytes = 1 << 30; ///< in a message; MPI counts with int

    void finish(MPI_Request& request, const char* what)
    {
        wait(
            limits(),
            [&] {
                int done = 0;
                check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
                return done != 0;
            },
            [&] {
                return "rank " + std::to_string(rank()) + " waited for others in " + what +
                       ", but they did not come in " + std::to_string(limits().wait.count()) +
                       " ms";
            });
    }

    Session session_;
    int exceptions_ = std::uncaught_exceptions();
};

} // namespace

bool has_mpi() { return true; }

std::unique_ptr<Communicator> mpi_communicator(const Limits& limits)
{
    if(on_gpus())
        throw std::invalid_argument(
            "MPI moves the CPU's memory here, but this program was built for GPUs: use NCCL");
    return std::make_unique<Mpi>(Session(), limits);
}

#endif

} // namespace ck::distributed
