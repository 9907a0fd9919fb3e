#pragma once
// Global memory: vectors at 32-bit byte offsets from a base that is the same for the block. Offsets
// of `nowhere` or more read zeros and write nothing. On AMD the buffer instructions' range check
// does that for free; elsewhere it is a predicate.
#include "ck/arch/async_copy.hpp"
#include "ck/arch/words.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>

#if defined(CK_LANGUAGE_HIP)
#include "ck/arch/amd/buffer.hpp"
#endif

namespace ck::arch {

/// A byte offset into a global view. Valid offsets are less than `nowhere`; the sum of `nowhere`
/// and one valid offset is still nowhere.
using offset_t                    = std::uint32_t;
inline constexpr offset_t nowhere = 0x80000000u;

/// The sum of two offsets, nowhere or more if either is.
CK_DEVICE CK_INLINE offset_t sum_of_offsets(offset_t a, offset_t b)
{
#if defined(CK_LANGUAGE_HIP)
    // A saturating signed sum is one instruction; nowhere is the smallest number.
    return static_cast<offset_t>(
        __builtin_elementwise_add_sat(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b)));
#else
    return a < nowhere && b < nowhere ? a + b : nowhere;
#endif
}

/// At most 2 GiB of global memory from `base` on. T may be const. The base must be the same for the
/// whole block.
template <class T>
class GlobalView
{
    template <index_t n>
    static constexpr index_t bytes_of = n* static_cast<index_t>(sizeof(T));

public:
    CK_DEVICE CK_INLINE explicit GlobalView(T* base)
#if defined(CK_LANGUAGE_HIP)
        : resource_(amd::resource(base))
#else
        : base_(base)
#endif
    {}

    /// n elements at thread_offset + block_offset bytes. `block_offset` must be the same for all
    /// threads of a block.
    template <index_t n>
    CK_DEVICE CK_INLINE Vector<std::remove_const_t<T>, n> load(offset_t thread_offset,
                                                               offset_t block_offset = 0) const
    {
        using V = Vector<std::remove_const_t<T>, n>;
#if defined(CK_LANGUAGE_HIP)
        return amd::buffer_load<V>(resource_, thread_offset, block_offset);
#else
        const bool exists = thread_offset < nowhere;
        const auto* from  = reinterpret_cast<const char*>(base_);
        // On the CPU, pointers must not point outside; a GPU would need an instruction for it.
        if(!emulated || exists)
            from = from + block_offset + thread_offset;
        return read_whole_if<V>(exists, from);
#endif
    }

    /// Starts the copy of n elements to shared memory. Only the first `present` bytes are read; the
    /// rest is zeros. whole_lines: see arch::copy_async.
    template <index_t n, bool whole_lines = false>
    CK_DEVICE CK_INLINE void copy_async([[maybe_unused]] void* shared,
                                        [[maybe_unused]] offset_t thread_offset,
                                        [[maybe_unused]] offset_t block_offset,
                                        [[maybe_unused]] index_t present = bytes_of<n>) const
    {
#if defined(CK_LANGUAGE_HIP)
        static_assert(n == 0, "AMD's waves copy together: copy_wave_async()");
#else
        const bool exists = thread_offset < nowhere;
        const auto* from  = reinterpret_cast<const char*>(base_);
        if(!emulated || exists) // as above
            from = from + block_offset + (exists ? thread_offset : 0);
        arch::copy_async<bytes_of<n>, whole_lines>(shared, from, exists ? present : 0);
#endif
    }

    /// The same for a wave of 64 active lanes: lane l copies n elements of 16 bytes to `of_wave` +
    /// 16 l bytes. AMD (gfx950).
    template <index_t n>
    CK_DEVICE CK_INLINE void copy_wave_async([[maybe_unused]] void* of_wave,
                                             [[maybe_unused]] index_t lane,
                                             offset_t thread_offset,
                                             offset_t block_offset) const
    {
        static_assert(bytes_of<n> == 16);
#if defined(CK_LANGUAGE_HIP)
        amd::buffer_load_to_lds(resource_, thread_offset, block_offset, of_wave);
#else
        copy_async<n>(static_cast<char*>(of_wave) + 16 * lane, thread_offset, block_offset);
#endif
    }

    template <index_t n>
    CK_DEVICE CK_INLINE void store(const Vector<T, n>& value, offset_t thread_offset) const
    {
#if defined(CK_LANGUAGE_HIP)
        amd::buffer_store(value, resource_, thread_offset);
#else
        if(thread_offset < nowhere)
            write_whole(reinterpret_cast<char*>(base_) + thread_offset, value);
#endif
    }

private:
#if defined(CK_LANGUAGE_HIP)
    amd::word4 resource_;
#else
    T* base_;
#endif
};

} // namespace ck::arch
