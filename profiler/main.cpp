// ckProfiler: runs the library's instances on given problems.
#include "ck/library/utility/output.hpp"

#include "program.hpp"

int main(int argc, char* argv[])
{
    return ck::utils::checked_output(ck::profiler::run_program(argc, argv, std::cout, std::cerr));
}
