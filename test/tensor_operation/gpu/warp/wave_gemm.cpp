// One wave multiplies slices in LDS: every instruction, several tiles, against a plain product.
#include "ck/tensor_operation/gpu/warp/wave_gemm.hpp"

#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/block/lds_layout.hpp"
#include "ck/utility/type_convert.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include <cmath>
#include <vector>

namespace ck::warp {
namespace {

using arch::Matrix;
using block::LdsLayout;

/// Which operands are packed along their rows.
struct PackedRows
{
    bool a = false, b = false;
};

/// c[m, n] of one wave; a[m, k] and b[n, k] come packed and are laid out in LDS element by element.
template <Matrix id, index_t m_tiles, index_t n_tiles, PackedRows packed_rows>
struct MultiplySlice
{
    static constexpr bool bytes = arch::input_bytes(id) == 1;
    using Wave                  = WaveGemm<id,
                          m_tiles,
                          n_tiles,
                          holds_rows<id>,
                          InPairs{bytes && packed_rows.a, bytes&& packed_rows.b}>;
    using InputM                = typename Wave::InputM;
    using InputN                = typename Wave::InputN;
    static constexpr index_t m  = m_tiles * Wave::tile_m;
    static constexpr index_t n  = n_tiles * Wave::tile_n;
    static constexpr index_t k  = 2 * math::max(Wave::k_per_step, Wave::pack);
    static constexpr LdsLayout a_layout =
        packed_rows.a ? LdsLayout{k, m / Wave::pack, Wave::pack, 1, 0, 1, true}
                      : LdsLayout{m, k / Wave::pack, Wave::pack, 1, 0, 1};
    static constexpr LdsLayout b_layout =
        packed_rows.b ? LdsLayout{k, n / Wave::pack, Wave::pack, 1, 0, 1, true}
                      : LdsLayout{n, k / Wave::pack, Wave::pack, 2, 1, 3}; // rows interleave

    static constexpr index_t block_size            = Wave::instruction.lanes;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = Wave::instruction.requirement;
    struct Params
    {
        const float *a, *b;
        float* c;
    };
    struct SharedStorage
    {
        alignas(16) InputM a[a_layout.size()];
        alignas(16) InputN b[b_layout.size()];
    };

    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t lane  = arch::thread_index();
        constexpr auto in_a = a_layout,
                       in_b = b_layout; // device code must not name members in memory
        for(index_t i = lane; i < m * k; i += block_size)
            shared.a[in_a.element(i / k, i % k)] = type_convert<InputM>(p.a[i]);
        for(index_t i = lane; i < n * k; i += block_size)
            shared.b[in_b.element(i / k, i % k)] = type_convert<InputN>(p.b[i]);
        arch::block_sync();
        Wave wave;
        wave.clear();
        using Side = typename Wave::Side;
        wave.template multiply<a_layout, b_layout, k>(
            {shared.a, Wave::template lane_offset<a_layout>(Side::m, 0, lane)},
            {shared.b, Wave::template lane_offset<b_layout>(Side::n, 0, lane)});
        unrolled<0, m_tiles>([&](auto i) {
            unrolled<0, n_tiles>([&](auto j) {
                unrolled<0, Wave::instruction.c_values>([&](auto v) {
                    const auto at = Wave::coordinate(lane, v);
                    p.c[(i * Wave::tile_m + at.m) * n + Wave::tile_column(j) + at.n] =
                        type_convert<float>(wave.c[i][j][v]);
                });
            });
        });
    }
};

template <class T>
class Device
{
public:
    explicit Device(const std::vector<T>& values) : size_(values.size() * sizeof(T))
    {
        HIP_CHECK_ERROR(hipMalloc(&data_, size_));
        HIP_CHECK_ERROR(hipMemcpy(data_, values.data(), size_, hipMemcpyHostToDevice));
    }
    ~Device() { static_cast<void>(hipFree(data_)); }
    Device(const Device&)            = delete;
    Device& operator=(const Device&) = delete;
    T* get() const { return data_; }
    std::vector<T> read() const
    {
        std::vector<T> values(size_ / sizeof(T));
        HIP_CHECK_ERROR(hipMemcpy(values.data(), data_, size_, hipMemcpyDeviceToHost));
        return values;
    }

private:
    T* data_ = nullptr;
    std::size_t size_;
};

template <Matrix id, PackedRows packed_rows = PackedRows{}>
bool compare()
{
    using Kernel = MultiplySlice<id, 2, 2, packed_rows>;
    SCOPED_TRACE(Kernel::Wave::instruction.name);
    if(!test::device_has(Kernel::requirement))
        return false;
    std::vector<float> a(Kernel::m * Kernel::k), b(Kernel::n * Kernel::k);
    for(std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(static_cast<int>(i * 2654435761u >> 7) % 8); // exact in bf8
    for(std::size_t i = 0; i < b.size(); ++i)
        b[i] = static_cast<float>(static_cast<int>(i * 2246822519u >> 9) % 6 - 2);
    const Device<float> da(a), db(b), dc(std::vector<float>(Kernel::m * Kernel::n, NAN));
    HIP_CHECK_ERROR(arch::launch<Kernel>(1, nullptr, {da.get(), db.get(), dc.get()}));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    const std::vector<float> c = dc.read();
    index_t wrong              = 0;
    for(index_t row = 0; row < Kernel::m; ++row)
        for(index_t column = 0; column < Kernel::n; ++column)
        {
            float expected = 0;
            for(index_t k = 0; k < Kernel::k; ++k)
                expected += a[row * Kernel::k + k] * b[column * Kernel::k + k];
            const float got = c[row * Kernel::n + column];
            if(!(got == expected) && ++wrong <= 3)
                ADD_FAILURE() << "C[" << row << ", " << column << "] is " << got << ", not "
                              << expected;
        }
    EXPECT_EQ(wrong, 0);
    return true;
}

template <index_t... number>
index_t compare_all(std::integer_sequence<index_t, number...>)
{
    const auto ran = []<Matrix id>(std::integral_constant<Matrix, id>) -> index_t {
        if constexpr(arch::takes_shared(id)) // warpgroup_gemm.cpp
            return 0;
        else
            return compare<id>();
    };
    return (ran(std::integral_constant<Matrix, static_cast<Matrix>(number)>{}) + ...);
}

TEST(WaveGemm, MultipliesSlicesWithEveryInstruction)
{
    const index_t ran = compare_all(std::make_integer_sequence<index_t, arch::matrix_count>{});
    index_t all       = 0;
    for(index_t id = 0; id < arch::matrix_count; ++id)
        all += !arch::takes_shared(static_cast<Matrix>(id));
    EXPECT_GE(ran, arch::emulated ? all : 3) << "the dot products at least";
}

TEST(WaveGemm, MultipliesSlicesPackedAlongTheirRows)
{
    constexpr PackedRows a{true, false}, b{false, true}, both{true, true};
    const bool ran = compare<Matrix::mma_f32_16x8x16_f16, b>();
    EXPECT_EQ((compare<Matrix::mma_f32_16x8x16_bf16, both>()), ran);
    EXPECT_EQ((compare<Matrix::mma_i32_16x8x32_s8, a>()), ran);
    EXPECT_EQ((compare<Matrix::mma_i32_16x8x32_s8, b>()), ran);
    EXPECT_EQ((compare<Matrix::mma_i32_16x8x32_s8, both>()), ran);
    EXPECT_EQ(ran, test::device_has(arch::Requirement::mma_sync));
}

template <Matrix id, InPairs in_pairs = InPairs{}>
void check_coordinates()
{
    constexpr index_t tiles = in_pairs.columns ? 2 : 1;
    using Wave              = WaveGemm<id, 1, tiles, holds_rows<id>, in_pairs>;
    SCOPED_TRACE(Wave::instruction.name);
    constexpr index_t columns = tiles * Wave::tile_n;
    std::vector<int> held(Wave::tile_m * columns);
    for(index_t lane = 0; lane < Wave::instruction.lanes; ++lane)
        for(index_t v = 0; v < Wave::instruction.c_values; ++v)
        {
            const auto at = Wave::coordinate(lane, v), first = Wave::coordinate(lane, 0),
                       step = Wave::coordinate(0, v), zero = Wave::coordinate(0, 0);
            for(index_t j = 0; j < tiles; ++j)
            {
                const index_t column = Wave::tile_column(j) + at.n;
                ASSERT_TRUE(0 <= at.m && at.m < Wave::tile_m && 0 <= column && column < columns);
                ++held[at.m * columns + column];
            }
            // The epilogue adds the steps of lane 0 to each lane's first place.
            EXPECT_EQ(at.m - first.m, step.m - zero.m);
            EXPECT_EQ(at.n - first.n, step.n - zero.n);
            const auto run = Wave::coordinate(lane, v / Wave::run * Wave::run);
            EXPECT_EQ(at.m, run.m);
            EXPECT_EQ(at.n, run.n + v % Wave::run);
        }
    for(const int count : held)
        EXPECT_EQ(count, 1);
}

TEST(WaveGemm, AccumulatorsCoverTheTileInRuns)
{
    [&]<index_t... id>(std::integer_sequence<index_t, id...>)
    {
        (check_coordinates<static_cast<Matrix>(id)>(), ...);
    }
    (std::make_integer_sequence<index_t, arch::matrix_count>{});
    check_coordinates<Matrix::mma_i32_16x8x32_s8, InPairs{true, false}>();
    check_coordinates<Matrix::mma_i32_16x8x32_s8, InPairs{false, true}>();
    check_coordinates<Matrix::mma_i32_16x8x32_s8, InPairs{true, true}>();
    EXPECT_EQ((WaveGemm<Matrix::mfma_f32_32x32x8_f16, 1, 1>::run), 4) << "four columns in a store";
    EXPECT_EQ((WaveGemm<Matrix::wmma_gfx12_f32_16x16x16_f16, 1, 1>::run), 4);
    EXPECT_EQ((WaveGemm<Matrix::mma_f32_16x8x16_f16, 1, 1>::run), 2);
}

} // namespace
} // namespace ck::warp
