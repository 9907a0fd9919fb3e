// Labels: compiled alone
#include "arch/matrix_product.hpp"
#include <bit>
#include <cmath>

using namespace ck;
using namespace ck::arch;

TEST(Matrix, EveryInstructionComputesItsPlainProduct) { test::compare_all_with_plain_products(); }

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)

// What only the emulation promises: devices differ in denormals and in the order of sums.

TEST(EmulatedMatrix, ConvertsEveryHalfExactly)
{
    for(std::uint32_t bits = 0; bits <= 0xffff; ++bits)
    {
        half_t x;
        x.bits                = static_cast<std::uint16_t>(bits);
        const float expected  = ck::detail::half_bits_to_float(x.bits);
        const float converted = ck::arch::detail::matrix_input(x);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(converted), std::bit_cast<std::uint32_t>(expected))
            << bits;
    }
}

TEST(EmulatedMatrix, RoundsToTf32AwayFromZeroOnTies)
{
    const auto round = [](float x) { return ck::arch::detail::round_to_tf32(x); };
    EXPECT_EQ(round(1.f), 1.f);
    EXPECT_EQ(round(0x1.004p0f), 0x1.004p0f); // the last of 10 mantissa bits
    EXPECT_EQ(round(0x1.002p0f), 0x1.004p0f); // half of it
    EXPECT_EQ(round(-0x1.002p0f), -0x1.004p0f);
    EXPECT_EQ(round(0x1.001ffep0f), 1.f);
    EXPECT_EQ(round(0x1.fffffep0f), 2.f);
    EXPECT_EQ(round(INFINITY), INFINITY);
    EXPECT_TRUE(std::isnan(round(std::bit_cast<float>(0x7fffffffu))));
    EXPECT_TRUE(std::isnan(round(std::bit_cast<float>(0xff800001u))));
}

TEST(EmulatedMatrix, KeepsDenormalsInfinityAndNan)
{
    constexpr Matrix id           = Matrix::mfma_f32_32x32x8_f16;
    constexpr MatrixInstruction i = describe(id);
    constexpr index_t waves       = test::MultiplyWaves<id>::waves;
    std::vector<double> a(waves * i.m * i.k), b(waves * i.n * i.k), c(waves * i.m * i.n);
    a[0 * i.k + 3] = 0x1p-24; // row 0: the smallest denormal
    a[1 * i.k + 0] = INFINITY;
    a[2 * i.k + 7] = NAN;
    for(index_t n = 0; n < i.n; ++n)
        for(index_t k = 0; k < i.k; ++k)
            b[n * i.k + k] = static_cast<double>(n);
    const std::vector<double> result = test::multiply_waves<id>(a, b, c);
    for(index_t n = 0; n < i.n; ++n)
    {
        EXPECT_EQ(result[0 * i.n + n], static_cast<double>(n) * 0x1p-24);
        EXPECT_TRUE(n == 0 ? std::isnan(result[i.n]) : result[i.n + n] == INFINITY) << n;
        EXPECT_TRUE(std::isnan(result[2 * i.n + n])) << n;
        EXPECT_EQ(result[3 * i.n + n], 0.);
    }
}

// As the hardware's adders do.
TEST(EmulatedMatrix, SumsOfIntegersWrapAround)
{
    Vector<std::int8_t, 4> a{{127, 127, -128, 1}}, b{{127, 127, -128, 1}};
    Vector<std::int32_t, 1> c{{0x7fffffff}};
    multiply_accumulate<Matrix::dot_i32_8x4x4_i8>(a, b, c);
    EXPECT_EQ(c[0], static_cast<std::int32_t>(0x7fffffffu + 2 * 127 * 127 + 128 * 128 + 1));
}

// Lanes 16-31 hold other values than lanes 0-15.
struct MultiplyWithoutCopies
{
    static constexpr index_t block_size        = 32;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr Requirement requirement   = Requirement::wmma_gfx11;
    struct SharedStorage
    {};
    struct Params
    {};

    static void run(const Params&, SharedStorage&)
    {
        Vector<half_t, 16> a{}, b{};
        Vector<float, 8> c{};
        b[5] = thread_index() < 16 ? 1.f : 2.f;
        multiply_accumulate<Matrix::wmma_gfx11_f32_16x16x16_f16>(a, b, c);
    }
};

TEST(EmulatedMatrix, RefusesOperandsWithoutTheirCopies)
{
    try
    {
        static_cast<void>(launch<MultiplyWithoutCopies>(1, nullptr, {}));
        FAIL() << "the difference went unnoticed";
    }
    catch(const std::runtime_error& error)
    {
        EXPECT_NE(std::string(error.what()).find("wmma_gfx11_f32_16x16x16_f16"), std::string::npos)
            << error.what();
    }
}

#endif
