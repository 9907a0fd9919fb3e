#pragma once
// How ranks come to be: threads of this process, or processes that a launcher (mpirun, srun,
// torchrun) has started.
#include "ck/distributed/communicator.hpp"

#include <functional>
#include <memory>
#include <string>

namespace ck::distributed {

/// What a launcher says of this process in its environment.
struct Place
{
    int rank       = 0;        ///< RANK, OMPI_COMM_WORLD_RANK, PMI_RANK or SLURM_PROCID
    int size       = 1;        ///< WORLD_SIZE, OMPI_COMM_WORLD_SIZE, PMI_SIZE or SLURM_NTASKS
    int local_rank = 0;        ///< among those of this machine: LOCAL_RANK and so on; 0: unknown
    std::string address{};     ///< MASTER_ADDR: where rank 0 is; empty: not said
    int port             = 0;  ///< MASTER_PORT; 0: not said
    std::string launcher = ""; ///< "mpirun", "torchrun" or "srun"; empty: none, this is all
};

/// Reads the variables. Throws std::invalid_argument where one of a pair is missing or no number in
/// its range.
Place place_from_environment();

/// Whether ranks have GPUs; else the CPU stands in for them.
bool on_gpus();
/// Whether the library was built with the transport.
bool has_mpi();
/// Likewise; with NCCL on NVIDIA GPUs, with RCCL on AMD's.
bool has_nccl();

/// All processes that were started with this one, for the CPU's memory. Starts MPI if nobody has,
/// and ends it then. Throws std::invalid_argument where the library was built without MPI, or for
/// GPUs.
std::unique_ptr<Communicator> mpi_communicator(const Limits& limits = {});

/// All processes that were started with this one, a GPU each: device `local_rank`, counted modulo
/// the devices, becomes the current one. They find each other through MPI if mpirun or srun started
/// them and the library has it, else at address:port. Throws std::invalid_argument where the
/// library was built without it.
std::unique_ptr<Communicator> nccl_communicator(const Place& place, const Limits& limits = {});

/// Runs this process' rank where a launcher started several, over NCCL or RCCL on GPUs and MPI on
/// CPUs (`ranks` is 1 or as many then); else `ranks` threads with run_in_process(). Returns the
/// program's exit status: 0, or 1 after a message on standard error, with all other ranks ended; a
/// rank may throw anything.
int run(int ranks, const std::function<void(Communicator&)>& rank, const Limits& limits = {});

} // namespace ck::distributed
