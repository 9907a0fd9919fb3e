// Messages between threads: each communicator has a thread that does what was begun.
#include "nccl.h"
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::mutex mutex; // guards everything below
std::condition_variable changed;
std::map<std::pair<int, int>, std::deque<std::vector<char>>> messages; // key: from, to

/// A call, to be done in order: false as soon as it is given up.
using Job = std::function<bool(ncclComm&, std::unique_lock<std::mutex>&)>;
thread_local std::vector<std::pair<ncclComm_t, Job>> group;
thread_local int depth = 0;

bool fails(const char* call) { return nccl_stand_in.failing == call; }

} // namespace

struct ncclComm
{
    ncclComm(int r, int n) : rank(r), ranks(n) {}

    /// False where the communicator is aborted first.
    template <class Condition>
    bool wait(std::unique_lock<std::mutex>& lock, const Condition& condition)
    {
        changed.wait(lock, [&] { return aborted || condition(); });
        return !aborted;
    }
    bool send(int peer, const void* data, std::size_t bytes)
    {
        const auto* const begin = static_cast<const char*>(data);
        messages[{rank, peer}].emplace_back(begin, begin + bytes);
        changed.notify_all();
        return true;
    }
    bool receive(std::unique_lock<std::mutex>& lock, int peer, void* data, std::size_t bytes)
    {
        auto& queue = messages[{peer, rank}];
        if(!wait(lock, [&] { return !queue.empty(); }))
            return false;
        if(queue.front().size() != bytes)
            wrong = true;
        else if(bytes > 0)
            std::memcpy(data, queue.front().data(), bytes);
        queue.pop_front();
        return true;
    }
    bool meet(std::unique_lock<std::mutex>& lock)
    {
        for(int peer = 0; peer < ranks; ++peer)
            if(peer != rank)
                send(peer, nullptr, 0);
        for(int peer = 0; peer < ranks; ++peer)
            if(peer != rank && !receive(lock, peer, nullptr, 0))
                return false;
        return true;
    }
    ncclResult_t begin(std::vector<Job> jobs)
    {
        if(busy)
            return ncclInvalidUsage; // like NCCL: the previous call must be done
        if(worker.joinable())
            worker.join();
        busy   = true;
        worker = std::thread([this, jobs = std::move(jobs)] {
            std::unique_lock lock(mutex);
            for(const Job& job : jobs)
                if(!job(*this, lock))
                    return;
            busy = false;
        });
        return ncclInProgress;
    }
    /// Alone, or with the group's others.
    ncclResult_t add(const char* call, Job job)
    {
        if(fails(call))
            return ncclInvalidUsage;
        if(depth == 0)
        {
            const std::lock_guard lock(mutex);
            return begin({std::move(job)});
        }
        group.emplace_back(this, std::move(job));
        return ncclSuccess;
    }

    int rank, ranks;
    bool busy = false, aborted = false, wrong = false, finalized = false;
    std::thread worker;
};

const char* ncclGetErrorString(ncclResult_t result)
{
    return result == ncclInvalidArgument ? "invalid argument" : "invalid usage";
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id)
{
    const char* const at = std::getenv("NCCL_COMM_ID");
    if(at == nullptr || fails("ncclGetUniqueId"))
        return ncclInvalidArgument;
    *id = {};
    std::strncpy(id->internal, at, sizeof id->internal - 1);
    return ncclSuccess;
}

ncclResult_t
ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId, int rank, ncclConfig_t* config)
{
    if(config->blocking != 0)
        return ncclInvalidArgument;
    if(fails("ncclCommInitRank"))
        return ncclInvalidUsage;
    *comm = new ncclComm(rank, ranks);
    const std::lock_guard lock(mutex);
    ++nccl_stand_in.alive;
    return (*comm)->begin({[](ncclComm& c, auto& l) { return c.meet(l); }});
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* result)
{
    if(comm == nullptr)
        return ncclInvalidArgument;
    const std::lock_guard lock(mutex);
    *result = comm->wrong ? ncclInvalidUsage : comm->busy ? ncclInProgress : ncclSuccess;
    return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    return comm->add("ncclCommFinalize",
                     [](ncclComm& c, auto& l) { return c.finalized = c.meet(l); });
}

namespace {

void end(ncclComm_t comm)
{
    {
        const std::lock_guard lock(mutex);
        comm->aborted = true;
        changed.notify_all();
    }
    if(comm->worker.joinable())
        comm->worker.join();
    delete comm;
    const std::lock_guard lock(mutex);
    if(--nccl_stand_in.alive == 0)
        messages.clear();
}

} // namespace

/// All that is on its way ends.
ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    ++nccl_stand_in.aborted;
    end(comm);
    return ncclSuccess;
}

/// For communicators that are finalized: NCCL waits for what is on its way otherwise.
ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    bool is_over = false;
    {
        const std::lock_guard lock(mutex);
        is_over = comm->finalized && !comm->busy;
    }
    ++(is_over ? nccl_stand_in.destroyed : nccl_stand_in.misused);
    end(comm);
    return ncclSuccess;
}

ncclResult_t ncclGroupStart()
{
    if(fails("ncclGroupStart"))
        return ncclInvalidUsage;
    ++depth;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd()
{
    if(--depth > 0 || group.empty())
        return ncclSuccess;
    if(fails("ncclGroupEnd"))
        return ncclInvalidUsage;
    std::vector<Job> jobs;
    const ncclComm_t comm = group.front().first;
    for(auto& [of, job] : std::exchange(group, {}))
        jobs.push_back(std::move(job));
    const std::lock_guard lock(mutex);
    return comm->begin(std::move(jobs));
}

ncclResult_t ncclSend(
    const void* data, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm, hipStream_t)
{
    return comm->add("ncclSend", [=](ncclComm& c, auto&) { return c.send(peer, data, count); });
}

ncclResult_t
ncclRecv(void* data, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm, hipStream_t)
{
    return comm->add("ncclRecv",
                     [=](ncclComm& c, auto& lock) { return c.receive(lock, peer, data, count); });
}

ncclResult_t ncclBroadcast(const void* from,
                           void* to,
                           std::size_t count,
                           ncclDataType_t,
                           int root,
                           ncclComm_t comm,
                           hipStream_t)
{
    return comm->add("ncclBroadcast", [=](ncclComm& c, auto& lock) {
        if(c.rank != root)
            return c.receive(lock, root, to, count);
        for(int peer = 0; peer < c.ranks; ++peer)
            if(peer != root)
                c.send(peer, from, count);
        return true;
    });
}

ncclResult_t ncclAllReduce(
    const void*, void*, std::size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t comm, hipStream_t)
{
    return comm->add("ncclAllReduce", [](ncclComm& c, auto& lock) { return c.meet(lock); });
}
