#pragma once
// The warpgroups of Hopper's kernels: operands that they multiply without conversion, their
// threads, and the threads' registers.
#include "ck/arch/warpgroup.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"

namespace ck::grid {

/// Whether operands of these types can be multiplied as they are in memory, as a Gemm's InputA and
/// InputB. Compute: the type that the copies or the instruction round them to, if any.
template <class Types, class InputA, class InputB, class Compute = void>
constexpr bool multiplied_as_in_memory()
{
    return std::is_same_v<typename Types::A, InputA> && std::is_same_v<typename Types::B, InputB> &&
           thread::is_identity<typename Types::OperationA> &&
           thread::is_identity<typename Types::OperationB> &&
           std::is_same_v<typename Types::ComputeA, Compute> &&
           std::is_same_v<typename Types::ComputeB, Compute>;
}

/// Whether C is stored as its accumulators, rounded: then LDS holds it rounded.
template <class Types, class Accumulator>
constexpr bool stored_narrow()
{
    return Types::Ds::Size() == 0 && thread::only_converts<typename Types::OperationC> &&
           sizeof(typename Types::C) < sizeof(Accumulator);
}

/// Registers per thread in blocks where one warpgroup copies and `consumers` threads multiply; if
/// `moved`, the latter take some from the former. All are multiples of eight.
template <index_t consumers_, index_t min_blocks_per_cu, bool moved, index_t copying = 56>
struct RegisterReallocation
{
    static constexpr index_t consumers  = consumers_;
    static constexpr index_t warpgroup  = 128;
    static constexpr index_t block_size = consumers + warpgroup;
    static constexpr index_t launched   = (1 << 16) / (min_blocks_per_cu * block_size) / 8 * 8;
    static constexpr index_t multiplying =
        (launched * block_size - copying * warpgroup) / consumers / 8 * 8;

    /// All threads of a warpgroup call one of the two, once.
    CK_DEVICE CK_INLINE static void take()
    {
        if constexpr(moved)
            arch::take_registers<multiplying>();
    }
    CK_DEVICE CK_INLINE static void give_up()
    {
        if constexpr(moved)
            arch::give_up_registers<copying>();
    }
};

/// The same for blocks in which all threads keep the registers that they are launched with.
template <index_t consumers_>
struct LaunchedRegisters
{
    static constexpr index_t consumers = consumers_;
    CK_DEVICE CK_INLINE static void take() {}
    CK_DEVICE CK_INLINE static void give_up() {}
};

/// Whether `accumulators` accumulators take most of the registers that a thread of halo tiles is
/// launched with: with 96 of 128, or 128 of 168, nvcc 13 spills up to 28.
template <index_t consumers, index_t min_blocks_per_cu>
constexpr bool crowds(index_t accumulators)
{
    return 4 * accumulators >=
           3 * RegisterReallocation<consumers, min_blocks_per_cu, false>::launched;
}

/// What follows for a kernel from its waves, which multiply operands of Types as they are in
/// memory. Wave_: a WarpgroupGemm. Compute: see multiplied_as_in_memory().
template <class Types, class Wave_, index_t waves_, index_t min_blocks, class Compute = void>
struct Warpgroups
{
    using Wave        = Wave_;
    using Accumulator = typename Wave::Accumulator;
    using Input       = typename Wave::InputM;
    static_assert(multiplied_as_in_memory<Types, Input, Input, Compute>(),
                  "tensor maps bring operands as they are in memory, or floats as tf32");

    static constexpr index_t lanes = 32, waves_of_warpgroup = 4;
    static constexpr index_t waves = waves_, warpgroups = waves / waves_of_warpgroup;
    static constexpr index_t consumers             = waves * lanes;
    static constexpr index_t min_blocks_per_cu     = min_blocks;
    static constexpr arch::Requirement requirement = Wave::instruction.requirement;

    static constexpr index_t k_per_step = Wave::k_per_step;
    static constexpr index_t c_bytes    = sizeof(typename Types::C);
    static constexpr bool narrow        = stored_narrow<Types, Accumulator>();
    static constexpr index_t room       = (20 << 10) / waves; ///< LDS of a wave for what it stores
    using Registers =
        RegisterReallocation<consumers,
                             min_blocks,
                             crowds<consumers, min_blocks>(
                                 Wave::m_tiles* Wave::n_tiles* Wave::instruction.c_values)>;
    static constexpr index_t block_size = Registers::block_size;
};

} // namespace ck::grid
