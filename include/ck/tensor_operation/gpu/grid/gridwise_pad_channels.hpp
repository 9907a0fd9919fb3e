#pragma once
// Copies packed pixels to pixels padded with zero channels, and back. Writes are contiguous
// vectors of 16 bytes. Reads are units of 1, 2 or 4 bytes if an odd number of channels does not
// allow more.
#include "ck/arch/index.hpp"
#include "ck/arch/sync.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>
#include <tuple>
#include <type_traits>

namespace ck::grid {

/// Sizes of the pixels, counted in units of some bytes.
struct PadChannels
{
    long_index_t pixels; ///< pixels of the packed tensor
    long_index_t padded; ///< pixels of the copy: as many or more, the last ones zeros
    index_t channels;    ///< units of a packed pixel
    index_t pitch;       ///< units of a pixel of the copy, whole vectors
};

/// What both kernels share. Unit: an unsigned integer of 1, 2 or 4 bytes.
template <class Unit>
struct PadChannelsKernel
{
    static constexpr index_t block_size            = 256;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    /// Vectors per thread. Fewer for bytes, whose lane masks fill AMD's scalar registers.
    static constexpr index_t together  = sizeof(Unit) == 1 ? 1 : 4;
    static constexpr index_t tile      = together * block_size;
    static constexpr index_t unit_bits = 8 * static_cast<index_t>(sizeof(Unit));
    static constexpr index_t vector    = 128 / unit_bits; ///< units

    struct SharedStorage
    {};

    /// A pixel and an index in it, of a vector or of a unit.
    struct Place
    {
        long_index_t pixel;
        index_t in_pixel;
    };
    /// Finds the place of index `first + more` in pixels of `line.value` each. first is the same
    /// for all threads of a workgroup; from 2^31 on it takes one 64-bit division.
    struct Places
    {
        Place first;
        Divisor line;

        CK_DEVICE CK_INLINE Places(long_index_t number, const Divisor& of_pixel) : line{of_pixel}
        {
            first.pixel    = number < (long_index_t{1} << 31)
                                 ? quotient(static_cast<index_t>(number), line)
                                 : number / line.value;
            first.in_pixel = static_cast<index_t>(number - first.pixel * line.value);
        }
        CK_DEVICE CK_INLINE Place operator()(index_t more) const
        {
            index_t rest           = first.in_pixel + more;
            const index_t in_pixel = split_off(rest, line);
            return {first.pixel + rest, in_pixel};
        }
    };

    using Words = Vector<std::uint32_t, 4>;

    /// Sets a unit in words that are still zero.
    CK_DEVICE CK_INLINE static void put(Words& words, index_t number, Unit unit)
    {
        words[number * unit_bits / 32] |= std::uint32_t{unit} << (number * unit_bits % 32);
    }
};

/// Writes the padded copy.
template <class Unit>
struct GridwisePadChannels : PadChannelsKernel<Unit>
{
    using Kernel = PadChannelsKernel<Unit>;
    using Kernel::together, Kernel::vector;
    using typename Kernel::Words;

    struct Params
    {
        const Unit* packed;
        Unit* copy;
        PadChannels pixels;
        Divisor line;         ///< vectors of a pixel of the copy
        std::uint32_t unused; ///< instead of padding: a test compares bytes

        auto addresses() const { return std::tie(packed, copy); }
    };

    static constexpr bool starts_early(const Params&) { return true; }

    static Params make_params(const Unit* packed, Unit* copy, const PadChannels& p)
    {
        static_assert(std::has_unique_object_representations_v<Params>);
        return {packed, copy, p, make_divisor(p.pitch / vector), 0};
    }
    static constexpr long_index_t grid_size(const Params& p)
    {
        return math::integer_divide_ceil(p.pixels.padded * p.line.value,
                                         long_index_t{Kernel::tile});
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, typename Kernel::SharedStorage&)
    {
        arch::let_next_kernel_start();
        const long_index_t first = long_index_t{arch::block_index()} * Kernel::tile;
        const auto number = [](index_t i) { return arch::thread_index() + i * Kernel::block_size; };
        const typename Kernel::Places places(first, p.line);
        Words words[together];
        arch::wait_for_previous_kernel();
        repeat<together>([&](index_t i) {
            const auto at = places(number(i));
            // Loads without branches are in flight together.
            const index_t channel   = at.in_pixel * vector;
            const index_t exist     = at.pixel < p.pixels.pixels ? p.pixels.channels - channel : 0;
            const Unit* const units = p.packed + (at.pixel * p.pixels.channels + channel);
            words[i]                = Words{};
            repeat<vector>([&](index_t e) {
                const Unit unit = e < exist ? units[e] : Unit{};
                Kernel::put(words[i], e, unit);
            });
        });
        const long_index_t count = p.pixels.padded * p.line.value;
        repeat<together>([&](index_t i) {
            if(first + number(i) < count)
                *reinterpret_cast<Words*>(p.copy + (first + number(i)) * vector) = words[i];
        });
    }
};

/// Writes the packed tensor from its copy, without reading the padding.
template <class Unit>
struct GridwiseCropChannels : PadChannelsKernel<Unit>
{
    using Kernel = PadChannelsKernel<Unit>;
    using Kernel::together, Kernel::vector;
    using typename Kernel::Words;

    struct Params
    {
        const Unit* copy;
        Unit* packed;
        PadChannels pixels;
        Divisor line;         ///< units of a packed pixel
        std::uint32_t unused; ///< instead of padding: a test compares bytes

        auto addresses() const { return std::tie(packed, copy); }
    };

    static constexpr bool starts_early(const Params&) { return true; }

    static Params make_params(const Unit* copy, Unit* packed, const PadChannels& p)
    {
        static_assert(std::has_unique_object_representations_v<Params>);
        return {copy, packed, p, make_divisor(p.channels), 0};
    }
    /// Enough blocks for any address of the packed tensor, because plans launch with other
    /// addresses than they were made with.
    static constexpr long_index_t grid_size(const Params& p)
    {
        return math::integer_divide_ceil(p.pixels.pixels * p.pixels.channels + (vector - 1),
                                         long_index_t{vector * Kernel::tile});
    }

    CK_DEVICE CK_INLINE static void run(const Params& p, typename Kernel::SharedStorage&)
    {
        arch::let_next_kernel_start();
        // Vectors begin at multiples of 16 bytes: for the first workgroup before the tensor begins,
        // for the others at a unit that exists.
        const auto misaligned = // units from a multiple of 16 bytes to the packed tensor
            static_cast<index_t>(reinterpret_cast<std::uintptr_t>(p.packed) % 16 / sizeof(Unit));
        const bool is_first  = arch::block_index() == 0;
        const index_t before = is_first ? misaligned : 0;
        const long_index_t start =
            is_first ? 0 : long_index_t{arch::block_index()} * (vector * Kernel::tile) - misaligned;
        const auto left = static_cast<index_t>(
            math::min(p.pixels.pixels * p.pixels.channels - start, long_index_t{1} << 30));
        // A vector's first unit, counted from `start`. Its units from `begin` to `end` exist.
        const auto first = [&](index_t i) {
            return (arch::thread_index() + i * Kernel::block_size) * vector - before;
        };
        const auto begin = [&](index_t i) { return math::max(-first(i), 0); };
        const auto end   = [&](index_t i) { return math::min(left - first(i), vector); };

        const typename Kernel::Places places(start, p.line);
        const index_t next = p.pixels.pitch - p.pixels.channels;
        Words words[together];
        arch::wait_for_previous_kernel();
        if(left <= 0)
            return; // the grid is for the least favourable address
        repeat<together>([&](index_t i) {
            // A missing unit is replaced by one that exists: loads need no branches or lane masks.
            const auto at           = places(math::min(first(i) + begin(i), left - 1));
            const Unit* const units = p.copy + (at.pixel * p.pixels.pitch + at.in_pixel);
            index_t channel = at.in_pixel, offset = 0;
            words[i] = Words{};
            repeat<vector>([&](index_t e) {
                Kernel::put(words[i], e, units[offset]);
                if(e >= begin(i) && e + 1 < end(i))
                {
                    const bool is_last = ++channel == p.pixels.channels;
                    offset += is_last ? next + 1 : 1;
                    channel = is_last ? 0 : channel;
                }
            });
        });
        repeat<together>([&](index_t i) {
            Unit* const to = p.packed + (start + first(i));
            if(begin(i) == 0 && end(i) == vector)
                *reinterpret_cast<Words*>(to) = words[i];
            else // the first and the last ones
                repeat<vector>([&](index_t e) {
                    if(e >= begin(i) && e < end(i))
                        to[e] = static_cast<Unit>(words[i][e * Kernel::unit_bits / 32] >>
                                                  (e * Kernel::unit_bits % 32));
                });
        });
    }
};

} // namespace ck::grid
