#include "convolution/lattice/patches.hpp"

#include "convolution/backward_data/instance.hpp"

namespace ck::test {
namespace {

TEST(Patches, AreLinesOfManyChannels)
{
    check_patches(InstanceOf<half_t, patch_tuning>("patches"));
}

} // namespace
} // namespace ck::test
