#pragma once
// What the lists of device operations share; each engine has a file.
#include "ck/tensor_operation/gpu/device/convolution_backward_data_specialization.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/utility/sequence.hpp"

#include "common/engines.hpp"
#include <tuple>

namespace example {

using ck::tensor_operation::element_wise::PassThrough;
inline constexpr auto ConvBwdDefault =
    ck::tensor_operation::device::ConvolutionBackwardDataSpecialization::Default;
template <ck::index_t... Is>
using S = ck::Sequence<Is...>;

/// OfRank<1, 2 or 3>::Tuple is a std::tuple of device operations, the best first.
template <Engine engine, class T>
struct Operations;

} // namespace example
