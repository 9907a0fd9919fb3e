#pragma once
// The instances of DeviceGroupedConvFwdMultipleABD: f16, bf16, f32 and i8; f8 and bf8 in any
// mixture to f8, and the same of OCP; f16 computed as f8, f32 as tf32. Those with other operations
// are in headers of their names.
//
// In one, two and three dimensions, with any layouts that have groups: instances go by strides.
#include "ck/library/tensor_operation_instance/conv_factory.hpp"
#include "ck/library/tensor_operation_instance/grouped_instances.hpp"
