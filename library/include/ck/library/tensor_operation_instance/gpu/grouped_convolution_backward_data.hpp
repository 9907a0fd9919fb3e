#pragma once
// The instances of DeviceGroupedConvBwdDataMultipleD: f16, bf16 and f32, in one, two and three
// dimensions, with any layouts that have groups.
#include "ck/library/tensor_operation_instance/conv_factory.hpp"
#include "ck/library/tensor_operation_instance/grouped_instances.hpp"
