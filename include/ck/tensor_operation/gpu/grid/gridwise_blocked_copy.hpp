#pragma once
// Copies between a packed tensor and one with channels in blocks, through LDS.
//
// A workgroup copies a tile: some places, some indices of another dimension, some blocks of
// channels. On each side it goes through the tile in memory order, with the widest accesses
// possible: 16 bytes of a block; in the packed tensor up to 16 bytes of channels, or words along
// the fastest dimension. Words are aligned; elements before the first and after the last whole word
// are copied one by one.
//
// LDS holds channels fastest, then places, then the other dimension. A padding word after each
// place puts adjacent places in different banks.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/arch/words.hpp"
#include "ck/tensor_operation/gpu/grid/blocked_copy_tile.hpp"
#include "ck/utility/number.hpp"

#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>

namespace ck::grid {

/// to_blocks: into blocks, with zeros in their padding. chunk: elements of a block that are moved
/// together. packed_vector: adjacent channels of the packed tensor that are moved together; 1 for
/// any strides, then words run along its fastest dimension.
template <index_t element_bytes,
          bool to_blocks,
          index_t chunk,
          index_t packed_vector,
          BlockedCopyTuning tuning>
struct GridwiseBlockedCopy
{
    static constexpr index_t block_size            = tuning.threads;
    static constexpr index_t min_blocks_per_cu     = tuning.min_blocks_per_cu;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    using T =
        std::conditional_t<element_bytes == 1,
                           std::uint8_t,
                           std::conditional_t<element_bytes == 2, std::uint16_t, std::uint32_t>>;

    struct Params
    {
        std::conditional_t<to_blocks, const T, T>* packed;
        std::conditional_t<to_blocks, T, const T>* blocked;
        BlockedCopyTile tile;

        auto addresses() const { return std::tie(packed, blocked); }
    };
    struct SharedStorage
    {
        alignas(16) T element[tuning.shared_bytes / element_bytes];
    };

    CK_DEVICE CK_INLINE static void run(const Params& p, SharedStorage& shared)
    {
        const BlockedCopyTile& t = p.tile;
        const auto at            = t.tiles(arch::block_index());
        // The part of this tile that exists.
        const auto left = [](const TileAxis& a, long_index_t first) {
            return static_cast<index_t>(
                math::max(long_index_t{0}, math::min(long_index_t{a.tile}, a.length - first)));
        };
        const Box exists{left(t.places, at[2]), left(t.others, at[3]), left(t.channels, at[4])};
        auto* const packed      = p.packed + at[0];
        auto* const blocked     = p.blocked + at[1];
        const index_t first     = static_cast<index_t>(at[3]); // the other dimension's
        const index_t in_blocks = static_cast<index_t>(
            math::min(long_index_t{t.places.tile}, t.places_in_blocks - at[2]));
        if constexpr(to_blocks)
        {
            if(exists.places < in_blocks || exists.channels % t.block != 0)
            {
                zero(shared);
                arch::block_sync();
            }
            packed_side(t, packed, shared, exists);
            arch::block_sync();
            blocked_side(t, blocked, shared, {in_blocks, exists.others, exists.channels}, first);
        }
        else
        {
            blocked_side(t, blocked, shared, exists, first);
            arch::block_sync();
            packed_side(t, packed, shared, exists);
        }
    }

private:
    struct Box
    {
        index_t places, others, channels;
    };

    static constexpr index_t word = 4 / element_bytes; ///< elements

    /// Elements packed in words: as single elements, each would take a register.
    template <index_t elements>
    using Bits = Vector<std::uint32_t, elements / word>;

    template <index_t elements>
    CK_DEVICE CK_INLINE static Bits<elements> read(const T* from)
    {
        if constexpr(!arch::emulated)
            return arch::read_whole<Bits<elements>>(from);
        Bits<elements> r;
        std::memcpy(&r, from, sizeof(r));
        return r;
    }
    template <index_t words>
    CK_DEVICE CK_INLINE static void write(T* to, const Vector<std::uint32_t, words>& bits)
    {
        if constexpr(!arch::emulated)
            arch::write_whole(to, bits);
        else
            std::memcpy(to, &bits, sizeof(bits));
    }

    CK_DEVICE CK_INLINE static void zero(SharedStorage& shared)
    {
        for(index_t i = arch::thread_index() * chunk; i < tuning.shared_bytes / element_bytes;
            i += block_size * chunk)
            write(shared.element + i, Bits<chunk>{});
    }

    template <class Packed>
    CK_DEVICE CK_INLINE static void
    packed_side(const BlockedCopyTile& t, Packed* packed, SharedStorage& shared, const Box& exists)
    {
        if constexpr(packed_vector > 1)
            packed_vectors(t, packed, shared.element, exists);
        else if(t.run_joins)
            packed_words<true>(t, packed, shared.element, exists);
        else
            packed_words<false>(t, packed, shared.element, exists);
    }

    /// LDS order: channels, then places, then the other dimension.
    template <class Packed>
    CK_DEVICE CK_INLINE static void
    packed_vectors(const BlockedCopyTile& t, Packed* packed, T* shared, const Box& exists)
    {
        const index_t count = t.vectors.value * t.places.tile * exists.others;
        for(index_t n0 = arch::thread_index(); n0 < count; n0 += block_size * tuning.vectors)
        {
            Bits<packed_vector> moved[tuning.vectors];
            Packed* place[tuning.vectors];
            T* in_shared[tuning.vectors];
            index_t existing[tuning.vectors]; // channels
            repeat<tuning.vectors>([&](index_t i) {
                index_t n             = n0 + i * block_size;
                const bool is_one     = n < count;
                const index_t channel = split_off(n, t.vectors) * packed_vector;
                const index_t at      = split_off(n, t.tile_places);
                existing[i]           = is_one && at < exists.places
                                            ? math::min(exists.channels - channel, packed_vector)
                                            : 0;
                place[i] =
                    packed + (at * t.places.packed_stride + n * t.others.packed_stride + channel);
                in_shared[i] = shared + at * t.shared_place + n * t.shared_other + channel;
                if constexpr(to_blocks)
                    if(existing[i] == packed_vector)
                        moved[i] = read<packed_vector>(place[i]);
            });
            repeat<tuning.vectors>([&](index_t i) {
                if(existing[i] == packed_vector)
                {
                    if constexpr(to_blocks)
                        write(in_shared[i], moved[i]);
                    else
                        write(place[i], read<packed_vector>(in_shared[i]));
                }
                else
                    for(index_t e = 0; e < existing[i]; ++e)
                        move_element(place[i] + e, in_shared[i] + e);
            });
        }
    }

    template <class Packed>
    CK_DEVICE CK_INLINE static void move_element(Packed* packed, T* shared)
    {
        if constexpr(to_blocks)
            *shared = *packed;
        else
            *packed = *shared;
    }

    /// Runs along the fastest dimension, or along the two fastest if they are contiguous. Several
    /// threads share a run.
    template <bool joins, class Packed>
    CK_DEVICE CK_INLINE static void
    packed_words(const BlockedCopyTile& t, Packed* packed, T* shared, const Box& exists)
    {
        const auto existing = [&](const RunAxis& a) {
            return a.kind == 0   ? exists.places
                   : a.kind == 1 ? exists.others
                   : a.kind == 2 ? exists.channels
                                 : 1;
        };
        const RunAxis &fast = t.run[0], &next = t.run[1];
        const RunAxis &outer0 = t.run[joins ? 2 : 1], &outer1 = t.run[joins ? 3 : 2];
        const index_t outer0_exist = existing(outer0), outer1_exist = existing(outer1);
        const index_t length = joins ? existing(next) * fast.length.value : existing(fast);
        const index_t runs   = outer0.length.value * outer1_exist;
        const index_t lanes  = t.run_lanes.value;
        index_t first_run    = arch::thread_index();
        const index_t lane   = split_off(first_run, t.run_lanes);
        const auto in_shared = [&](index_t i) {
            const index_t second = joins ? quotient(i, fast.length) : 0;
            return i * fast.shared + second * (next.shared - fast.length.value * fast.shared);
        };
        for(index_t run = first_run; run < runs; run += block_size / lanes)
        {
            index_t o1       = run;
            const index_t o0 = split_off(o1, outer0.length);
            if(o0 >= outer0_exist)
                continue;
            Packed* const line          = packed + (o0 * outer0.stride + o1 * outer1.stride);
            T* const shared_run         = shared + o0 * outer0.shared + o1 * outer1.shared;
            constexpr index_t alignment = tuning.run_alignment / element_bytes;
            const index_t misaligned = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(line) /
                                                            element_bytes % alignment);
            const index_t before =
                fast.stride == 1 ? math::min(length, misaligned == 0 ? 0 : alignment - misaligned)
                                 : length;
            const index_t words = (length - before) / word;
            const index_t alone = length - words * word;
            for(index_t i = lane; i < alone; i += lanes)
            {
                const index_t e = i < before ? i : i + words * word;
                move_element(line + e * fast.stride, shared_run + in_shared(e));
            }
            for(index_t w0 = lane; w0 < words; w0 += lanes * tuning.words)
            {
                std::uint32_t moved[tuning.words]{};
                if constexpr(to_blocks)
                    repeat<tuning.words>([&](index_t i) {
                        const index_t w = w0 + i * lanes;
                        if(w < words)
                            moved[i] = read<word>(line + before + w * word)[0];
                    });
                repeat<tuning.words>([&](index_t i) {
                    const index_t w = w0 + i * lanes, first = before + w * word;
                    if(w >= words)
                        return;
                    repeat<word>([&](index_t e) {
                        T& element = shared_run[in_shared(first + e)];
                        if constexpr(to_blocks)
                            element = static_cast<T>(moved[i] >> (8 * element_bytes * e));
                        else
                            moved[i] |= static_cast<std::uint32_t>(element)
                                        << (8 * element_bytes * e);
                    });
                    if constexpr(!to_blocks)
                        write(line + first, Bits<word>{{moved[i]}});
                });
            }
        }
    }

    /// Order: chunks of a block, places, blocks, the other dimension.
    template <class Blocked>
    CK_DEVICE CK_INLINE static void blocked_side(const BlockedCopyTile& t,
                                                 Blocked* blocked,
                                                 SharedStorage& shared,
                                                 const Box& exists,
                                                 index_t first_other)
    {
        const index_t count = t.chunks.value * t.places.tile * t.tile_blocks.value * exists.others;
        for(index_t n0 = arch::thread_index(); n0 < count; n0 += block_size * tuning.vectors)
        {
            Bits<chunk> moved[tuning.vectors];
            T* in_shared[tuning.vectors];
            bool is_one[tuning.vectors];
            repeat<tuning.vectors>([&](index_t i) {
                index_t n           = n0 + i * block_size;
                is_one[i]           = n < count;
                const index_t part  = split_off(n, t.chunks);
                const index_t place = split_off(n, t.tile_places);
                const index_t of    = split_off(n, t.tile_blocks);
                is_one[i] = is_one[i] && place < exists.places && of * t.block < exists.channels;
                index_t outer       = n + first_other;
                const index_t inner = split_off(outer, t.others_inner);
                in_shared[i]        = shared.element + place * t.shared_place + n * t.shared_other +
                               of * t.block + part * chunk;
                auto* const there = blocked + (place * t.places_blocked_stride + of * t.outer +
                                               inner * t.others_blocked_stride[0] +
                                               outer * t.others_blocked_stride[1] + part * chunk);
                if(is_one[i])
                {
                    if constexpr(to_blocks)
                        write(there, read_shared(in_shared[i]));
                    else
                        moved[i] = read<chunk>(there);
                }
            });
            if constexpr(!to_blocks)
                repeat<tuning.vectors>([&](index_t i) {
                    if(is_one[i])
                        write_shared(in_shared[i], moved[i]);
                });
        }
    }

    /// Places are whole words apart; chunks are vectors apart only if places are.
    CK_DEVICE CK_INLINE static Bits<chunk> read_shared(const T* from)
    {
        if constexpr(packed_vector > 1)
            return read<chunk>(from);
        Bits<chunk> r;
        repeat<chunk / word>([&](index_t i) { r[i] = read<word>(from + i * word)[0]; });
        return r;
    }
    CK_DEVICE CK_INLINE static void write_shared(T* to, const Bits<chunk>& bits)
    {
        if constexpr(packed_vector > 1)
            write(to, bits);
        else
            repeat<chunk / word>([&](index_t i) { write(to + i * word, Bits<word>{{bits[i]}}); });
    }
};

} // namespace ck::grid
