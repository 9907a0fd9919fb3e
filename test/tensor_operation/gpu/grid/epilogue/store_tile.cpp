// Accumulators to global memory: every instruction's lanes, vectors of several widths, rows that do
// not exist, columns that end inside of the tile.
//
// Labels: not sanitized
#include "ck/tensor_operation/gpu/grid/epilogue/store_tile.hpp"

#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/warp/wave_gemm.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include <cmath>
#include <vector>

namespace ck::grid {
namespace {

using arch::Matrix;
using tensor_operation::element_wise::PassThrough;
using tensor_operation::element_wise::Scale;

/// Two waves, side by side along the columns. Row r of the tile goes to row r + r / 7 of C, except
/// that rows with r % 5 == 4 go nowhere. Accumulators hold row * 256 + column.
template <Matrix id, class Out, class Operation, index_t vector, bool narrow, index_t room>
struct StoreTwoTiles
{
    using Wave  = warp::WaveGemm<id, 2, 64 / warp::WaveGemm<id, 1, 1>::tile_n>;
    using Store = StoreTile<Wave,
                            Out,
                            Operation,
                            vector,
                            std::conditional_t<narrow, Out, typename Wave::Accumulator>,
                            room>;

    static constexpr index_t waves   = 2;
    static constexpr index_t rows    = 2 * Wave::tile_m;
    static constexpr index_t columns = Wave::n_tiles * Wave::tile_n; // columns of a wave

    static constexpr index_t block_size            = waves * Wave::instruction.lanes;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = Wave::instruction.requirement;
    struct Params
    {
        Out* c;
        index_t column_end, row_stride; // elements
        Operation operation;
    };
    struct SharedStorage
    {
        typename Store::Shared store[waves];
        arch::offset_t row_offset[rows];
    };
    CK_HOST_DEVICE static constexpr bool exists(index_t row) { return row % 5 != 4; }
    CK_HOST_DEVICE static constexpr index_t place(index_t row) { return row + row / 7; }

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t t = arch::thread_index(), lane = t % Wave::instruction.lanes;
        const index_t wave_index = t / Wave::instruction.lanes;
        for(index_t r = t; r < rows; r += block_size)
            shared.row_offset[r] =
                exists(r) ? static_cast<arch::offset_t>(place(r) * p.row_stride *
                                                        static_cast<index_t>(sizeof(Out)))
                          : arch::nowhere;
        Wave wave;
        unrolled<0, Wave::m_tiles>([&](auto i) {
            unrolled<0, Wave::n_tiles>([&](auto j) {
                unrolled<0, Wave::instruction.c_values>([&](auto v) {
                    const auto at        = Wave::coordinate(lane, v);
                    const index_t row    = i * Wave::tile_m + at.m,
                                  column = wave_index * columns + j * Wave::tile_n + at.n;
                    wave.c[i][j][v] = static_cast<typename Wave::Accumulator>(row * 256 + column);
                });
            });
        });
        arch::block_sync();
        Store::run(wave,
                   shared.store[wave_index],
                   shared.row_offset,
                   arch::GlobalView<Out>(p.c),
                   p.operation,
                   wave_index * columns,
                   p.column_end,
                   1,
                   lane);
    }
};

/// narrow: LDS holds what is stored, not the accumulators. room: see StoreTile.
template <Matrix id,
          class Out,
          class Operation,
          index_t vector,
          bool narrow  = false,
          index_t room = 1 << 16>
bool check(Operation operation, float factor)
{
    using Kernel = StoreTwoTiles<id, Out, Operation, vector, narrow, room>;
    if(!test::device_has(Kernel::requirement))
        return false;
    constexpr index_t width = Kernel::waves * Kernel::columns;
    constexpr index_t lines = Kernel::place(Kernel::rows - 1) + 1;
    for(const index_t column_end : {width, width - vector, width / 2 + vector, vector})
    {
        SCOPED_TRACE(testing::Message() << Kernel::Wave::instruction.name << " vector " << vector
                                        << " columns " << column_end << " of " << width);
        constexpr index_t row_stride = width + 16;
        std::vector<Out> c(lines * row_stride, type_convert<Out>(-1.f));
        Out* device = nullptr;
        HIP_CHECK_ERROR(hipMalloc(&device, c.size() * sizeof(Out)));
        HIP_CHECK_ERROR(hipMemcpy(device, c.data(), c.size() * sizeof(Out), hipMemcpyHostToDevice));
        HIP_CHECK_ERROR(
            arch::launch<Kernel>(1, nullptr, {device, column_end, row_stride, operation}));
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        HIP_CHECK_ERROR(hipMemcpy(c.data(), device, c.size() * sizeof(Out), hipMemcpyDeviceToHost));
        static_cast<void>(hipFree(device));

        std::vector<float> expected(c.size(), -1.f);
        for(index_t row = 0; row < Kernel::rows; ++row)
            for(index_t column = 0; Kernel::exists(row) && column < column_end; ++column)
                expected[Kernel::place(row) * row_stride + column] = type_convert<float>(
                    type_convert<Out>(factor * static_cast<float>(row * 256 + column)));
        index_t wrong = 0;
        for(std::size_t i = 0; i < c.size(); ++i)
            if(!(type_convert<float>(c[i]) == expected[i]) && ++wrong <= 3)
                ADD_FAILURE() << "C[" << i / row_stride << ", " << i % row_stride << "] is "
                              << type_convert<float>(c[i]) << ", not " << expected[i];
        EXPECT_EQ(wrong, 0);
    }
    return true;
}

/// Sums of integers.
template <Matrix id>
bool check_integers()
{
    const bool ran = check<id, std::int32_t, PassThrough, 4>({}, 1);
    check<id, std::int8_t, Scale, 16>(Scale{0x1p-9f}, 0x1p-9f);
    check<id, std::int8_t, PassThrough, 8>({}, 1);
    return ran;
}

template <Matrix id>
bool check_widths()
{
    const bool ran = check<id, half_t, PassThrough, 8>({}, 1);
    check<id, bhalf_t, Scale, 2>(Scale{0.5f}, 0.5f);
    return ran;
}

TEST(StoreTile, NarrowTilesPassThroughLdsAsTheyAreStored)
{
    EXPECT_TRUE((check<Matrix::dot_f32_8x4x1_f32, bhalf_t, PassThrough, 8, true>({}, 1)));
    const bool ran = check<Matrix::mma_f32_16x8x16_f16, half_t, PassThrough, 8, true>({}, 1);
    EXPECT_TRUE(ran || !arch::emulated);
}

template <Matrix id, index_t vector, index_t room>
bool check_room(index_t tiles)
{
    EXPECT_EQ((StoreTwoTiles<id, half_t, PassThrough, vector, false, room>::Store::tiles), tiles);
    return check<id, half_t, PassThrough, vector, false, room>({}, 1);
}

TEST(StoreTile, StagesNoMoreTilesThanThereIsRoomFor)
{
    const bool engines[] = {
        check_room<Matrix::mfma_f32_32x32x8_f16, 8, 5000>(1),
        check_room<Matrix::mfma_f32_16x16x16_f16, 4, 3000>(2),
        check_room<Matrix::mfma_f32_16x16x16_f16, 8, 1>(2), // 64 lanes cannot share one
        check_room<Matrix::mfma_f32_16x16x16_f16, 4, 1>(1),
        check_room<Matrix::wmma_gfx11_f32_16x16x16_f16, 8, 1>(1)};
    for(const bool ran : engines)
        EXPECT_TRUE(ran || !arch::emulated);
}

template <Matrix id, class Out, index_t vector, index_t room>
bool check_parts(index_t parts)
{
    EXPECT_EQ((StoreTwoTiles<id, Out, PassThrough, vector, false, room>::Store::parts), parts);
    return check<id, Out, PassThrough, vector, false, room>({}, 1);
}

TEST(StoreTile, StagesHalfATileWhereThereIsNoRoomForOne)
{
    const bool engines[] = {
        check_parts<Matrix::mfma_f32_32x32x8_f16, float, 4, 3000>(2),
        check_parts<Matrix::mfma_f32_32x32x8_f16, float, 4, 5000>(1),
        check_parts<Matrix::mfma_i32_32x32x8_i8, std::int32_t, 4, 1>(2),
        check_parts<Matrix::mfma_f32_32x32x8_f16, half_t, 8, 1>(1), // rows of 32 bytes
        check_parts<Matrix::mfma_f32_16x16x16_f16, float, 4, 1>(1)};
    for(const bool ran : engines)
        EXPECT_TRUE(ran || !arch::emulated);
}

TEST(StoreTile, StoresWhatExistsWhereItBelongs)
{
    EXPECT_TRUE(check_widths<Matrix::dot_f32_8x4x1_f32>());
    EXPECT_TRUE((check<Matrix::dot_f32_8x4x1_f32, float, PassThrough, 1>({}, 1)));
    EXPECT_TRUE((check<Matrix::dot_f32_8x4x1_f32, float, PassThrough, 4>({}, 1)));
    EXPECT_TRUE(check_integers<Matrix::dot_i32_8x4x4_i8>());
    const bool engines[] = {check_integers<Matrix::mfma_i32_32x32x8_i8>(),
                            check_integers<Matrix::wmma_gfx11_i32_16x16x16_iu8>(),
                            check_integers<Matrix::mma_i32_16x8x32_s8>(),
                            check_widths<Matrix::mfma_f32_32x32x8_f16>(),
                            check_widths<Matrix::mfma_f32_16x16x16_f16>(),
                            check_widths<Matrix::wmma_gfx11_f32_16x16x16_f16>(),
                            check_widths<Matrix::wmma_gfx12_f32_16x16x16_f16>(),
                            check_widths<Matrix::mma_f32_16x8x16_f16>()};
    for(const bool ran : engines)
        EXPECT_TRUE(ran || !arch::emulated);
}

} // namespace
} // namespace ck::grid
