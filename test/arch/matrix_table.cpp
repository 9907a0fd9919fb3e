#include "ck/arch/matrix_table.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ck;
using namespace ck::arch;

namespace {

template <index_t... id>
constexpr bool each_row_is_consistent(std::integer_sequence<index_t, id...>)
{
    // One constant evaluation a row: together they exceed a compiler's step limit.
    static_assert(
        (std::bool_constant<is_consistent(describe(static_cast<Matrix>(id)))>::value && ...));
    return true;
}
static_assert(each_row_is_consistent(std::make_integer_sequence<index_t, matrix_count>{}));

} // namespace

TEST(MatrixTable, NamesSayTheShape)
{
    std::set<std::string> names;
    for(index_t id = 0; id < matrix_count; ++id)
    {
        const MatrixInstruction i = describe(static_cast<Matrix>(id));
        const std::string shape =
            std::to_string(i.m) + "x" + std::to_string(i.n) + "x" + std::to_string(i.k) + "_";
        EXPECT_NE(std::string(i.name).find(shape), std::string::npos) << i.name << ' ' << shape;
        EXPECT_TRUE(names.insert(i.name).second) << i.name;
    }
}

template <index_t... id>
std::vector<std::string> input_types(std::integer_sequence<index_t, id...>)
{
    return {type_name<typename MatrixTypes<static_cast<Matrix>(id)>::Input>...};
}

TEST(MatrixTable, InputsMatchNames)
{
    const auto types = input_types(std::make_integer_sequence<index_t, matrix_count>{});
    for(index_t id = 0; id < matrix_count; ++id)
    {
        const std::string name  = describe(static_cast<Matrix>(id)).name;
        const std::string after = name.substr(name.find_last_of('x')); // "x8_f16", "x8_bf16_1k"
        const std::string type  = after.find("tf32") != after.npos ? "tf32" : types[id];
        EXPECT_NE(after.find("_" + type), after.npos) << name << ' ' << type;
        EXPECT_EQ(types[id] == "f32", after.ends_with("f32")) << name << ' ' << types[id];
    }
}

TEST(MatrixTable, RequirementsMatchNames)
{
    for(index_t id = 0; id < matrix_count; ++id)
    {
        const MatrixInstruction i = describe(static_cast<Matrix>(id));
        const std::string name    = i.name;
        EXPECT_EQ(is_dot(static_cast<Matrix>(id)), name.starts_with("dot"));
        EXPECT_EQ(i.requirement == Requirement::none, name.starts_with("dot")) << name;
        EXPECT_EQ(i.lanes, name.starts_with("mfma") ? 64 : 32) << name;
        EXPECT_EQ(i.requirement == Requirement::mma_sync, name.starts_with("mma_")) << name;
        EXPECT_EQ(i.requirement == Requirement::wmma_gfx11, name.starts_with("wmma_gfx11"));
        EXPECT_EQ(i.requirement == Requirement::wmma_gfx12, name.starts_with("wmma_gfx12"));
        EXPECT_EQ(i.requirement == Requirement::mfma_bf16_1k, name.ends_with("bf16_1k")) << name;
    }
}

// A value of each layout written out from the manuals.
TEST(MatrixTable, Samples)
{
    using At = LaneMap::Coordinate;
    // MFMA 32x32x8: lane 37 is row 5, k 4 to 7; of C column 5, rows 4-7, 12-15, 20-23, 28-31.
    const MatrixInstruction mfma = describe(Matrix::mfma_f32_32x32x8_f16);
    EXPECT_EQ(mfma.a(37, 2), (At{5, 6}));
    EXPECT_EQ(mfma.c(37, 0), (At{4, 5}));
    EXPECT_EQ(mfma.c(37, 6), (At{14, 5}));
    // MFMA 16x16x4 f32: lane 37 is row 5, k 2; of C column 5, rows 8-11.
    const MatrixInstruction mfma_f32 = describe(Matrix::mfma_f32_16x16x4_f32);
    EXPECT_EQ(mfma_f32.b(37, 0), (At{5, 2}));
    EXPECT_EQ(mfma_f32.c(37, 3), (At{11, 5}));
    EXPECT_EQ(describe(Matrix::wmma_gfx11_f32_16x16x16_f16).a(21, 9), (At{5, 9}));
    EXPECT_EQ(describe(Matrix::wmma_gfx11_f32_16x16x16_f16).c(21, 3), (At{7, 5}));
    EXPECT_EQ(describe(Matrix::wmma_gfx12_f32_16x16x16_f16).a(21, 3), (At{5, 11}));
    EXPECT_EQ(describe(Matrix::wmma_gfx12_f32_16x16x16_f16).c(21, 3), (At{11, 5}));
    // mma: lane 6 is group 1, thread 2 of it.
    EXPECT_EQ(describe(Matrix::mma_f32_16x8x16_f16).a(6, 7), (At{9, 13}));
    EXPECT_EQ(describe(Matrix::mma_f32_16x8x16_f16).b(6, 2), (At{1, 12}));
    EXPECT_EQ(describe(Matrix::mma_f32_16x8x16_f16).c(6, 3), (At{9, 5}));
    EXPECT_EQ(describe(Matrix::mma_f32_16x8x8_tf32).a(6, 1), (At{9, 2}));
    EXPECT_EQ(describe(Matrix::mma_f32_16x8x8_tf32).b(6, 1), (At{1, 6}));
    EXPECT_EQ(describe(Matrix::dot_f32_8x4x2_f16).a(6, 1), (At{1, 1}));
    EXPECT_EQ(describe(Matrix::dot_f32_8x4x2_f16).b(6, 1), (At{2, 1}));
}

TEST(MatrixTable, InconsistentRowsAreFound)
{
    MatrixInstruction broken = describe(Matrix::mfma_f32_32x32x8_f16);
    ASSERT_TRUE(is_consistent(broken));
    broken.c.value_middle.row = 4;
    EXPECT_FALSE(is_consistent(broken));
    broken          = describe(Matrix::mfma_f32_32x32x8_f16);
    broken.a_values = 8;
    EXPECT_FALSE(is_consistent(broken));
    broken       = describe(Matrix::wmma_gfx11_f32_16x16x16_f16);
    broken.lanes = 64;
    EXPECT_FALSE(is_consistent(broken));
    broken   = describe(Matrix::mma_f32_16x8x16_bf16);
    broken.n = 16;
    EXPECT_FALSE(is_consistent(broken));
}
