// A square of lines in swizzled LDS is transposed in place; doing it twice gives it back.
#include "ck/tensor_operation/gpu/warp/transpose_lines.hpp"

#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/block/lds_layout.hpp"
#include "ck/tensor_operation/gpu/warp/banks.hpp"

#include <gtest/gtest.h>

#include <array>

namespace ck::warp {
namespace {

constexpr index_t size = SquareOfLines::size;

struct TransposeSquare
{
    static constexpr index_t block_size            = 32;
    static constexpr index_t min_blocks_per_unit   = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    struct Params
    {
        const float* in;
        float* out;
        index_t times;
    };
    struct SharedStorage
    {
        alignas(1024) float square[size * size];
    };

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        constexpr block::LdsLayout layout{size, size / 4, 4, 1, 0, 0, false, true};
        const index_t lane = arch::thread_index();
        for(index_t line = 0; line < size; ++line)
            shared.square[layout.element(line, lane)] = p.in[line * size + lane];
        arch::wave_sync<32>();
        for(index_t i = 0; i < p.times; ++i)
        {
            SquareOfLines::transpose(shared.square, lane);
            arch::wave_sync<32>();
        }
        for(index_t line = 0; line < size; ++line)
            p.out[line * size + lane] = shared.square[layout.element(line, lane)];
    }
};

using Square = std::array<std::array<float, size>, size>;

Square transposed(const Square& in, index_t times)
{
    const DeviceMem from(sizeof in), to(sizeof in);
    from.ToDevice(in.data());
    HIP_CHECK_ERROR(
        arch::launch<TransposeSquare>(1,
                                      nullptr,
                                      {static_cast<const float*>(from.GetDeviceBuffer()),
                                       static_cast<float*>(to.GetDeviceBuffer()),
                                       times}));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    Square out;
    to.FromDevice(out.data());
    return out;
}

TEST(SquareOfLines, IsTransposedInPlace)
{
    Square in, expected;
    for(std::size_t i = 0; i < size; ++i)
        for(std::size_t j = 0; j < size; ++j)
            in[i][j] = expected[j][i] = static_cast<float>(i * size + j);
    EXPECT_EQ(transposed(in, 1), expected);
    EXPECT_EQ(transposed(in, 2), in);
}

/// Of each instruction eight lanes access LDS at a time: their packs are in different banks.
TEST(SquareOfLines, LanesAccessDifferentBanks)
{
    for(const bool written : {false, true})
        for(index_t i = 0; i < 2; ++i)
            for(index_t line = 0; line < SquareOfLines::pack; ++line)
            {
                const auto start = [&](index_t lane) {
                    return 16 * (written ? SquareOfLines::written_position(lane, i, line)
                                         : SquareOfLines::read_position(lane, i, line));
                };
                EXPECT_EQ(bank_passes(32, 16, start), 4);
            }
}

} // namespace
} // namespace ck::warp
