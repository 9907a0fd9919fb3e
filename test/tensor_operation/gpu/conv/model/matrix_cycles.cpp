// How long matrix instructions occupy a SIMD, for each type of operands: LLVM's SISchedule.td for
// CDNA, as in the emulator's timing model; peak rates for RDNA.
#include "ck/tensor_operation/gpu/conv/model/machine/gfx1100.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx1200.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx90a.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx942.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/gfx950.hpp"
#include "ck/tensor_operation/gpu/conv/model/unit_time.hpp"

#include <gtest/gtest.h>

namespace ck::tensor_operation::device::matrix_cycles {
namespace {

/// Cycles of one instruction, counted as those of a block of 128 x 128 x 128.
double cycles(const UnitRates& unit, arch::Matrix id)
{
    GemmTuning t{};
    t.block_tile    = {128, 128, 128};
    t.wave_m        = 64;
    t.wave_n        = 64;
    t.instruction   = id;
    t.a_vector      = 4;
    t.b_vector      = 4;
    t.c_vector      = 4;
    const auto i    = arch::describe(id);
    const double of = 128. * 128 * 128 / (1. * i.m * i.n * i.k);
    return slice_counts(unit, t).matrix / of;
}

TEST(MatrixCycles, OfEachType)
{
    using enum arch::Matrix;
    using namespace machine;
    EXPECT_EQ(cycles(gfx90a::rates, mfma_f32_32x32x8_f16), 64);
    EXPECT_EQ(cycles(gfx90a::rates, mfma_f32_32x32x2_f32), 64);
    EXPECT_EQ(cycles(gfx90a::rates, mfma_f64_16x16x4_f64), 32);
    EXPECT_EQ(cycles(gfx90a::rates, mfma_i32_32x32x8_i8), 64);
    EXPECT_EQ(cycles(gfx942::rates, mfma_f32_32x32x8_f16), 32);
    EXPECT_EQ(cycles(gfx942::rates, mfma_f32_32x32x2_f32), 64);
    EXPECT_EQ(cycles(gfx942::rates, mfma_f32_16x16x4_f32), 32);
    EXPECT_EQ(cycles(gfx942::rates, mfma_f32_32x32x4_xf32), 32);
    EXPECT_EQ(cycles(gfx942::rates, mfma_f64_16x16x4_f64), 32);
    EXPECT_EQ(cycles(gfx942::rates, mfma_i32_32x32x16_i8), 32);
    EXPECT_EQ(cycles(gfx950::rates, mfma_f32_32x32x16_f16), 32);
    EXPECT_EQ(cycles(gfx950::rates, mfma_f32_32x32x2_f32), 64);
    EXPECT_EQ(cycles(gfx950::rates, mfma_f64_16x16x4_f64), 64);
    EXPECT_EQ(cycles(gfx950::rates, mfma_i32_32x32x32_i8), 32);
    EXPECT_EQ(cycles(gfx1100::rates, wmma_gfx11_f32_16x16x16_f16), 32);
    EXPECT_EQ(cycles(gfx1200::rates, wmma_gfx12_f32_16x16x16_f16), 16);
}

} // namespace
} // namespace ck::tensor_operation::device::matrix_cycles
