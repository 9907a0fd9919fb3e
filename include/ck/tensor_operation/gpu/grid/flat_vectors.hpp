#pragma once
// Kernels that go through all vectors of tensors: each thread has several vectors, a block apart,
// so that adjacent threads access adjacent memory.
#include "ck/arch/index.hpp"
#include "ck/tensor_description/flat_index.hpp"

namespace ck::grid {

/// What such kernels share. Index: a FlatIndex of vectors. of_thread: vectors per
/// thread.
template <class Index, index_t of_thread = 4>
struct FlatVectors
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    static constexpr index_t together              = of_thread; ///< vectors of a thread

    struct SharedStorage
    {};

    static constexpr long_index_t blocks(const Index& index)
    {
        return math::integer_divide_ceil(index.count, long_index_t{together * block_size});
    }
    /// Params::index: a FlatIndex of vectors.
    static constexpr long_index_t grid_size(const auto& params) { return blocks(params.index); }
    /// The thread's i-th vector, which may be past the end.
    CK_DEVICE CK_INLINE static long_index_t number(index_t i)
    {
        return long_index_t{arch::block_index()} * (together * block_size) + arch::thread_index() +
               i * block_size;
    }
    /// Its position; for a vector past the end, the position of the thread's first one. Loads
    /// without branches are in flight together.
    CK_DEVICE CK_INLINE static auto place(const Index& index, index_t i)
    {
        return index(number(i) < index.count ? number(i) : 0);
    }
};

} // namespace ck::grid
