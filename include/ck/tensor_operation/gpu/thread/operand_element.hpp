#pragma once
// One element of an operand: its type in memory and the type that is multiplied.
#include "ck/tensor_operation/gpu/element/pass_through_int8.hpp"
#include "ck/tensor_operation/gpu/element/unary_element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/thread/operand_source.hpp"
#include "ck/utility/type_convert.hpp"

namespace ck::thread {

/// Whether an element-wise operation leaves values unchanged.
template <class Operation>
inline constexpr bool is_identity =
    std::is_same_v<Operation, tensor_operation::element_wise::PassThrough>;

/// Whether an element-wise operation on a result only converts it to its type.
template <class Operation>
inline constexpr bool only_converts =
    is_identity<Operation> ||
    std::is_same_v<Operation, tensor_operation::element_wise::PassThroughInt8>;

/// Source: element type in memory, see OperandSource. Element: the type that is multiplied.
/// ComputeAs: the type to which a value is rounded first; void or tf32_t (which the instruction
/// rounds to by itself): Element. int8 always stays int8.
template <class Source, class Element, class Operation, class ComputeAs = void>
struct OperandElement
{
    using From = OperandSource<Source>;
    using Compute =
        std::conditional_t<std::is_void_v<ComputeAs> || std::is_same_v<ComputeAs, tf32_t>,
                           std::conditional_t<std::is_same_v<typename From::Element, std::int8_t>,
                                              std::int8_t,
                                              Element>,
                           ComputeAs>;
    /// The bits stay as they are.
    static constexpr bool verbatim = is_identity<Operation> && std::is_same_v<Element, Source> &&
                                     std::is_same_v<Compute, Element>;

    /// Element e of a load. exists: padding stays zero, whatever the operation does to
    /// zero.
    template <class Values>
    CK_DEVICE CK_INLINE static Element
    of(const Operation& operation, const Values& loaded, index_t e, [[maybe_unused]] bool exists)
    {
        if constexpr(is_identity<Operation>)
            return type_convert<Element>(type_convert<Compute>(loaded[e]));
        else
        {
            Compute value;
            From::apply(operation, value, loaded, e);
            return exists ? type_convert<Element>(value) : type_convert<Element>(0.f);
        }
    }

    /// The element `offset` bytes from the operand's begin; zero if the offset is nowhere.
    CK_DEVICE CK_INLINE static Element
    at(typename From::Pointer base, const Operation& operation, arch::offset_t offset)
    {
        using Stored = typename From::Element;
        const typename From::template Memory<Stored> memory(base);
        return of(operation, memory.template load<1>(offset, 0), 0, offset < arch::nowhere);
    }
};

} // namespace ck::thread
