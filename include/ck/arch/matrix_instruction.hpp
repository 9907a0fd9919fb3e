#pragma once
// Describes a matrix instruction: sizes, element types, and the layout of each lane's registers.
// Builds the instructions of each family from the few numbers in which they differ.
#include "ck/arch/lane_map.hpp"
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

namespace ck::arch {

/// The types that an instruction multiplies. ElementTypes (matrix_table.hpp) has the same order.
enum class Element
{
    f16,
    bf16,
    f32,
    f64,
    tf32, // floats in registers with 10 explicit mantissa bits
    i8,
    f8,   // FNUZ e4m3
    bf8,  // FNUZ e5m2
    e4m3, // OCP
    e5m2, // OCP
};

/// c[m, n] += a[m, k] * b[n, k], computed by `lanes` lanes of a wave together. Sums of integers are
/// 32-bit integers, which wrap around; sums of doubles are doubles, and others are floats. For
/// eight-bit floats, however, wgmma keeps only about 14 bits of a sum, although its result is a
/// float ("DeepSeek-V3 Technical Report", 3.3.2): integer sums are exact below 2^13.
struct MatrixInstruction
{
    const char* name;
    Element a_element, b_element; // both of the same size
    index_t m, n, k;
    index_t lanes;
    index_t a_values, b_values, c_values; // register values for each lane
    LaneMap a;                            // (row, column) = (m, k)
    LaneMap b;                            // (n, k)
    LaneMap c;                            // (m, n)
    Requirement requirement;
};

namespace detail {

/// An instruction; the numbers of registers follow from the maps.
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
/// Instructions": lane % size is the row of A and B; lane / size and then the values are k,
/// ascending. c has its column in lane % size, and groups of four rows alternate over lane / size.
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

/// MFMA of eight-bit floats, possibly of two types: FNUZ on gfx942, OCP on gfx950. The two halves
/// of 32 values in a lane are distant k for the instruction; the order of k does not matter, since
/// it is the same for A and B.
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

/// MFMA of doubles, 64 lanes. The same guides for MI200 and MI300: as above, but the rows of c
/// alternate over the four groups of lanes.
constexpr CK_HOST_DEVICE MatrixInstruction mfma_f64(const char* name)
{
    const LaneMap ab = {.lane_low = {16, 1, 0}, .lane_high = {4, 0, 1}, .value_low = {1, 0, 0}};
    const LaneMap c  = {.lane_low = {16, 0, 1}, .lane_high = {4, 1, 0}, .value_low = {4, 4, 0}};
    return instruction(name, Element::f64, 16, 16, 4, ab, ab, c, Requirement::mfma_f64);
}

/// WMMA, 32 lanes. AMD RDNA 3 ISA guide, "Wave Matrix Multiply Accumulate": a lane holds a whole
/// row of A and B, lanes 16-31 the same as lanes 0-15. Even rows of C are in lanes 0-15, odd rows
/// in lanes 16-31.
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

/// WMMA of eight-bit OCP floats, possibly of two types (the same guide).
constexpr CK_HOST_DEVICE MatrixInstruction wmma_f8(const char* name, Element a, Element b)
{
    MatrixInstruction i = wmma_gfx12(name, a);
    i.b_element         = b;
    return i;
}

/// mma.sync, 32 lanes. PTX ISA, "Matrix Fragments" for mma.m16n8k8 (.tf32), mma.m16n8k16 with
/// floating point type and mma.m16n8k32: a lane holds row lane / 4 and the 4 bytes of
/// elements at lane % 4. These repeat 8 rows below and 16 bytes on. C: pairs of columns 2 *
/// (lane % 4).
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
/// mma.m16n8k8: a lane holds row lane / 4 and k lane % 4. These repeat 8 rows below, then 4 on. C:
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

/// A warp's quarter of wgmma m64nNk with a k of 32 bytes, in steps of eight columns (PTX ISA,
/// "Register Fragments for wgmma.mma_async"): C as in mma.sync; A and B stay in shared memory.
constexpr CK_HOST_DEVICE MatrixInstruction wgmma(const char* name,
                                                 Element a,
                                                 Element b,
                                                 index_t per_word)
{
    MatrixInstruction i = mma(name, a, per_word, Requirement::wgmma);
    i.b_element         = b;
    return i;
}

/// Not one instruction: 32 lanes that each compute one element of C with dot products or FMA. They
/// need no matrix unit and no traffic between lanes.
constexpr CK_HOST_DEVICE MatrixInstruction dot(const char* name, Element element, index_t k)
{
    const LaneMap a = {.lane_low = {4, 0, 0}, .lane_high = {8, 1, 0}, .value_low = {k, 0, 1}};
    const LaneMap b = {.lane_low = {4, 1, 0}, .lane_high = {8, 0, 0}, .value_low = {k, 0, 1}};
    const LaneMap c = {.lane_low = {4, 0, 1}, .lane_high = {8, 1, 0}, .value_low = {1, 0, 0}};
    return instruction(name, element, 8, 4, k, a, b, c, Requirement::none);
}

} // namespace detail

} // namespace ck::arch
