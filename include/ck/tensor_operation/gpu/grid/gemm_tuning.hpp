#pragma once
// The configuration of an implicit-GEMM kernel, one value. Everything else about the kernel is
// derived from it.
#include "ck/arch/matrix.hpp"
#include "ck/utility/integer.hpp"

namespace ck {

/// Elements of C rows (m), C columns (n) and reduction (k).
struct Tile
{
    index_t m, n, k;
};

/// How slices of A and B travel from global memory over LDS to the matrix instructions.
enum class Pipeline
{
    single_buffer, ///< one LDS slice; the next one waits in registers. Two barriers a slice, least
                   ///< LDS.
    double_buffer, ///< two LDS slices, one filled while the other is multiplied. One barrier a
                   ///< slice.
};

struct GemmTuning
{
    Tile block_tile;          ///< elements a workgroup computes, and the depth of one LDS slice
    index_t wave_m;           ///< C rows of one wave
    index_t wave_n;           ///< C columns of one wave
    arch::Matrix instruction; ///< the matrix instruction
    index_t a_vector;         ///< elements per global load of A
    index_t b_vector;         ///< elements per global load of B
    index_t c_vector;         ///< elements per global store of C (and load of D)
    Pipeline pipeline = Pipeline::single_buffer;
    index_t min_blocks_per_unit =
        1; ///< workgroups that must fit on one compute unit or SM (NVIDIA register cap)
};

constexpr arch::MatrixInstruction instruction_of(const GemmTuning& t)
{
    return arch::describe(t.instruction);
}

constexpr index_t wave_count(const GemmTuning& t)
{
    return (t.block_tile.m / t.wave_m) * (t.block_tile.n / t.wave_n);
}

constexpr index_t block_size(const GemmTuning& t)
{
    return wave_count(t) * instruction_of(t).lanes;
}

} // namespace ck
