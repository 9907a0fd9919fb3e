#pragma once
// The instances of DeviceGroupedConvBwdWeight: f16, bf16, f32 and i8; bf16 with f32 weights;
// f16 computed as bf8 (dY) and f8 (X), f32 as tf32. Other operations have headers named after
// them.
//
// In one, two and three dimensions, with any grouped layouts: instances take strides.
#include "ck/library/tensor_operation_instance/conv_factory.hpp"
#include "ck/library/tensor_operation_instance/weight_instances.hpp"
