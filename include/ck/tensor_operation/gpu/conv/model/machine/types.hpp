#pragma once
// The types of a machine's numbers. Each machine has a file of numbers in this folder, such as
// h200.ini, and a header that script/machines generates from it.
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include <array>

namespace ck::tensor_operation::device {

/// Converts a model's clock cycles to the device's.
struct Line
{
    double start = 0, factor = 1;
    double partial_sums = 0; ///< of the launch that adds up backward weight's partial sums

    constexpr double at(double cycles, bool has_partial_sums = false) const
    {
        return start + factor * cycles + (has_partial_sums ? partial_sums : 0);
    }
};

/// What a launch computes: Y, dX or dW.
enum class Computed
{
    y,
    dx,
    dw
};

/// The same of several launches.
enum class Computes
{
    y,
    dx,
    dw,
    rows, ///< Y or dX
    all
};

constexpr bool has(Computes some, Computed one)
{
    return some == Computes::all || static_cast<int>(some) == static_cast<int>(one) ||
           (some == Computes::rows && one != Computed::dw);
}

/// What lines ask of a tuning, and of a problem's groups.
enum class Fact
{
    nothing,
    m,
    n,
    k,
    waves,
    a_vector,
    c_vector,
    input_bytes,
    instruction,
    wgmma,
    transposed_first,
    several_groups,
    x, ///< of a window
    y,
    columns,
    stride
};

constexpr index_t fact_of(const GemmTuning& t, bool several_groups, Fact fact)
{
    switch(fact)
    {
    case Fact::nothing:
        return 0;
    case Fact::m:
        return t.block_tile.m;
    case Fact::n:
        return t.block_tile.n;
    case Fact::k:
        return t.block_tile.k;
    case Fact::waves:
        return wave_count(t);
    case Fact::a_vector:
        return t.a_vector;
    case Fact::c_vector:
        return t.c_vector;
    case Fact::input_bytes:
        return arch::input_bytes(t.instruction);
    case Fact::instruction:
        return static_cast<index_t>(t.instruction);
    case Fact::wgmma:
        return arch::takes_shared(t.instruction);
    case Fact::transposed_first:
        return t.maps.transposed_first;
    case Fact::several_groups:
        return several_groups;
    case Fact::x:
        return t.window.x;
    case Fact::y:
        return t.window.y;
    case Fact::columns:
        return t.window.columns;
    case Fact::stride:
        return t.window.stride;
    }
    return 0;
}

/// When a line applies: if the fact has this value.
struct Condition
{
    Fact fact     = Fact::nothing;
    index_t value = 0;
};

/// A line of kernels.
struct LineOf
{
    Pipeline pipeline;
    Computes computes;
    std::array<Condition, 3> conditions;
    Line line;

    constexpr bool is_for(const GemmTuning& t, Computed c, bool several_groups) const
    {
        if(pipeline != t.pipeline || !has(computes, c))
            return false;
        for(const Condition& condition : conditions)
            if(fact_of(t, several_groups, condition.fact) != condition.value)
                return false;
        return true;
    }
};

/// An AMD GPU as its kernels' models count with it, from public sources. A unit is a compute unit;
/// on RDNA, two of them, which share LDS. Cycles are those of the peak clock.
struct UnitRates
{
    double products;         ///< of 16-bit types, that a SIMD does in a cycle; tf32: half of them
    double products_8;       ///< of eight-bit types
    double products_f32;     ///< of f32; 0: no instruction
    double products_f64;     ///< of f64
    double lds_bytes;        ///< of a unit's LDS
    double lds;              ///< bytes that LDS moves in a cycle
    double l2;               ///< bytes that a unit gets from L2 in a cycle, at most,
    double l2_share;         ///< and if all units do
    double read;             ///< bytes of memory in a cycle, for each unit,
    double written;          ///< and if they are written
    double last_level_bytes; ///< of the cache before memory; 0: none
    double last_level;       ///< bytes that each unit gets from it in a cycle
    double matrix_power; ///< of all matrix units, in parts of the power at which the clock falls,
    double vector_power; ///< and of all vector ALUs
};

/// The parts of the time of kernels with MFMA and WMMA, in clock cycles: what each count takes.
/// First, what a workgroup alone waits; then, what keeps the unit busy.
struct UnitTimes
{
    double alone;   ///< in a slice: barriers,
    double wave;    ///< cycles of the products of a wave,
    double step;    ///< reads of LDS, each of 16 bytes of a lane, that wait for one another,
    double load;    ///< and loads of a wave
    double around;  ///< in a tile: start and end,
    double element; ///< elements of C of a lane,
    double run;     ///< and runs of slices, as those of a filter tap
    double working; ///< in a slice: the longest of the next three, and this,
    double matrix;  ///< cycles of the products,
    double lds;     ///< of LDS,
    double line;    ///< and of L2;
    double work;    ///< loads of a wave
    double store;   ///< elements of C, for each lane of a wave
    double vector;  ///< cycles of a vector ALU, for a load of a wave
    double both;    ///< the part of the shorter of work and waiting that is not hidden,
    double shown;   ///< and that of the shorter of these and memory
    double waves;   ///< of a unit, by registers
};

/// The parts of backward weight's time. A separate launch adds up the partial sums.
struct WeightTimes
{
    UnitTimes unit;
    double to_add;                     ///< clock cycles of that launch, without reading them
    double added;                      ///< bytes of them that it reads in a cycle, for each unit
    std::array<index_t, 4> workgroups; ///< on each compute unit, that are worth a try
};

/// The parts of the time of Pipeline::intra_block_split_k, in clock cycles.
struct IntraBlockSplitKTimes
{
    double start;
    double load, sector, line; ///< what a compute unit takes for one
    double wait;               ///< until loads of block_tile.k are there
    double sums;               ///< the launch that adds up partial sums
    index_t line_bytes;
};

/// The parts of the time of Pipeline::pointwise_channels_first, in clock cycles; all except the
/// first two are per compute unit.
struct ChannelsFirstTimes
{
    double start;          ///< of a launch
    double filters;        ///< of a wave's load of filters, each after the other
    double product;        ///< of a matrix instruction
    double load;           ///< of a vector of pixels of each lane, with its permutation
    double store;          ///< of such a vector, with its conversion
    double run;            ///< of pixels, besides its loads and stores
    double again;          ///< the share of A that counts again for a further column tile
    double bytes_of_cycle; ///< of memory, of each unit; 0: as the H200's
};

} // namespace ck::tensor_operation::device
