#pragma once
// Copies between a packed tensor and one whose channels lie in blocks.
//
// A thread copies one block of channels of one place: from channels first, neighbouring threads
// read neighbouring places of one channel after the other, and each writes whole sectors of memory.
#include "ck/arch/index.hpp"
#include "ck/arch/target.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_description/flat_index.hpp"
#include "ck/utility/number.hpp"

namespace ck::grid {

/// to_blocks: into blocks, and zeros where these only pad. packed_vectors: the packed tensor's
/// channels are neighbours, each block of them aligned to 16 bytes.
template <class T, index_t block, bool to_blocks, bool packed_vectors>
struct GridwiseBlockedCopy
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_unit   = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    struct Params
    {
        std::conditional_t<to_blocks, const T, T>* packed;
        std::conditional_t<to_blocks, T, const T>* blocked;
        /// Of each block of channels of each place: offsets in both tensors, first channel, row.
        FlatIndex<5, 4> index;
        long_index_t channels, rows; ///< that exist
        long_index_t channel_stride; ///< of the packed tensor, elements
    };
    struct SharedStorage
    {};

    static constexpr long_index_t grid_size(const Params& p)
    {
        return p.index.count / block_size + (p.index.count % block_size != 0 ? 1 : 0);
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        const long_index_t number =
            long_index_t{arch::block_index()} * block_size + arch::thread_index();
        if(number >= p.index.count)
            return;
        const auto at          = p.index(number);
        const auto left        = at[3] < p.rows ? p.channels - at[2] : 0; // channels that exist
        const index_t existing = left < block ? static_cast<index_t>(left) : block;
        auto* const packed     = p.packed + at[0];
        auto* const blocked    = p.blocked + at[1];
        Whole whole[parts]{};
        if constexpr(to_blocks)
        {
            if(packed_vectors && existing == block)
                repeat<parts>(
                    [&](index_t i) { whole[i] = arch::read_whole<Whole>(packed + i * vector); });
            else
                repeat<block>([&](index_t c) {
                    if(c < existing)
                        whole[c / vector][c % vector] = packed[c * p.channel_stride];
                });
            repeat<parts>([&](index_t i) { arch::write_whole(blocked + i * vector, whole[i]); });
        }
        else
        {
            if(existing <= 0)
                return;
            repeat<parts>(
                [&](index_t i) { whole[i] = arch::read_whole<Whole>(blocked + i * vector); });
            if(packed_vectors && existing == block)
                repeat<parts>([&](index_t i) { arch::write_whole(packed + i * vector, whole[i]); });
            else
                repeat<block>([&](index_t c) {
                    if(c < existing)
                        packed[c * p.channel_stride] = whole[c / vector][c % vector];
                });
        }
    }

private:
    static constexpr index_t vector = math::min(block, 16 / static_cast<index_t>(sizeof(T)));
    static constexpr index_t parts  = block / vector;
    using Whole                     = Vector<T, vector>;
};

} // namespace ck::grid
