#pragma once
// Starts ranks: as threads of this process, or as processes that a launcher (mpirun, srun,
// torchrun) has started.
#include "ck/distributed/communicator.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ck::distributed {

/// What a launcher's environment variables say about this process.
struct Place
{
    int rank       = 0;        ///< RANK, OMPI_COMM_WORLD_RANK, PMI_RANK or SLURM_PROCID
    int size       = 1;        ///< WORLD_SIZE, OMPI_COMM_WORLD_SIZE, PMI_SIZE or SLURM_NTASKS
    int local_rank = 0;        ///< rank on this machine: LOCAL_RANK and so on; 0 if unknown
    std::string address{};     ///< MASTER_ADDR: where rank 0 is; empty if not set
    int port             = 0;  ///< MASTER_PORT; 0 if not set
    std::string launcher = ""; ///< "mpirun", "torchrun" or "srun"; empty: this is the only process
};

/// Reads the variables. Throws std::invalid_argument if one of a pair is missing, or if a value is
/// not a number in its range.
Place place_from_environment();

/// Whether ranks have GPUs; otherwise the CPU stands in for them.
bool on_gpus();
/// Whether the library was built with MPI.
bool has_mpi();
/// Whether the library was built with NCCL (NVIDIA GPUs) or RCCL (AMD GPUs).
bool has_nccl();

/// Connects all processes that were started together, for memory of the CPU. Initializes MPI unless
/// the program has, and then also finalizes it. Throws std::invalid_argument if the library was
/// built without MPI, or for GPUs.
std::unique_ptr<Communicator> mpi_communicator(const Limits& limits = {});

/// Connects all processes that were started together, each with one GPU: device `local_rank` modulo
/// the number of devices becomes the current one. They find each other through MPI if mpirun or
/// srun started them and the library has MPI, otherwise at address:port. Throws
/// std::invalid_argument if the library was built without NCCL.
std::unique_ptr<Communicator> nccl_communicator(const Place& place, const Limits& limits = {});

/// If a launcher started several processes, runs this process's rank, over NCCL or RCCL on GPUs and
/// MPI on CPUs; `ranks` must then be 1 or their number. Otherwise runs `ranks` threads with
/// run_in_process(). A rank may throw anything. Returns the program's exit status: 0, or 1 after a
/// message on standard error, with all other ranks ended.
int run(int ranks, const std::function<void(Communicator&)>& rank, const Limits& limits = {});

} // namespace ck::distributed
