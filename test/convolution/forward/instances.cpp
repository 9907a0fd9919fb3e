// All kernels of forward under test.
#include "convolution/lattice/instance_of.hpp"

namespace ck::test {

// Each in the file of its engine.
void add_xdl(Instances&);
void add_wmma(Instances&);
void add_mma(Instances&);
void add_dl(Instances&);

const Instances& all_instances()
{
    static const Instances all = [] {
        Instances list;
        add_xdl(list);
        add_wmma(list);
        add_mma(list);
        add_dl(list);
        return list;
    }();
    return all;
}

} // namespace ck::test
