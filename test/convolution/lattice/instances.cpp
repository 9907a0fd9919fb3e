// All kernels under test of the program's direction.
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

const Instances& all_instances()
{
    static const Instances all = [] {
        Instances list;
        for(const auto add : {add_xdl, add_wmma, add_mma, add_dl})
            add(list);
        return list;
    }();
    return all;
}

} // namespace ck::test
