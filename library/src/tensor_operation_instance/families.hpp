#pragma once
// Short names for the families of the library, as instances.cmake spells them.
#include "ck/library/tensor_operation_instance/family.hpp"

namespace ck::tensor_operation::device::instance {

template <class T>
using Forward = ConvFamily<Direction::forward, T, T, T>;
template <class T>
using BackwardData = ConvFamily<Direction::backward_data, T, T, T>;
template <class T, class Weight = T>
using BackwardWeight = ConvFamily<Direction::backward_weight, T, T, Weight>;

} // namespace ck::tensor_operation::device::instance
