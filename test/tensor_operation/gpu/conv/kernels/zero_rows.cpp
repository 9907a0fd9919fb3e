// Zeros in rows of dX that no tap reaches: every row, and when they are stored.
#include "ck/tensor_operation/gpu/conv/kernels/tensor_map/zero_rows.hpp"

#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck::grid {
namespace {

constexpr index_t most_looks = 64; ///< of a warp

/// Rows of the phases of a tensor, phase by phase. Stands in for BackwardData.
struct Phases
{
    struct Place
    {
        index_t offset;
    };
    struct Rows
    {
        index_t rows, length, first;

        template <index_t>
        CK_DEVICE index_t extent() const
        {
            return rows;
        }
        template <index_t>
        CK_DEVICE Place part(index_t row) const
        {
            return {(first + row) * length};
        }
    };
    struct Phase
    {
        Rows c;
    };

    index_t rows, length; ///< rows of a phase for each image

    CK_DEVICE Phase make_phase(index_t phase, index_t images) const
    {
        return {{images * rows, length, phase * images * rows}};
    }
};

/// Notes which progress a warp waits for, and finds that it has been made.
struct Looks
{
    index_t* at; ///< the number of looks, and the progress at each
    index_t so_far;

    CK_DEVICE index_t wait(index_t steps)
    {
        so_far        = math::max(so_far, steps);
        at[1 + at[0]] = steps;
        at[0] += 1;
        return so_far;
    }
};

struct StoreZeros
{
    static constexpr index_t warps = 2, lanes = 32, vector = 4, lead = 3;
    static constexpr index_t block_size            = warps * lanes;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct Params
    {
        ZeroRows<4> zeros;
        Phases phases;
        float* c;
        index_t* looks; // [block][warp][1 + most_looks]
        index_t blocks, images;
    };
    struct SharedStorage
    {
        ZeroRows<4>::Shared rows[warps];
    };

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t thread = arch::thread_index(), warp = thread / lanes;
        Looks looks{p.looks + (arch::block_index() * warps + warp) * (1 + most_looks), 0};
        p.zeros.store<vector>(p.c,
                              p.phases,
                              p.images,
                              shared.rows[warp],
                              {p.blocks, warps, warp, thread % lanes},
                              looks,
                              lead);
    }
};

/// Stores zeros to phases 1 and 3 of 4. Expects that rows of no other phase change, and returns the
/// progress that each warp waits for.
std::vector<std::vector<index_t>>
waits(index_t blocks, index_t images, index_t rows, index_t length, index_t slices)
{
    StoreZeros::Params p{};
    p.zeros.phases         = 2;
    p.zeros.phase_index[0] = 1;
    p.zeros.phase_index[1] = 3;
    p.zeros.batches        = make_divisor(math::integer_divide_ceil(images * rows, 32));
    p.zeros.row_vectors    = make_divisor(length / StoreZeros::vector);
    p.zeros.block_slices   = slices;
    p.phases               = {rows, length};
    p.blocks               = blocks;
    p.images               = images;
    const auto of_phase    = static_cast<std::size_t>(images * rows * length);
    std::vector<float> c(4 * of_phase, 1.f);
    std::vector<index_t> looks(
        static_cast<std::size_t>(blocks * StoreZeros::warps * (1 + most_looks)));
    const DeviceMem c_memory(sizeof(float) * c.size()),
        looks_memory(sizeof(index_t) * looks.size());
    c_memory.ToDevice(c.data());
    looks_memory.ToDevice(looks.data());
    p.c     = static_cast<float*>(c_memory.GetDeviceBuffer());
    p.looks = static_cast<index_t*>(looks_memory.GetDeviceBuffer());
    HIP_CHECK_ERROR(arch::launch<StoreZeros>(blocks, nullptr, p));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    c_memory.FromDevice(c.data());
    looks_memory.FromDevice(looks.data());
    std::size_t wrong = 0;
    for(std::size_t i = 0; i < c.size(); ++i)
        wrong += c[i] != (i / of_phase % 2 == 0 ? 1.f : 0.f);
    EXPECT_EQ(wrong, 0u);
    std::vector<std::vector<index_t>> all;
    for(auto at = looks.begin(); at != looks.end(); at += 1 + most_looks)
    {
        EXPECT_LE(*at, most_looks);
        all.emplace_back(at + 1, at + 1 + *at);
    }
    return all;
}

using Waits = std::vector<index_t>;

TEST(ZeroRows, AreSpreadOverTheSlices)
{
    // Each of 4 warps has one batch, of 20 vectors a row: 3 times 8 stores at once.
    for(const Waits& warp : waits(2, 2, 32, 80, 30))
        EXPECT_EQ(warp, (Waits{3, 13, 23}));
    // 2 warps with 2 batches each.
    for(const Waits& warp : waits(1, 2, 32, 80, 60))
        EXPECT_EQ(warp, (Waits{3, 13, 23, 33, 43, 53}));
    // Several groups of stores for a slice: looks are at slices alone.
    for(const Waits& warp : waits(1, 2, 32, 80, 2))
        EXPECT_EQ(warp, (Waits{3, 4}));
}

TEST(ZeroRows, OfSomeWarpsAlone)
{
    // 2 phases of 1 batch, the second half empty, for 6 warps.
    const auto all = waits(3, 1, 17, 8, 5);
    for(std::size_t warp = 0; warp < all.size(); ++warp)
        EXPECT_EQ(all[warp], warp < 2 ? Waits{3} : Waits{}) << warp;
}

} // namespace
} // namespace ck::grid
