#pragma once
// The matrix instructions as data. Kernels, epilogues and the host's emulation read the same rows;
// test/isa/matrix_instructions.cpp proves each row against the machine code it stands for.
#include "ck/arch/lane_map.hpp"
#include "ck/arch/target.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/vector.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ck::arch {

/// The numbers that an instruction multiplies.
enum class Element
{
    f16,
    bf16,
    f32,
    f64,
    tf32, // floats in registers, of which 10 explicit mantissa bits count
    i8,
    f8,   // FNUZ e4m3
    bf8,  // FNUZ e5m2
    e4m3, // OCP
    e5m2, // OCP
};

enum class Matrix : int
{
    mfma_f32_32x32x8_f16,
    mfma_f32_16x16x16_f16,
    mfma_f32_32x32x4_bf16,
    mfma_f32_16x16x8_bf16,
    mfma_f32_32x32x8_bf16_1k,
    mfma_f32_16x16x16_bf16_1k,
    mfma_f32_32x32x2_f32,
    mfma_f32_16x16x4_f32,
    mfma_f32_32x32x4_xf32,
    mfma_f32_16x16x8_xf32,
    mfma_f64_16x16x4_f64,
    mfma_i32_32x32x8_i8,
    mfma_i32_16x16x16_i8,
    mfma_i32_32x32x16_i8,
    mfma_i32_16x16x32_i8,
    mfma_f32_32x32x16_fp8_fp8,
    mfma_f32_32x32x16_fp8_bf8,
    mfma_f32_32x32x16_bf8_fp8,
    mfma_f32_32x32x16_bf8_bf8,
    mfma_f32_16x16x32_fp8_fp8,
    mfma_f32_16x16x32_fp8_bf8,
    mfma_f32_16x16x32_bf8_fp8,
    mfma_f32_16x16x32_bf8_bf8,
    mfma_f32_32x32x16_f16,
    mfma_f32_16x16x32_f16,
    mfma_f32_32x32x16_bf16,
    mfma_f32_16x16x32_bf16,
    mfma_i32_32x32x32_i8,
    mfma_i32_16x16x64_i8,
    mfma_f32_32x32x64_e4m3_e4m3,
    mfma_f32_32x32x64_e4m3_e5m2,
    mfma_f32_32x32x64_e5m2_e4m3,
    mfma_f32_32x32x64_e5m2_e5m2,
    mfma_f32_16x16x32_e4m3_e4m3,
    mfma_f32_16x16x32_e4m3_e5m2,
    mfma_f32_16x16x32_e5m2_e4m3,
    mfma_f32_16x16x32_e5m2_e5m2,
    wmma_gfx11_f32_16x16x16_f16,
    wmma_gfx11_f32_16x16x16_bf16,
    wmma_gfx11_i32_16x16x16_iu8,
    wmma_gfx12_f32_16x16x16_f16,
    wmma_gfx12_f32_16x16x16_bf16,
    wmma_gfx12_i32_16x16x16_iu8,
    wmma_gfx12_f32_16x16x16_e4m3_e4m3,
    wmma_gfx12_f32_16x16x16_e4m3_e5m2,
    wmma_gfx12_f32_16x16x16_e5m2_e4m3,
    wmma_gfx12_f32_16x16x16_e5m2_e5m2,
    mma_f32_16x8x16_f16,
    mma_f32_16x8x16_bf16,
    mma_f32_16x8x8_tf32,
    mma_i32_16x8x32_s8,
    mma_f32_16x8x32_e4m3_e4m3,
    mma_f64_8x8x4_f64,
    mma_f64_16x8x8_f64,
    wgmma_f32_16x8x16_f16,
    wgmma_f32_16x8x16_bf16,
    wgmma_f32_16x8x8_tf32,
    wgmma_i32_16x8x32_s8,
    wgmma_f32_16x8x32_e4m3_e4m3,
    wgmma_f32_16x8x32_e4m3_e5m2,
    wgmma_f32_16x8x32_e5m2_e4m3,
    wgmma_f32_16x8x32_e5m2_e5m2,
    dot_f32_8x4x2_f16,
    dot_f32_8x4x2_bf16,
    dot_f32_8x4x1_f32,
    dot_f64_8x4x1_f64,
    dot_i32_8x4x4_i8,
};
inline constexpr index_t matrix_count = static_cast<index_t>(Matrix::dot_i32_8x4x4_i8) + 1;

/// c[m, n] += a[m, k] * b[n, k], by `lanes` lanes of a wave together. Sums of integers are 32-bit
/// integers, which wrap around; those of doubles are doubles, others floats. But of eight-bit
/// floats wgmma keeps about 14 bits of a sum, though its result is a float ("DeepSeek-V3 Technical
/// Report", 3.3.2): exact are sums of integers that stay below 2^13.
struct MatrixInstruction
{
    const char* name;
    Element a_element, b_element; // of the same size
    index_t m, n, k;
    index_t lanes;
    index_t a_values, b_values, c_values; // register values of one lane
    LaneMap a;                            // (row, column) = (m, k)
    LaneMap b;                            // (n, k)
    LaneMap c;                            // (m, n)
    Requirement requirement;
};

namespace detail {

/// Registers in the order the names, m, n, k and the maps give: counts follow from the maps.
constexpr CK_HOST_DEVICE MatrixInstruction instruction(const char* name,
                                                       Element element,
                                                       index_t m,
                                                       index_t n,
                                                       index_t k,
                                                       const LaneMap& a,
                                                       const LaneMap& b,
                                                       const LaneMap& c,
                                                       Requirement requirement)
{
    return {.name        = name,
            .a_element   = element,
            .b_element   = element,
            .m           = m,
            .n           = n,
            .k           = k,
            .lanes       = c.lanes(),
            .a_values    = a.values(),
            .b_values    = b.values(),
            .c_values    = c.values(),
            .a           = a,
            .b           = b,
            .c           = c,
            .requirement = requirement};
}

/// MFMA, 64 lanes. AMD Instinct MI100, MI200 and MI300 ISA guides, "Matrix Arithmetic
/// Instructions": lane % size is the row of A and B, the lanes above it and then the values count k
/// upwards; c keeps a column in lane % size and groups of four rows in turn over lane / size.
constexpr CK_HOST_DEVICE MatrixInstruction
mfma(const char* name, Element element, index_t size, index_t ab_values, Requirement requirement)
{
    const index_t k_lanes    = 64 / size;
    const LaneMap ab         = {.lane_low  = {size, 1, 0},
                                .lane_high = {k_lanes, 0, ab_values},
                                .value_low = {ab_values, 0, 1}};
    const index_t row_groups = size * size / 64 / 4;
    const LaneMap c          = {.lane_low     = {size, 0, 1},
                                .lane_high    = {k_lanes, 4, 0},
                                .value_low    = {4, 1, 0},
                                .value_middle = {row_groups, 4 * k_lanes, 0}};
    return instruction(name, element, size, size, k_lanes * ab_values, ab, ab, c, requirement);
}

/// MFMA that multiplies eight-bit floats, of two kinds maybe: FNUZ on gfx942, OCP on gfx950. Of 32
/// values a lane the instruction takes its two halves for distant k; in what order k is added does
/// not matter, as A and B have the same.
constexpr CK_HOST_DEVICE MatrixInstruction
mfma_f8(const char* name,
        Element a,
        Element b,
        index_t size,
        index_t ab_values       = 8,
        Requirement requirement = Requirement::mfma_gfx942)
{
    MatrixInstruction i = mfma(name, a, size, ab_values, requirement);
    i.b_element         = b;
    return i;
}

/// MFMA of doubles, 64 lanes. The same guides of MI200 and MI300: as above, but c's rows go around
/// the four groups of lanes.
constexpr CK_HOST_DEVICE MatrixInstruction mfma_f64(const char* name)
{
    const LaneMap ab = {.lane_low = {16, 1, 0}, .lane_high = {4, 0, 1}, .value_low = {1, 0, 0}};
    const LaneMap c  = {.lane_low = {16, 0, 1}, .lane_high = {4, 1, 0}, .value_low = {4, 4, 0}};
    return instruction(name, Element::f64, 16, 16, 4, ab, ab, c, Requirement::mfma_f64);
}

/// WMMA, 32 lanes. AMD RDNA 3 ISA guide, "Wave Matrix Multiply Accumulate": a lane holds a whole
/// row of A and B, lanes 16-31 the same as lanes 0-15; even rows of C are in lanes 0-15, odd ones
/// in 16-31.
constexpr CK_HOST_DEVICE MatrixInstruction wmma_gfx11(const char* name, Element element)
{
    const LaneMap ab = {.lane_low = {16, 1, 0}, .lane_high = {2, 0, 0}, .value_low = {16, 0, 1}};
    const LaneMap c  = {.lane_low = {16, 0, 1}, .lane_high = {2, 1, 0}, .value_low = {8, 2, 0}};
    return instruction(name, element, 16, 16, 16, ab, ab, c, Requirement::wmma_gfx11);
}

/// WMMA, 32 lanes. AMD RDNA 4 ISA guide, "Wave Matrix Multiply Accumulate": lanes 0-15 hold the
/// lower half of k and of C's rows, lanes 16-31 the upper half.
constexpr CK_HOST_DEVICE MatrixInstruction wmma_gfx12(const char* name, Element element)
{
    const LaneMap ab = {.lane_low = {16, 1, 0}, .lane_high = {2, 0, 8}, .value_low = {8, 0, 1}};
    const LaneMap c  = {.lane_low = {16, 0, 1}, .lane_high = {2, 8, 0}, .value_low = {8, 1, 0}};
    return instruction(name, element, 16, 16, 16, ab, ab, c, Requirement::wmma_gfx12);
}

/// WMMA that multiplies eight-bit floats of OCP, of two kinds maybe (the same guide).
constexpr CK_HOST_DEVICE MatrixInstruction wmma_f8(const char* name, Element a, Element b)
{
    MatrixInstruction i = wmma_gfx12(name, a);
    i.b_element         = b;
    return i;
}

/// mma.sync, 32 lanes. PTX ISA, "Matrix Fragments" for mma.m16n8k8 (.tf32), mma.m16n8k16 with
/// floating point type and mma.m16n8k32: a lane is row lane / 4 and has the
/// elements of lane % 4 that fill 4 bytes; these repeat 8 rows down and 16 bytes on. C: pairs of
/// columns 2 * (lane % 4).
constexpr CK_HOST_DEVICE MatrixInstruction mma(const char* name,
                                               Element element,
                                               index_t per_word,
                                               Requirement requirement = Requirement::mma_sync)
{
    const LaneMap a = {.lane_low     = {4, 0, per_word},
                       .lane_high    = {8, 1, 0},
                       .value_low    = {per_word, 0, 1},
                       .value_middle = {2, 8, 0},
                       .value_high   = {2, 0, 4 * per_word}};
    const LaneMap b = {.lane_low     = {4, 0, per_word},
                       .lane_high    = {8, 1, 0},
                       .value_low    = {per_word, 0, 1},
                       .value_middle = {2, 0, 4 * per_word}};
    const LaneMap c = {.lane_low     = {4, 0, 2},
                       .lane_high    = {8, 1, 0},
                       .value_low    = {2, 0, 1},
                       .value_middle = {2, 8, 0}};
    return instruction(name, element, 16, 8, 8 * per_word, a, b, c, requirement);
}

/// mma.sync of doubles, 32 lanes. PTX ISA, "Matrix Fragments" for mma.m8n8k4 with .f64, and for
/// mma.m16n8k8: a lane is row lane / 4 and k lane % 4; these repeat 8 rows down, then 4 on. C:
/// pairs of columns, as above.
constexpr CK_HOST_DEVICE MatrixInstruction mma_f64(const char* name,
                                                   index_t m,
                                                   index_t k,
                                                   Requirement requirement)
{
    const LaneMap a = {.lane_low     = {4, 0, 1},
                       .lane_high    = {8, 1, 0},
                       .value_low    = {m / 8, 8, 0},
                       .value_middle = {k / 4, 0, 4}};
    const LaneMap b = {.lane_low = {4, 0, 1}, .lane_high = {8, 1, 0}, .value_low = {k / 4, 0, 4}};
    const LaneMap c = {.lane_low     = {4, 0, 2},
                       .lane_high    = {8, 1, 0},
                       .value_low    = {2, 0, 1},
                       .value_middle = {m / 8, 8, 0}};
    return instruction(name, Element::f64, m, 8, k, a, b, c, requirement);
}

/// A warp's quarter of wgmma m64nNk of 32 bytes, in steps of eight columns (PTX ISA, "Register
/// Fragments for wgmma.mma_async"): C as mma.sync has it; A and B stay in shared memory.
constexpr CK_HOST_DEVICE MatrixInstruction wgmma(const char* name,
                                                 Element a,
                                                 Element b,
                                                 index_t per_word)
{
    MatrixInstruction i = mma(name, a, per_word, Requirement::wgmma);
    i.b_element         = b;
    return i;
}

/// Not one instruction but 32 lanes that each compute one element of C with dot products or FMA,
/// and so need no matrix unit and no traffic between lanes.
constexpr CK_HOST_DEVICE MatrixInstruction dot(const char* name, Element element, index_t k)
{
    const LaneMap a = {.lane_low = {4, 0, 0}, .lane_high = {8, 1, 0}, .value_low = {k, 0, 1}};
    const LaneMap b = {.lane_low = {4, 1, 0}, .lane_high = {8, 0, 0}, .value_low = {k, 0, 1}};
    const LaneMap c = {.lane_low = {4, 0, 1}, .lane_high = {8, 1, 0}, .value_low = {1, 0, 0}};
    return instruction(name, element, 8, 4, k, a, b, c, Requirement::none);
}

/// The table.
CK_HOST_DEVICE constexpr MatrixInstruction make_instruction(Matrix id)
{
    using enum Requirement;
    using enum Element;
    switch(id)
    {
    case Matrix::mfma_f32_32x32x8_f16:
        return detail::mfma("mfma_f32_32x32x8_f16", f16, 32, 4, mfma);
    case Matrix::mfma_f32_16x16x16_f16:
        return detail::mfma("mfma_f32_16x16x16_f16", f16, 16, 4, mfma);
    case Matrix::mfma_f32_32x32x4_bf16:
        return detail::mfma("mfma_f32_32x32x4_bf16", bf16, 32, 2, mfma_bf16);
    case Matrix::mfma_f32_16x16x8_bf16:
        return detail::mfma("mfma_f32_16x16x8_bf16", bf16, 16, 2, mfma_bf16);
    case Matrix::mfma_f32_32x32x8_bf16_1k:
        return detail::mfma("mfma_f32_32x32x8_bf16_1k", bf16, 32, 4, mfma_bf16_1k);
    case Matrix::mfma_f32_16x16x16_bf16_1k:
        return detail::mfma("mfma_f32_16x16x16_bf16_1k", bf16, 16, 4, mfma_bf16_1k);
    case Matrix::mfma_f32_32x32x2_f32:
        return detail::mfma("mfma_f32_32x32x2_f32", f32, 32, 1, mfma);
    case Matrix::mfma_f32_16x16x4_f32:
        return detail::mfma("mfma_f32_16x16x4_f32", f32, 16, 1, mfma);
    case Matrix::mfma_f32_32x32x4_xf32:
        return detail::mfma("mfma_f32_32x32x4_xf32", tf32, 32, 2, mfma_gfx942);
    case Matrix::mfma_f32_16x16x8_xf32:
        return detail::mfma("mfma_f32_16x16x8_xf32", tf32, 16, 2, mfma_gfx942);
    case Matrix::mfma_f64_16x16x4_f64:
        return detail::mfma_f64("mfma_f64_16x16x4_f64");
    case Matrix::mfma_i32_32x32x8_i8:
        return detail::mfma("mfma_i32_32x32x8_i8", i8, 32, 4, mfma_i8);
    case Matrix::mfma_i32_16x16x16_i8:
        return detail::mfma("mfma_i32_16x16x16_i8", i8, 16, 4, mfma_i8);
    case Matrix::mfma_i32_32x32x16_i8:
        return detail::mfma("mfma_i32_32x32x16_i8", i8, 32, 8, mfma_i8_gfx942);
    case Matrix::mfma_i32_16x16x32_i8:
        return detail::mfma("mfma_i32_16x16x32_i8", i8, 16, 8, mfma_i8_gfx942);
    case Matrix::mfma_f32_32x32x16_fp8_fp8:
        return detail::mfma_f8("mfma_f32_32x32x16_fp8_fp8", f8, f8, 32);
    case Matrix::mfma_f32_32x32x16_fp8_bf8:
        return detail::mfma_f8("mfma_f32_32x32x16_fp8_bf8", f8, bf8, 32);
    case Matrix::mfma_f32_32x32x16_bf8_fp8:
        return detail::mfma_f8("mfma_f32_32x32x16_bf8_fp8", bf8, f8, 32);
    case Matrix::mfma_f32_32x32x16_bf8_bf8:
        return detail::mfma_f8("mfma_f32_32x32x16_bf8_bf8", bf8, bf8, 32);
    case Matrix::mfma_f32_16x16x32_fp8_fp8:
        return detail::mfma_f8("mfma_f32_16x16x32_fp8_fp8", f8, f8, 16);
    case Matrix::mfma_f32_16x16x32_fp8_bf8:
        return detail::mfma_f8("mfma_f32_16x16x32_fp8_bf8", f8, bf8, 16);
    case Matrix::mfma_f32_16x16x32_bf8_fp8:
        return detail::mfma_f8("mfma_f32_16x16x32_bf8_fp8", bf8, f8, 16);
    case Matrix::mfma_f32_16x16x32_bf8_bf8:
        return detail::mfma_f8("mfma_f32_16x16x32_bf8_bf8", bf8, bf8, 16);
    case Matrix::mfma_f32_32x32x16_f16:
        return detail::mfma("mfma_f32_32x32x16_f16", f16, 32, 8, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_f16:
        return detail::mfma("mfma_f32_16x16x32_f16", f16, 16, 8, mfma_gfx950);
    case Matrix::mfma_f32_32x32x16_bf16:
        return detail::mfma("mfma_f32_32x32x16_bf16", bf16, 32, 8, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_bf16:
        return detail::mfma("mfma_f32_16x16x32_bf16", bf16, 16, 8, mfma_gfx950);
    case Matrix::mfma_i32_32x32x32_i8:
        return detail::mfma("mfma_i32_32x32x32_i8", i8, 32, 16, mfma_gfx950);
    case Matrix::mfma_i32_16x16x64_i8:
        return detail::mfma("mfma_i32_16x16x64_i8", i8, 16, 16, mfma_gfx950);
    case Matrix::mfma_f32_32x32x64_e4m3_e4m3:
        return detail::mfma_f8("mfma_f32_32x32x64_e4m3_e4m3", e4m3, e4m3, 32, 32, mfma_gfx950);
    case Matrix::mfma_f32_32x32x64_e4m3_e5m2:
        return detail::mfma_f8("mfma_f32_32x32x64_e4m3_e5m2", e4m3, e5m2, 32, 32, mfma_gfx950);
    case Matrix::mfma_f32_32x32x64_e5m2_e4m3:
        return detail::mfma_f8("mfma_f32_32x32x64_e5m2_e4m3", e5m2, e4m3, 32, 32, mfma_gfx950);
    case Matrix::mfma_f32_32x32x64_e5m2_e5m2:
        return detail::mfma_f8("mfma_f32_32x32x64_e5m2_e5m2", e5m2, e5m2, 32, 32, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_e4m3_e4m3:
        return detail::mfma_f8("mfma_f32_16x16x32_e4m3_e4m3", e4m3, e4m3, 16, 8, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_e4m3_e5m2:
        return detail::mfma_f8("mfma_f32_16x16x32_e4m3_e5m2", e4m3, e5m2, 16, 8, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_e5m2_e4m3:
        return detail::mfma_f8("mfma_f32_16x16x32_e5m2_e4m3", e5m2, e4m3, 16, 8, mfma_gfx950);
    case Matrix::mfma_f32_16x16x32_e5m2_e5m2:
        return detail::mfma_f8("mfma_f32_16x16x32_e5m2_e5m2", e5m2, e5m2, 16, 8, mfma_gfx950);
    case Matrix::wmma_gfx11_f32_16x16x16_f16:
        return detail::wmma_gfx11("wmma_gfx11_f32_16x16x16_f16", f16);
    case Matrix::wmma_gfx11_f32_16x16x16_bf16:
        return detail::wmma_gfx11("wmma_gfx11_f32_16x16x16_bf16", bf16);
    case Matrix::wmma_gfx11_i32_16x16x16_iu8:
        return detail::wmma_gfx11("wmma_gfx11_i32_16x16x16_iu8", i8);
    case Matrix::wmma_gfx12_f32_16x16x16_f16:
        return detail::wmma_gfx12("wmma_gfx12_f32_16x16x16_f16", f16);
    case Matrix::wmma_gfx12_f32_16x16x16_bf16:
        return detail::wmma_gfx12("wmma_gfx12_f32_16x16x16_bf16", bf16);
    case Matrix::wmma_gfx12_i32_16x16x16_iu8:
        return detail::wmma_gfx12("wmma_gfx12_i32_16x16x16_iu8", i8);
    case Matrix::wmma_gfx12_f32_16x16x16_e4m3_e4m3:
        return detail::wmma_f8("wmma_gfx12_f32_16x16x16_e4m3_e4m3", e4m3, e4m3);
    case Matrix::wmma_gfx12_f32_16x16x16_e4m3_e5m2:
        return detail::wmma_f8("wmma_gfx12_f32_16x16x16_e4m3_e5m2", e4m3, e5m2);
    case Matrix::wmma_gfx12_f32_16x16x16_e5m2_e4m3:
        return detail::wmma_f8("wmma_gfx12_f32_16x16x16_e5m2_e4m3", e5m2, e4m3);
    case Matrix::wmma_gfx12_f32_16x16x16_e5m2_e5m2:
        return detail::wmma_f8("wmma_gfx12_f32_16x16x16_e5m2_e5m2", e5m2, e5m2);
    case Matrix::mma_f32_16x8x16_f16:
        return detail::mma("mma_f32_16x8x16_f16", f16, 2);
    case Matrix::mma_f32_16x8x16_bf16:
        return detail::mma("mma_f32_16x8x16_bf16", bf16, 2);
    case Matrix::mma_f32_16x8x8_tf32:
        return detail::mma("mma_f32_16x8x8_tf32", tf32, 1);
    case Matrix::mma_i32_16x8x32_s8:
        return detail::mma("mma_i32_16x8x32_s8", i8, 4);
    case Matrix::mma_f32_16x8x32_e4m3_e4m3:
        return detail::mma("mma_f32_16x8x32_e4m3_e4m3", e4m3, 4, mma_sync_f8);
    case Matrix::mma_f64_8x8x4_f64:
        return detail::mma_f64("mma_f64_8x8x4_f64", 8, 4, mma_sync_f64);
    case Matrix::mma_f64_16x8x8_f64:
        return detail::mma_f64("mma_f64_16x8x8_f64", 16, 8, mma_sync_f64_sm90);
    case Matrix::wgmma_f32_16x8x16_f16:
        return detail::wgmma("wgmma_f32_16x8x16_f16", f16, f16, 2);
    case Matrix::wgmma_f32_16x8x16_bf16:
        return detail::wgmma("wgmma_f32_16x8x16_bf16", bf16, bf16, 2);
    case Matrix::wgmma_f32_16x8x8_tf32:
        return detail::wgmma("wgmma_f32_16x8x8_tf32", tf32, tf32, 1);
    case Matrix::wgmma_i32_16x8x32_s8:
        return detail::wgmma("wgmma_i32_16x8x32_s8", i8, i8, 4);
    case Matrix::wgmma_f32_16x8x32_e4m3_e4m3:
        return detail::wgmma("wgmma_f32_16x8x32_e4m3_e4m3", e4m3, e4m3, 4);
    case Matrix::wgmma_f32_16x8x32_e4m3_e5m2:
        return detail::wgmma("wgmma_f32_16x8x32_e4m3_e5m2", e4m3, e5m2, 4);
    case Matrix::wgmma_f32_16x8x32_e5m2_e4m3:
        return detail::wgmma("wgmma_f32_16x8x32_e5m2_e4m3", e5m2, e4m3, 4);
    case Matrix::wgmma_f32_16x8x32_e5m2_e5m2:
        return detail::wgmma("wgmma_f32_16x8x32_e5m2_e5m2", e5m2, e5m2, 4);
    case Matrix::dot_f32_8x4x2_f16:
        return detail::dot("dot_f32_8x4x2_f16", f16, 2);
    case Matrix::dot_f32_8x4x2_bf16:
        return detail::dot("dot_f32_8x4x2_bf16", bf16, 2);
    case Matrix::dot_f32_8x4x1_f32:
        return detail::dot("dot_f32_8x4x1_f32", f32, 1);
    case Matrix::dot_f64_8x4x1_f64:
        return detail::dot("dot_f64_8x4x1_f64", f64, 1);
    case Matrix::dot_i32_8x4x4_i8:
        return detail::dot("dot_i32_8x4x4_i8", i8, 4);
    }
    return {};
}

#if !defined(__HIP_DEVICE_COMPILE__) && !defined(__CUDA_ARCH__)
/// All of them, for hosts: their compilers take half a second for the code that would make one.
inline constexpr auto instructions = [] {
    std::array<MatrixInstruction, static_cast<std::size_t>(matrix_count)> all{};
    for(index_t id = 0; id < matrix_count; ++id)
        all[static_cast<std::size_t>(id)] = make_instruction(static_cast<Matrix>(id));
    return all;
}();
#endif

} // namespace detail

/// Returns what an instruction is.
CK_HOST_DEVICE constexpr MatrixInstruction describe(Matrix id)
{
#if defined(__HIP_DEVICE_COMPILE__) || defined(__CUDA_ARCH__)
    return detail::make_instruction(id);
#else
    return detail::instructions[static_cast<std::size_t>(id)];
#endif
}

/// Whether the instruction takes its operands from shared memory: by multiply_shared() of
/// warpgroup.hpp, not multiply_accumulate().
CK_HOST_DEVICE constexpr bool takes_shared(Matrix id)
{
    return describe(id).requirement == Requirement::wgmma;
}

CK_HOST_DEVICE constexpr bool is_dot(Matrix id)
{
    return describe(id).requirement == Requirement::none;
}

/// The instruction that computes the same product with a and b exchanged.
CK_HOST_DEVICE constexpr Matrix with_exchanged_operands(Matrix id)
{
    using enum Matrix;
    switch(id)
    {
    case mfma_f32_32x32x16_fp8_bf8:
        return mfma_f32_32x32x16_bf8_fp8;
    case mfma_f32_32x32x16_bf8_fp8:
        return mfma_f32_32x32x16_fp8_bf8;
    case mfma_f32_16x16x32_fp8_bf8:
        return mfma_f32_16x16x32_bf8_fp8;
    case mfma_f32_16x16x32_bf8_fp8:
        return mfma_f32_16x16x32_fp8_bf8;
    case mfma_f32_32x32x64_e4m3_e5m2:
        return mfma_f32_32x32x64_e5m2_e4m3;
    case mfma_f32_32x32x64_e5m2_e4m3:
        return mfma_f32_32x32x64_e4m3_e5m2;
    case mfma_f32_16x16x32_e4m3_e5m2:
        return mfma_f32_16x16x32_e5m2_e4m3;
    case mfma_f32_16x16x32_e5m2_e4m3:
        return mfma_f32_16x16x32_e4m3_e5m2;
    case wmma_gfx12_f32_16x16x16_e4m3_e5m2:
        return wmma_gfx12_f32_16x16x16_e5m2_e4m3;
    case wmma_gfx12_f32_16x16x16_e5m2_e4m3:
        return wmma_gfx12_f32_16x16x16_e4m3_e5m2;
    case wgmma_f32_16x8x32_e4m3_e5m2:
        return wgmma_f32_16x8x32_e5m2_e4m3;
    case wgmma_f32_16x8x32_e5m2_e4m3:
        return wgmma_f32_16x8x32_e4m3_e5m2;
    default:
        return id;
    }
}

/// Every element of each operand is held by the same number of (lane, value) pairs; those of C by
/// one.
constexpr bool is_consistent(const MatrixInstruction& i)
{
    const auto copies = [&](index_t values, index_t rows) {
        return i.lanes * values / (rows * i.k);
    };
    return i.a.lanes() == i.lanes && i.b.lanes() == i.lanes && i.c.lanes() == i.lanes &&
           i.a.values() == i.a_values && i.b.values() == i.b_values && i.c.values() == i.c_values &&
           covers(i.a, i.m, i.k, copies(i.a_values, i.m)) &&
           covers(i.b, i.n, i.k, copies(i.b_values, i.n)) && covers(i.c, i.m, i.n, 1);
}

namespace detail {
template <Element element>
struct ElementType;
template <>
struct ElementType<Element::f16>
{
    using type = half_t;
};
template <>
struct ElementType<Element::bf16>
{
    using type = bhalf_t;
};
template <>
struct ElementType<Element::f32>
{
    using type = float;
};
template <>
struct ElementType<Element::f64>
{
    using type = double;
};
template <>
struct ElementType<Element::tf32>
{
    using type = float;
};
template <>
struct ElementType<Element::i8>
{
    using type = std::int8_t;
};
template <>
struct ElementType<Element::f8>
{
    using type = f8_t;
};
template <>
struct ElementType<Element::bf8>
{
    using type = bf8_t;
};
template <>
struct ElementType<Element::e4m3>
{
    using type = f8_ocp_t;
};
template <>
struct ElementType<Element::e5m2>
{
    using type = bf8_ocp_t;
};
} // namespace detail

/// The types of the values in registers. Instructions that multiply tf32 take floats and round them
/// themselves, but for wgmma, which drops the low bits: tensor maps have rounded what it reads.
template <Matrix id>
struct MatrixTypes
{
    using A = typename detail::ElementType<describe(id).a_element>::type;
    using B = typename detail::ElementType<describe(id).b_element>::type;
    using Accumulator =
        std::conditional_t<std::is_same_v<A, double>,
                           double,
                           std::conditional_t<std::is_same_v<A, std::int8_t>, std::int32_t, float>>;
};

/// The register values of one lane.
template <Matrix id>
using MatrixA = Vector<typename MatrixTypes<id>::A, describe(id).a_values>;
template <Matrix id>
using MatrixB = Vector<typename MatrixTypes<id>::B, describe(id).b_values>;
template <Matrix id>
using MatrixC = Vector<typename MatrixTypes<id>::Accumulator, describe(id).c_values>;

/// Bytes of an operand's element.
constexpr index_t input_bytes(Matrix id)
{
    switch(describe(id).a_element)
    {
    case Element::f16:
    case Element::bf16:
        return 2;
    case Element::f32:
    case Element::tf32:
        return 4;
    case Element::f64:
        return 8;
    case Element::i8:
    case Element::f8:
    case Element::bf8:
    case Element::e4m3:
    case Element::e5m2:
        return 1;
    }
    return 0;
}

} // namespace ck::arch
