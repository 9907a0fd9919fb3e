// The entry of libFuzzer: kernels of one operating system thread, and how often each operation ran.
#include "fuzz/operation.hpp"
#include <cstdio>
#include <cstdlib>

namespace {

const ck::fuzz::Operations& operations()
{
    static const ck::fuzz::Operations all = ck::fuzz::make_operations();
    return all;
}

void print_counts()
{
    for(const auto& op : operations())
        if(op->supported > 0)
            std::fprintf(stderr,
                         "%-28s %zuD supported %8ld calls, ran %8ld\n",
                         op->traits.engine.c_str(),
                         op->traits.rank,
                         op->supported,
                         op->ran);
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    setenv("CK_HOST_THREADS", "1", 0);
    operations();
    std::atexit(print_counts);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    ck::fuzz::check(operations(), ck::fuzz::decode(ck::fuzz::direction, data, size));
    return 0;
}
