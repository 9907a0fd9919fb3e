// ckProfiler: the instances of the library on given problems.
#include "program.hpp"
#include <iostream>

int main(int argc, char* argv[])
{
    return ck::profiler::run_program(argc, argv, std::cout, std::cerr);
}
