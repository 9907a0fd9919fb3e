#pragma once
// Runs one matrix instruction on the available device and compares the result exactly with a plain
// product.
#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/arch/matrix.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/type_convert.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ck::arch::test {

inline void check(hipError_t error) { ASSERT_EQ(error, hipSuccess) << hipGetErrorString(error); }

/// Device memory that holds a copy of `values`.
template <class T>
class DeviceCopy
{
public:
    explicit DeviceCopy(const std::vector<T>& values) : size_{values.size()}
    {
        check(hipMalloc(reinterpret_cast<void**>(&data_), size_ * sizeof(T)));
        check(hipMemcpy(data_, values.data(), size_ * sizeof(T), hipMemcpyHostToDevice));
    }
    DeviceCopy(const DeviceCopy&)            = delete;
    DeviceCopy& operator=(const DeviceCopy&) = delete;
    ~DeviceCopy() { check(hipFree(data_)); }

    T* get() const { return data_; }
    std::vector<T> read() const
    {
        std::vector<T> values(size_);
        check(hipMemcpy(values.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost));
        return values;
    }

private:
    T* data_ = nullptr;
    std::size_t size_;
};

/// Each wave of the one block multiplies matrices of its own: A[m, k], B[n, k], C[m, n] and result.
template <Matrix id>
struct MultiplyWaves
{
    static constexpr MatrixInstruction instruction = describe(id);
    static constexpr index_t waves                 = 4;
    static constexpr index_t block_size            = waves * instruction.lanes;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr Requirement requirement       = instruction.requirement;

    struct SharedStorage
    {};
    struct Params
    {
        const double* a;
        const double* b;
        const double* c;
        double* result;
    };

    CK_DEVICE static void run(const Params& params, SharedStorage&)
    {
        constexpr MatrixInstruction i = describe(id);
        const index_t wave            = thread_index() / i.lanes;
        const index_t lane            = thread_index() % i.lanes;
        const double* const c         = params.c + wave * i.m * i.n;
        double* const result          = params.result + wave * i.m * i.n;

        using Types = MatrixTypes<id>;
        const auto a_values =
            load<typename Types::A, i.a_values>(params.a + wave * i.m * i.k, i.a, lane);
        const auto b_values =
            load<typename Types::B, i.b_values>(params.b + wave * i.n * i.k, i.b, lane);
        MatrixC<id> c_values;
        for(index_t v = 0; v < i.c_values; ++v)
            c_values[v] = type_convert<typename Types::Accumulator>(
                c[i.c(lane, v).row * i.n + i.c(lane, v).column]);
        multiply_accumulate<id>(a_values, b_values, c_values);
        for(index_t v = 0; v < i.c_values; ++v)
            result[i.c(lane, v).row * i.n + i.c(lane, v).column] =
                type_convert<double>(c_values[v]);
    }

private:
    template <class Input, index_t values>
    CK_DEVICE static Vector<Input, values>
    load(const double* matrix, const LaneMap& map, index_t lane)
    {
        constexpr index_t k = describe(id).k;
        Vector<Input, values> loaded;
        for(index_t v = 0; v < values; ++v)
            loaded[v] = type_convert<Input>(matrix[map(lane, v).row * k + map(lane, v).column]);
        return loaded;
    }
};

/// Runs the waves on A, B and C of all of them, one after the other; returns their results.
template <Matrix id>
std::vector<double> multiply_waves(const std::vector<double>& a,
                                   const std::vector<double>& b,
                                   const std::vector<double>& c)
{
    const DeviceCopy<double> device_a{a}, device_b{b}, device_c{c};
    const DeviceCopy<double> result{
        std::vector<double>(c.size(), std::numeric_limits<double>::quiet_NaN())};
    check(launch<MultiplyWaves<id>>(
        1, nullptr, {device_a.get(), device_b.get(), device_c.get(), result.get()}));
    check(hipDeviceSynchronize());
    return result.read();
}

/// Integers in [-limit, limit], others for another seed.
inline std::vector<double> integers(index_t size, index_t limit, std::uint32_t seed)
{
    std::vector<double> values(size);
    for(double& value : values)
    {
        seed  = seed * 1664525u + 1013904223u;
        value = static_cast<double>(static_cast<index_t>((seed >> 8) % (2 * limit + 1)) - limit);
    }
    return values;
}

template <Matrix id>
void compare_with_plain_product()
{
    constexpr MatrixInstruction i = describe(id);
    constexpr index_t waves       = MultiplyWaves<id>::waves;
    SCOPED_TRACE(i.name);

    // Sums are at most 64 * 100 * 100 + 1000, exact in float; 100 is exact in bf16, 8 in e5m2.
    // Those of doubles are at most 8 * 2^46 + 1000: neither they nor the products are floats.
    const auto limit = [](Element e) {
        return e == Element::f64                          ? 1 << 23
               : e == Element::f8 || e == Element::bf8    ? 8
               : e == Element::e4m3 || e == Element::e5m2 ? 8
                                                          : 100;
    };
    const std::vector<double> a      = integers(waves * i.m * i.k, limit(i.a_element), 1);
    const std::vector<double> b      = integers(waves * i.n * i.k, limit(i.b_element), 2);
    const std::vector<double> c      = integers(waves * i.m * i.n, 1000, 3);
    const std::vector<double> result = multiply_waves<id>(a, b, c);

    index_t wrong = 0;
    for(index_t wave = 0; wave < waves; ++wave)
        for(index_t row = 0; row < i.m; ++row)
            for(index_t column = 0; column < i.n; ++column)
            {
                const index_t at = (wave * i.m + row) * i.n + column;
                double expected  = c[at];
                for(index_t k = 0; k < i.k; ++k)
                    expected +=
                        a[(wave * i.m + row) * i.k + k] * b[(wave * i.n + column) * i.k + k];
                if(!(result[at] == expected) && ++wrong <= 4)
                    ADD_FAILURE() << "C[" << row << ", " << column << "] of wave " << wave << " is "
                                  << result[at] << ", not " << expected;
            }
    EXPECT_EQ(wrong, 0) << "elements of " << waves * i.m * i.n;
}

/// What must run on a target, so that no row disappears unnoticed.
inline std::set<std::string> instructions_of(Target target)
{
    using Names            = std::set<std::string>;
    const Names dots       = {"dot_f32_8x4x2_f16",
                              "dot_f32_8x4x2_bf16",
                              "dot_f32_8x4x1_f32",
                              "dot_f64_8x4x1_f64",
                              "dot_i32_8x4x4_i8"};
    const Names mfma       = {"mfma_f32_32x32x8_f16",
                              "mfma_f32_16x16x16_f16",
                              "mfma_f32_32x32x2_f32",
                              "mfma_f32_16x16x4_f32"};
    const Names bf16       = {"mfma_f32_32x32x4_bf16", "mfma_f32_16x16x8_bf16"};
    const Names bf16_1k    = {"mfma_f32_32x32x8_bf16_1k", "mfma_f32_16x16x16_bf16_1k"};
    const Names i8         = {"mfma_i32_32x32x8_i8", "mfma_i32_16x16x16_i8"};
    const Names i8_gfx942  = {"mfma_i32_32x32x16_i8", "mfma_i32_16x16x32_i8"};
    const Names gfx942     = {"mfma_f32_32x32x4_xf32",
                              "mfma_f32_16x16x8_xf32",
                              "mfma_f32_32x32x16_fp8_fp8",
                              "mfma_f32_32x32x16_fp8_bf8",
                              "mfma_f32_32x32x16_bf8_fp8",
                              "mfma_f32_32x32x16_bf8_bf8",
                              "mfma_f32_16x16x32_fp8_fp8",
                              "mfma_f32_16x16x32_fp8_bf8",
                              "mfma_f32_16x16x32_bf8_fp8",
                              "mfma_f32_16x16x32_bf8_bf8"};
    const Names gfx950     = {"mfma_f32_32x32x16_f16",
                              "mfma_f32_16x16x32_f16",
                              "mfma_f32_32x32x16_bf16",
                              "mfma_f32_16x16x32_bf16",
                              "mfma_i32_32x32x32_i8",
                              "mfma_i32_16x16x64_i8",
                              "mfma_f32_32x32x64_e4m3_e4m3",
                              "mfma_f32_32x32x64_e4m3_e5m2",
                              "mfma_f32_32x32x64_e5m2_e4m3",
                              "mfma_f32_32x32x64_e5m2_e5m2",
                              "mfma_f32_16x16x32_e4m3_e4m3",
                              "mfma_f32_16x16x32_e4m3_e5m2",
                              "mfma_f32_16x16x32_e5m2_e4m3",
                              "mfma_f32_16x16x32_e5m2_e5m2"};
    const Names mfma_f64   = {"mfma_f64_16x16x4_f64"};
    const Names wmma_gfx11 = {"wmma_gfx11_f32_16x16x16_f16",
                              "wmma_gfx11_f32_16x16x16_bf16",
                              "wmma_gfx11_i32_16x16x16_iu8"};
    const Names wmma_gfx12 = {"wmma_gfx12_f32_16x16x16_f16",
                              "wmma_gfx12_f32_16x16x16_bf16",
                              "wmma_gfx12_i32_16x16x16_iu8",
                              "wmma_gfx12_f32_16x16x16_e4m3_e4m3",
                              "wmma_gfx12_f32_16x16x16_e4m3_e5m2",
                              "wmma_gfx12_f32_16x16x16_e5m2_e4m3",
                              "wmma_gfx12_f32_16x16x16_e5m2_e5m2"};
    const Names mma_sync   = {
          "mma_f32_16x8x16_f16", "mma_f32_16x8x16_bf16", "mma_f32_16x8x8_tf32", "mma_i32_16x8x32_s8"};
    const Names mma_f64 = {"mma_f64_8x8x4_f64"}, mma_f64_sm90 = {"mma_f64_16x8x8_f64"},
                mma_f8                                   = {"mma_f32_16x8x32_e4m3_e4m3"};
    const std::map<Target, std::vector<Names>> of_target = {
        {Target::host,
         {mfma,
          bf16,
          bf16_1k,
          i8,
          i8_gfx942,
          gfx942,
          gfx950,
          mfma_f64,
          wmma_gfx11,
          wmma_gfx12,
          mma_sync,
          mma_f64,
          mma_f64_sm90,
          mma_f8}},
        {Target::gfx908, {mfma, bf16, i8}},
        {Target::gfx90a, {mfma, bf16, bf16_1k, i8, mfma_f64}},
        {Target::gfx942, {mfma, bf16_1k, i8_gfx942, gfx942, mfma_f64}},
        {Target::gfx950, {mfma, bf16_1k, i8_gfx942, gfx950, mfma_f64}},
        {Target::gfx11, {wmma_gfx11}},
        {Target::gfx12, {wmma_gfx12}},
        {Target::sm80, {mma_sync, mma_f64}},
        {Target::sm90, {mma_sync, mma_f64, mma_f64_sm90, mma_f8}}};

    Names names = dots;
    if(const auto found = of_target.find(target); found != of_target.end())
        for(const Names& some : found->second)
            names.insert(some.begin(), some.end());
    return names;
}

/// Compares every instruction that the device has; fails when those are not the ones it must have.
inline void compare_all_with_plain_products()
{
    hipDeviceProp_t device{};
    check(hipGetDeviceProperties(&device, 0));
    const Target target = target_from_name(device.gcnArchName);
    EXPECT_EQ(target == Target::host, emulated);

    std::set<std::string> ran;
    const auto compare = [&]<index_t number>(Number<number>) {
        constexpr Matrix id = static_cast<Matrix>(number);
        if constexpr(!takes_shared(id)) // others: test/tensor_operation/gpu/warp/warpgroup_gemm.cpp
            if(meets(target, describe(id).requirement))
            {
                compare_with_plain_product<id>();
                ran.insert(describe(id).name);
            }
    };
    [&]<index_t... number>(std::integer_sequence<index_t, number...>)
    {
        (compare(Number<number>{}), ...);
    }
    (std::make_integer_sequence<index_t, matrix_count>{});
    std::printf("%s: %d of %d matrix instructions ran\n",
                name(target),
                static_cast<int>(ran.size()),
                static_cast<int>(matrix_count));
    EXPECT_EQ(ran, instructions_of(target));
}

} // namespace ck::arch::test
