#pragma once
// For programs that include this path: ReferenceConvBwdWeight handles groups, too.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
