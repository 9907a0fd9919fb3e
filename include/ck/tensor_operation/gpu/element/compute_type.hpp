#pragma once
// The type in which element-wise operations compute.
#include "ck/utility/type_convert.hpp"

#include <type_traits>

namespace ck::tensor_operation::element_wise {

/// float; or double if an operand is a double or an integer of 32 or 64 bits, whose values a float
/// cannot represent.
template <class... Xs>
using ComputeType = std::conditional_t<((std::is_same_v<std::remove_cv_t<Xs>, double> ||
                                         std::is_same_v<std::remove_cv_t<Xs>, std::int32_t> ||
                                         std::is_same_v<std::remove_cv_t<Xs>, std::int64_t>) ||
                                        ...),
                                       double,
                                       float>;

} // namespace ck::tensor_operation::element_wise
