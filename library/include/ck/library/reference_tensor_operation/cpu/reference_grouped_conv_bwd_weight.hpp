#pragma once
// A path that documents list: groups are part of ReferenceConvBwdWeight.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
