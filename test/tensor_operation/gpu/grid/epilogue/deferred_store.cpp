// Two consecutive tiles: some passes of the first wait while the accumulators of the second are
// computed.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/grid/epilogue/deferred_store.hpp"

#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/warp/wave_gemm.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck::grid {
namespace {

/// C has 32 rows of 128 columns, of which the last 24 are not stored; row 5 of each tile of 16 is
/// none of C's. Elements are (31 row + column) % 2048.
template <index_t deferred>
struct DeferTwoTiles
{
    using Wave = warp::WaveGemm<arch::Matrix::mma_f32_16x8x16_f16, 1, 16>;
    using Store =
        StoreTile<Wave, half_t, tensor_operation::element_wise::PassThrough, 8, half_t, 2560>;
    static_assert(Store::passes == 2);

    static constexpr index_t rows = 16, columns = 128, tiles = 2, column_end = 104;
    static constexpr index_t block_size = 32, min_blocks_per_cu = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none; // nothing multiplies
    struct Params
    {
        half_t* c;
        index_t passes_between; ///< stored before the others are
    };
    struct SharedStorage
    {
        typename Store::Shared store;
        arch::offset_t row_offset[rows];
    };

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t lane = arch::thread_index();
        DeferredStore<Store, deferred> tile;
        for(index_t number = 0; number < tiles; ++number)
        {
            Wave wave;
            unrolled<0, Wave::n_tiles>([&](auto j) {
                unrolled<0, Wave::instruction.c_values>([&](auto v) {
                    const auto at = Wave::coordinate(lane, v);
                    wave.c[0][j][v] =
                        static_cast<float>(((number * rows + at.m) * 31 + j * 8 + at.n) % 2048);
                });
            });
            for(index_t i = 0; i < p.passes_between; ++i)
                tile.store_pass(shared.store, shared.row_offset, lane);
            tile.store_rest(shared.store, shared.row_offset, lane);
            arch::wave_sync<32>();
            if(lane < rows)
                shared.row_offset[lane] =
                    lane == 5 ? arch::nowhere
                              : static_cast<arch::offset_t>((number * rows + lane) * columns * 2);
            arch::wave_sync<32>();
            tile.defer(wave, shared.store, shared.row_offset, p.c, 0, column_end, lane);
        }
        tile.store_rest(shared.store, shared.row_offset, lane);
    }
};

template <index_t deferred>
void check(index_t passes_between)
{
    using Kernel = DeferTwoTiles<deferred>;
    SCOPED_TRACE(testing::Message() << deferred << " held, " << passes_between << " between");
    std::vector<half_t> c(Kernel::tiles * Kernel::rows * Kernel::columns,
                          type_convert<half_t>(-1.f));
    const DeviceMem memory(c.size() * sizeof(half_t));
    memory.ToDevice(c.data());
    HIP_CHECK_ERROR(arch::launch<Kernel>(
        1, nullptr, {static_cast<half_t*>(memory.GetDeviceBuffer()), passes_between}));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    memory.FromDevice(c.data());
    index_t wrong = 0;
    for(index_t row = 0; row < Kernel::tiles * Kernel::rows; ++row)
        for(index_t column = 0; column < Kernel::columns; ++column)
        {
            const bool stored   = row % Kernel::rows != 5 && column < Kernel::column_end;
            const auto expected = stored ? static_cast<float>((row * 31 + column) % 2048) : -1.f;
            wrong += type_convert<float>(
                         c[static_cast<std::size_t>(row * Kernel::columns + column)]) != expected;
        }
    EXPECT_EQ(wrong, 0);
}

TEST(DeferredStore, IsStoredBeforeTheNextIsHeld)
{
    for(index_t passes_between = 0; passes_between < 4; ++passes_between)
    {
        check<1>(passes_between);
        check<2>(passes_between);
    }
}

} // namespace
} // namespace ck::grid
