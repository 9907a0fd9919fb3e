// What a stream offers.
#include "ck/host_utility/stream_utility.hpp"

#include <gtest/gtest.h>

namespace {

TEST(StreamUtility, ComputeUnitsAreTheDevices)
{
    EXPECT_GE(getAvailableComputeUnitCount(StreamConfig{}), 1);
    const ck::AssumedComputeUnits assumed(7);
    EXPECT_EQ(getAvailableComputeUnitCount(StreamConfig{nullptr, true}), 7);
}

} // namespace
