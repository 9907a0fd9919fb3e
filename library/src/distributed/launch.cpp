// Finds the ranks from the environment.
#include "ck/distributed/launch.hpp"

#include "ck/host_utility/runtime/platform.hpp"

#include "distributed/thrown.hpp"
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

namespace ck::distributed {

namespace {

/// The variables of one launcher.
struct Variables
{
    const char* launcher;
    const char* rank;
    const char* size;
    const char* local_rank;
};
// torchrun comes first: under srun it starts its own processes.
constexpr Variables launchers[]{
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK"},
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}};

/// The variable's value. Throws std::invalid_argument unless it is a number from `least` to `most`.
int number(const char* variable, int least, int most)
{
    const char* const text = std::getenv(variable);
    int value              = 0;
    if(text == nullptr)
        throw std::invalid_argument(std::string(variable) +
                                    " is not set, but others of its kind are");
    const char* const last  = text + std::strlen(text);
    const auto [end, error] = std::from_chars(text, last, value);
    if(error != std::errc{} || end != last || value < least || value > most)
        throw std::invalid_argument(std::string(variable) + " is '" + text +
                                    "', but must be a number from " + std::to_string(least) +
                                    " to " + std::to_string(most));
    return value;
}

} // namespace

Place place_from_environment()
{
    constexpr int most = 1 << 20;
    Place place;
    for(const Variables& v : launchers)
    {
        if(std::getenv(v.rank) == nullptr && std::getenv(v.size) == nullptr)
            continue;
        // A batch script, or an interactive shell of Slurm, is not a rank.
        if(std::strcmp(v.launcher, "srun") == 0 && std::getenv("SLURM_STEP_ID") == nullptr)
            continue;
        place.launcher = v.launcher;
        place.size     = number(v.size, 1, most);
        place.rank     = number(v.rank, 0, place.size - 1);
        if(std::getenv(v.local_rank) != nullptr)
            place.local_rank = number(v.local_rank, 0, most);
        break;
    }
    if(const char* const address = std::getenv("MASTER_ADDR"))
        place.address = address;
    if(std::getenv("MASTER_PORT") != nullptr)
        place.port = number("MASTER_PORT", 1, 65535);
    return place;
}

// Not arch::emulated, which depends on the language of this source: it is C++ on AMD.
bool on_gpus()
{
#if defined(CK_RUNTIME_HOST)
    return false;
#else
    return true;
#endif
}

int run(int ranks, const std::function<void(Communicator&)>& rank, const Limits& limits)
{
    std::string who;
    try
    {
        const Place place = place_from_environment();
        if(place.size == 1)
        {
            run_in_process(ranks, rank, limits);
            return 0;
        }
        if(ranks != 1 && ranks != place.size)
            throw std::invalid_argument(std::to_string(ranks) + " ranks are asked for, but " +
                                        place.launcher + " has started " +
                                        std::to_string(place.size));
        who = "rank " + std::to_string(place.rank) + ": ";
        if(!on_gpus() && place.launcher == "torchrun")
            throw std::invalid_argument(
                "RANK and WORLD_SIZE are those of processes with GPUs, but this program was built "
                "for CPUs: start it with mpirun");
        const auto communicator =
            on_gpus() ? nccl_communicator(place, limits) : mpi_communicator(limits);
        try
        {
            rank(*communicator);
            communicator->barrier();
            return 0;
        }
        catch(...)
        {
            std::fprintf(stderr, "%s%s\n", who.c_str(), what_is_thrown().c_str());
            std::fflush(stderr);
            communicator->abandon();
        }
    }
    catch(...)
    {
        std::fprintf(stderr, "%s%s\n", who.c_str(), what_is_thrown().c_str());
    }
    return 1;
}

} // namespace ck::distributed
