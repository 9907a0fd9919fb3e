#pragma once
// A stand-in for NCCL between threads of one process, as far as the library calls it: calls of
// communicators that do not block return ncclInProgress, and may never be done.
#include "ck/host_utility/runtime.hpp"

#include <atomic>
#include <cstddef>
#include <string>

enum ncclResult_t
{
    ncclSuccess         = 0,
    ncclInvalidArgument = 4,
    ncclInvalidUsage    = 5,
    ncclInProgress      = 7
};
enum ncclDataType_t
{
    ncclChar,
    ncclFloat
};
enum ncclRedOp_t
{
    ncclSum
};
struct ncclUniqueId
{
    char internal[128];
};
struct ncclConfig_t
{
    int blocking;
};
#define NCCL_CONFIG_INITIALIZER                                                                    \
    {                                                                                              \
        1                                                                                          \
    }
using ncclComm_t = struct ncclComm*;

/// What tests see of the stand-in, and what they ask of it.
struct NcclStandIn
{
    std::atomic<int> destroyed{0}; ///< communicators, after all ranks had finalized theirs
    std::atomic<int> aborted{0};   ///< communicators
    std::atomic<int> misused{0}; ///< communicators destroyed before that: NCCL would wait for ever
    std::atomic<int> alive{0};   ///< communicators
    std::string failing{};       ///< the call that returns ncclInvalidUsage; set without threads
};
inline NcclStandIn nccl_stand_in;

const char* ncclGetErrorString(ncclResult_t result);
/// Takes the identity from NCCL_COMM_ID, which must be set.
ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRankConfig(
    ncclComm_t* comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t* config);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* result);
ncclResult_t ncclCommFinalize(ncclComm_t comm);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
ncclResult_t ncclSend(
    const void* data, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm, hipStream_t);
ncclResult_t
ncclRecv(void* data, std::size_t count, ncclDataType_t, int peer, ncclComm_t comm, hipStream_t);
ncclResult_t ncclBroadcast(const void* from,
                           void* to,
                           std::size_t count,
                           ncclDataType_t,
                           int root,
                           ncclComm_t comm,
                           hipStream_t);
/// Waits until all ranks are there; sums nothing: it is asked for one number that nobody reads.
ncclResult_t ncclAllReduce(const void* from,
                           void* to,
                           std::size_t count,
                           ncclDataType_t,
                           ncclRedOp_t,
                           ncclComm_t comm,
                           hipStream_t);
