// Which vectors of pixels, and of which channels, the lanes of an instruction load and store.
//
// Labels: compiled alone
#include "ck/tensor_operation/gpu/warp/channels_first_lanes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

namespace ck::warp {
namespace {

template <arch::Matrix id>
void check()
{
    using Lanes             = ChannelsFirstLanes<id>;
    constexpr index_t lanes = arch::describe(id).lanes;
    std::set<std::pair<index_t, index_t>> in, out, filters; // (place or row, channel)
    for(index_t lane = 0; lane < lanes; ++lane)
    {
        for(index_t v = 0; v < Lanes::Pixels::length; ++v)
            in.emplace(Lanes::in_place(lane), Lanes::in_channel(lane) + Lanes::channel_after(v));
        for(index_t v = 0; v < Lanes::Sums::length; ++v)
            out.emplace(Lanes::out_place(lane, v), Lanes::out_channel(lane, v));
        for(index_t v = 0; v < Lanes::Filters::length; ++v)
            filters.emplace(Lanes::filter_row(lane, v), Lanes::filter_channel(lane, v));
    }
    const auto all = [](index_t n, index_t m) { return static_cast<std::size_t>(n * m); };
    EXPECT_EQ(in.size(), all(Lanes::columns, Lanes::channels));
    EXPECT_EQ(*in.rbegin(), std::pair(Lanes::columns - 1, Lanes::channels - 1));
    EXPECT_EQ(out.size(), all(Lanes::columns, Lanes::rows));
    EXPECT_EQ(*out.rbegin(), std::pair(Lanes::columns - 1, Lanes::rows - 1));
    EXPECT_EQ(filters.size(), all(Lanes::rows, Lanes::channels));

    // What is stored at a time of a channel lies side by side.
    for(index_t v = 0; v < Lanes::Sums::length; ++v)
    {
        std::map<index_t, std::set<index_t>> places;
        for(index_t lane = 0; lane < lanes; ++lane)
            places[Lanes::out_channel(lane, v)].insert(Lanes::out_place(lane, v));
        for(const auto& [channel, of_channel] : places)
        {
            EXPECT_GE(of_channel.size(), 4u) << channel;
            EXPECT_EQ(static_cast<std::size_t>(*of_channel.rbegin() - *of_channel.begin()) + 1,
                      of_channel.size())
                << channel;
        }
    }
}

TEST(ChannelsFirstLanes, LoadAndStoreEachVectorOnce)
{
    check<arch::Matrix::mma_f32_16x8x16_f16>();
    check<arch::Matrix::mfma_f32_16x16x16_f16>();
    check<arch::Matrix::mfma_f32_16x16x32_f16>();
    check<arch::Matrix::wmma_gfx12_f32_16x16x16_f16>();
}

} // namespace
} // namespace ck::warp
