#pragma once
// What the kernels have in common whose operands are copied by tensor maps into a ring of slots.
#include "ck/arch/transaction_barrier.hpp"
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
    return Types::Ds::Size() == 0 && thread::is_identity<typename Types::OperationC> &&
           sizeof(typename Types::C) < sizeof(Accumulator);
}

/// A slot of a ring, and the parity of how often the ring has gone round.
struct RingSlot
{
    index_t number = 0, parity = 0;

    CK_DEVICE CK_INLINE void advance(index_t slots)
    {
        if(++number == slots)
        {
            number = 0;
            parity ^= 1;
        }
    }
};

} // namespace ck::grid
