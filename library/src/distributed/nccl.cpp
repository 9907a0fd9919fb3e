// Ranks with one GPU each: NCCL on NVIDIA and RCCL on AMD, whose calls have the same names.
#include "ck/distributed/launch.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include "distributed/stream_event.hpp"

#if defined(CK_NCCL)
#if defined(CK_RUNTIME_HIP)
#include <rccl/rccl.h>
#else
#include <nccl.h>
#endif
#if defined(CK_MPI)
#include <mpi.h>
#endif
#endif

#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>

namespace ck::distributed {

#if !defined(CK_NCCL)

bool has_nccl() { return false; }

std::unique_ptr<Communicator> nccl_communicator(const Place&, const Limits&)
{
    throw std::invalid_argument(
        on_gpus() ? "this library was built without NCCL or RCCL: CMake found neither nccl.h nor "
                    "rccl/rccl.h with its library"
                  : "NCCL and RCCL are for GPUs, but this program was built for CPUs");
}

#else

namespace {

using Clock = std::chrono::steady_clock;

/// The identifier with which all ranks start. Rank 0 sends it to the others through MPI. Without
/// MPI, all derive it from rank 0's address, which NCCL's variable NCCL_COMM_ID has.
ncclUniqueId identifier(const Place& place)
{
    ncclUniqueId id;
    const auto make = [&] {
        if(const ncclResult_t error = ncclGetUniqueId(&id); error != ncclSuccess)
            throw TransportError(std::string("ncclGetUniqueId: ") + ncclGetErrorString(error));
    };
#if defined(CK_MPI)
    if(place.launcher == "mpirun" || place.address.empty())
    {
        int started = 0;
        MPI_Initialized(&started);
        if(started == 0)
            MPI_Init(nullptr, nullptr);
        if(place.rank == 0)
            make();
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
        if(started == 0)
            MPI_Finalize(); // it is not needed for anything else
        return id;
    }
#endif
    if(std::getenv("NCCL_COMM_ID") == nullptr)
    {
        if(place.address.empty() || place.port == 0)
            throw std::invalid_argument(
                "MASTER_ADDR and MASTER_PORT, where rank 0 is found, are not "
                "set, nor is NCCL_COMM_ID");
        if(place.port < 1 || place.port > 65534)
            throw std::invalid_argument(
                "MASTER_PORT is " + std::to_string(place.port) +
                ", but must be from 1 to 65534: ranks meet at the next one");
        // torchrun itself listens at MASTER_PORT.
        const std::string at = place.address + ':' + std::to_string(place.port + 1);
        setenv("NCCL_COMM_ID", at.c_str(), 1);
    }
    make();
    return id;
}

class Nccl : public Communicator
{
public:
    Nccl(const Place& place, const Limits& limits) : Communicator(place.rank, place.size, limits)
    {
        ncclConfig_t config   = NCCL_CONFIG_INITIALIZER;
        config.blocking       = 0; // calls return at once, and are polled: they may never end
        const ncclUniqueId id = identifier(place);
        settle(ncclCommInitRankConfig(&communicator_, size(), id, rank(), &config),
               "ncclCommInitRank");
    }
    ~Nccl() override
    {
        if(std::uncaught_exceptions() > exceptions_ || !has_ended())
            abandon();
        else
            ncclCommDestroy(communicator_);
    }

    std::string transport() const override { return "NCCL"; }
    void abandon() noexcept override
    {
        if(communicator_ != nullptr)
            ncclCommAbort(std::exchange(communicator_, nullptr));
    }

    void broadcast(void* data, std::size_t bytes, int root, void* stream) override
    {
        require_broadcast(data, bytes, root);
        settle(ncclBroadcast(
                   data, data, bytes, ncclChar, root, group(), static_cast<hipStream_t>(stream)),
               "ncclBroadcast");
    }
    void barrier() override
    {
        void* const number = number_.GetDeviceBuffer();
        settle(ncclAllReduce(number, number, 1, ncclFloat, ncclSum, group(), transfers_.get()),
               "ncclAllReduce");
        synchronize(transfers_.get());
    }
    /// A transfer may never end: polls the stream, and NCCL's state.
    void synchronize(void* stream) override
    {
        const auto end = Clock::now() + limits().wait;
        while(true)
        {
            const hipError_t state = hipStreamQuery(static_cast<hipStream_t>(stream));
            if(state == hipSuccess)
                return;
            if(state != hipErrorNotReady)
                HIP_CHECK_ERROR(state);
            static_cast<void>(hipGetLastError()); // "not ready" is not an error
            ncclResult_t known = ncclSuccess;
            ncclCommGetAsyncError(group(), &known);
            if(known != ncclSuccess && known != ncclInProgress)
                lose(std::string("a transfer failed: ") + ncclGetErrorString(known));
            if(Clock::now() > end)
                lose("a transfer was not done in " + std::to_string(limits().wait.count()) +
                     " ms: a rank is lost or late");
            std::this_thread::yield();
        }
    }

protected:
    std::unique_ptr<Exchange>
    start(std::span<const Send> sends, std::span<const Receive> receives, void* stream) override;

private:
    friend class NcclExchange;

    /// Throws TransportError if this rank has left the group.
    ncclComm_t group() const
    {
        if(communicator_ == nullptr)
            throw TransportError("rank " + std::to_string(rank()) + " has left the others");
        return communicator_;
    }
    /// Aborts what is in flight before it throws: memory must not be freed earlier.
    [[noreturn]] void lose(const std::string& why)
    {
        abandon();
        throw TransportError("rank " + std::to_string(rank()) + ": " + why);
    }
    /// Waits until the other ranks end, too. False if they do not, or if one is lost.
    bool has_ended() noexcept
    {
        if(communicator_ == nullptr)
            return false;
        const auto end      = Clock::now() + limits().wait;
        ncclResult_t result = ncclCommFinalize(communicator_);
        for(; result == ncclInProgress && Clock::now() < end; std::this_thread::yield())
            ncclCommGetAsyncError(communicator_, &result);
        return result == ncclSuccess;
    }
    /// Waits until NCCL has accepted a call.
    void settle(ncclResult_t result, const char* call)
    {
        const auto end = Clock::now() + limits().wait;
        while(result == ncclInProgress)
        {
            if(Clock::now() > end)
                lose(std::string(call) + " was not done in " +
                     std::to_string(limits().wait.count()) + " ms: a rank is lost or late");
            std::this_thread::yield();
            ncclCommGetAsyncError(communicator_, &result);
        }
        if(result != ncclSuccess)
            lose(std::string(call) + ": " + ncclGetErrorString(result));
    }

    ncclComm_t communicator_ = nullptr;
    SideStream transfers_;            ///< runs while kernels compute
    DeviceMem number_{sizeof(float)}; ///< a number that a barrier sums; its value does not matter
    int exceptions_ = std::uncaught_exceptions();
};

class NcclExchange : public Exchange
{
public:
    NcclExchange(Nccl& c, void* stream) : stream_(stream)
    {
        begun_.record(stream);
        begun_.hold(c.transfers_.get());
    }
    void finish() override { done.hold(stream_); }

    StreamEvent done;

private:
    StreamEvent begun_;
    void* stream_;
};

std::unique_ptr<Exchange>
Nccl::start(std::span<const Send> sends, std::span<const Receive> receives, void* stream)
{
    const ncclComm_t communicator = group();
    auto exchange                 = std::make_unique<NcclExchange>(*this, stream);
    const hipStream_t transfers   = transfers_.get();
    // One group: neighbours' sends and receives wait for each other otherwise.
    settle(ncclGroupStart(), "ncclGroupStart");
    for(const Send& s : sends)
        if(s.bytes > 0)
            settle(ncclSend(s.data, s.bytes, ncclChar, s.to, communicator, transfers), "ncclSend");
    for(const Receive& r : receives)
        if(r.bytes > 0)
            settle(ncclRecv(r.data, r.bytes, ncclChar, r.from, communicator, transfers),
                   "ncclRecv");
    settle(ncclGroupEnd(), "ncclGroupEnd");
    exchange->done.record(transfers);
    return exchange;
}

} // namespace

bool has_nccl() { return true; }

std::unique_ptr<Communicator> nccl_communicator(const Place& place, const Limits& limits)
{
    int devices = 0;
    HIP_CHECK_ERROR(hipGetDeviceCount(&devices));
    if(devices == 0)
        throw std::invalid_argument(why_no_device(hipSuccess, 0));
    if(place.local_rank < 0)
        throw std::invalid_argument("local_rank is " + std::to_string(place.local_rank) +
                                    ", but must be at least 0");
    HIP_CHECK_ERROR(hipSetDevice(place.local_rank % devices));
    return std::make_unique<Nccl>(place, limits);
}

#endif

} // namespace ck::distributed
