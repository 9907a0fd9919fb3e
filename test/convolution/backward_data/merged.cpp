// Small groups computed as one.
//
// Labels: not sanitized, not emulated
#include "convolution/lattice/merged.hpp"

#include "convolution/backward_data/instance.hpp"

namespace ck::test {

TEST(MergedGroups, AreRightOrRefused)
{
    check_merged_groups(InstanceOf<half_t, merged_tuning(0)>("automatic"),
                        InstanceOf<half_t, merged_tuning(8)>("8 groups"));
}

} // namespace ck::test
