#pragma once
// The positions of Composable Kernel's positional names as one value. The tuning and the type
// string are made from it.
#include "ck/tensor_operation/gpu/device/impl/positional/positional.hpp"

namespace ck::tensor_operation::device::positional {

/// The matrix instructions that a positional name uses.
enum class Engine
{
    xdl,  ///< MFMA
    wmma, ///< WMMA
    dl    ///< dot products
};

/// Positions that affect the kernel, and positions that only appear in the type string (LDS
/// vectors, C shuffle). One type for all engines, because nvcc 13 loses the type of an `auto`
/// template parameter.
struct Positions
{
    Engine engine = Engine::xdl;
    index_t block_size;
    Tile block;
    index_t k1; ///< contiguous elements of K; block.k is K0PerBlock of them
    index_t instruction_m = 0, instruction_n = 0; ///< not used by dl
    index_t tiles_m = 0, tiles_n = 0;             ///< tiles of a wave; not used by dl
    index_t threads_m = 0, threads_n = 0;         ///< dl only: along the sides of the block tile
    Vectors vectors;
    index_t a_lds_vector = 0, b_lds_vector = 0;
    index_t shuffle_m = 0, shuffle_n = 0;
    index_t b_k1 = 0; ///< B's, if different
    /// A and B are read in place in a layout whose channels are not contiguous, one by one.
    bool single_loads = false;

    /// Grouped forward. xdl: "BlockSize, M, N, K, spec, instruction, tiles, vectors of A, B and E,
    /// C shuffle"; wmma: "BlockSize, M, N, K, spec, K1, instruction, repeats"; dl: "BlockSize, M,
    /// N, K0, spec, K1".
    std::string grouped_forward(const std::string& specialization) const
    {
        if(engine == Engine::dl)
            return list(block_size, block.m, block.n, block.k / k1, specialization, k1);
        const std::string begin =
            list(block_size, block.m, block.n, block.k, specialization) + ", ";
        if(engine == Engine::wmma)
            return begin + list(k1, instruction_m, instruction_n, tiles_m, tiles_n);
        return begin + list(instruction_m,
                            instruction_n,
                            tiles_m,
                            tiles_n,
                            vectors.a,
                            vectors.b,
                            vectors.c,
                            shuffle_m,
                            shuffle_n);
    }

    /// Backward weight: "BlockSize, M, N, k, spec, K1"; xdl appends the tiles; xdl and wmma append
    /// "vectors from and to, C shuffle, vector of C". k is K0PerBlock or KPerBlock.
    std::string weight(const std::string& specialization, index_t k) const
    {
        std::string text = list(block_size, block.m, block.n, k, specialization, k1);
        if(engine == Engine::dl)
            return text;
        if(engine == Engine::xdl)
            text += ", " + list(tiles_m, tiles_n);
        return text + ", " +
               list(vectors.a,
                    a_lds_vector,
                    vectors.b,
                    b_lds_vector,
                    shuffle_m,
                    shuffle_n,
                    vectors.c);
    }

    /// Forward without groups, xdl only. With C shuffle as weight(), otherwise "BlockSize, M, N,
    /// K0, spec, K1, instruction, tiles, vectors from and to".
    std::string packed_forward(const std::string& specialization) const
    {
        if(engine == Engine::dl)
            return grouped_forward(specialization);
        return shuffle_m > 0 ? weight(specialization, block.k / k1)
                             : list(block_size,
                                    block.m,
                                    block.n,
                                    block.k / k1,
                                    specialization,
                                    k1,
                                    instruction_m,
                                    instruction_n,
                                    tiles_m,
                                    tiles_n,
                                    vectors.a,
                                    a_lds_vector,
                                    vectors.b,
                                    b_lds_vector);
    }

    /// Grouped backward data. xdl: "BlockSize, M, N, K, K1 of A and B, spec, instruction, tiles,
    /// vectors of A and B, C shuffle"; wmma: "BlockSize, M, N, K, spec, K1, vectors of A and B".
    std::string grouped_backward_data(const std::string& specialization) const
    {
        if(engine == Engine::wmma)
            return list(
                block_size, block.m, block.n, block.k, specialization, k1, vectors.a, vectors.b);
        return list(block_size,
                    block.m,
                    block.n,
                    block.k,
                    k1,
                    b_k1,
                    specialization,
                    instruction_m,
                    instruction_n,
                    tiles_m,
                    tiles_n,
                    vectors.a,
                    vectors.b,
                    shuffle_m,
                    shuffle_n);
    }

    /// Backward data without groups: "BlockSize, M, N, K0, K1"; xdl appends "tiles, vectors from
    /// and to".
    std::string packed_backward_data() const
    {
        const std::string begin = list(block_size, block.m, block.n, block.k / k1, k1);
        if(engine == Engine::dl)
            return begin;
        return begin + ", " +
               list(tiles_m, tiles_n, vectors.a, a_lds_vector, vectors.b, b_lds_vector);
    }
};

/// The tuning for the positions of an engine. T and B are the types of the operands.
template <class T, class Acc, Positions p, class B = T>
constexpr GemmTuning tuning_at(Pipeline pipeline = Pipeline::single_buffer)
{
    if constexpr(p.engine == Engine::xdl)
        return xdl_tuning<T,
                          Acc,
                          p.block_size,
                          p.block,
                          p.instruction_m,
                          p.instruction_n,
                          p.tiles_m,
                          p.tiles_n,
                          B>(p.single_loads ? Vectors{1, 1, p.vectors.c} : p.vectors, pipeline);
    else if constexpr(p.engine == Engine::wmma)
        return wmma_tuning<T,
                           Acc,
                           p.block_size,
                           p.block,
                           p.instruction_m,
                           p.instruction_n,
                           p.tiles_m,
                           p.tiles_n>(p.vectors, pipeline);
    else
        return dl_tuning<T,
                         Acc,
                         p.block_size,
                         p.block,
                         Sequence<p.threads_m>,
                         Sequence<p.threads_n>>(p.vectors);
}

} // namespace ck::tensor_operation::device::positional
