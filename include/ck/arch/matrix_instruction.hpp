#pragma once
// What a matrix instruction is: lengths, elements, and where each lane's registers lie. And those
// of each family, from the few numbers in which its members differ.
#include "ck/arch/lane_map.hpp"
#include "ck/arch/target.hpp"
#include "ck/utility/integer.hpp"

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

} // namespace detail

} // namespace ck::arch
