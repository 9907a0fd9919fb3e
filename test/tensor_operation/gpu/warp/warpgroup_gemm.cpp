// Warpgroups multiply slices in swizzled LDS: along the reduction and along the rows, every width,
// two slices in flight, through registers, against a plain product.
#include "ck/tensor_operation/gpu/warp/warpgroup_gemm.hpp"

#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"
#include "ck/host_utility/device_prop.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/block/lds_layout.hpp"
#include "ck/tensor_operation/gpu/warp/banks.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include <cmath>
#include <vector>

namespace ck::warp {
namespace {

using arch::Matrix;

/// c[m, n] of two warpgroups, twice a[m, k] * b[n, k]; swapped: where the waves' rows are n.
template <Matrix id, index_t n_tiles, bool a_rows, bool b_rows, bool swapped = false>
struct MultiplyTwice
{
    using Wave = WarpgroupGemm<id, swapped ? n_tiles : 1, swapped ? 1 : n_tiles, swapped>;
    using A    = typename Wave::First;
    using B    = typename Wave::Second;
    static constexpr index_t m = 128, n = 8 * n_tiles, k = 128;

    static constexpr block::LdsLayout layout(index_t rows, bool along_rows)
    {
        constexpr index_t pack = Wave::pack;
        return along_rows ? block::LdsLayout{k, rows / pack, pack, 1, 0, 0, true, true}
                          : block::LdsLayout{rows, k / pack, pack, 1, 0, 0, false, true};
    }
    static constexpr block::LdsLayout a_layout = layout(m, a_rows), b_layout = layout(n, b_rows);

    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = Wave::instruction.requirement;
    struct Params
    {
        const float *a, *b;
        float* c;
    };
    struct SharedStorage
    {
        alignas(1024) A a[a_layout.size()];
        alignas(1024) B b[b_layout.size()];
    };

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t thread = arch::thread_index(), lane = thread % 32, row = thread / 32 * 16;
        constexpr auto in_a = a_layout, in_b = b_layout;
        for(index_t i = thread; i < m * k; i += block_size)
            shared.a[in_a.element(i / k, i % k)] = type_convert<A>(p.a[i]);
        for(index_t i = thread; i < n * k; i += block_size)
            shared.b[in_b.element(i / k, i % k)] = type_convert<B>(p.b[i]);
        arch::order_before_async_accesses();
        arch::block_sync();
        Wave wave;
        wave.clear();
        using Side           = typename Wave::Side;
        constexpr Side first = swapped ? Side::n : Side::m, second = swapped ? Side::m : Side::n;
        const auto* a    = shared.a + Wave::template lane_offset<a_layout>(first, row, lane);
        const auto* b    = shared.b + Wave::template lane_offset<b_layout>(second, 0, lane);
        const auto start = [&] {
            if constexpr(swapped)
                wave.template start<b_layout, a_layout, k>(b, a);
            else
                wave.template start<a_layout, b_layout, k>(a, b);
        };
        start();
        start();
        wave.template wait_mma<1>();
        wave.template wait_mma<0>();
        unrolled<0, n_tiles>([&](auto j) {
            unrolled<0, Wave::instruction.c_values>([&](auto v) {
                const auto at = Wave::coordinate(lane, v);
                if constexpr(swapped)
                    p.c[(row + at.n) * n + j * Wave::tile_m + at.m] =
                        type_convert<float>(wave.c[j][0][v]);
                else
                    p.c[(row + at.m) * n + j * Wave::tile_n + at.n] =
                        type_convert<float>(wave.c[0][j][v]);
            });
        });
    }
};

template <Matrix id, index_t n_tiles, bool a_rows, bool b_rows, bool swapped = false>
void compare()
{
    using Kernel = MultiplyTwice<id, n_tiles, a_rows, b_rows, swapped>;
    SCOPED_TRACE(testing::Message()
                 << describe(id).name << ' ' << n_tiles << " tiles" << a_rows << b_rows);
    CK_SKIP_KERNEL_WITHOUT(Kernel::requirement);
    std::vector<float> a(Kernel::m * Kernel::k), b(Kernel::n * Kernel::k),
        c(Kernel::m * Kernel::n, NAN);
    for(std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(static_cast<int>(i * 2654435761u >> 7) % 8);
    for(std::size_t i = 0; i < b.size(); ++i)
        b[i] = static_cast<float>(static_cast<int>(i * 2246822519u >> 9) % 6 - 2);
    const DeviceMem da(sizeof(float) * a.size()), db(sizeof(float) * b.size()),
        dc(sizeof(float) * c.size());
    da.ToDevice(a.data()), db.ToDevice(b.data()), dc.ToDevice(c.data());
    HIP_CHECK_ERROR(arch::launch<Kernel>(1,
                                         nullptr,
                                         {static_cast<const float*>(da.GetDeviceBuffer()),
                                          static_cast<const float*>(db.GetDeviceBuffer()),
                                          static_cast<float*>(dc.GetDeviceBuffer())}));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    dc.FromDevice(c.data());
    index_t wrong = 0;
    for(index_t row = 0; row < Kernel::m; ++row)
        for(index_t column = 0; column < Kernel::n; ++column)
        {
            float expected = 0;
            for(index_t k = 0; k < Kernel::k; ++k)
                expected += 2 * a[row * Kernel::k + k] * b[column * Kernel::k + k];
            const float got = c[row * Kernel::n + column];
            if(!(got == expected) && ++wrong <= 3)
                ADD_FAILURE() << "C[" << row << ", " << column << "] is " << got << ", not "
                              << expected;
        }
    EXPECT_EQ(wrong, 0);
}

TEST(WarpgroupGemm, AlongTheReduction)
{
    compare<Matrix::wgmma_f32_16x8x16_f16, 8, false, false>();
}
TEST(WarpgroupGemm, AlongTheRowsOfOne)
{
    compare<Matrix::wgmma_f32_16x8x16_f16, 16, false, true>();
}
TEST(WarpgroupGemm, AlongTheRowsOfBoth)
{
    compare<Matrix::wgmma_f32_16x8x16_bf16, 32, true, true>();
}
TEST(WarpgroupGemm, Bytes) { compare<Matrix::wgmma_i32_16x8x32_s8, 4, false, false>(); }
TEST(WarpgroupGemm, EightBitFloats)
{
    compare<Matrix::wgmma_f32_16x8x32_e4m3_e4m3, 4, false, false>();
    compare<Matrix::wgmma_f32_16x8x32_e4m3_e5m2, 4, false, false>();
    compare<Matrix::wgmma_f32_16x8x32_e5m2_e4m3, 4, false, false>();
    compare<Matrix::wgmma_f32_16x8x32_e5m2_e5m2, 8, false, false>();
}
TEST(WarpgroupGemm, Tf32) { compare<Matrix::wgmma_f32_16x8x8_tf32, 8, false, false>(); }
TEST(WarpgroupGemm, Tf32ThroughRegisters)
{
    compare<Matrix::wgmma_f32_16x8x8_tf32, 4, true, false>();
    compare<Matrix::wgmma_f32_16x8x8_tf32, 4, true, false, true>();
}

/// Each read of all lanes is one pass over the banks.
TEST(WarpgroupGemm, LanesReadFragmentsFromDifferentBanks)
{
    constexpr block::LdsLayout layout{32, 16, 4, 1, 0, 0, true, true};
    for(index_t first_row = 0; first_row < 64; first_row += FragmentOfLines::rows)
        for(index_t read = 0; read < FragmentOfLines::values; ++read)
            EXPECT_EQ(bank_passes(32,
                                  4,
                                  [&](index_t lane) {
                                      const auto at = FragmentOfLines::element(lane, read);
                                      return 4 * layout.element(first_row + at.row, at.k);
                                  }),
                      1);
}
TEST(WarpgroupGemm, Narrow) { compare<Matrix::wgmma_f32_16x8x16_bf16, 4, true, false>(); }

} // namespace
} // namespace ck::warp
