#pragma once
// The instances of DeviceGroupedConvBwdWeight: f16, bf16, f32, and bf16 with f32 weights, in one,
// two and three dimensions, with any layouts that have groups.
#include "ck/library/tensor_operation_instance/conv_factory.hpp"
#include "ck/library/tensor_operation_instance/weight_instances.hpp"
