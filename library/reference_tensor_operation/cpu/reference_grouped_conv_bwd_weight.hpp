#pragma once
// A path that documents list, from the folder of the project.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
