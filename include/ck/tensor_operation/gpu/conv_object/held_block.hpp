#pragma once
// An object's block on the target's matrix instruction. Device code has one instruction; the host
// emulates all and uses the one that the tiling names.
#include "ck/tensor_operation/gpu/conv_object/object_block.hpp"

#if !defined(CK_LANGUAGE_HIP) && !defined(CK_LANGUAGE_CUDA)
#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>
#endif

namespace ck::conv_object {

/// A list of instructions: a target uses the first that it supports.
template <arch::Matrix... ids>
struct Instructions
{};

#if defined(CK_LANGUAGE_HIP)
#define CK_OBJECT_INSTRUCTIONS(mfma, gfx11, gfx12, mma, dot) mfma, gfx11, gfx12, dot
#elif defined(CK_LANGUAGE_CUDA)
#define CK_OBJECT_INSTRUCTIONS(mfma, gfx11, gfx12, mma, dot) mma, dot
#else
#define CK_OBJECT_INSTRUCTIONS(mfma, gfx11, gfx12, mma, dot) mfma, gfx11, gfx12, mma, dot
#endif

template <class T>
struct InstructionsOf;
template <>
struct InstructionsOf<half_t>
{
    using type = Instructions<CK_OBJECT_INSTRUCTIONS(arch::Matrix::mfma_f32_32x32x8_f16,
                                                     arch::Matrix::wmma_gfx11_f32_16x16x16_f16,
                                                     arch::Matrix::wmma_gfx12_f32_16x16x16_f16,
                                                     arch::Matrix::mma_f32_16x8x16_f16,
                                                     arch::Matrix::dot_f32_8x4x2_f16)>;
};
template <>
struct InstructionsOf<bhalf_t>
{
    using type = Instructions<CK_OBJECT_INSTRUCTIONS(arch::Matrix::mfma_f32_32x32x8_bf16_1k,
                                                     arch::Matrix::wmma_gfx11_f32_16x16x16_bf16,
                                                     arch::Matrix::wmma_gfx12_f32_16x16x16_bf16,
                                                     arch::Matrix::mma_f32_16x8x16_bf16,
                                                     arch::Matrix::dot_f32_8x4x2_bf16)>;
};
#undef CK_OBJECT_INSTRUCTIONS

template <arch::Matrix... ids>
constexpr arch::Matrix first_of(Instructions<ids...>, arch::Target target)
{
    const arch::Matrix all[] = {ids...};
    for(const arch::Matrix id : all)
        if(arch::meets(target, arch::describe(id).requirement))
            return id;
    return all[sizeof...(ids) - 1];
}
/// The instruction that objects of this type use on a target.
template <class T>
constexpr arch::Matrix instruction_for(arch::Target target)
{
    return first_of(typename InstructionsOf<T>::type{}, target);
}

/// LDS of the largest block on one instruction. A pair: runs of dY and of W.
template <class T, arch::Matrix id, index_t base, std::size_t... pairs>
constexpr std::size_t most_lds_bytes(std::index_sequence<pairs...>)
{
    constexpr index_t runs[] = {0, 1, BackwardDataInBlocks::block};
    return std::max({sizeof(
        typename ObjectBlock<T, id, base, Runs{runs[pairs / 3], runs[pairs % 3]}>::Shared)...});
}

template <class T, index_t base, arch::Matrix... ids>
constexpr std::size_t lds_bytes_of(Instructions<ids...>, arch::Matrix wanted)
{
    return std::max(
        {(ids == wanted ? most_lds_bytes<T, ids, base>(std::make_index_sequence<9>{}) : 0)...});
}
/// LDS of a block on this instruction, for any formats.
template <class T, index_t base>
constexpr std::size_t lds_bytes(arch::Matrix instruction)
{
    return lds_bytes_of<T, base>(typename InstructionsOf<T>::type{}, instruction);
}

#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)

template <class T, index_t base, Runs runs>
class HeldBlock
{
    static constexpr arch::Matrix id = instruction_for<T>(arch::compiling_for);

public:
    CK_DEVICE CK_INLINE bool select(std::int32_t instruction)
    {
        return instruction == static_cast<std::int32_t>(id);
    }
    /// Calls f(ObjectBlock&).
    template <class F>
    CK_DEVICE CK_INLINE void visit(F&& f)
    {
        f(block_);
    }

private:
    ObjectBlock<T, id, base, runs> block_;
};

#else

template <class T, index_t base, Runs runs>
class HeldBlock
{
    template <arch::Matrix... ids>
    static std::variant<ObjectBlock<T, ids, base, runs>...> blocks_of(Instructions<ids...>);
    using Blocks = decltype(blocks_of(typename InstructionsOf<T>::type{}));

public:
    /// Selects the instruction. Returns false if it is not one of this type's.
    bool select(std::int32_t instruction)
    {
        return select(typename InstructionsOf<T>::type{}, instruction);
    }
    /// Calls f(ObjectBlock&).
    template <class F>
    CK_INLINE void visit(F&& f)
    {
        std::visit(std::forward<F>(f), blocks_);
    }

private:
    template <arch::Matrix... ids>
    bool select(Instructions<ids...>, std::int32_t instruction)
    {
        bool found = false;
        ((instruction == static_cast<std::int32_t>(ids)
              ? static_cast<void>((blocks_ = ObjectBlock<T, ids, base, runs>{}, found = true))
              : static_cast<void>(0)),
         ...);
        return found;
    }

    Blocks blocks_;
};

#endif

} // namespace ck::conv_object
