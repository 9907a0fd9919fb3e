// Which phase a tile belongs to.
#include "ck/tensor_operation/operator_transform/rotated_phase.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ck {
namespace {

TEST(RotatedPhase, APlaceHasEveryPhaseOnce)
{
    for(const index_t count : {1, 2, 3, 4, 8})
        for(index_t place = 0; place < 40; ++place)
        {
            std::set<index_t> met;
            for(index_t number = 0; number < count; ++number)
                met.insert(rotated_phase(number, place, make_divisor(count)));
            EXPECT_EQ(met.size(), static_cast<std::size_t>(count)) << place;
            EXPECT_EQ(*met.begin(), 0);
            EXPECT_EQ(*met.rbegin(), count - 1);
        }
}

/// The tiles of a workgroup are as far apart as there are workgroups, 132 on an H200.
TEST(RotatedPhase, AWorkgroupMeetsEveryPhase)
{
    for(const index_t count : {2, 4, 8})
        for(const index_t apart : {count, 3 * count, 132})
        {
            std::set<index_t> met;
            for(index_t i = 0; i < 2 * count * count; ++i)
            {
                const index_t tile = i * apart;
                met.insert(rotated_phase(tile % count, tile / count, make_divisor(count)));
            }
            EXPECT_EQ(met.size(), static_cast<std::size_t>(count)) << apart;
        }
}

} // namespace
} // namespace ck
