#pragma once
// Matrix instructions on the CPU: one emulation for every row of the table, which reads its lane
// maps. The last lane of a wave to arrive gathers the tiles, multiplies, and gives every lane its
// part of C.
//
// Sums of integers wrap around. Other sums are computed in k order in float, those of doubles in
// double, with one rounding for each multiplication and each addition. Devices round in their own
// order, and gfx90a flushes f16 and bf16 denormals to zero in MFMA: here they are kept.
#include "ck/arch/host/wave.hpp"
#include "ck/arch/matrix_table.hpp"
#include "ck/utility/type_convert.hpp"
#include "ck/utility/vector.hpp"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace ck::arch {

namespace detail {

/// The number that is multiplied. Exact for every value, and without branches in hot code, so that
/// a loop over it is vectorised.
inline float matrix_input(half_t x)
{
    const std::uint32_t magnitude = x.bits & 0x7fffu;
    const std::uint32_t sign      = std::uint32_t{x.bits & 0x8000u} << 16;
    const std::uint32_t special =
        (0u - static_cast<std::uint32_t>(magnitude > 0x7bffu)) & 0x7f800000u;
    // The binary16 fields in binary32's places give the value times 2^-112, also for denormals.
    const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | special | sign);
}

inline float matrix_input(bhalf_t x) { return ck::detail::bhalf_bits_to_float(x); }

inline float matrix_input(float x) { return x; }

inline double matrix_input(double x) { return x; }

template <int exponent, int mantissa, bool ocp>
float matrix_input(ck::detail::Float8<exponent, mantissa, ocp> x)
{
    return x;
}

/// Unsigned: the sums of 32-bit integers wrap around.
inline std::uint32_t matrix_input(std::int8_t x)
{
    return static_cast<std::uint32_t>(std::int32_t{x});
}

/// cvt.rna.tf32.f32: rounds to nearest with 10 explicit mantissa bits, ties away from zero. (gfx942
/// may round ties to even.)
inline float round_to_tf32(float x)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
    if((bits & 0x7fffffffu) > 0x7f800000u)
        return x;
    return std::bit_cast<float>((bits + 0x1000u) & 0xffffe000u);
}

/// One matrix instruction of one wave.
template <Matrix id>
struct EmulatedMatrix
{
    static constexpr MatrixInstruction instruction = describe(id);
    static constexpr index_t m                     = instruction.m;
    static constexpr index_t n                     = instruction.n;
    static constexpr index_t k                     = instruction.k;
    static constexpr index_t lanes                 = instruction.lanes;

    using A           = typename MatrixTypes<id>::A;
    using B           = typename MatrixTypes<id>::B;
    using Accumulator = typename MatrixTypes<id>::Accumulator;
    using Value       = decltype(matrix_input(A{})); // float, double or std::uint32_t

    /// The registers of one lane.
    struct Lane
    {
        const A* a;     // [a_values]
        const B* b;     // [b_values]
        Accumulator* c; // [c_values]
    };

    /// The positions of the values of all lanes, [lanes][values], in the tiles a[m][k], b[k][n] and
    /// c[m][n].
    struct Positions
    {
        std::uint16_t a[lanes * instruction.a_values];
        std::uint16_t b[lanes * instruction.b_values];
        std::uint16_t c[lanes * instruction.c_values];

        Positions()
        {
            fill(a, instruction.a, k, 1);
            fill(b, instruction.b, 1, n);
            fill(c, instruction.c, n, 1);
        }

    private:
        static void fill(std::uint16_t* position, const LaneMap& map, index_t row, index_t column)
        {
            for(index_t lane = 0; lane < lanes; ++lane)
                for(index_t value = 0; value < map.values(); ++value)
                {
                    const LaneMap::Coordinate at = map(lane, value);
                    *position++ = static_cast<std::uint16_t>(at.row * row + at.column * column);
                }
        }
    };

    static const Positions& positions()
    {
        static const Positions made;
        return made;
    }

    /// `of_lane` points to one Lane for each lane.
    static void execute(void* const* of_lane)
    {
        constexpr index_t a_values = instruction.a_values;
        constexpr index_t b_values = instruction.b_values;
        constexpr index_t c_values = instruction.c_values;

        const Positions& at = positions();
        alignas(64) Value a[m * k];
        alignas(64) Value b[k * n];
        alignas(64) Value c[m * n];
        {
            A inputs[lanes * a_values];
            for(index_t lane = 0; lane < lanes; ++lane)
                std::memcpy(
                    inputs + lane * a_values, lane_of(of_lane, lane).a, sizeof(A) * a_values);
            place<distinct(instruction.a)>(inputs, at.a, a, lanes * a_values);
        }
        {
            B inputs[lanes * b_values];
            for(index_t lane = 0; lane < lanes; ++lane)
                std::memcpy(
                    inputs + lane * b_values, lane_of(of_lane, lane).b, sizeof(B) * b_values);
            place<distinct(instruction.b)>(inputs, at.b, b, lanes * b_values);
        }
        for(index_t lane = 0; lane < lanes; ++lane)
        {
            const Accumulator* values = lane_of(of_lane, lane).c;
            for(index_t value = 0; value < c_values; ++value)
                c[at.c[lane * c_values + value]] = static_cast<Value>(values[value]);
        }
        for(index_t row = 0; row < m; ++row)
            multiply_row(a + row * k, b, c + row * n);
        for(index_t lane = 0; lane < lanes; ++lane)
        {
            Accumulator* values = lane_of(of_lane, lane).c;
            for(index_t value = 0; value < c_values; ++value)
                values[value] = static_cast<Accumulator>(c[at.c[lane * c_values + value]]);
        }
    }

private:
    static const Lane& lane_of(void* const* of_lane, index_t lane)
    {
        return *static_cast<const Lane*>(of_lane[lane]);
    }

    /// The number of values that are not copies: upper lanes that move nowhere in the tile hold
    /// copies.
    static constexpr index_t distinct(const LaneMap& map)
    {
        const bool copied = map.lane_high.row == 0 && map.lane_high.column == 0;
        return map.values() * (copied ? map.lane_low.extent : lanes);
    }

    /// Writes the values of all lanes to their tile; `count` of them are not copies.
    template <index_t count, class Input>
    static void place(const Input* inputs, const std::uint16_t* position, Value* tile, index_t held)
    {
        if(count < held)
            check_copies(inputs, sizeof(Input) * count);

        Value values[count];
        for(index_t i = 0; i < count; ++i)
            values[i] = matrix_input(inputs[i]);
        if constexpr(instruction.a_element == Element::tf32)
            for(index_t i = 0; i < count; ++i)
                values[i] = round_to_tf32(values[i]);
        for(index_t i = 0; i < count; ++i)
            tile[position[i]] = values[i];
    }

    /// Lanes with copies must hold the same values: otherwise a device computes garbage.
    static void check_copies(const void* inputs, std::size_t bytes)
    {
        const char* low = static_cast<const char*>(inputs);
        if(std::memcmp(low, low + bytes, bytes) == 0)
            return;
        throw std::logic_error(std::string(instruction.name) +
                               ": the upper half of the lanes must hold copies of A and B");
    }

    /// c[n] += a[k] * b[k][n]
    static void multiply_row(const Value* a, const Value* b, Value* c)
    {
        for(index_t i = 0; i < k; ++i)
            for(index_t column = 0; column < n; ++column)
                c[column] += a[i] * b[i * n + column];
    }
};

} // namespace detail

// Dot products are a few instructions; calling them took a third of the time of training.
template <Matrix id>
CK_INLINE_EVERYWHERE void
multiply_accumulate(const MatrixA<id>& a, const MatrixB<id>& b, MatrixC<id>& c)
{
    if constexpr(is_dot(id))
    {
        constexpr index_t length = describe(id).k;
        using Accumulator        = typename MatrixTypes<id>::Accumulator;
        auto sum                 = static_cast<decltype(detail::matrix_input(a[0]))>(c[0]);
        for(index_t k = 0; k < length; ++k)
            sum += detail::matrix_input(a[k]) * detail::matrix_input(b[k]);
        c[0] = static_cast<Accumulator>(sum);
    }
    else
    {
        using Emulated = detail::EmulatedMatrix<id>;
        typename Emulated::Lane lane{a.value, b.value, c.value};
        wave_operation(Emulated::lanes, &lane, &Emulated::execute);
    }
}

} // namespace ck::arch
