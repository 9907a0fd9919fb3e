#pragma once
// The key under which the registry lists kernels, without templates.
#include "ck/convolution/direction.hpp"
#include "ck/tensor_operation/gpu/element/combined_element_wise_operation.hpp"
#include "ck/tensor_operation/gpu/element/conv_epilogue.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/tuple.hpp"

#include <string>

namespace ck::tensor_operation::device::instance {

/// Everything about a convolution that its kernels depend on. Rank and layouts are not part of it,
/// since kernels take strides. A, B and C are the matrices of the GEMM:
///
///                    A        B       C
///   forward          X        W       Y
///   backward data    dY       W       dX
///   backward weight  dY       X       dW
///
/// Types and operations are names; "f16 f16" means two tensors of f16 that one operation reads.
struct Family
{
    /// Which of the three passes it computes.
    Direction direction;
    std::string a;         ///< element type of A
    std::string b;         ///< element type of B
    std::string c;         ///< element type of the result
    std::string d;         ///< element types of the D tensors, which C's operation reads; may be ""
    std::string compute_a; ///< type that A is multiplied in
    std::string compute_b; ///< type that B is multiplied in
    std::string operation_a; ///< element-wise operation on A
    std::string operation_b; ///< element-wise operation on B
    std::string operation_c; ///< element-wise operation on the result

    /// Whether all names are equal.
    bool operator==(const Family&) const = default;
};

/// The name of an element-wise operation; null if no factory has it.
template <class Operation>
inline constexpr const char* operation_name = nullptr;

/// Defines the name of an operation.
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
CK_OPERATION_NAME(Clamp);
CK_OPERATION_NAME(AddClamp);
CK_OPERATION_NAME(BiasNormalizeInInferClamp);
CK_OPERATION_NAME(DynamicUnaryOp);
CK_OPERATION_NAME(ConvEpilogue);
CK_OPERATION_NAME(ConvScale);
CK_OPERATION_NAME(ConvScaleRelu);
CK_OPERATION_NAME(ConvScaleAdd);
CK_OPERATION_NAME(ConvInvscale);
CK_OPERATION_NAME(Requantize);
CK_OPERATION_NAME(ScaleScalePass);
CK_OPERATION_NAME(ScaleScaleRelu);

/// Defines the name of an operation that has an activation.
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

/// The name of a type, or the names of the types of a Tuple. No family of the library has a type
/// without a name.
template <class T>
struct TypeNames
{
    /// The name, or "unknown" if the type has none.
    static std::string get() { return type_name<T> == nullptr ? "unknown" : type_name<T>; }
};
/// Names of several types.
template <class... Ts>
struct TypeNames<Tuple<Ts...>>
{
    /// The names, separated by spaces.
    static std::string get()
    {
        std::string names;
        ((names += (names.empty() ? "" : " ") + TypeNames<Ts>::get()), ...);
        return names;
    }
};

/// The first type of a Tuple; any other type is returned unchanged.
template <class T>
struct FirstOf
{
    /// That type.
    using type = T;
};
/// The first type of a Tuple.
template <class T, class... More>
struct FirstOf<Tuple<T, More...>>
{
    /// That type.
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
    /// Which of the three passes it computes.
    static constexpr Direction direction = direction_;

    /// Element type of A, or a Tuple of them.
    using A = A_;
    /// Element type of B, or a Tuple of them.
    using B = B_;
    /// Element type of the result.
    using C = C_;
    /// Element types of the D tensors.
    using Ds = Ds_;
    /// Element-wise operation on A.
    using OperationA = OperationA_;
    /// Element-wise operation on B.
    using OperationB = OperationB_;
    /// Element-wise operation on the result, which reads the D tensors.
    using OperationC = OperationC_;
    /// Type that A is multiplied in.
    using ComputeA = ComputeA_;
    /// Type that B is multiplied in.
    using ComputeB = ComputeB_;

    /// Whether any factory has these operations.
    static constexpr bool operations_known = operation_name<OperationA> != nullptr &&
                                             operation_name<OperationB> != nullptr &&
                                             operation_name<OperationC> != nullptr;

    /// The family as names, as in the registry.
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
