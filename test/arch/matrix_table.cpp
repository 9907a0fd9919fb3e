#include "ck/arch/matrix_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>
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

struct Types
{
    std::string a, b, accumulator;
    std::size_t bytes;
};
template <index_t... id>
std::vector<Types> types_of_rows(std::integer_sequence<index_t, id...>)
{
    return {[] {
        using T = MatrixTypes<static_cast<Matrix>(id)>;
        static_assert(sizeof(typename T::A) == sizeof(typename T::B));
        return Types{type_name<typename T::A>,
                     type_name<typename T::B>,
                     type_name<typename T::Accumulator>,
                     sizeof(typename T::A)};
    }()...};
}

TEST(MatrixTable, TypesMatchNames)
{
    const std::map<std::string, std::string> words = {{"f16", "f16"},
                                                      {"bf16", "bf16"},
                                                      {"f32", "f32"},
                                                      {"f64", "f64"},
                                                      {"tf32", "f32"},
                                                      {"xf32", "f32"},
                                                      {"i8", "i8"},
                                                      {"iu8", "i8"},
                                                      {"s8", "i8"},
                                                      {"fp8", "f8"},
                                                      {"bf8", "bf8"},
                                                      {"e4m3", "f8_ocp"},
                                                      {"e5m2", "bf8_ocp"}};
    const auto rows = types_of_rows(std::make_integer_sequence<index_t, matrix_count>{});
    for(index_t id = 0; id < matrix_count; ++id)
    {
        const std::string name = describe(static_cast<Matrix>(id)).name;
        // "mfma_f32_32x32x16_fp8_bf8": the sum's type, the shape, the operands' types
        std::vector<std::string> parts;
        std::istringstream after(name);
        for(std::string part; std::getline(after, part, '_');)
            parts.push_back(part);
        const auto at = std::find_if(parts.begin(), parts.end(), [](const std::string& p) {
            return std::isdigit(static_cast<unsigned char>(p[0])) != 0;
        });
        ASSERT_TRUE(at != parts.begin() && at != parts.end() && at + 1 != parts.end()) << name;
        const std::string a = at[1], b = at + 2 != parts.end() && at[2] != "1k" ? at[2] : a;
        EXPECT_EQ(rows[id].accumulator, at[-1]) << name;
        EXPECT_EQ(rows[id].a, words.at(a)) << name;
        EXPECT_EQ(rows[id].b, words.at(b)) << name;
        EXPECT_EQ(rows[id].bytes, input_bytes(static_cast<Matrix>(id))) << name;
        EXPECT_EQ(describe(static_cast<Matrix>(id)).a_element == Element::tf32,
                  a == "tf32" || a == "xf32")
            << name;
    }
}

TEST(MatrixTable, ExchangedOperandsExchangeTheirTypes)
{
    for(index_t number = 0; number < matrix_count; ++number)
    {
        const Matrix id           = static_cast<Matrix>(number);
        const MatrixInstruction i = describe(id), other = describe(with_exchanged_operands(id));
        EXPECT_EQ(i.a_element, other.b_element) << i.name;
        EXPECT_EQ(i.b_element, other.a_element) << i.name;
        EXPECT_EQ(i.m, other.m) << i.name;
        EXPECT_EQ(i.k, other.k) << i.name;
        EXPECT_EQ(i.requirement, other.requirement) << i.name;
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
        EXPECT_EQ(is_mma_sync(i.requirement), name.starts_with("mma_")) << name;
        EXPECT_EQ(i.requirement == Requirement::mfma_f64, name.starts_with("mfma_f64")) << name;
        EXPECT_EQ(i.requirement == Requirement::mma_sync_f64, name == "mma_f64_8x8x4_f64") << name;
        EXPECT_EQ(i.requirement == Requirement::mma_sync_f64_sm90, name == "mma_f64_16x8x8_f64")
            << name;
        EXPECT_EQ(i.requirement == Requirement::mma_sync_f8, name == "mma_f32_16x8x32_e4m3_e4m3")
            << name;
        EXPECT_EQ(i.requirement == Requirement::wmma_gfx11, name.starts_with("wmma_gfx11"));
        EXPECT_EQ(i.requirement == Requirement::wmma_gfx12, name.starts_with("wmma_gfx12"));
        EXPECT_EQ(i.requirement == Requirement::mfma_bf16_1k, name.ends_with("bf16_1k")) << name;
        EXPECT_EQ(i.requirement == Requirement::mfma_i8,
                  name == "mfma_i32_32x32x8_i8" || name == "mfma_i32_16x16x16_i8")
            << name;
        EXPECT_EQ(i.requirement == Requirement::mfma_i8_gfx942,
                  name == "mfma_i32_32x32x16_i8" || name == "mfma_i32_16x16x32_i8")
            << name;
        EXPECT_EQ(i.requirement == Requirement::mfma_gfx942,
                  name.ends_with("fp8") || name.ends_with("bf8") || name.ends_with("_xf32"))
            << name;
        // gfx950's: those of OCP's floats, else 16 bytes of a row in each lane
        EXPECT_EQ(i.requirement == Requirement::mfma_gfx950,
                  name.starts_with("mfma") &&
                      (name.ends_with("e4m3") || name.ends_with("e5m2") ||
                       i.a_values * input_bytes(static_cast<Matrix>(id)) == 16))
            << name;
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
    // MFMA of doubles: lane 37 is row 5, k 2; of C column 5, rows 2, 6, 10 and 14.
    const MatrixInstruction mfma_f64 = describe(Matrix::mfma_f64_16x16x4_f64);
    EXPECT_EQ(mfma_f64.a(37, 0), (At{5, 2}));
    EXPECT_EQ(mfma_f64.c(37, 3), (At{14, 5}));
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
    EXPECT_EQ(describe(Matrix::mma_f64_8x8x4_f64).a(6, 0), (At{1, 2}));
    EXPECT_EQ(describe(Matrix::mma_f64_8x8x4_f64).b(6, 0), (At{1, 2}));
    EXPECT_EQ(describe(Matrix::mma_f64_8x8x4_f64).c(6, 1), (At{1, 5}));
    EXPECT_EQ(describe(Matrix::mma_f64_16x8x8_f64).a(6, 1), (At{9, 2}));
    EXPECT_EQ(describe(Matrix::mma_f64_16x8x8_f64).a(6, 2), (At{1, 6}));
    EXPECT_EQ(describe(Matrix::mma_f64_16x8x8_f64).b(6, 1), (At{1, 6}));
    EXPECT_EQ(describe(Matrix::mma_f64_16x8x8_f64).c(6, 3), (At{9, 5}));
    EXPECT_EQ(describe(Matrix::wgmma_f32_16x8x8_tf32).c(6, 3), (At{9, 5}));
    EXPECT_EQ(describe(Matrix::wgmma_i32_16x8x32_s8).c(6, 3), (At{9, 5}));
    EXPECT_EQ(describe(Matrix::mma_i32_16x8x32_s8).a(6, 7), (At{9, 11}));
    EXPECT_EQ(describe(Matrix::mma_i32_16x8x32_s8).a(6, 9), (At{1, 25}));
    EXPECT_EQ(describe(Matrix::mma_i32_16x8x32_s8).b(6, 5), (At{1, 25}));
    // MFMA 16x16x32 of bytes: lane 37 is row 5, k 16 to 23.
    EXPECT_EQ(describe(Matrix::mfma_i32_16x16x32_i8).a(37, 3), (At{5, 19}));
    // gfx950: lane 37 is row 5, k 16 to 23 of f16, 32 to 47 of bytes.
    EXPECT_EQ(describe(Matrix::mfma_f32_16x16x32_f16).a(37, 3), (At{5, 19}));
    EXPECT_EQ(describe(Matrix::mfma_i32_16x16x64_i8).b(37, 3), (At{5, 35}));
    EXPECT_EQ(describe(Matrix::mfma_f32_32x32x64_e4m3_e5m2).c(37, 6), (At{14, 5}));
    EXPECT_EQ(describe(Matrix::wmma_gfx12_i32_16x16x16_iu8).a(21, 3), (At{5, 11}));
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
