#pragma once
// Matrix multiplication by a warpgroup: four warps, the first a multiple of four, with operands
// in shared memory, or the first operand of tf32 in registers (wgmma, sm_90a). It is
// asynchronous, with D in registers. Each warp holds 16 of the 64 rows of D, in tiles of 16 x 8
// as in mma.sync.
#include "ck/arch/index.hpp"
#include "ck/arch/matrix_table.hpp"
#include "ck/utility/vector.hpp"

#if defined(CK_LANGUAGE_CUDA)
#include "ck/arch/nvidia/wgmma.hpp"
#elif !defined(CK_LANGUAGE_HIP)
#include "ck/arch/host/matrix.hpp"
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace ck::arch {

/// An operand in shared memory: lines of `line_bytes`, 128 or 64, whose 16-byte packs are permuted
/// by the address. Pack p of the line at address l is at l + 16*p, with bits 4 to 6 (4 and 5)
/// replaced by their exclusive or with bits 7 to 9 (7 and 8). A line holds elements along the
/// reduction for one row or, if `along_rows`, rows for one reduction element. Groups of 8 lines are
/// contiguous. Lines may start anywhere, and groups need not be aligned: measured on an H200, the
/// bits are those of the address.
struct SharedOperand
{
#if defined(CK_LANGUAGE_CUDA)
    std::uint64_t descriptor;
#else
    std::uintptr_t start;
    index_t line_bytes, group_bytes, block_bytes;
#endif

    /// start: address of the first line. group_bytes: from 8 lines to the next 8. block_bytes,
    /// along_rows: from the rows of a line to the next.
    CK_DEVICE CK_INLINE static SharedOperand
    make(const void* start, index_t line_bytes, index_t group_bytes, index_t block_bytes)
    {
#if defined(CK_LANGUAGE_CUDA)
        return {
            nvidia::matrix_descriptor(static_cast<std::uint32_t>(__cvta_generic_to_shared(start)),
                                      static_cast<std::uint32_t>(block_bytes),
                                      static_cast<std::uint32_t>(group_bytes),
                                      line_bytes == 128)};
#else
        return {reinterpret_cast<std::uintptr_t>(start), line_bytes, group_bytes, block_bytes};
#endif
    }
    /// Returns the first lane's operand; all lanes of a warp call it with the same operand. nvcc
    /// then knows that it is uniform, and keeps values computed from it in uniform registers, from
    /// which wgmma takes descriptors; otherwise it often moves four of them for each instruction.
    /// H200, tiles of 128 x 128: up to 5 % less time.
    CK_DEVICE CK_INLINE SharedOperand of_first_lane() const
    {
        SharedOperand r = *this;
#if defined(__CUDA_ARCH__)
        r.set_low(__shfl_sync(0xffffffffu, static_cast<std::uint32_t>(descriptor), 0));
#endif
        return r;
    }
    /// Returns the operand `bytes` bytes further on, a multiple of 16.
    CK_DEVICE CK_INLINE SharedOperand operator+(index_t bytes) const
    {
        SharedOperand r = *this;
#if defined(CK_LANGUAGE_CUDA)
        // Shared memory addresses have fewer bits than the field: nothing is carried.
        r.set_low(static_cast<std::uint32_t>(descriptor) + static_cast<std::uint32_t>(bytes >> 4));
#else
        r.start += static_cast<std::uintptr_t>(bytes);
#endif
        return r;
    }

#if defined(CK_LANGUAGE_CUDA)
private:
    CK_DEVICE CK_INLINE void set_low(std::uint32_t word)
    {
        descriptor = (descriptor & ~std::uint64_t{0xffffffff}) | word;
    }
#endif
};

/// Orders this thread's accumulators and shared memory before the following multiplications.
CK_DEVICE CK_INLINE void begin_multiplications()
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}
/// Ends a group: the multiplications since the previous group.
CK_DEVICE CK_INLINE void end_multiplication_group()
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}
/// Waits until all groups except the last `groups` are done.
template <index_t groups>
CK_DEVICE CK_INLINE void wait_multiplication_groups()
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
#endif
}
/// Keeps the compiler from moving accesses to accumulators or operands across.
template <class T, index_t values, index_t tiles>
CK_DEVICE CK_INLINE void pin([[maybe_unused]] Vector<T, values> (&d)[tiles])
{
#if defined(__CUDA_ARCH__)
    for(index_t j = 0; j < tiles; ++j)
        for(index_t v = 0; v < values; ++v)
            if constexpr(std::is_same_v<T, float>)
                asm volatile("" : "+f"(d[j][v])::"memory");
            else
                asm volatile("" : "+r"(d[j][v])::"memory");
#endif
}
/// Sets how many registers each thread of this warpgroup may use: a multiple of 8 from 24 to 256.
/// All its threads must call it. The kernel starts with the registers of its launch bounds; a
/// warpgroup can take what another gave up (PTX ISA, "setmaxnreg").
template <index_t registers>
CK_DEVICE CK_INLINE void give_up_registers()
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
#endif
}
template <index_t registers>
CK_DEVICE CK_INLINE void take_registers()
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
#endif
}
/// Makes this thread's writes to shared memory visible to multiplications after the next barrier,
/// and orders its reads before writes of tensor map copies that start after it. Both belong to
/// another proxy, which a barrier alone does not order (PTX ISA, "Async proxy").
CK_DEVICE CK_INLINE void order_before_async_accesses()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
namespace detail {

/// Returns an element as wgmma reads it: tf32 is a float without the low bits.
template <Matrix id, class T>
auto multiplied_by_warpgroups(T x)
{
    const auto value = matrix_input(x);
    if constexpr(describe(id).a_element == Element::tf32)
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffffe000u);
    else
        return value;
}

/// Row `row` of an operand of T, along the reduction.
template <Matrix id, class T, class Value>
void read_row(const SharedOperand& o, bool along_rows, index_t row, Value (&to)[describe(id).k])
{
    constexpr index_t bytes = sizeof(T), length = describe(id).k,
                      together = 16 / bytes; // elements with one offset
    const index_t swizzle      = o.line_bytes == 128 ? 7 : 3;
    const auto place           = [&](index_t line, index_t in_line) {
        const std::uintptr_t at =
            o.start + static_cast<std::uintptr_t>(line / 8 * o.group_bytes +
                                                  line % 8 * o.line_bytes + in_line);
        return reinterpret_cast<const T*>(at ^ (at >> 7 & swizzle) << 4);
    };
    if(along_rows)
    {
        const index_t of_line = o.line_bytes / bytes,
                      in_line = row / of_line * o.block_bytes + row % of_line * bytes;
        for(index_t k = 0; k < length; ++k)
            to[k] = multiplied_by_warpgroups<id>(*place(k, in_line));
        return;
    }
    for(index_t k = 0; k < length; k += together)
    {
        const T* const from = place(row, k * bytes);
        for(index_t i = 0; i < together; ++i)
            to[k + i] = multiplied_by_warpgroups<id>(from[i]);
    }
}

template <class Value, index_t k>
Value add_products(Value sum, const Value (&a)[k], const Value (&b)[k])
{
    for(index_t i = 0; i < k; ++i)
        sum += a[i] * b[i];
    return sum;
}

/// a(row, to) reads one of the warp's rows of A, b(row, to) a row of B.
template <Matrix id, index_t tiles, class A, class B>
void multiply(const A& a, const B& b, MatrixC<id> (&d)[tiles])
{
    constexpr MatrixInstruction i = describe(id);
    using Accumulator             = typename MatrixTypes<id>::Accumulator;
    // unsigned for integers: they wrap around
    using Value = decltype(multiplied_by_warpgroups<id>(typename MatrixTypes<id>::A{}));
    // Reads each row and column that a lane needs once for all of its values.
    index_t of_row[i.c_values]{}, of_column[i.c_values]{}; // the first value of the same index
    Value rows[i.c_values][i.k], columns[i.c_values][i.k];
    const auto place = [&](index_t v) { return i.c(thread_index() % 32, v); };
    for(index_t v = 0; v < i.c_values; ++v)
    {
        while(place(of_row[v]).row != place(v).row)
            ++of_row[v];
        while(place(of_column[v]).column != place(v).column)
            ++of_column[v];
        if(of_row[v] == v)
            a(place(v).row, rows[v]);
    }
    for(index_t j = 0; j < tiles; ++j)
        for(index_t v = 0; v < i.c_values; ++v)
        {
            if(of_column[v] == v)
                b(j * i.n + place(v).column, columns[v]);
            d[j][v] = static_cast<Accumulator>(
                add_products(static_cast<Value>(d[j][v]), rows[of_row[v]], columns[of_column[v]]));
        }
}

} // namespace detail
#endif

/// d += a * b over 32 bytes of the reduction: a has 64 rows, b 8 * tiles. All threads of the
/// warpgroup call it together with the same operands. tf32: the low 13 bits of floats are dropped.
/// Operands whose elements do not have two bytes must lie along the reduction.
template <Matrix id, bool a_along_rows, bool b_along_rows, index_t tiles>
CK_DEVICE CK_INLINE void multiply_shared([[maybe_unused]] SharedOperand a,
                                         [[maybe_unused]] SharedOperand b,
                                         [[maybe_unused]] MatrixC<id> (&d)[tiles])
{
    static_assert(input_bytes(id) == 2 || (!a_along_rows && !b_along_rows));
    static_assert(input_bytes(id) * describe(id).k == 32);
#if defined(CK_LANGUAGE_CUDA)
    nvidia::wgmma<id, a_along_rows, b_along_rows>(a.descriptor, b.descriptor, d);
#elif defined(CK_LANGUAGE_HIP)
    trap();
#else
    using Types             = MatrixTypes<id>;
    const index_t first_row = thread_index() / 32 % 4 * 16;
    detail::multiply<id>(
        [&](index_t row, auto& to) {
            detail::read_row<id, typename Types::A>(a, a_along_rows, first_row + row, to);
        },
        [&](index_t row, auto& to) {
            detail::read_row<id, typename Types::B>(b, b_along_rows, row, to);
        },
        d);
#endif
}

/// The same for two-byte elements or tf32, with this lane's part of a in registers, in the places
/// of the instruction's lane map in the warp's 16 rows; two-byte elements are in pairs in a word.
/// They must not change until the multiplication is done; begin_multiplications() orders writes of
/// them before it.
template <Matrix id, bool b_along_rows, index_t tiles>
CK_DEVICE CK_INLINE void multiply_registers([[maybe_unused]] const Vector<std::uint32_t, 4>& a,
                                            [[maybe_unused]] SharedOperand b,
                                            [[maybe_unused]] MatrixC<id> (&d)[tiles])
{
    static_assert(sizeof(MatrixA<id>) == sizeof(a));
#if defined(CK_LANGUAGE_CUDA)
    nvidia::wgmma_of_registers<id, b_along_rows>(a, b.descriptor, d);
#elif defined(CK_LANGUAGE_HIP)
    trap();
#else
    constexpr MatrixInstruction i = describe(id);
    using Types                   = MatrixTypes<id>;
    using Value = decltype(detail::multiplied_by_warpgroups<id>(typename Types::A{}));
    struct Lane
    {
        MatrixA<id> values;
        Value rows[i.m][i.k];
    };
    Lane lane{__builtin_bit_cast(MatrixA<id>, a), {}};
    wave_operation(32, &lane, [&](void* const* of_lane) {
        for(index_t from = 0; from < 32; ++from)
            for(index_t v = 0; v < i.a_values; ++v)
            {
                const auto at = i.a(from, v);
                const Value x = detail::multiplied_by_warpgroups<id>(
                    static_cast<const Lane*>(of_lane[from])->values[v]);
                for(index_t to = 0; to < 32; ++to)
                    static_cast<Lane*>(of_lane[to])->rows[at.row][at.column] = x;
            }
    });
    detail::multiply<id>([&](index_t row, auto& to) { std::copy_n(lane.rows[row], i.k, to); },
                         [&](index_t row, auto& to) {
                             detail::read_row<id, typename Types::B>(b, b_along_rows, row, to);
                         },
                         d);
#endif
}

} // namespace ck::arch
