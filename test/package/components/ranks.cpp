// Uses every transport of ranks: what they need is linked, although this client does not name it.
#include "ck/distributed/launch.hpp"

#include <exception>
#include <iostream>

using namespace ck::distributed;

int main(int argc, char**)
{
    std::cout << "MPI " << (has_mpi() ? "yes" : "no") << ", NCCL " << (has_nccl() ? "yes" : "no")
              << '\n';
    if(argc > 1)
        return run(1, [](Communicator& c) { c.barrier(); });
    try
    {
        nccl_communicator(Place{}, Limits{});
    }
    catch(const std::exception& e) // on the CPU, or without a GPU
    {
        std::cout << e.what() << '\n';
    }
    return 0;
}
