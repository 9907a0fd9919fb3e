#pragma once
// The instances of DeviceGroupedConvFwdMultipleABD: f16, bf16, f32 and i8; any mix of f8 and bf8
// to f8, FNUZ or OCP; f16 computed as f8, f32 as tf32. Other operations have headers named after
// them.
//
// In one, two and three dimensions, with any grouped layouts: instances take strides.
#include "ck/library/tensor_operation_instance/conv_factory.hpp"
#include "ck/library/tensor_operation_instance/grouped_instances.hpp"
