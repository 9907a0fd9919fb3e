#pragma once
// The matrix instructions as data. Kernels, epilogues and the host's emulation read the same rows;
// test/isa/matrix_instructions.cpp proves each row against the machine code it stands for.
#include "ck/arch/lane_map.hpp"
#include "ck/arch/target.hpp"
#include "ck/utility/data_type.hpp"

#include <type_traits>

namespace ck::arch {

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
    wmma_gfx11_f32_16x16x16_f16,
    wmma_gfx11_f32_16x16x16_bf16,
    wmma_gfx12_f32_16x16x16_f16,
    wmma_gfx12_f32_16x16x16_bf16,
    mma_f32_16x8x16_f16,
    mma_f32_16x8x16_bf16,
    mma_f32_16x8x8_tf32,
    dot_f32_8x4x2_f16,
    dot_f32_8x4x2_bf16,
    dot_f32_8x4x1_f32,
};
inline constexpr index_t matrix_count = static_cast<index_t>(Matrix::dot_f32_8x4x1_f32) + 1;

/// c[m, n] += a[m, k] * b[n, k], by `lanes` lanes of a wave together.
struct MatrixInstruction
{
    const char* name;
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
                                                       index_t m,
                                                       index_t n,
                                                       index_t k,
                                                       const LaneMap& a,
                                                       const LaneMap& b,
                                                       const LaneMap& c,
                                                       Requirement requirement)
{
    return {.name        = name,
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
constexpr CK_HOST_DEVICE MatrixInstruction mfma(const char* name,
                                                index_t size,
                                                index_t ab_values,
                                                Requirement requirement)
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
    return instruction(name, size, size, k_lanes * ab_values, ab, ab, c, requirement);
}

/// WMMA, 32 lanes. AMD RDNA 3 ISA guide, "Wave Matrix Multiply Accumulate": a lane holds a whole
/// row of A and B, lanes 16-31 the same as lanes 0-15; even rows of C are in lanes 0-15, odd ones
/// in 16-31.
constexpr CK_HOST_DEVICE MatrixInstruction wmma_gfx11(const char* name)
{
    const LaneMap ab = {.lane_low = {16, 1, 0}, .lane_high = {2, 0, 0}, .value_low = {16, 0, 1}};
    const LaneMap c  = {.lane_low = {16, 0, 1}, .lane_high = {2, 1, 0}, .value_low = {8, 2, 0}};
    return instruction(name, 16, 16, 16, ab, ab, c, Requirement::wmma_gfx11);
}

/// WMMA, 32 lanes. AMD RDNA 4 ISA guide, "Wave Matrix Multiply Accumulate": lanes 0-15 hold the
/// lower half of k and of C's rows, lanes 16-31 the upper half.
constexpr CK_HOST_DEVICE MatrixInstruction wmma_gfx12(const char* name)
{
    const LaneMap ab = {.lane_low = {16, 1, 0}, .lane_high = {2, 0, 8}, .value_low = {8, 0, 1}};
    const LaneMap c  = {.lane_low = {16, 0, 1}, .lane_high = {2, 8, 0}, .value_low = {8, 1, 0}};
    return instruction(name, 16, 16, 16, ab, ab, c, Requirement::wmma_gfx12);
}

/// mma.sync, 32 lanes. PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type": a
/// lane is row lane / 4, a pair of columns 2 * (lane % 4), repeated 8 rows down and 8 columns on.
constexpr CK_HOST_DEVICE MatrixInstruction mma_k16(const char* name)
{
    const LaneMap a = {.lane_low     = {4, 0, 2},
                       .lane_high    = {8, 1, 0},
                       .value_low    = {2, 0, 1},
                       .value_middle = {2, 8, 0},
                       .value_high   = {2, 0, 8}};
    const LaneMap b = {.lane_low     = {4, 0, 2},
                       .lane_high    = {8, 1, 0},
                       .value_low    = {2, 0, 1},
                       .value_middle = {2, 0, 8}};
    const LaneMap c = {.lane_low     = {4, 0, 2},
                       .lane_high    = {8, 1, 0},
                       .value_low    = {2, 0, 1},
                       .value_middle = {2, 8, 0}};
    return instruction(name, 16, 8, 16, a, b, c, Requirement::mma_sync);
}

/// PTX ISA, "Matrix Fragments for mma.m16n8k8", .tf32.
constexpr CK_HOST_DEVICE MatrixInstruction mma_k8_tf32(const char* name)
{
    const LaneMap a = {.lane_low     = {4, 0, 1},
                       .lane_high    = {8, 1, 0},
                       .value_low    = {2, 8, 0},
                       .value_middle = {2, 0, 4}};
    const LaneMap b = {.lane_low = {4, 0, 1}, .lane_high = {8, 1, 0}, .value_low = {2, 0, 4}};
    return instruction(name, 16, 8, 8, a, b, mma_k16(name).c, Requirement::mma_sync);
}

/// Not one instruction but 32 lanes that each compute one element of C with dot products or FMA,
/// and so need no matrix unit and no traffic between lanes.
constexpr CK_HOST_DEVICE MatrixInstruction dot(const char* name, index_t k)
{
    const LaneMap a = {.lane_low = {4, 0, 0}, .lane_high = {8, 1, 0}, .value_low = {k, 0, 1}};
    const LaneMap b = {.lane_low = {4, 1, 0}, .lane_high = {8, 0, 0}, .value_low = {k, 0, 1}};
    const LaneMap c = {.lane_low = {4, 0, 1}, .lane_high = {8, 1, 0}, .value_low = {1, 0, 0}};
    return instruction(name, 8, 4, k, a, b, c, Requirement::none);
}

} // namespace detail

/// The table.
CK_HOST_DEVICE constexpr MatrixInstruction describe(Matrix id)
{
    using enum Requirement;
    switch(id)
    {
    case Matrix::mfma_f32_32x32x8_f16:
        return detail::mfma("mfma_f32_32x32x8_f16", 32, 4, mfma);
    case Matrix::mfma_f32_16x16x16_f16:
        return detail::mfma("mfma_f32_16x16x16_f16", 16, 4, mfma);
    case Matrix::mfma_f32_32x32x4_bf16:
        return detail::mfma("mfma_f32_32x32x4_bf16", 32, 2, mfma_bf16);
    case Matrix::mfma_f32_16x16x8_bf16:
        return detail::mfma("mfma_f32_16x16x8_bf16", 16, 2, mfma_bf16);
    case Matrix::mfma_f32_32x32x8_bf16_1k:
        return detail::mfma("mfma_f32_32x32x8_bf16_1k", 32, 4, mfma_bf16_1k);
    case Matrix::mfma_f32_16x16x16_bf16_1k:
        return detail::mfma("mfma_f32_16x16x16_bf16_1k", 16, 4, mfma_bf16_1k);
    case Matrix::mfma_f32_32x32x2_f32:
        return detail::mfma("mfma_f32_32x32x2_f32", 32, 1, mfma);
    case Matrix::mfma_f32_16x16x4_f32:
        return detail::mfma("mfma_f32_16x16x4_f32", 16, 1, mfma);
    case Matrix::wmma_gfx11_f32_16x16x16_f16:
        return detail::wmma_gfx11("wmma_gfx11_f32_16x16x16_f16");
    case Matrix::wmma_gfx11_f32_16x16x16_bf16:
        return detail::wmma_gfx11("wmma_gfx11_f32_16x16x16_bf16");
    case Matrix::wmma_gfx12_f32_16x16x16_f16:
        return detail::wmma_gfx12("wmma_gfx12_f32_16x16x16_f16");
    case Matrix::wmma_gfx12_f32_16x16x16_bf16:
        return detail::wmma_gfx12("wmma_gfx12_f32_16x16x16_bf16");
    case Matrix::mma_f32_16x8x16_f16:
        return detail::mma_k16("mma_f32_16x8x16_f16");
    case Matrix::mma_f32_16x8x16_bf16:
        return detail::mma_k16("mma_f32_16x8x16_bf16");
    case Matrix::mma_f32_16x8x8_tf32:
        return detail::mma_k8_tf32("mma_f32_16x8x8_tf32");
    case Matrix::dot_f32_8x4x2_f16:
        return detail::dot("dot_f32_8x4x2_f16", 2);
    case Matrix::dot_f32_8x4x2_bf16:
        return detail::dot("dot_f32_8x4x2_bf16", 2);
    case Matrix::dot_f32_8x4x1_f32:
        return detail::dot("dot_f32_8x4x1_f32", 1);
    }
    return {};
}

CK_HOST_DEVICE constexpr bool is_dot(Matrix id)
{
    return id == Matrix::dot_f32_8x4x2_f16 || id == Matrix::dot_f32_8x4x2_bf16 ||
           id == Matrix::dot_f32_8x4x1_f32;
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
CK_HOST_DEVICE constexpr bool is_f16(Matrix id)
{
    using enum Matrix;
    return id == mfma_f32_32x32x8_f16 || id == mfma_f32_16x16x16_f16 ||
           id == wmma_gfx11_f32_16x16x16_f16 || id == wmma_gfx12_f32_16x16x16_f16 ||
           id == mma_f32_16x8x16_f16 || id == dot_f32_8x4x2_f16;
}
CK_HOST_DEVICE constexpr bool is_f32(Matrix id)
{
    using enum Matrix;
    return id == mfma_f32_32x32x2_f32 || id == mfma_f32_16x16x4_f32 || id == mma_f32_16x8x8_tf32 ||
           id == dot_f32_8x4x1_f32;
}
} // namespace detail

/// The types of the values in registers. mma tf32 takes floats and rounds them itself.
template <Matrix id>
struct MatrixTypes
{
    using Input       = std::conditional_t<detail::is_f16(id),
                                     half_t,
                                     std::conditional_t<detail::is_f32(id), float, bhalf_t>>;
    using Accumulator = float;
};

} // namespace ck::arch
