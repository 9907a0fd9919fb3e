#pragma once
// The instances of DeviceConvFwd, forward without groups: f16, bf16, f32 and i8 with NWC/KXC/NWK,
// NHWC/KYXC/NHWK and NDHWC/KZYXC/NDHWK.
#include "ck/library/tensor_operation_instance/conv_factory.hpp"
#include "ck/library/tensor_operation_instance/packed_instances.hpp"
