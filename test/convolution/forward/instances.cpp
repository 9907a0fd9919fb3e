// All kernels of forward under test.
#include "convolution/forward/instance.hpp"

namespace ck::test {

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
