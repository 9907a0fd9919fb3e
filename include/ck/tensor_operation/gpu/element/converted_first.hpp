#pragma once
// An element-wise operation whose first operand is first converted to another type.
#include "ck/utility/type_convert.hpp"

namespace ck::tensor_operation::element_wise {

/// op(y, type_convert<T>(x0), x1 ...): converts a sum to T before the operation sees it.
template <class T, class Operation>
struct ConvertedFirst
{
    ConvertedFirst() = default;
    /// Wraps an operation.
    CK_HOST_DEVICE constexpr ConvertedFirst(const Operation& op) : op_(op) {}

    /// Computes y.
    template <class Y, class X, class... Ds>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X& x, const Ds&... ds) const
    {
        op_(y, type_convert<T>(x), ds...);
    }

    Operation op_{}; ///< the operation
};

} // namespace ck::tensor_operation::element_wise
