#pragma once
// Copies between a packed tensor and one whose channels lie in blocks.
//
// A thread copies a block of channels of one place. Where it would read each channel alone and
// write blocks, whose threads' stores are then apart, it copies 16 bytes of several places instead:
// neighbouring threads have the parts of a block, then the next place in the packed tensor's
// memory, so that both sides are whole sectors of 32 bytes. H100, f16, NCDHW of 128 channels to
// NDC1HWC0: 0.81 of a copy's bandwidth instead of 0.74; the way back 0.96 by whole blocks, 0.87 by
// parts.
#include "ck/arch/index.hpp"
#include "ck/arch/target.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_description/flat_index.hpp"
#include "ck/utility/number.hpp"

namespace ck::grid {

/// to_blocks: into blocks, and zeros where these only pad. packed_vector: elements of the packed
/// tensor that are neighbours in memory and read or written together; 1 for any channel stride.
template <class T, index_t block, bool to_blocks, index_t packed_vector>
struct GridwiseBlockedCopy
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    static constexpr bool by_parts = to_blocks && packed_vector == 1;
    /// Channels of a thread, the threads of a block of channels, and the places that a thread
    /// copies.
    static constexpr index_t vector   = math::min(block, 16 / static_cast<index_t>(sizeof(T)));
    static constexpr index_t channels = by_parts ? vector : block;
    static constexpr index_t parts    = block / channels;
    static constexpr index_t steps    = by_parts ? 4 : 1;
    static_assert(vector % packed_vector == 0);

    struct Params
    {
        std::conditional_t<to_blocks, const T, T>* packed;
        std::conditional_t<to_blocks, T, const T>* blocked;
        /// The blocks of channels of all places, as offsets in both tensors, first channel and row.
        FlatIndex<5, 4> index;
        long_index_t channels, rows; ///< that exist
        long_index_t channel_stride; ///< of the packed tensor, elements
    };
    struct SharedStorage
    {};

    /// Places that a workgroup copies together.
    static constexpr index_t together = block_size / parts;

    static constexpr long_index_t grid_size(const Params& p)
    {
        return math::integer_divide_ceil(p.index.count, long_index_t{together * steps});
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage&)
    {
        const index_t part = arch::thread_index() % parts;
        long_index_t number =
            long_index_t{arch::block_index()} * (together * steps) + arch::thread_index() / parts;
        if(number >= p.index.count)
            return;
        auto at       = p.index(number);
        index_t digit = p.index.last_digit(number);
        for(index_t step = 0;; ++step)
        {
            copy(p, at, part * channels);
            number += together;
            if(step + 1 == steps || number >= p.index.count)
                return;
            // Divisions only where the fastest dimension ends.
            if(p.index.dims > 0 && digit + together < p.index.length[p.index.dims - 1].value)
            {
                digit += together;
                repeat<4>(
                    [&](index_t t) { at[t] += p.index.stride[p.index.dims - 1][t] * together; });
            }
            else
            {
                at    = p.index(number);
                digit = p.index.last_digit(number);
            }
        }
    }

private:
    /// Copies channels from `first` of the block on.
    CK_DEVICE CK_INLINE static void
    copy(const Params& p, const Vector<long_index_t, 4>& at, index_t first)
    {
        const long_index_t left = at[3] < p.rows ? p.channels - at[2] - first : 0; // that exist
        const index_t existing  = left < channels ? static_cast<index_t>(left) : channels;
        auto* const packed      = p.packed + at[0] + first * p.channel_stride;
        auto* const blocked     = p.blocked + at[1] + first;
        Vector<T, vector> all[channels / vector]{};
        const auto element = [&](index_t c) -> T& { return all[c / vector][c % vector]; };
        if constexpr(!to_blocks)
            repeat<channels / vector>([&](index_t i) {
                all[i] = arch::read_whole<Vector<T, vector>>(blocked + i * vector);
            });
        repeat<channels / packed_vector>([&](index_t i) {
            const index_t c   = i * packed_vector;
            auto* const place = packed + c * p.channel_stride;
            if(c + packed_vector <= existing)
            {
                Vector<T, packed_vector> some;
                if constexpr(to_blocks)
                    some = arch::read_whole<Vector<T, packed_vector>>(place);
                repeat<packed_vector>([&](index_t e) {
                    if constexpr(to_blocks)
                        element(c + e) = some[e];
                    else
                        some[e] = element(c + e);
                });
                if constexpr(!to_blocks)
                    arch::write_whole(place, some);
            }
            else if constexpr(packed_vector > 1)
                repeat<packed_vector>([&](index_t e) {
                    if(c + e < existing)
                    {
                        if constexpr(to_blocks)
                            element(c + e) = place[e];
                        else
                            place[e] = element(c + e);
                    }
                });
        });
        if constexpr(to_blocks)
            repeat<channels / vector>(
                [&](index_t i) { arch::write_whole(blocked + i * vector, all[i]); });
    }
};

} // namespace ck::grid
