#pragma once
// An element-wise operation chosen at run time: one list of instances serves all activations.
#include "ck/tensor_operation/gpu/element/unary_element_wise_operation.hpp"

#include <cstdint>

namespace ck::tensor_operation::element_wise {

/// y = op(x), where op is the operation from which it is constructed.
struct DynamicUnaryOp : Formula<DynamicUnaryOp>
{
    /// The operations to choose from.
    enum class Kind : std::int32_t
    {
        pass_through,
        swish,
        sigmoid,
        logistic,
        tanh,
        relu,
        soft_relu,
        abs,
        power,
        clipped_relu,
        leaky_relu,
        elu
    };

    /// PassThrough; the default for kernel parameters.
    CK_HOST_DEVICE constexpr DynamicUnaryOp() {}
    /// y = x
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const PassThrough&) {}
    /// y = x / (1 + e^(-beta x))
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const Swish& op) : kind(Kind::swish), a(op.beta_) {}
    /// y = 1 / (1 + e^-x)
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const Sigmoid&) : kind(Kind::sigmoid) {}
    /// y = alpha / (1 + alpha e^-x)
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const Logistic& op) : kind(Kind::logistic), a(op.alpha_)
    {}
    /// y = tanh(x)
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const TanH&) : kind(Kind::tanh) {}
    /// y = max(x, 0)
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const Relu&) : kind(Kind::relu) {}
    /// y = ln(1 + e^(alpha x)) / alpha
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const SoftRelu& op)
        : kind(Kind::soft_relu),
          a(op.alpha_)
    {}
    /// y = |x|
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const UnaryAbs&) : kind(Kind::abs) {}
    /// y = (alpha + beta x)^gamma
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const Power& op)
        : kind(Kind::power),
          a(op.alpha_),
          b(op.beta_),
          c(op.gamma_)
    {}
    /// y = min(max(x, alpha), beta)
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const ClippedRelu& op)
        : kind(Kind::clipped_relu),
          a(op.alpha_),
          b(op.beta_)
    {}
    /// y = x, or alpha x where x < 0
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const LeakyRelu& op)
        : kind(Kind::leaky_relu),
          a(op.alpha_)
    {}
    /// y = x, or alpha (e^x - 1) where x < 0
    CK_HOST_DEVICE constexpr DynamicUnaryOp(const Elu& op) : kind(Kind::elu), a(op.alpha_) {}

    template <class T>
    CK_HOST_DEVICE constexpr T value(T x) const
    {
        switch(kind)
        {
        case Kind::pass_through:
            return x;
        case Kind::swish:
            return Swish{a}.value(x);
        case Kind::sigmoid:
            return Sigmoid{}.value(x);
        case Kind::logistic:
            return Logistic{a}.value(x);
        case Kind::tanh:
            return TanH{}.value(x);
        case Kind::relu:
            return Relu{}.value(x);
        case Kind::soft_relu:
            return SoftRelu{a}.value(x);
        case Kind::abs:
            return UnaryAbs{}.value(x);
        case Kind::power:
            return Power{a, b, c}.value(x);
        case Kind::clipped_relu:
            return ClippedRelu{a, b}.value(x);
        case Kind::leaky_relu:
            return LeakyRelu{a}.value(x);
        case Kind::elu:
            return Elu{a}.value(x);
        }
        return x;
    }

    Kind kind = Kind::pass_through; ///< the operation
    float a   = 0.f;                ///< its first parameter
    float b   = 0.f;                ///< its second parameter
    float c   = 0.f;                ///< its third parameter
};

} // namespace ck::tensor_operation::element_wise
