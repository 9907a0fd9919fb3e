#pragma once
// The positions of Composable Kernel's positional names as values, one type for each engine: of
// them the tuning and the type string are made.
#include "ck/tensor_operation/gpu/device/impl/positional.hpp"

namespace ck::tensor_operation::device::positional {

/// By MFMA: what the positions say of the kernel, and what they only put into the type string: the
/// vectors in LDS and the C shuffle.
struct XdlPositions
{
    index_t block_size;
    Tile block;
    index_t k1; ///< neighbours along the reduction; block.k is K0PerBlock of them
    index_t xdl_m, xdl_n;
    index_t tiles_m, tiles_n; ///< of a wave
    Vectors vectors;
    index_t a_lds_vector = 0, b_lds_vector = 0;
    index_t shuffle_m = 0, shuffle_n = 0;
    index_t b_k1 = 0; ///< of B, where it has its own
    /// A and B are read in place in a layout whose channels are not contiguous: one element a load.
    bool single_loads = false;

    /// "BlockSize, M, N, K, spec, instruction, tiles, vectors of A, B and E, C shuffle": grouped
    /// forward.
    std::string grouped_forward(const std::string& specialization) const
    {
        return list(block_size,
                    block.m,
                    block.n,
                    block.k,
                    specialization,
                    xdl_m,
                    xdl_n,
                    tiles_m,
                    tiles_n,
                    vectors.a,
                    vectors.b,
                    vectors.c,
                    shuffle_m,
                    shuffle_n);
    }

    /// "BlockSize, M, N, k, spec, K1, tiles, vectors from and to, C shuffle, vector of C": backward
    /// weight, k being K0PerBlock or KPerBlock, and forward without groups.
    std::string shuffled(const std::string& specialization, index_t k) const
    {
        return list(block_size,
                    block.m,
                    block.n,
                    k,
                    specialization,
                    k1,
                    tiles_m,
                    tiles_n,
                    vectors.a,
                    a_lds_vector,
                    vectors.b,
                    b_lds_vector,
                    shuffle_m,
                    shuffle_n,
                    vectors.c);
    }

    std::string weight(const std::string& specialization, index_t k) const
    {
        return shuffled(specialization, k);
    }
    std::string packed_forward(const std::string& specialization) const
    {
        return shuffle_m > 0 ? shuffled(specialization, block.k / k1)
                             : not_shuffled(specialization);
    }

    /// "BlockSize, M, N, K0, spec, K1, instruction, tiles, vectors from and to": forward without
    /// groups and without C shuffle.
    std::string not_shuffled(const std::string& specialization) const
    {
        return list(block_size,
                    block.m,
                    block.n,
                    block.k / k1,
                    specialization,
                    k1,
                    xdl_m,
                    xdl_n,
                    tiles_m,
                    tiles_n,
                    vectors.a,
                    a_lds_vector,
                    vectors.b,
                    b_lds_vector);
    }

    /// "BlockSize, M, N, K, K1 of A and B, spec, instruction, tiles, vectors of A and B, C
    /// shuffle": grouped backward data.
    std::string grouped_backward_data(const std::string& specialization) const
    {
        return list(block_size,
                    block.m,
                    block.n,
                    block.k,
                    k1,
                    b_k1,
                    specialization,
                    xdl_m,
                    xdl_n,
                    tiles_m,
                    tiles_n,
                    vectors.a,
                    vectors.b,
                    shuffle_m,
                    shuffle_n);
    }

    /// "BlockSize, M, N, K0, K1, tiles, vectors from and to": backward data without groups.
    std::string packed_backward_data() const
    {
        return list(block_size,
                    block.m,
                    block.n,
                    block.k / k1,
                    k1,
                    tiles_m,
                    tiles_n,
                    vectors.a,
                    a_lds_vector,
                    vectors.b,
                    b_lds_vector);
    }
};

/// By WMMA, likewise.
struct WmmaPositions
{
    index_t block_size;
    Tile block;
    index_t k1;
    index_t wmma_m, wmma_n;
    index_t repeat_m, repeat_n; ///< tiles of a wave
    Vectors vectors;
    index_t a_lds_vector = 0, b_lds_vector = 0;
    index_t shuffle_m = 0, shuffle_n = 0;

    /// "BlockSize, M, N, K, spec, K1, instruction, repeats"
    std::string grouped_forward(const std::string& specialization) const
    {
        return list(block_size,
                    block.m,
                    block.n,
                    block.k,
                    specialization,
                    k1,
                    wmma_m,
                    wmma_n,
                    repeat_m,
                    repeat_n);
    }

    /// "BlockSize, M, N, K, spec, K1, vectors of A and B"
    std::string grouped_backward_data(const std::string& specialization) const
    {
        return list(
            block_size, block.m, block.n, block.k, specialization, k1, vectors.a, vectors.b);
    }

    /// "BlockSize, M, N, k, spec, K1, vectors from and to, C shuffle, vector of C"
    std::string weight(const std::string& specialization, index_t k) const
    {
        return list(block_size,
                    block.m,
                    block.n,
                    k,
                    specialization,
                    k1,
                    vectors.a,
                    a_lds_vector,
                    vectors.b,
                    b_lds_vector,
                    shuffle_m,
                    shuffle_n,
                    vectors.c);
    }
};

/// By dot products.
struct DlPositions
{
    index_t block_size;
    Tile block;
    index_t k1;
    index_t threads_m, threads_n; ///< along the sides of the block tile
    Vectors vectors;

    /// "BlockSize, M, N, K0, spec, K1": forward.
    std::string grouped_forward(const std::string& specialization) const
    {
        return weight(specialization, block.k / k1);
    }
    std::string weight(const std::string& specialization, index_t k0) const
    {
        return list(block_size, block.m, block.n, k0, specialization, k1);
    }
    /// "BlockSize, M, N, K0, K1"
    std::string packed_backward_data() const
    {
        return list(block_size, block.m, block.n, block.k / k1, k1);
    }
};

/// The tuning that the positions of an engine make. T, B: what is multiplied.
template <class T, class Acc, auto p, class B = T>
constexpr GemmTuning tuning_at(Pipeline pipeline = Pipeline::single_buffer)
{
    using Positions = std::remove_cv_t<decltype(p)>;
    if constexpr(std::is_same_v<Positions, XdlPositions>)
        return xdl_tuning<T, Acc, p.block_size, p.block, p.xdl_m, p.xdl_n, p.tiles_m, p.tiles_n, B>(
            p.single_loads ? Vectors{1, 1, p.vectors.c} : p.vectors, pipeline);
    else if constexpr(std::is_same_v<Positions, WmmaPositions>)
        return wmma_tuning<T,
                           Acc,
                           p.block_size,
                           p.block,
                           p.wmma_m,
                           p.wmma_n,
                           p.repeat_m,
                           p.repeat_n>(p.vectors, pipeline);
    else
        return dl_tuning<T,
                         Acc,
                         p.block_size,
                         p.block,
                         Sequence<p.threads_m>,
                         Sequence<p.threads_n>>(p.vectors);
}

} // namespace ck::tensor_operation::device::positional
