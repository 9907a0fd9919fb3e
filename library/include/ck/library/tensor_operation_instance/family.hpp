#pragma once
// What the kernels of the library are filed under, without any of their templates.
#include "ck/convolution/direction.hpp"
#include "ck/tensor_operation/gpu/element/combined_element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/tuple.hpp"

#include <string>

namespace ck::tensor_operation::device::instance {

/// Everything about a convolution that its kernels depend on: not its rank, nor its layouts, since
/// kernels know tensors by their strides. A, B and C are the matrices of the GEMM:
///
///                    A        B       C
///   forward          X        W       Y
///   backward data    dY       W       dX
///   backward weight  dY       X       dW
///
/// Types and operations are names; "f16 f16" is two tensors of f16, which one operation reads.
struct Family
{
    Direction direction;
    std::string a, b, c;              ///< element types
    std::string d;                    ///< of the D tensors, which C's operation reads; may be ""
    std::string compute_a, compute_b; ///< types that A and B are multiplied in
    std::string operation_a, operation_b, operation_c;

    bool operator==(const Family&) const = default;
};

/// The name of an element-wise operation; none for those that no factory is for.
template <class Operation>
inline constexpr const char* operation_name = nullptr;

#define CK_OPERATION_NAME(Operation)                                                               \
    template <>                                                                                    \
    inline constexpr const char* operation_name<element_wise::Operation> = #Operation
CK_OPERATION_NAME(PassThrough);
CK_OPERATION_NAME(Scale);
CK_OPERATION_NAME(Bilinear);
CK_OPERATION_NAME(ScaleAdd);
CK_OPERATION_NAME(ScaleAddScaleAddRelu);
CK_OPERATION_NAME(AddRelu);
CK_OPERATION_NAME(AddReluAdd);
CK_OPERATION_NAME(ConvScale);
CK_OPERATION_NAME(ConvScaleRelu);
CK_OPERATION_NAME(ConvScaleAdd);
CK_OPERATION_NAME(ConvInvscale);
CK_OPERATION_NAME(ScaleScalePass);
CK_OPERATION_NAME(ScaleScaleRelu);

#define CK_ACTIVATION_NAME(Operation, Activation)                                                  \
    template <>                                                                                    \
    inline constexpr const char*                                                                   \
        operation_name<element_wise::Operation<element_wise::Activation>> =                        \
            #Operation "<" #Activation ">"
CK_ACTIVATION_NAME(Activation_Mul_Clamp, PassThrough);
CK_ACTIVATION_NAME(Activation_Mul_Clamp, Relu);
CK_ACTIVATION_NAME(Activation_Mul2_Clamp, PassThrough);
CK_ACTIVATION_NAME(Activation_Mul2_Clamp, Relu);
CK_ACTIVATION_NAME(Add_Activation_Mul_Clamp, PassThrough);
CK_ACTIVATION_NAME(Add_Activation_Mul_Clamp, Relu);
CK_ACTIVATION_NAME(Add_Activation_Mul2_Clamp, PassThrough);
CK_ACTIVATION_NAME(Add_Activation_Mul2_Clamp, Relu);
CK_ACTIVATION_NAME(Add_Mul_Activation_Mul_Clamp, TanH);
CK_ACTIVATION_NAME(Add_Mul2_Activation_Mul_Clamp, TanH);
#undef CK_OPERATION_NAME
#undef CK_ACTIVATION_NAME

/// The names of a type, or of those of a Tuple. A type without a name is in no family of the
/// library.
template <class T>
struct TypeNames
{
    static std::string get() { return type_name<T> == nullptr ? "unknown" : type_name<T>; }
};
template <class... Ts>
struct TypeNames<Tuple<Ts...>>
{
    static std::string get()
    {
        std::string names;
        ((names += (names.empty() ? "" : " ") + TypeNames<Ts>::get()), ...);
        return names;
    }
};

template <class T>
struct FirstOf
{
    using type = T;
};
template <class T, class... More>
struct FirstOf<Tuple<T, More...>>
{
    using type = T;
};

/// A Family as types. A and B: an element type or a Tuple of them, Ds: a Tuple.
template <Direction direction_,
          class A_,
          class B_,
          class C_,
          class Ds_         = Tuple<>,
          class OperationA_ = element_wise::PassThrough,
          class OperationB_ = element_wise::PassThrough,
          class OperationC_ = element_wise::PassThrough,
          class ComputeA_   = typename FirstOf<A_>::type,
          class ComputeB_   = typename FirstOf<B_>::type>
struct ConvFamily
{
    static constexpr Direction direction = direction_;

    using A          = A_;
    using B          = B_;
    using C          = C_;
    using Ds         = Ds_;
    using OperationA = OperationA_;
    using OperationB = OperationB_;
    using OperationC = OperationC_;
    using ComputeA   = ComputeA_;
    using ComputeB   = ComputeB_;

    /// Whether a factory is for these operations at all.
    static constexpr bool operations_known = operation_name<OperationA> != nullptr &&
                                             operation_name<OperationB> != nullptr &&
                                             operation_name<OperationC> != nullptr;

    static Family key()
    {
        return {direction,
                TypeNames<A>::get(),
                TypeNames<B>::get(),
                TypeNames<C>::get(),
                TypeNames<Ds>::get(),
                TypeNames<ComputeA>::get(),
                TypeNames<ComputeB>::get(),
                operation_name<OperationA>,
                operation_name<OperationB>,
                operation_name<OperationC>};
    }
};

} // namespace ck::tensor_operation::device::instance
